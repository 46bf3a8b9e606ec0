"""Tiers of models: a new one begins with the first model that is claimed to be worse than the tier's best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analysis.figures.pairs import MOST
from ...analysis.result import OVERALL
from ..results import StudyResults
from .cells import pair_hypothesis
from .claim import Claims

Tiers = Mapping[str, int]
"""Model -> its tier, from 1; models without a figure have none."""


def claimed_tiers(analysis: StudyResults, claims: Claims, *, kept: bool = False) -> dict[str, Tiers]:
    """Place -> tiers by performance.

    Of more than ``MOST`` models not every pair is known, so that their tiers are the analysis's own.

    Args:
        analysis: of the study, or its label-keeping part.
        claims: of all sentences.
        kept: whether it is that part.
    """
    places = (OVERALL, *analysis.settings.examples)
    if len(analysis.performance) > MOST:
        every = analysis.tiers.places()
        return {place: dict(_numbered(every.get(place, []))) for place in places}
    return {
        place: dict(_numbered(_cut(_ranked(analysis, place), claims, place, kept=kept))) for place in places
    }


def _ranked(analysis: StudyResults, place: str) -> list[str]:
    """Best first; models without a figure are left out."""
    found = {model: own.places()[place].value for model, own in analysis.performance.items()}
    known = {model: value for model, value in found.items() if value is not None}
    return sorted(known, key=lambda model: -known[model])


def _cut(ranked: Sequence[str], claims: Claims, place: str, *, kept: bool) -> list[list[str]]:
    found: list[list[str]] = []
    for model in ranked:
        if found and pair_hypothesis("performance", found[-1][0], model, place, kept=kept) not in claims:
            found[-1].append(model)
        else:
            found.append([model])
    return found


def _numbered(tiers: Sequence[Sequence[str]]) -> Iterator[tuple[str, int]]:
    for tier, models in enumerate(tiers, 1):
        yield from ((model, tier) for model in models)
