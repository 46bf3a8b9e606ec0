"""What a board's scores show: verdicts on all pairs, and the ranks and groups that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from ..analysis.compare import (
    ComparedPairs,
    VerdictFamily,
    decide,
    group_numbers,
    groups,
    moments,
    pair_place,
    rank_bounds,
)
from ..analysis.estimates import ExampleValues, student_bounds
from ..analysis.figures.detectable import detectable_of
from ..analysis.number_format import format_names
from ..analysis.result import OVERALL, number
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
from .pairs import AllPairs, audited_pair, more_items, pair_arrays
from .result import Audit, AuditedModel, AuditedPair, AuditedPlace, DetectableSize, Over, PairArrays
from .scales import UnitScale
from .scores import ComparedScores, TaskScores, compared_scores

LEVEL = 0.95

LEAST_TASKS = 5
"""That a question over tasks needs."""


def audit_board(
    board: BoardScores,
    *,
    metric: str | None = None,
    over: Over = "items",
    level: float = LEVEL,
) -> Audit:
    """Say what the scores of a board show.

    Args:
        board: from a reader.
        metric: for all tasks; None takes each task's main one.
        over: which question is answered.
        level: at which all intervals of a place hold at once.

    Raises:
        InputError: see :func:`.scores.compared_scores`; nothing can be compared; too few tasks.
    """
    scores = compared_scores(board, metric=metric)
    pairs = AllPairs(scores, level)
    overall, each = _over_tasks(pairs) if over == "tasks" else _over_items(pairs)
    places = (*filter(None, [overall]), *each)
    if not any(place.pairs for place in places):
        shared = "two items of a task" if over == "items" else "the same tasks"
        raise InputError(
            f"scores of {counted(len(scores.models), 'model')}: no two models have {shared} in common; "
            "expected scores of the same items, under the same ids"
        )
    notes = (*scores.notes, *_task_notes(scores, overall), *_pair_notes([overall] if overall else each))
    return Audit(over, level, "score" if scores.given is None else "rank", overall, each, notes)


def _over_items(pairs: AllPairs) -> tuple[AuditedPlace | None, tuple[AuditedPlace, ...]]:
    tasks = pairs.scores.tasks
    _require_errors(pairs.scores)
    each = tuple(_place(pairs, (task.name, task.metric), task.scale, [at]) for at, task in enumerate(tasks))
    if len(tasks) == 1:
        return each[0], ()
    scale = _common_scale(tasks)
    each = tuple(place for place in each if len(place.models) > 1)
    if scale is None or _with_all_tasks(tasks).sum() < 2:
        return None, each
    return _place(pairs, _overall(tasks), scale, list(range(len(tasks)))), each


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
    own = clustered_means(np.where(_with_all_tasks(tasks)[:, None], means, np.nan), alone)
    verdicts = decide([found], pairs.level, few=LEAST_TASKS)
    found_means = [own], verdicts, list(range(len(tasks)))
    return _described(pairs, _overall(tasks), scale, found_means, len(tasks)), ()


def _overall(tasks: Sequence[TaskScores]) -> tuple[str, str]:
    """The name of the place of all tasks, and its metric; "" of several."""
    metrics = {task.metric for task in tasks}
    return OVERALL, metrics.pop() if len(metrics) == 1 else ""


def _require_errors(scores: ComparedScores) -> None:
    for task in scores.tasks:
        bare = ~np.isnan(task.means.mean) & np.isnan(task.means.variance) & ~task.by_item
        if bare.any():
            model = scores.models[int(np.argmax(bare))]
            wished = "n (2 items or more) or error" if task.scale.bounded else "error"
            raise InputError(
                f"model {model!r}, task {task.name!r}: a mean score without items; expected {wished}, or "
                f"--over tasks with {LEAST_TASKS} tasks or more"
            )


def _with_all_tasks(tasks: Sequence[TaskScores]) -> Booleans:
    return np.asarray(~np.isnan([task.means.mean for task in tasks]).any(axis=0))


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
    arrays = pair_arrays(pairs, compared, tasks)
    order = _order(score, pairs.scores.given)
    ranked = [int(model) for model in np.argsort(order, kind="stable") if known[model]]
    better = compared.better
    names = pairs.scores.models
    tied = [tuple(names[model] for model in group) for group in groups(ranked, better)]
    models = _models(pairs, (score, order, ranked), (means, tasks), (better, group_numbers(tied)), scale)
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
    verdicts: tuple[Booleans, Mapping[str, int]],
    scale: UnitScale,
) -> list[AuditedModel]:
    (score, order, ranked), (means, tasks), (better, group) = ranking, of, verdicts
    bounds = score_bounds if scale.bounded else student_bounds
    low, high = bounds(means, pairs.level)
    if not scale.higher_is_better:
        low, high = high, low
    ranks = np.zeros((len(score), 2), dtype=int)
    ranks[ranked] = rank_bounds(better[np.ix_(ranked, ranked)])
    own_items, of_items = _item_counts(tasks)
    found = []
    for model in ranked:
        by_item, name = all(task.by_item[model] for task in tasks), pairs.scores.models[model]
        found.append(
            AuditedModel(
                model=name,
                score=float(scale.own(score[model])),
                low=number(scale.own(low[model])),
                high=number(scale.own(high[model])),
                rank=1 + int((order[ranked] < order[model]).sum()),
                first_rank=int(ranks[model, 0]),
                last_rank=int(ranks[model, 1]),
                group=group[name],
                items=int(own_items[model]) if by_item else None,
                missing=int(of_items - own_items[model]) if by_item else None,
            )
        )
    return found


def _item_counts(tasks: Sequence[TaskScores]) -> tuple[Integers, int]:
    """Items that each model has whole, and that there are."""
    own = sum((task.whole.sum(axis=-1) for task in tasks), start=np.zeros(1, dtype=np.int64))
    return own, sum(task.items for task in tasks)


def _neighbours(
    pairs: AllPairs, arrays: PairArrays, ranking: tuple[Floats, Sequence[int]], scale: UnitScale
) -> tuple[list[AuditedPair], int]:
    """Each model with the next that the order puts behind it, and how many it puts beside the one before."""
    order, ranked = ranking
    both = [(one, other) for one, other in pairwise(ranked) if order[one] < order[other]]
    places = [pair_place(len(order), *pair) for pair in both]
    verdicts = arrays.compared.verdicts
    open_pairs = [place for place in places if not np.isnan(verdicts.error[place])]
    more = dict(zip(open_pairs, more_items(verdicts, open_pairs, pairs.level, scale), strict=True))
    found = []
    for (one, other), place in zip(both, places, strict=True):
        pair = audited_pair(arrays, scale, place, swapped=one > other)
        separated = pair.separated and (pair.difference or 0.0) > 0
        found.append(replace(pair, separated=separated, more={} if separated else more.get(place, {})))
    return found, len(ranked) - 1 - len(both)


def _task_notes(scores: ComparedScores, overall: AuditedPlace | None) -> Iterator[str]:
    """Which models lack which tasks."""
    if overall is None:
        metrics = _common_scale(scores.tasks) is None
        why = "metrics without bounds differ" if metrics else "fewer than two models have all tasks"
        yield f"no overall: {why}"
    several = scores.tasks if len(scores.tasks) > 1 else ()
    lacking = {task.name: np.isnan(task.means.mean) for task in several}
    single = [task for task, lacks in lacking.items() if lacks.sum() >= len(lacks) - 1]
    if single:
        yield f"of one model alone, which is compared with none: {format_names(single)}"
    for task, lacks in lacking.items():
        if lacks.any() and task not in single:
            names = [name for name, own in zip(scores.models, lacks, strict=True) if own]
            yield f"{task}: no score of {format_names(names)}; compared without them"


def _pair_notes(places: Sequence[AuditedPlace]) -> Iterator[str]:
    """Which pairs are not compared, or not on all items."""
    for place in places:
        models = len(place.models)
        if left := models * (models - 1) // 2 - place.pairs:
            yield f"{place.name}: {counted(left, 'pair')} not compared, as they have no items in common"
        if worst := int(place.arrays.missing.max(initial=0)):
            claims = place.arrays.compared.verdicts.differs & (place.arrays.missing > 0)
            held, made = int(place.arrays.holds[claims].sum()), int(claims.sum())
            about = f"; {held:,} of {counted(made, 'claim')} about such pairs hold whatever they were"
            yield (
                f"{place.name}: up to {counted(worst, 'item')} of a pair are missing and left out"
                f"{about if made else ''}"
            )
