"""Which models the paired test separates, and the runs of ranked models among which it separates none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from . import schema

MOST_LANES = 12
"""Bars that may stand side by side; a run that would need another is not drawn."""

Separated = Callable[[str, str], bool | None]
"""Whether the paired test separates two models; None where that pair was not tested."""


@dataclass(frozen=True)
class Bar:
    """A run of ranked models: its first and last place (from 0), and where it stands beside others."""

    first: int
    last: int
    lane: int


def separated(core: schema.Core, dataset: str | None = None) -> Separated:
    """Which pairs the paired test separates, overall or on one data set.

    Overall ``separability`` names all separated pairs, also those that intervals alone hold apart; ``pairs``
    may be of neighbours alone.
    """
    named = core.separability.overall.pairs_separated
    if dataset is None and named is not None:
        real = {frozenset(pair.models) for pair in named if pair.paired}
        return lambda first, second: frozenset((first, second)) in real
    tested: dict[frozenset[str], bool] = {}
    for pair in core.pairs:
        found = pair.performance.overall if dataset is None else pair.performance.datasets.get(dataset)
        if found is not None:
            tested[frozenset(pair.models)] = found.paired
    return lambda first, second: tested.get(frozenset((first, second)))


def not_separated(models: Sequence[str], apart: Separated) -> Mapping[str, tuple[str, ...]]:
    """For each model those that were tested against it and are not separated from it, in the given order."""
    return {
        model: tuple(other for other in models if other != model and apart(model, other) is False)
        for model in models
    }


def bars(ranked: Sequence[str], apart: Separated) -> tuple[Bar, ...]:
    """The longest runs of two or more ranked models in which every pair was tested and none is separated.

    These are the bars of a critical difference diagram (Demsar 2006, Journal of Machine Learning Research 7,
    section 3.2.2, figure 1), here of the paired test. Each takes the first lane that is free over its length.
    """
    ends: list[int] = []
    found = []
    for first, last in _runs(ranked, apart):
        lane = next((lane for lane, end in enumerate(ends) if end < first), len(ends))
        if lane == MOST_LANES:
            continue
        ends[lane : lane + 1] = [last]
        found.append(Bar(first, last, lane))
    return tuple(found)


def _runs(ranked: Sequence[str], apart: Separated) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    last = 0
    for first in range(len(ranked)):
        last = max(last, first)
        while last + 1 < len(ranked) and all(
            apart(ranked[place], ranked[last + 1]) is False for place in range(first, last + 1)
        ):
            last += 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
