"""Where models stand by what is claimed of their pairs: the ranks they may have, and tiers from the top."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ...analysis.figures.pairs import MOST
from ...analysis.result import OVERALL
from ...analysis.simultaneous_ranks import tier_numbers
from ..results import StudyResults, at_limit
from .cells import pair_hypothesis
from .claim import Claims, Hypothesis

Ranks = Mapping[str, tuple[int, int] | None]
"""Model -> its first and last rank: below all that are claimed to be better, above all that are worse."""


@dataclass(frozen=True)
class ClaimedPlaces:
    """Of the models that have a figure, where there are two or more.

    Attributes:
        tiers: model -> its tier, from 1; one begins with the first model that is claimed to be worse than
            the best of the tier before.
        ranks: those that are possible.
    """

    tiers: Mapping[str, int] = field(default_factory=dict)
    ranks: Ranks = field(default_factory=dict)


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
            found[place] = ClaimedPlaces(tier_numbers(tiers), ranks.get(place, {}))
        else:

            def pair(one: str, other: str, place: str = place) -> Hypothesis:
                return pair_hypothesis("performance", one, other, place, kept=kept)

            better = _better(ranked, claims, pair)
            found[place] = ClaimedPlaces(tier_numbers(_cut(ranked, better)), _ranks(better))
    return found


def robust_ranks(analysis: StudyResults, claims: Claims) -> dict[str, Ranks]:
    """Place -> ranks by robustness, of the models whose robustness says something; empty where of too few.

    Of more than ``MOST`` models not every pair is known, so nothing is said.
    """
    if not analysis.varied:
        return {place: {} for place in (OVERALL, *analysis.settings.examples)}
    figure, found = analysis.compared_figures[1], {}
    for place in (OVERALL, *analysis.settings.examples):
        known = [
            model
            for model, own in analysis.headline_robustness.items()
            if own.places()[place].value is not None
            and at_limit(analysis, model, "headline_robustness", place) is None
        ]

        def pair(one: str, other: str, place: str = place) -> Hypothesis:
            return pair_hypothesis(figure, one, other, place)

        told = len(known) > 1 and len(analysis.performance) <= MOST
        found[place] = _ranks(_better(known, claims, pair)) if told else {}
    return found


def _ranked(analysis: StudyResults, place: str) -> list[str]:
    """Best first; models without a figure are left out."""
    found = {model: own.places()[place].value for model, own in analysis.performance.items()}
    known = {model: value for model, value in found.items() if value is not None}
    return sorted(known, key=lambda model: -known[model])


def _better(
    models: Sequence[str], claims: Claims, pair: Callable[[str, str], Hypothesis]
) -> dict[str, set[str]]:
    """Model -> those that are claimed to be better."""

    def is_better(one: str, other: str) -> bool:
        claim = claims.get(pair(one, other))
        return claim is not None and claim.holds and (claim.seen_from(one).value or 0.0) > 0

    return {model: {one for one in models if one != model and is_better(one, model)} for model in models}


def _ranks(better: Mapping[str, set[str]]) -> Ranks:
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
