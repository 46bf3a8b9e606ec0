"""What of a plan a run has answered, and what is left to ask when it is gone on with. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan
    from ..running import ModelStatus


@dataclass(frozen=True)
class Left:
    """What one model has answered of its different requests.

    Attributes:
        answered: with a prediction.
        failed: with an error, asked again by ``--retry-failed`` alone.
        still: without either; of designs of several calls, those that follow answers as well, at most.
    """

    answered: int
    failed: int
    still: int


def left_to_ask(
    run: Path, plan: Plan, models: Sequence[ModelEntry], unique: Mapping[str, int]
) -> dict[str, Left]:
    """For each model, by its label, what is left of the plan in a run; nothing where there is no run yet.

    Args:
        run: the directory that the plan would be run in.
        plan: what is asked.
        models: who is asked.
        unique: how many different requests each has, by label.

    Raises:
        RunError: the directory holds another study's run, or a label is another model there: going on with it
            would be refused with the same words.
    """
    from ..running import run_status
    from ..running.store.beginning import resumed
    from ..running.store.study import STUDY_FILE, with_models

    if not (run / STUDY_FILE).exists():
        return {}
    with_models(resumed(run, plan), list(models), run)
    found = {each.model: each for each in run_status(run).models}
    return {entry.label: _left(found.get(entry.label), unique[entry.label], plan.later) for entry in models}


def _left(status: ModelStatus | None, unique: int, later: int) -> Left:
    if status is None:
        return Left(0, 0, unique)
    counts = status.counts
    # what follows from answers is known when nothing waits any more: a step that failed has none after it
    known = status.requests if status.requests and not (later and status.waiting) else unique
    return Left(counts.answered, counts.failed, max(0, known - counts.answered - counts.failed))


def unique_requests(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many different requests each model has, of the rows of :func:`.recipes.outline`."""
    return {row["model"]: row["unique requests"] for row in rows}


def with_left(rows: Sequence[Mapping[str, Any]], left: Mapping[str, Left]) -> list[dict[str, Any]]:
    """These rows with ``answered``, ``failed`` and ``still to ask``: all of it, where there is no run."""
    return [{**row, **_as_row(left.get(row["model"]) or Left(0, 0, row["unique requests"]))} for row in rows]


def _as_row(left: Left) -> dict[str, int]:
    return {"answered": left.answered, "failed": left.failed, "still to ask": left.still}
