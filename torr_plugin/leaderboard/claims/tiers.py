"""Where models stand by what is claimed of their pairs: the ranks they may have, and tiers from the top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...analysis.figures.pairs import MOST
from ...analysis.result import OVERALL
from ..results import StudyResults
from .cells import pair_hypothesis
from .claim import Claims


@dataclass(frozen=True)
class ClaimedPlaces:
    """Of the models that have a figure, where there are two or more.

    Attributes:
        tiers: model -> its tier, from 1; one begins with the first model that is claimed to be worse than
            the best of the tier before.
        ranks: model -> its first and last rank: below all that are claimed to be better, and above all that
            are claimed to be worse.
    """

    tiers: Mapping[str, int] = field(default_factory=dict)
    ranks: Mapping[str, tuple[int, int] | None] = field(default_factory=dict)


def claimed_places(analysis: StudyResults, claims: Claims, *, kept: bool = False) -> dict[str, ClaimedPlaces]:
    """Place -> tiers and ranks by performance.

    Of more than ``MOST`` models not every pair is known, so that theirs are the analysis's own.

    Args:
        analysis: of the study, or its label-keeping part.
        claims: of all sentences.
        kept: whether it is that part.
    """
    found = {}
    for place in (OVERALL, *analysis.settings.examples):
        ranked = _ranked(analysis, place)
        if len(ranked) < 2:
            found[place] = ClaimedPlaces()
        elif len(analysis.performance) > MOST:
            ranks = {OVERALL: analysis.rank_intervals, **analysis.rank_intervals_datasets}
            tiers = analysis.tiers.places().get(place, [])
            found[place] = ClaimedPlaces(_numbered(tiers), ranks.get(place, {}))
        else:
            better = _better(ranked, claims, place, kept=kept)
            found[place] = ClaimedPlaces(_numbered(_cut(ranked, better)), _ranks(better))
    return found


def _ranked(analysis: StudyResults, place: str) -> list[str]:
    """Best first; models without a figure are left out."""
    found = {model: own.places()[place].value for model, own in analysis.performance.items()}
    known = {model: value for model, value in found.items() if value is not None}
    return sorted(known, key=lambda model: -known[model])


def _better(ranked: Sequence[str], claims: Claims, place: str, *, kept: bool) -> dict[str, set[str]]:
    """Model -> those that are claimed to be better."""

    def is_better(one: str, other: str) -> bool:
        claim = claims.get(pair_hypothesis("performance", one, other, place, kept=kept))
        return claim is not None and claim.holds and (claim.seen_from(one).value or 0.0) > 0

    return {model: {one for one in ranked if one != model and is_better(one, model)} for model in ranked}


def _ranks(better: Mapping[str, set[str]]) -> dict[str, tuple[int, int] | None]:
    return {
        model: (1 + len(above), len(better) - sum(model in each for each in better.values()))
        for model, above in better.items()
    }


def _cut(ranked: Sequence[str], better: Mapping[str, set[str]]) -> Iterator[list[str]]:
    tier: list[str] = []
    for model in ranked:
        if tier and tier[0] in better[model]:
            yield tier
            tier = []
        tier.append(model)
    yield tier


def _numbered(tiers: Iterator[list[str]] | Sequence[Sequence[str]]) -> dict[str, int]:
    return {model: number for number, tier in enumerate(tiers, 1) for model in tier}
