"""What questions about documents would ask and cost, at most, without asking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...running import check_models
from ...synthesis.document_questions import Draft
from ..rounds import planned_round

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry
    from .task import SynthesisTask

_DRAFT = Draft(" word" * 50, " word" * 40, (" word" * 30,) * 5)
"""A question as long as questions may be expected to be."""


def planned_synthesis(task: SynthesisTask, out: Path) -> list[dict[str, Any]]:
    """A row for each round.

    Returns:
        as of :func:`torr_plugin.workflows.rounds.planned_round`; ``round`` is a level's questions, with
        ``ground`` its answers, and at the end verdicts.

    Raises:
        InputError: a model or an argument is unknown.
    """
    check_models(task.models, here=False)
    most, rows = task.options.questions, []

    def planned(name: str, model: ModelEntry, prompts: list[Prompt]) -> None:
        rows.append(planned_round(out, name, model, prompts, max_tokens=task.options.max_tokens, times=most))

    for number, level in enumerate(task.options.levels):
        earlier = [(other, _DRAFT) for other in task.options.levels[: number + 1] for _ in range(most)][:-1]
        questions = [task.question_prompt(level, each, earlier) for each in task.excerpts]
        planned(f"{level} questions", task.writer, questions)
        if task.options.ground:
            answers = [task.answer_prompt(level, each, _DRAFT.question) for each in task.excerpts]
            planned(f"{level} answers", task.writer, answers)
    verdicts = [
        task.filter_prompt(level, each, _DRAFT) for level in task.options.levels for each in task.excerpts
    ]
    planned("verdicts", task.filter, verdicts)
    return rows
