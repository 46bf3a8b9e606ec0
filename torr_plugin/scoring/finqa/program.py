"""A program's tokens as steps."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .tokens import tokenize

ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
}
"""What the operations on two numbers (or symbols) do; ``greater`` is the one that gives no number."""

MATHEMATICAL = (*ARITHMETIC, "greater")
OVER_ROWS = ("table_max", "table_min", "table_sum", "table_average")

MOST_STEPS = 32
"""Steps of a program that is read; published predictions for the data set have at most five."""

_TOKENS_A_STEP = 4  # operation with its bracket, two arguments, closing bracket


@dataclass(frozen=True, slots=True)
class Step:
    """One operation with its two arguments, as they are written.

    ``first`` and ``second`` are numbers (``5,829``, ``8.1%``, ``const_100``), results of earlier steps
    (``#0``), or of an operation over a row its name and ``none``.
    """

    operation: str
    first: str
    second: str

    @property
    def over_row(self) -> bool:
        """Whether it takes a row of the table."""
        return self.operation in OVER_ROWS


Program: TypeAlias = "tuple[Step, ...]"


def parse(program: str | Sequence[str]) -> Program | None:
    """The steps of a program; None where it is none.

    As in the official evaluator every step has a known operation and exactly two arguments, which have no
    brackets or bars, and a last step that breaks off before its closing bracket is passed over. Unlike there,
    ``table-max`` is read as ``table_max`` (unitxt's prompt spells it so), and a program of more than
    ``MOST_STEPS`` steps is none.

    Args:
        program: the text, or its tokens without an end mark.
    """
    if isinstance(program, str):
        program = tokenize(program)
    whole = len(program) - len(program) % _TOKENS_A_STEP
    if not 0 < whole <= MOST_STEPS * _TOKENS_A_STEP or not _breaks_off(program[whole:]):
        return None
    steps = []
    for start in range(0, whole, _TOKENS_A_STEP):
        step = _step(program[start : start + _TOKENS_A_STEP])
        if step is None:
            return None
        steps.append(step)
    return tuple(steps)


def _step(tokens: Sequence[str]) -> Step | None:
    opening, first, second, closing = tokens
    operation = _operation(opening)
    if operation is None or closing != ")" or any(mark in first + second for mark in "()|"):
        return None
    return Step(operation, first, second)


def _operation(token: str) -> str | None:
    name = token[:-1].replace("table-", "table_") if token.endswith("(") else ""
    return name if name in MATHEMATICAL or name in OVER_ROWS else None


def _breaks_off(rest: Sequence[str]) -> bool:
    """Whether the tokens after the last whole step are the beginning of one, or nothing."""
    return not rest or (_operation(rest[0].strip("(") + "(") is not None and ")" not in rest)


def reference(argument: str, index: int) -> int | None:
    """The step whose result an argument ``#n`` of step ``index`` stands for; None where there is none such.

    An argument with ``#`` in it is a reference; so is a row's name, which the official evaluator therefore
    cannot read either.
    """
    try:
        number = int(argument.strip().strip("#"))
    except ValueError:
        return None
    return number if 0 <= number < index else None
