"""What a run still has to ask of a plan, for ``torr plan``. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .runner import with_more_room
from .status import run_status
from .store.manifest import STUDY_FILE, study_of
from .store.run import Run
from .study_source import asked_again

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan
    from .status import ModelStatus


def remaining_requests(
    run: Path, plan: Plan, models: Sequence[ModelEntry], unique: Mapping[str, int]
) -> dict[str, dict[str, int]]:
    """Requests by model: how many are ``answered``, ``failed``, ``still to ask``; empty without a run.

    Failed ones are asked again by ``--retry-failed`` only; answers that were cut at fewer tokens than are
    allowed now are still to ask. For designs of several calls, at most so many are
    still to ask, as later calls follow from answers.

    Args:
        run: the directory that the plan would be run in.
        plan: what is asked.
        models: the models to ask.
        unique: how many unique requests each has, by label.

    Raises:
        RunError: the directory holds another study's run or something else, or a label is another model
            there: to run there would be refused with the same words.
    """
    plan, models = with_more_room(plan, models, run)
    study_of(run, plan, models)  # refuses what `torr run` would refuse
    if not (run / STUDY_FILE).exists():
        return {}
    found, opened = {each.model: each for each in run_status(run).models}, Run.open(run)
    return {
        entry.label: _remaining(opened, entry, found.get(entry.label), unique[entry.label], plan)
        for entry in models
    }


def _remaining(
    run: Run, entry: ModelEntry, status: ModelStatus | None, unique: int, plan: Plan
) -> dict[str, int]:
    if status is None:
        return {"answered": 0, "failed": 0, "still to ask": unique}
    counts = status.counts
    again = len(asked_again(run, plan, entry))
    # what follows from answers is known when nothing waits any more: a step that failed has none after it
    as_planned = status.requests and status.replicates == plan.replicate_requests
    known = status.requests if as_planned and not (plan.later and status.waiting) else unique
    left = max(0, known - counts.answered - counts.failed)
    return {"answered": counts.answered - again, "failed": counts.failed, "still to ask": left + again}
