"""All pairs of a board's models: differences, verdicts, what is missing, what would separate them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..analysis.compare import ComparedPairs, Moments, VerdictFamily, decide, pair_moments
from ..analysis.estimates import ExampleValues
from ..analysis.power import examples_factor
from ..analysis.result import number
from ..analysis.statistics import example_means, pair_differences
from ..analysis.unpaired import unpaired_moments
from ..core.statistics import Floats, Integers
from .result import LEVEL, POINTS, AuditedPair, PairArrays
from .scales import UnitScale
from .scores import ComparedScores, TaskScores, chosen


def task_moments(task: TaskScores, first: Integers, second: Integers) -> Moments:
    """Of the differences of pairs on a task: item by item where both have items, else of their means."""
    own = example_means(task.scores)

    def differences(one: Integers, other: Integers) -> Floats:
        return pair_differences(task.scores, one, other, example_means, own)

    return _moments(task, first, second, differences)


def worst_moments(task: TaskScores, first: Integers, second: Integers) -> Moments:
    """As :func:`task_moments`, the first with 0 and the second with 1 wherever they have no score."""
    missing = np.isnan(task.scores) & task.asked
    low, high = (example_means(np.where(missing, fill, task.scores)) for fill in (0.0, 1.0))
    return _moments(task, first, second, lambda one, other: low[one] - high[other])


def _moments(
    task: TaskScores, first: Integers, second: Integers, differences: Callable[[Integers, Integers], Floats]
) -> Moments:
    """By the differences of some pairs, (pairs x items), where both have items."""
    unpaired = unpaired_moments(task.means, first, second, bounded=task.scale.bounded)
    if not task.items:
        return unpaired
    (paired,) = pair_moments(
        first, second, lambda *pairs: [ExampleValues(differences(*pairs), task.clusters)]
    )
    return chosen(task.by_item[first] & task.by_item[second], paired, unpaired)


def missing_items(task: TaskScores, first: Integers, second: Integers) -> Integers:
    """Of pairs that have items: how many of the task's one of the two lacks, or a part of it."""
    by_item = task.by_item[first] & task.by_item[second]
    if not task.items or task.whole[task.by_item].all():
        return np.zeros(len(first), dtype=np.int64)
    whole = task.whole.astype(np.float32)
    both = (whole @ whole.T)[first, second].astype(np.int64)
    return np.where(by_item, task.items - both, 0)


@dataclass(frozen=True)
class AllPairs:
    """All pairs of the models of a board."""

    scores: ComparedScores

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """First and second model of each."""
        first, second = np.triu_indices(len(self.scores.models), k=1)
        return first, second

    @cached_property
    def moments(self) -> dict[tuple[str, str], Moments]:
        """On each task."""
        return {task.place: task_moments(task, *self.pairs) for task in self.scores.tasks}


def pair_arrays(models: tuple[str, ...], compared: ComparedPairs, tasks: Sequence[TaskScores]) -> PairArrays:
    """Of all pairs of a place: their verdicts, what is missing, and which claims hold all the same."""
    first, second, verdicts = compared.first, compared.second, compared.verdicts
    missing, paired = np.zeros(len(first), dtype=np.int64), np.ones(len(first), dtype=bool)
    for task in tasks:
        missing += missing_items(task, first, second)
        paired = np.asarray(paired & task.by_item[first] & task.by_item[second])
    holds = np.zeros(len(first), dtype=bool)
    claimed = np.flatnonzero((missing > 0) & verdicts.differs)
    if len(claimed) and all(task.scale.bounded for task in tasks):
        # the better model lost, and the other one won, all that is missing
        ahead, pair = verdicts.difference[claimed] > 0, (first[claimed], second[claimed])
        better, other = np.where(ahead, *pair), np.where(ahead, *pair[::-1])
        worst = [worst_moments(task, better, other) for task in tasks]
        holds[claimed] = decide(worst, LEVEL, verdicts.tested).low > 0
    return PairArrays(models, compared, missing, holds, paired)


def more_items(
    verdicts: VerdictFamily, places: Sequence[int], scale: UnitScale
) -> list[dict[str, int | None]]:
    """Points -> how many more items detect such a true difference, for each pair."""
    if not scale.bounded or not places:
        return [{}] * len(places)
    alpha = (1 - LEVEL) / max(verdicts.tested, 1)
    wished = {str(points): items_to_detect(verdicts, places, points / 100, alpha) for points in POINTS}
    return [{points: own[at] for points, own in wished.items()} for at in range(len(places))]


def items_to_detect(
    verdicts: VerdictFamily, places: Sequence[int], difference: float, alpha: float
) -> list[int | None]:
    """How many more items detect a true difference, for each pair; None where no number is known to."""
    error, freedom, items = (each[places] for each in (verdicts.error, verdicts.freedom, verdicts.examples))
    more = np.ceil(np.maximum(examples_factor(error, freedom, difference, alpha) - 1, 0) * items)
    return [int(own) if np.isfinite(own) else None for own in more]


def audited_pair(arrays: PairArrays, scale: UnitScale, place: int, *, swapped: bool) -> AuditedPair:
    """A pair by its number, in the metric's units; ``swapped``: the second one is better."""
    compared, span = arrays.compared, scale.span
    verdict = compared.verdicts.verdict(place, swapped=swapped)
    names = [arrays.names[int(each[place])] for each in (compared.first, compared.second)]
    difference, low, high = (
        None if each is None else each * span for each in (verdict.value, verdict.low, verdict.high)
    )
    missing = int(arrays.missing[place])
    items = number(compared.verdicts.examples[place])
    return AuditedPair(
        first=names[swapped],
        second=names[not swapped],
        difference=difference,
        low=low,
        high=high,
        p=verdict.p,
        separated=verdict.differs,
        too_few=verdict.few,
        items=None if items is None else int(items),
        missing=missing,
        holds=bool(arrays.holds[place]) if missing and verdict.differs else None,
        paired=bool(arrays.paired[place]),
    )
