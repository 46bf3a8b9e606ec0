"""Whether a model's place on a data set lies apart from its place over all data sets."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from typing import Literal

from ...analysis.result import OVERALL
from ..results import StudyResults

LEAST_PLACES = 2
"""Between the places that are sure on a data set and overall, to be worth a sentence."""

LEAST_EXAMPLES = 10
"""Fewer say little, however equal their scores."""

Word = Literal["better", "worse"]


def places_apart(analysis: StudyResults, dataset: str) -> Iterator[tuple[str, Word, float]]:
    """Each model that has a figure, better or worse than overall, and a p-value; corrected for one another.

    A place is bounded by the pairs that the paired tests separate at a level: behind all that are better, and
    before all that are worse. With p-values that are corrected for all pairs of a place, the bounds of all
    models hold at once; twice the smallest level at which they lie apart is a p-value, as each of the two
    places may be wrong.
    """
    models = [model for model, own in analysis.performance.items() if own.overall.value is not None]
    if analysis.settings.examples[dataset] < LEAST_EXAMPLES:
        return
    better_here, worse_here = _separations(analysis, dataset, models)
    better, worse = _separations(analysis, OVERALL, models)
    for model in models:
        sides: tuple[tuple[Word, list[float], list[float]], ...] = (
            ("worse", better_here[model], worse[model]),
            ("better", better[model], worse_here[model]),
        )
        for word, before, after in sides:
            yield model, word, _level_apart(before, after, len(models))


_PValues = Mapping[str, list[float]]
"""Model -> sorted p-values."""


def _separations(analysis: StudyResults, place: str, models: Container[str]) -> tuple[_PValues, _PValues]:
    """Against those that score higher, and lower; among these models alone: others have no place overall."""
    better: dict[str, list[float]] = defaultdict(list)
    worse: dict[str, list[float]] = defaultdict(list)
    for pair in analysis.pairs:
        own = pair.performance.places().get(place)
        if own and own.p is not None and own.difference and all(model in models for model in pair.models):
            high, low = pair.models if own.difference > 0 else pair.models[::-1]
            better[low].append(own.p)
            worse[high].append(own.p)
    for p_values in (*better.values(), *worse.values()):
        p_values.sort()
    return better, worse


def _level_apart(better: list[float], worse: list[float], models: int) -> float:
    """Twice the level at which the better and the worse ones leave ``LEAST_PLACES`` between; at most 1."""
    for p in sorted({*better, *worse}):
        first, last = 1 + bisect_right(better, p), models - bisect_right(worse, p)
        if first - last >= LEAST_PLACES:
            return min(1.0, 2 * p)
    return 1.0
