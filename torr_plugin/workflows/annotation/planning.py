"""What an annotation would ask and cost, at most, without asking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.tokens import estimate_tokens
from ...recipes.tokens import text_of
from ...running import check_models
from ...synthesis.annotation.prompts import LONGEST
from .asking import first_prompts, model_folder, stored

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes.models import Price
    from .task import AnnotationTask

_QUESTION = " word" * LONGEST
_ANSWER = " word" * 20


def planned_rounds(task: AnnotationTask, out: Path) -> list[dict[str, Any]]:
    """A row for each round and model.

    Returns:
        ``round`` (questions, answers or scores), ``model``, ``prompts`` (at most; exact for questions),
        ``answered`` (replies of this model that ``out`` has, of all rounds), ``prompt tokens`` (estimated),
        ``longest prompt``, ``answer tokens`` (at most) and ``cost`` (US dollars at most; None without a
        price).

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
        {
            "round": name,
            "model": model.label,
            "answered": len(stored(model_folder(out, model))),
            **_sizes(prompts, times, task.max_tokens, model.price),
        }
        for name, model, prompts, times in rounds
    ]


def _sizes(
    prompts: Sequence[Prompt], times: int, max_tokens: int, price: Price | None
) -> dict[str, int | float | None]:
    """Prompts, tokens and cost where each prompt is sent so many times, with another question each time."""
    tokens = [estimate_tokens(text_of(prompt)) for prompt in prompts]
    whole, answers = times * sum(tokens), times * len(prompts) * max_tokens
    return {
        "prompts": times * len(prompts),
        "prompt tokens": whole,
        "longest prompt": max(tokens, default=0),
        "answer tokens": answers,
        "cost": None if price is None else price.of_prompts(whole) + price.of_answers(answers),
    }
