"""A release gate: is a model not worse than another by more than a margin, on each task and configuration?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ..analysis.compare import Moments, VerdictFamily, decide, one_after_the_other, rare_difference_bound
from ..analysis.result import number
from ..core.errors import InputError, UnknownNameError
from ..core.statistics import Integers
from ..integrations.logs.board import BoardScores, joined
from ..integrations.logs.checks import refuse_two_targets
from .pairs import items_to_detect, missing_items, task_moments, worst_moments
from .result import LEVEL
from .scores import TaskScores, compared_scores

MARGIN = 0.02

GateVerdict = Literal["not worse", "may be worse", "worse", "not compared"]
"""The interval lies above -margin; holds it; lies below it; there is none."""

_BASE = " (base)"


@dataclass(frozen=True)
class GatedCell:
    """A model beside the base on a task in a configuration, in the metric's own units.

    Attributes:
        model: the candidate.
        task: what was asked.
        config: how; "" where it is asked in one way.
        metric: that is compared.
        score: the candidate's; None where it has none.
        base: the base's.
        margin: by which the candidate may be worse.
        span: of the metric's scale, from its worst score to its best.
        paired: item by item.
        difference: by how much the candidate is better, on the items that both have.
        low: its simultaneous lower limit.
        high: its simultaneous upper limit.
        verdict: by these.
        items: that both have.
        missing: items that one of them lacks.
        holds: whether "not worse" stands whatever the missing scores were; None where nothing is missing.
        more: how many more items would show that a model as good as the base is not worse; None where this
            is shown, or nothing says how many.
    """

    model: str
    task: str
    config: str
    metric: str
    score: float | None
    base: float | None
    margin: float
    span: float
    paired: bool
    difference: float | None
    low: float | None
    high: float | None
    verdict: GateVerdict
    items: int | None
    missing: int
    holds: bool | None
    more: int | None


@dataclass(frozen=True)
class Gate:
    """What a release gate says.

    Attributes:
        base: the model that others are compared with.
        margin: by which a model may be worse, a share of the metric's scale.
        level: at which all lower limits hold at once.
        cells: every candidate on every task and configuration of the base.
        notes: what was chosen, left out or repaired.
    """

    base: str
    margin: float
    level: float
    cells: tuple[GatedCell, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no model may be worse anywhere."""
        return all(cell.verdict == "not worse" for cell in self.cells)


def with_base(board: BoardScores, base: BoardScores) -> tuple[BoardScores, str]:
    """A board together with the base's, and the name of the base in it.

    Raises:
        InputError: the base is not one model, or was asked other questions under the same ids.
    """
    names = base.models
    if len(names) != 1:
        raise InputError(f"--against: found {len(names)} models ({', '.join(names[:5])}); expected one")
    name = f"{names[0]}{_BASE}"
    both = joined([board, base.changed(lambda frame: frame.assign(model=name))])
    refuse_two_targets(both.items)
    return both, name


def gate(
    board: BoardScores,
    base: str,
    *,
    margin: float = MARGIN,
    metric: str | None = None,
) -> Gate:
    """Compare all models of a board with one of them.

    A model is not worse where the lower limit of its difference from the base lies above -margin (a test of
    non-inferiority, as of two one-sided tests the one: Schuirmann 1987). The limits of all models, tasks and
    configurations hold at once, at Bonferroni's one-sided critical value, so that a worse model is called
    not worse anywhere on at most 1 - ``LEVEL`` of boards.

    Args:
        board: from a reader.
        base: the model to compare with.
        margin: by which a model may be worse, a share of the metric's scale; of a metric without bounds, in
            its own units.
        metric: for all tasks; None takes each task's main one.

    Raises:
        InputError: an unknown base; see :func:`.scores.compared_scores`; nothing in common with the base.
    """
    if not 0 < margin < 1:
        raise InputError(f"--margin: found {margin:g}; expected a share between 0 and 1, e.g. 0.02")
    scores = compared_scores(board, metric=metric, configs_apart=True)
    if base not in scores.models:
        raise UnknownNameError("model", base, scores.models, "--against")
    at = scores.models.index(base)
    others = np.array([model for model in range(len(scores.models)) if model != at])
    own = [task for task in scores.tasks if not np.isnan(task.means.mean[at])]
    cells = _cells(scores.models, own, (others, np.full(len(others), at)), margin) if own else []
    if all(cell.verdict == "not compared" for cell in cells):
        raise InputError(f"--against {base}: no model has items in common with it; expected the same items")
    return Gate(base, margin, LEVEL, tuple(cells), scores.notes)


def _cells(
    models: Sequence[str],
    tasks: Sequence[TaskScores],
    pairs: tuple[Integers, Integers],
    margin: float,
) -> list[GatedCell]:
    """All candidates on a task, then on the next."""
    parts = [task_moments(task, *pairs) for task in tasks]
    missing = [missing_items(task, *pairs) for task in tasks]
    worst = [
        worst_moments(task, *pairs) if task.scale.bounded and lost.any() else part
        for task, part, lost in zip(tasks, parts, missing, strict=True)
    ]
    verdicts = _limits(parts)
    pessimistic = _limits(worst, verdicts.tested)
    found = []
    for place, lost in enumerate(np.concatenate(missing).tolist()):
        task = tasks[place // len(pairs[0])]
        pair = [int(each[place % len(pairs[0])]) for each in pairs]
        allowed = margin if task.scale.bounded else margin / task.scale.span
        verdict, more = _judged(verdicts, place, allowed)
        score, base = (number(task.scale.own(task.means.mean[model])) for model in pair)
        difference, low, high = (
            number(each[place] * task.scale.span)
            for each in (verdicts.difference, verdicts.low, verdicts.high)
        )
        items = number(verdicts.examples[place])
        holds = task.scale.bounded and bool(pessimistic.low[place] > -allowed)
        found.append(
            GatedCell(
                model=models[pair[0]],
                task=task.name,
                config=task.config,
                metric=task.metric,
                score=score,
                base=base,
                margin=allowed * task.scale.span,
                span=task.scale.span,
                paired=bool(task.by_item[pair].all()),
                difference=difference,
                low=low,
                high=high,
                verdict=verdict,
                items=None if items is None else int(items),
                missing=lost,
                holds=holds if verdict == "not worse" and lost else None,
                more=more,
            )
        )
    return found


def _limits(parts: Sequence[Moments], tested: int | None = None) -> VerdictFamily:
    """Of all candidates and tasks as one question; each limit is one-sided at the level.

    Where too few items differ for an interval, the limits are those of the share that differs.
    """
    part = one_after_the_other(parts)
    found = decide([part], 2 * LEVEL - 1, tested)
    bound = rare_difference_bound(part, (1 - LEVEL) / max(found.tested, 1))
    low, high = (np.where(found.few, end, own) for end, own in ((-bound, found.low), (bound, found.high)))
    return replace(found, low=low, high=high)


def _judged(verdicts: VerdictFamily, place: int, allowed: float) -> tuple[GateVerdict, int | None]:
    """What the limits say, and how many more items would say more."""
    low, high = verdicts.low[place], verdicts.high[place]
    if np.isnan(verdicts.error[place]):
        return "not compared", None
    if low > -allowed:
        return "not worse", None
    if high < -allowed:
        return "worse", None
    alpha = 2 * (1 - LEVEL) / max(verdicts.tested, 1)  # one-sided
    (more,) = items_to_detect(verdicts, [place], allowed, alpha) if verdicts.examples[place] > 0 else (None,)
    return "may be worse", more
