"""Whether a model's place on a data set lies apart from its place over all data sets."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ...analysis.result import OVERALL
from ..results import StudyResults

LEAST_PLACES = 2
"""Between the places that are sure on a data set and overall, to be worth a sentence."""

LEAST_EXAMPLES = 10
"""Fewer say little, however equal their scores."""


Word = Literal["better", "worse"]


@dataclass(frozen=True)
class PlaceApart:
    """That a model's place on a data set is better, or worse, than overall, with its p-value."""

    dataset: str
    model: str
    word: Word
    p: float


def places_apart(analysis: StudyResults, dataset: str) -> Iterator[PlaceApart]:
    """Of all models that have a figure, both ways; corrected for one another.

    A place is bounded by the pairs that the paired tests separate at a level: behind all that are better, and
    before all that are worse. With p-values that are corrected for all pairs of a place, the bounds of all
    models hold at once; twice the smallest level at which they lie apart is a p-value, as each of the two
    places may be wrong.
    """
    models = [model for model, own in analysis.performance.items() if own.overall.value is not None]
    if analysis.settings.examples[dataset] < LEAST_EXAMPLES:
        return
    here, overall = (_separations(analysis, place, models) for place in (dataset, OVERALL))
    for model in models:
        sides: tuple[tuple[Word, list[float], list[float]], ...] = (
            ("worse", here.better[model], overall.worse[model]),
            ("better", overall.better[model], here.worse[model]),
        )
        for word, better, worse in sides:
            yield PlaceApart(dataset, model, word, _level_apart(better, worse, len(models)))


@dataclass(frozen=True)
class _Separations:
    """Model -> p-values against those that score higher, and lower; sorted."""

    better: Mapping[str, list[float]]
    worse: Mapping[str, list[float]]


def _separations(analysis: StudyResults, place: str, models: Container[str]) -> _Separations:
    """Among these models alone: others have no place overall."""
    better: dict[str, list[float]] = defaultdict(list)
    worse: dict[str, list[float]] = defaultdict(list)
    for pair in analysis.pairs:
        own = pair.performance.places().get(place)
        if not all(model in models for model in pair.models):
            continue
        if own and own.p is not None and own.difference:
            high, low = pair.models if own.difference > 0 else pair.models[::-1]
            better[low].append(own.p)
            worse[high].append(own.p)
    for p_values in (*better.values(), *worse.values()):
        p_values.sort()
    return _Separations(better, worse)


def _level_apart(better: list[float], worse: list[float], models: int) -> float:
    """Twice the level at which the better and the worse ones leave ``LEAST_PLACES`` between; at most 1."""
    for p in sorted({*better, *worse}):
        first, last = 1 + bisect_right(better, p), models - bisect_right(worse, p)
        if first - last >= LEAST_PLACES:
            return min(1.0, 2 * p)
    return 1.0
