"""What a board's scores show: verdicts on all pairs, and the ranks and groups that follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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
    clustered_means,
    score_bounds,
)
from ..integrations.logs.board import BoardScores
from .pairs import AllPairs, audited_pair, more_items, pair_arrays
from .result import LEVEL, Audit, AuditedModel, AuditedPair, AuditedPlace, DetectableSize, Over, PairArrays
from .scales import UnitScale
from .scores import ComparedScores, TaskScores, compared_scores

LEAST_TASKS = 5
"""That a question over tasks needs."""


def audit_board(board: BoardScores, *, metric: str | None = None, over: Over = "items") -> Audit:
    """Say what the scores of a board show.

    Args:
        board: from a reader.
        metric: for all tasks; None takes each task's main one.
        over: which question is answered.

    Raises:
        InputError: see :func:`.scores.compared_scores`; nothing can be compared; too few tasks.
    """
    scores = compared_scores(board, metric=metric)
    pairs = AllPairs(scores)
    overall, each = _over_tasks(pairs) if over == "tasks" else _over_items(pairs)
    places = (*filter(None, [overall]), *each)
    if not any(place.pairs for place in places):
        shared = "two items of a task" if over == "items" else "the same tasks"
        raise InputError(
            f"scores of {counted(len(scores.models), 'model')}: no two models have {shared} in common; "
            "expected scores of the same items, under the same ids"
        )
    notes = (*scores.notes, *_task_notes(scores, overall), *_pair_notes([overall] if overall else each))
    return Audit(over, LEVEL, "score" if scores.given is None else "rank", overall, each, notes)


def _over_items(pairs: AllPairs) -> tuple[AuditedPlace | None, tuple[AuditedPlace, ...]]:
    tasks = pairs.scores.tasks
    _require_errors(pairs.scores)
    each = tuple(_of_tasks(pairs, task.name, task.scale, [task]) for task in tasks)
    if len(tasks) == 1:
        return each[0], ()
    scale = _common_scale(tasks)
    each = tuple(place for place in each if len(place.models) > 1)
    if scale is None or _with_all_tasks(tasks).sum() < 2:
        return None, each
    return _of_tasks(pairs, OVERALL, scale, tasks), each


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
    differences: Floats = np.stack([pairs.moments[task.place].mean for task in tasks], axis=1)
    whole = np.asarray(~np.isnan(differences).any(axis=1))
    alone = np.arange(len(tasks))
    found = moments(ExampleValues(np.where(whole[:, None], differences, np.nan), alone))
    own = clustered_means(np.where(_with_all_tasks(tasks)[:, None], means, np.nan), alone)
    verdicts = decide([found], LEVEL, few=LEAST_TASKS)
    return _Judged(pairs, OVERALL, scale, tasks, [own], verdicts, len(tasks)).place(), ()


def _of_tasks(pairs: AllPairs, name: str, scale: UnitScale, tasks: Sequence[TaskScores]) -> AuditedPlace:
    verdicts = decide([pairs.moments[task.place] for task in tasks], LEVEL)
    asked = [task.items for task in tasks]
    items = sum(asked) if all(asked) else None
    return _Judged(pairs, name, scale, tasks, [task.means for task in tasks], verdicts, items).place()


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


@dataclass(frozen=True)
class _Judged:
    """A task, or the mean of several, with the verdicts on all pairs of models.

    Attributes:
        pairs: of the board.
        name: of the task, or ``overall``.
        scale: of its scores.
        tasks: that it is of.
        means: whose unweighted mean is a model's score.
        verdicts: on the differences of all pairs.
        items: that models have been asked; None where only means are known.
    """

    pairs: AllPairs
    name: str
    scale: UnitScale
    tasks: Sequence[TaskScores]
    means: Sequence[ClusteredMeans]
    verdicts: VerdictFamily
    items: int | None

    @cached_property
    def score(self) -> Floats:
        """Of each model; NaN of one that is not compared."""
        return np.asarray(np.mean([each.mean for each in self.means], axis=0))

    @cached_property
    def order(self) -> Floats:
        """What the models are ranked by, the least the best."""
        given = self.pairs.scores.given
        return -np.round(self.score, ROUNDING) if given is None else np.where(np.isnan(given), np.inf, given)

    @cached_property
    def ranked(self) -> list[int]:
        """The models that have a score, the best first."""
        return [int(at) for at in np.argsort(self.order, kind="stable") if not np.isnan(self.score[at])]

    @cached_property
    def arrays(self) -> PairArrays:
        """All pairs."""
        compared = ComparedPairs(~np.isnan(self.score), *self.pairs.pairs, self.verdicts)
        return pair_arrays(self.pairs.scores.models, compared, self.tasks)

    def place(self) -> AuditedPlace:
        """What is said of it."""
        names, better = self.pairs.scores.models, self.arrays.compared.better
        tied = [tuple(names[model] for model in group) for group in groups(self.ranked, better)]
        models, neighbours = self._models(better, group_numbers(tied)), self._neighbours()
        metrics = {task.metric for task in self.tasks}
        found = detectable_of(self.verdicts, LEVEL)
        return AuditedPlace(
            self.name,
            metrics.pop() if len(metrics) == 1 else "",
            items=self.items,
            models=tuple(models),
            groups=tuple(tied),
            pairs=int((~np.isnan(self.verdicts.low) | self.verdicts.few).sum()),
            separated=int(self.verdicts.differs.sum()),
            could_be_first=tuple(own.model for own in models if own.first_rank == 1),
            neighbours=tuple(neighbours),
            exact_ties=len(self.ranked) - 1 - len(neighbours),
            false_ranks=sum(not pair.separated for pair in neighbours),
            detectable=DetectableSize(*map(self._own_units, (found.corrected, found.hardest))),
            scale=self.scale,
            arrays=self.arrays,
        )

    def _own_units(self, difference: float | None) -> float | None:
        return None if difference is None else difference * self.scale.span

    def _models(self, better: Booleans, group: Mapping[str, int]) -> list[AuditedModel]:
        low, high = (score_bounds if self.scale.bounded else student_bounds)(self.means, LEVEL)
        if not self.scale.higher_is_better:
            low, high = high, low
        ranks = dict(zip(self.ranked, rank_bounds(better[np.ix_(self.ranked, self.ranked)]), strict=True))
        own_items = sum((task.whole.sum(axis=-1) for task in self.tasks), start=np.zeros(1, dtype=np.int64))
        of_items = sum(task.items for task in self.tasks)
        found = []
        for model in self.ranked:
            by_item, name = all(task.by_item[model] for task in self.tasks), self.pairs.scores.models[model]
            found.append(
                AuditedModel(
                    model=name,
                    score=float(self.scale.own(self.score[model])),
                    low=number(self.scale.own(low[model])),
                    high=number(self.scale.own(high[model])),
                    rank=1 + int((self.order[self.ranked] < self.order[model]).sum()),
                    first_rank=int(ranks[model][0]),
                    last_rank=int(ranks[model][1]),
                    group=group[name],
                    items=int(own_items[model]) if by_item else None,
                    missing=int(of_items - own_items[model]) if by_item else None,
                )
            )
        return found

    def _neighbours(self) -> list[AuditedPair]:
        """Each model with the next that the order puts behind it."""
        both = [pair for pair in pairwise(self.ranked) if self.order[pair[0]] < self.order[pair[1]]]
        places = [pair_place(len(self.order), *pair) for pair in both]
        open_pairs = [place for place in places if not np.isnan(self.verdicts.error[place])]
        more = dict(zip(open_pairs, more_items(self.verdicts, open_pairs, self.scale), strict=True))
        found = []
        for (one, other), place in zip(both, places, strict=True):
            pair = audited_pair(self.arrays, self.scale, place, swapped=one > other)
            separated = pair.separated and (pair.difference or 0.0) > 0
            found.append(replace(pair, separated=separated, more={} if separated else more.get(place, {})))
        return found


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
