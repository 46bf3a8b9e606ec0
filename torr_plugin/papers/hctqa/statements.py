"""Fact verification: statements that a human-centric table entails or refutes, by construction.

A statement is a question turned into a sentence, with the answer of its SQL or with a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import islice
from random import Random
from typing import TYPE_CHECKING

from .generator.sql import read_answer
from .small_tables import SampledTable, sample_table, single_value

if TYPE_CHECKING:
    from ...catalog.generated import Row


LABELS = ("refuted", "entailed")
AGGREGATED = (4, 5, 7)
AnsweredPhrase = tuple[str, str]
"""A question without its first words and its mark ("number of loans in 2019"), and its one answer."""

_QUESTION = re.compile(r"What (is|are) the (.+?)\s*\?")
_WHICH = re.compile(r"What (?:is|are) the (.+?) for which the (.+?)\s*\?")


def fact_verification(random: Random, number: int) -> Iterator[Row]:
    """Four statements about a table, one of each kind, two of them true; none if one cannot be made.

    Odd-numbered tables have the opposite labels of the table before, so that every kind is true as often as
    false.
    """
    sampled = sample_table(random, number)
    truths = _TRUTHS[number // 2 % len(_TRUTHS)]
    holding = {kind: bool(truth) != bool(number % 2) for kind, truth in zip(_KINDS, truths, strict=True)}
    statements = {kind: state(sampled, holding[kind]) for kind, state in _KINDS.items()}
    if any(statement is None for statement in statements.values()):
        return
    for kind, statement in statements.items():
        yield {
            "table": sampled.table,
            "statement": str(statement),
            "answer": LABELS[holding[kind]],
            "kind": kind,
        }


def _cells(sampled: SampledTable) -> Iterator[AnsweredPhrase]:
    """Questions for one cell, as phrases, and the cells' values."""
    for question in sampled.questions((1,)):
        answer, match = single_value(question), _QUESTION.fullmatch(question.question)
        if answer is not None and match:
            yield match[2], answer


def _lookup(sampled: SampledTable, holds: bool) -> str | None:
    for phrase, value in _cells(sampled):
        return f"The {phrase} is {value if holds else _other(sampled, value)}."
    return None


def _aggregate(sampled: SampledTable, holds: bool) -> str | None:
    for question in sampled.questions(AGGREGATED):
        match, values = _QUESTION.fullmatch(question.question), read_answer(question.answer)[0]
        if not match:
            continue
        if not holds:
            at = sampled.random.randrange(len(values))
            values[at] = _other(sampled, values[at])
        return f"The {match[2]} {match[1]} {' and '.join(values)}."
    return None


def _comparison(sampled: SampledTable, holds: bool) -> str | None:
    found = list(islice(_cells(sampled), 2))
    if len(found) < 2:
        return None
    word = sampled.random.choice(("greater", "lower"))
    (large, _), (small, _) = sorted(found, key=lambda phrase: Decimal(phrase[1]), reverse=True)
    one, other = (large, small) if (word == "greater") == holds else (small, large)
    return f"The {one} is {word} than the {other}."


def _count(sampled: SampledTable, holds: bool) -> str | None:
    for question in sampled.questions((14,)):
        match = _WHICH.fullmatch(question.question)
        if not match:
            continue
        count = question.answer.count("||") + 1
        if not holds:
            count += sampled.random.choice([step for step in (-2, -1, 1, 2) if count + step > 0])
        what = "combination" if " and " in match[1] else "value"
        verb = "is exactly 1" if count == 1 else f"are exactly {count}"
        return f"There {verb} {what}{'' if count == 1 else 's'} of {match[1]} for which the {match[2]}."
    return None


def _other(sampled: SampledTable, value: str) -> str:
    """A wrong number: one of the table, or one outside its range if the true value is outside."""
    numbers = sorted(number for line in sampled.instance.values for number in line)
    true = Decimal(value)
    others = [number for number in numbers if number != true]
    if others and numbers[0] <= true <= numbers[-1]:
        return _text(sampled.random.choice(others))
    step = abs(sampled.random.choice(numbers)) or Decimal(1)
    return _text(true + step if sampled.random.random() < 0.5 or true - step < numbers[0] else true - step)


def _text(number: Decimal) -> str:
    """A number as in answers: no trailing zeros in a fraction."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


_KINDS: dict[str, Callable[[SampledTable, bool], str | None]] = {
    "lookup": _lookup,
    "comparison": _comparison,
    "count": _count,
    "aggregate": _aggregate,
}

# which two of the four are true
_TRUTHS = ((1, 1, 0, 0), (0, 1, 1, 0), (1, 0, 1, 0))
