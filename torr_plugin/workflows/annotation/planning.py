"""What an annotation would ask and cost, at most, without asking."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...running import check_models
from ...synthesis.annotation.prompts import LONGEST
from ..rounds import planned_round
from .asking import first_prompts

if TYPE_CHECKING:
    from .task import AnnotationTask

_QUESTION = " word" * LONGEST
_ANSWER = " word" * 20


def planned_rounds(task: AnnotationTask, out: Path) -> list[dict[str, Any]]:
    """A row for each round and model.

    Returns:
        as of :func:`planned_round`; ``round`` is questions, answers or scores.

    Raises:
        InputError: a model or an argument is unknown, or a table does not fit the format.
    """
    check_models(task.models, here=False)
    asked = [(name, kind) for name in task.tables for kind in task.types]
    answers = [task.answer_prompt(kind, "", name, _QUESTION) for name, kind in asked]
    scores = [task.judge_prompt(kind, name, _QUESTION, _ANSWER) for name, kind in asked]
    rounds = [
        ("questions", task.asker, list(first_prompts(task).values()), 1),
        *(("answers", each, answers, task.most) for each in task.answerers),
        ("scores", task.judge, scores, task.most * len(task.answerers)),
    ]
    return [
        planned_round(out, name, model, prompts, max_tokens=task.max_tokens, times=times)
        for name, model, prompts, times in rounds
    ]
