"""What the judges of a recipe would be asked at most, before any model has answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import comb
from typing import TYPE_CHECKING, Any

from ..core.texts import CHARACTERS_A_TOKEN
from ..prompts import designs
from ..recipes import estimate_tokens, text_of
from ..scoring.judges.prompts import LONGEST, judge_kind
from .judging import pair_options

if TYPE_CHECKING:
    from ..catalog import Example
    from ..prompts import Prompt
    from ..recipes import JudgeEntry, Plan

JUDGES_NOTE = (
    "judges: at most, with every answer as long as it may be, since the answers are not known yet; equal "
    "ones are judged once"
)


def judge_costs(planned: Plan, judges: Iterable[JudgeEntry], models: int) -> list[dict[str, Any]]:
    """The most that each judge of a recipe would be asked: a row a judge.

    A row has ``judge``, ``kind``, ``answers`` (or ``battles``, of pairs; else null), ``requests``, ``prompt
    tokens`` (estimated at four characters each, with answers as long as the recipe and the judge allow),
    ``answer tokens``, and ``cost`` in US dollars, null without a price.

    Args:
        planned: the study.
        judges: those of its recipe.
        models: how many models answer.
    """
    return [_row(planned, judge, models) for judge in judges]


def _row(planned: Plan, judge: JudgeEntry, models: int) -> dict[str, Any]:
    pair = judge.kind == "pair"
    asked, orders = _asked(judge), 2 if pair and judge.orders != "one" else 1
    pairs = max(models - 1, 0) if judge.baseline is not None else comb(models, 2)
    times = len(planned.configurations) * (pairs if pair else models)
    examples = [each for dataset in _datasets(planned, judge) for each in planned.examples[dataset]]
    longest = (2 if pair else 1) * _longest_answer(planned)
    requests = len(examples) * times * orders
    tokens = sum(estimate_tokens(text_of(asked(each))) + longest for each in examples) * times * orders
    replies = requests * judge.longest_reply
    price = judge.price
    return {
        "judge": judge.label,
        "kind": judge.kind,
        "answers": None if pair else len(examples) * times,
        "battles": len(examples) * times if pair else None,
        "requests": requests,
        "prompt tokens": tokens,
        "answer tokens": replies,
        "cost": None if price is None else price.of_prompts(tokens) + price.of_answers(replies),
    }


def _asked(judge: JudgeEntry) -> Callable[[Example], Prompt]:
    """The prompt about an example, without answers."""
    if judge.kind == "pair":
        options = pair_options(judge)
        return lambda example: options.prompt(example, example.references, "", "")
    kind = judge_kind(judge.kind)
    return lambda example: kind.prompt(example, example.references, "")


def _datasets(planned: Plan, judge: JudgeEntry) -> Sequence[str]:
    chosen = {name.removeprefix("cards.") for name in judge.cards or planned.cards}
    return [dataset for dataset in planned.cards if dataset in chosen]


def _longest_answer(planned: Plan) -> int:
    """The tokens of the longest answer that the designs' last steps allow and the judge is shown."""
    most = 0
    for name in {each.design for each in planned.configurations}:
        changes = designs.get(name).steps[-1].changes(planned.generation) or {}
        most = max(most, int({**planned.generation, **changes}["max_tokens"]))
    return min(most, -(-LONGEST // CHARACTERS_A_TOKEN))
