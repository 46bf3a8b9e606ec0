"""The verdicts on all pairs of a board's models, and the ranks and groups that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..analysis.compare import (
    ComparedPairs,
    Moments,
    VerdictFamily,
    decide,
    groups,
    moments,
    pair_moments,
    rank_bounds,
)
from ..analysis.example_values import ExampleValues, student_bounds
from ..analysis.figures.detectable import detectable_of
from ..analysis.number_format import format_names
from ..analysis.power import examples_factor
from ..analysis.result import OVERALL, number
from ..analysis.shared_cells import pair_differences
from ..analysis.statistics import example_means
from ..analysis.unpaired import unpaired_moments
from ..core.errors import InputError, counted
from ..core.statistics import (
    ROUNDING,
    Booleans,
    ClusteredMeans,
    Floats,
    Integers,
    clustered_means,
    score_bounds,
)
from ..integrations.logs.board import BoardScores
from .result import (
    POINTS,
    Audit,
    AuditedModel,
    AuditedPair,
    AuditedPlace,
    DetectableSize,
    Over,
    PairArrays,
)
from .scales import UnitScale
from .scores import ComparedScores, TaskScores, compared_scores

LEVEL = 0.95

LEAST_TASKS = 5
"""That a question over tasks needs."""


def audit_board(
    board: BoardScores,
    *,
    metric: str | None = None,
    tasks: Sequence[str] = (),
    over: Over = "items",
    level: float = LEVEL,
) -> Audit:
    """Say what the scores of a board show.

    Args:
        board: from a reader.
        metric: for all tasks; None takes each task's main one.
        tasks: only these.
        over: which question is answered.
        level: at which all intervals of a place hold at once.

    Raises:
        InputError: see :func:`.scores.compared_scores`; nothing can be compared; too few tasks.
    """
    scores = compared_scores(board, metric=metric, tasks=tasks)
    pairs = AllPairs(scores, level)
    overall, each = _over_tasks(pairs) if over == "tasks" else _over_items(pairs)
    places = (*filter(None, [overall]), *each)
    if not any(place.pairs for place in places):
        raise InputError(
            f"scores of {counted(len(scores.models), 'model')}: no two models have "
            f"{'items of a task' if over == 'items' else 'the same tasks'} in common; expected scores of the "
            "same items, under the same ids"
        )
    judged = [overall] if overall else each
    notes = [*scores.notes, *_place_notes(scores, places, judged)]
    return Audit(over, level, "score" if scores.given is None else "rank", overall, each, tuple(notes))


def task_moments(task: TaskScores, first: Integers, second: Integers) -> Moments:
    """Of the differences of pairs on a task: item by item where both have items, else of their means."""
    unpaired = unpaired_moments(task.means, first, second, bounded=task.scale.bounded)
    if not task.items:
        return unpaired

    own = example_means(task.scores)

    def differences(one: Integers, other: Integers) -> list[ExampleValues]:
        return [ExampleValues(pair_differences(task.scores, one, other, example_means, own), task.clusters)]

    (paired,) = pair_moments(first, second, differences)
    by_item = task.by_item[first] & task.by_item[second]
    return chosen_moments(by_item, paired, unpaired)


def chosen_moments(where: Booleans, one: Moments, other: Moments) -> Moments:
    """Those of one or the other, a pair each."""
    return Moments(
        *(np.where(where, getattr(one, each.name), getattr(other, each.name)) for each in fields(Moments))
    )


def worst_moments(task: TaskScores, first: Integers, second: Integers) -> Moments:
    """As :func:`task_moments`, the first with 0 and the second with 1 wherever they have no score."""
    missing = np.isnan(task.scores) & task.asked
    low, high = (example_means(np.where(missing, fill, task.scores)) for fill in (0.0, 1.0))
    (found,) = pair_moments(
        first, second, lambda one, other: [ExampleValues(low[one] - high[other], task.clusters)]
    )
    return found


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
    level: float

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """First and second model of each."""
        first, second = np.triu_indices(len(self.scores.models), k=1)
        return first, second

    @cached_property
    def moments(self) -> list[Moments]:
        """On each task."""
        return [task_moments(task, *self.pairs) for task in self.scores.tasks]


def _over_items(pairs: AllPairs) -> tuple[AuditedPlace | None, tuple[AuditedPlace, ...]]:
    tasks = pairs.scores.tasks
    _require_errors(pairs.scores)
    each = tuple(_place(pairs, (task.name, task.metric), task.scale, [at]) for at, task in enumerate(tasks))
    if len(tasks) == 1:
        return each[0], ()
    scale = _common_scale(tasks)
    if scale is None:
        return None, each
    metrics = {task.metric for task in tasks}
    of = OVERALL, metrics.pop() if len(metrics) == 1 else ""
    return _place(pairs, of, scale, list(range(len(tasks)))), each


def _over_tasks(pairs: AllPairs) -> tuple[AuditedPlace, tuple[AuditedPlace, ...]]:
    tasks = pairs.scores.tasks
    if len(tasks) < LEAST_TASKS:
        raise InputError(
            f"--over tasks: found {counted(len(tasks), 'task')}; expected {LEAST_TASKS} or more, "
            "or --over items"
        )
    scale = _common_scale(tasks)
    if scale is None:
        raise InputError("--over tasks: metrics without bounds differ; expected one metric, or --over items")
    means: Floats = np.stack([task.means.mean for task in tasks], axis=1)
    differences: Floats = np.stack([each.mean for each in pairs.moments], axis=1)
    whole = np.asarray(~np.isnan(differences).any(axis=1))
    alone = np.arange(len(tasks))
    found = moments(ExampleValues(np.where(whole[:, None], differences, np.nan), alone))
    lacking = np.asarray(np.isnan(means).any(axis=1))
    own = clustered_means(np.where(lacking[:, None], np.nan, means), alone)
    metrics = {task.metric for task in tasks}
    of = OVERALL, metrics.pop() if len(metrics) == 1 else ""
    verdicts = decide([found], pairs.level, few=LEAST_TASKS)
    return _described(pairs, of, scale, ([own], verdicts, list(range(len(tasks)))), len(tasks)), ()


def _require_errors(scores: ComparedScores) -> None:
    for task in scores.tasks:
        bare = ~np.isnan(task.means.mean) & np.isnan(task.means.variance) & ~task.by_item
        if bare.any():
            model = scores.models[int(np.argmax(bare))]
            wished = "n (how many items) or error" if task.scale.bounded else "error"
            raise InputError(
                f"model {model!r}, task {task.name!r}: a mean score without items; expected {wished}, or "
                f"--over tasks with {LEAST_TASKS} tasks or more"
            )


def _common_scale(tasks: Sequence[TaskScores]) -> UnitScale | None:
    """That of a mean over tasks: theirs, or from 0 to 1; None where there is none."""
    scales = {task.scale for task in tasks}
    if len(scales) == 1:
        return scales.pop()
    return UnitScale() if all(scale.bounded for scale in scales) else None


def _place(pairs: AllPairs, of: tuple[str, str], scale: UnitScale, at: Sequence[int]) -> AuditedPlace:
    tasks = [pairs.scores.tasks[each] for each in at]
    verdicts = decide([pairs.moments[each] for each in at], pairs.level)
    asked = [task.items for task in tasks]
    items = sum(asked) if all(asked) else None
    return _described(pairs, of, scale, ([task.means for task in tasks], verdicts, at), items)


def _described(
    pairs: AllPairs,
    of: tuple[str, str],
    scale: UnitScale,
    found: tuple[Sequence[ClusteredMeans], VerdictFamily, Sequence[int]],
    items: int | None,
) -> AuditedPlace:
    means, verdicts, at = found
    score = np.mean([each.mean for each in means], axis=0)
    known = ~np.isnan(score)
    compared = ComparedPairs(known, *pairs.pairs, verdicts)
    tasks = [pairs.scores.tasks[each] for each in at]
    arrays = _arrays(pairs, compared, tasks)
    order = _order(score, pairs.scores.given)
    ranked = [int(model) for model in np.argsort(order, kind="stable") if known[model]]
    better = compared.better
    names = pairs.scores.models
    tied = [tuple(names[model] for model in group) for group in groups(ranked, better)]
    models = _models(pairs, (score, order, ranked), (means, tasks), better, scale)
    neighbours, ties = _neighbours(pairs, arrays, (order, ranked), scale)
    detectable = detectable_of(verdicts, pairs.level)
    sizes = (detectable.corrected, detectable.hardest)
    return AuditedPlace(
        *of,
        items=items,
        models=tuple(models),
        groups=tuple(tied),
        pairs=int((~np.isnan(verdicts.low) | verdicts.few).sum()),
        separated=int(verdicts.differs.sum()),
        could_be_first=tuple(own.model for own in models if own.first_rank == 1),
        neighbours=tuple(neighbours),
        exact_ties=ties,
        false_ranks=sum(not pair.separated for pair in neighbours),
        detectable=DetectableSize(*(None if size is None else size * scale.span for size in sizes)),
        scale=scale,
        arrays=arrays,
    )


def _order(score: Floats, given: Floats | None) -> Floats:
    """What the models are ranked by, the least the best."""
    return -np.round(score, ROUNDING) if given is None else np.where(np.isnan(given), np.inf, given)


def _models(
    pairs: AllPairs,
    ranking: tuple[Floats, Floats, Sequence[int]],
    of: tuple[Sequence[ClusteredMeans], Sequence[TaskScores]],
    better: Booleans,
    scale: UnitScale,
) -> list[AuditedModel]:
    (score, order, ranked), (means, tasks) = ranking, of
    bounds = score_bounds if scale.bounded else student_bounds
    low, high = bounds(means, pairs.level)
    if not scale.higher_is_better:
        low, high = high, low
    ranks = np.zeros((len(score), 2), dtype=int)
    ranks[ranked] = rank_bounds(better[np.ix_(ranked, ranked)])
    group = {model: number for number, own in enumerate(groups(ranked, better), 1) for model in own}
    own_items, of_items = _item_counts(tasks)
    found = []
    for model in ranked:
        by_item = all(task.by_item[model] for task in tasks)
        found.append(
            AuditedModel(
                model=pairs.scores.models[model],
                score=float(scale.own(score[model])),
                low=number(scale.own(low[model])),
                high=number(scale.own(high[model])),
                rank=1 + int((order[ranked] < order[model]).sum()),
                first_rank=int(ranks[model, 0]),
                last_rank=int(ranks[model, 1]),
                group=group[model],
                items=int(own_items[model]) if by_item else None,
                missing=int(of_items - own_items[model]) if by_item else None,
            )
        )
    return found


def _item_counts(tasks: Sequence[TaskScores]) -> tuple[Integers, int]:
    """Items that each model has whole, and that there are."""
    own = sum((task.whole.sum(axis=-1) for task in tasks), start=np.zeros(1, dtype=np.int64))
    return own, sum(task.items for task in tasks)


def _arrays(pairs: AllPairs, compared: ComparedPairs, tasks: Sequence[TaskScores]) -> PairArrays:
    first, second = compared.first, compared.second
    missing, paired = np.zeros(len(first), dtype=np.int64), np.ones(len(first), dtype=bool)
    for task in tasks:
        missing += missing_items(task, first, second)
        paired = np.asarray(paired & task.by_item[first] & task.by_item[second])
    holds = np.zeros(len(first), dtype=bool)
    claimed = np.flatnonzero((missing > 0) & compared.verdicts.differs)
    if len(claimed) and all(task.scale.bounded for task in tasks):
        holds[claimed] = _holds(pairs, compared, tasks, claimed)
    return PairArrays(pairs.scores.models, compared, missing, holds, paired)


def _holds(
    pairs: AllPairs, compared: ComparedPairs, tasks: Sequence[TaskScores], claimed: Integers
) -> Booleans:
    """Which claims stand when the better model lost, and the other one won, all that is missing."""
    first, second = compared.first[claimed], compared.second[claimed]
    ahead = compared.verdicts.difference[claimed] > 0
    better, other = np.where(ahead, first, second), np.where(ahead, second, first)
    parts = []
    for task in tasks:
        own = task_moments(task, better, other)
        if task.items:
            by_item = task.by_item[better] & task.by_item[other]
            own = chosen_moments(by_item, worst_moments(task, better, other), own)
        parts.append(own)
    found: Booleans = decide(parts, pairs.level, compared.verdicts.tested).low > 0
    return found


def _neighbours(
    pairs: AllPairs, arrays: PairArrays, ranking: tuple[Floats, Sequence[int]], scale: UnitScale
) -> tuple[list[AuditedPair], int]:
    """Each model with the next that the order puts behind it, and how many it puts beside the one before."""
    order, ranked = ranking
    both = [(one, other) for one, other in pairwise(ranked) if order[one] < order[other]]
    places = [pair_place(len(order), *pair) for pair in both]
    verdicts = arrays.compared.verdicts
    open_pairs = [place for place in places if not np.isnan(verdicts.error[place])]
    more = dict(zip(open_pairs, _more(verdicts, open_pairs, pairs.level, scale), strict=True))
    describe = PairDescriber(arrays, scale)
    found = []
    for (one, other), place in zip(both, places, strict=True):
        pair = describe(place, swapped=one > other)
        separated = pair.separated and (pair.difference or 0.0) > 0
        found.append(replace(pair, separated=separated, more={} if separated else more.get(place, {})))
    return found, len(ranked) - 1 - len(both)


def pair_place(models: int, one: int, other: int) -> int:
    """Where two models stand in the pairs of so many."""
    first, second = min(one, other), max(one, other)
    return first * models - first * (first + 1) // 2 + second - first - 1


def _more(
    verdicts: VerdictFamily, places: Sequence[int], level: float, scale: UnitScale
) -> list[dict[str, int | None]]:
    """Points -> how many more items would settle such a true difference, a pair each."""
    if not scale.bounded or not places:
        return [{}] * len(places)
    error, freedom, items = (each[places] for each in (verdicts.error, verdicts.freedom, verdicts.examples))
    alpha = (1 - level) / max(verdicts.tested, 1)
    wished = {
        str(points): np.ceil(np.maximum(examples_factor(error, freedom, points / 100, alpha) - 1, 0) * items)
        for points in POINTS
    }
    return [
        {points: int(own[at]) if np.isfinite(own[at]) else None for points, own in wished.items()}
        for at in range(len(places))
    ]


@dataclass(frozen=True)
class PairDescriber:
    """Gives pairs of a place by their numbers, in the metric's units."""

    arrays: PairArrays
    scale: UnitScale

    def __call__(self, place: int, *, swapped: bool) -> AuditedPair:
        """The pair; ``swapped``: the second one is better."""
        compared, span = self.arrays.compared, self.scale.span
        verdict = compared.verdicts.verdict(place, swapped=swapped)
        names = [self.arrays.names[int(each[place])] for each in (compared.first, compared.second)]
        difference, low, high = (
            None if each is None else each * span for each in (verdict.value, verdict.low, verdict.high)
        )
        missing = int(self.arrays.missing[place])
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
            holds=bool(self.arrays.holds[place]) if missing and verdict.differs else None,
            paired=bool(self.arrays.paired[place]),
        )


def _place_notes(
    scores: ComparedScores, places: Sequence[AuditedPlace], judged: Sequence[AuditedPlace]
) -> list[str]:
    notes = []
    for task in scores.tasks:
        lacking = [
            name for name, lacks in zip(scores.models, np.isnan(task.means.mean), strict=True) if lacks
        ]
        if lacking and len(scores.tasks) > 1:
            notes.append(f"{task.name}: no score of {format_names(lacking)}; compared without them")
    for place in places:
        models = len(place.models)
        left = models * (models - 1) // 2 - place.pairs
        if left:
            notes.append(
                f"{place.name}: {counted(left, 'pair')} not compared, as they have no items in common"
            )
        worst = int(place.arrays.missing.max(initial=0)) if place in judged else 0
        if worst:
            claims = place.arrays.compared.verdicts.differs & (place.arrays.missing > 0)
            held = int(place.arrays.holds[claims].sum())
            notes.append(
                f"{place.name}: up to {counted(worst, 'item')} of a pair are missing and left out; "
                f"{held:,} of {counted(int(claims.sum()), 'claim')} about such pairs hold whatever they were"
            )
    return notes
