"""FinQA's programs: their tokens, their steps, and their result over a table."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

_AROUND_BRACKETS = re.compile(r"[^()]*\(|\)|[^()]+")


def tokenize(program: str) -> list[str]:
    """The tokens of a program: ``add(1, 2)`` is ``["add(", "1", "2", ")"]``.

    A comma with a space separates; a comma alone belongs to a number (``1,234``) or a name. An operation's
    token ends with its bracket. Spaces are kept, as the official evaluator keeps them. Linear in the text's
    length.
    """
    return [token for part in program.split(", ") for token in _AROUND_BRACKETS.findall(part)]


ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
}
"""The operations on two numbers (or symbols); ``greater`` is the only one whose result is no number."""

MATHEMATICAL = (*ARITHMETIC, "greater")
OVER_ROWS = ("table_max", "table_min", "table_sum", "table_average")

MOST_STEPS = 32
"""The most steps of a program; published predictions for the data set have at most five."""

_TOKENS_A_STEP = 4  # operation with its bracket, two arguments, closing bracket


@dataclass(frozen=True, slots=True)
class ProgramStep:
    """One operation with its two arguments, as text.

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


Program: TypeAlias = "tuple[ProgramStep, ...]"


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


def _step(tokens: Sequence[str]) -> ProgramStep | None:
    opening, first, second, closing = tokens
    operation = _operation(opening)
    if operation is None or closing != ")" or any(mark in first + second for mark in "()|"):
        return None
    return ProgramStep(operation, first, second)


def _operation(token: str) -> str | None:
    name = token[:-1].replace("table-", "table_") if token.endswith("(") else ""
    return name if name in MATHEMATICAL or name in OVER_ROWS else None


def _breaks_off(rest: Sequence[str]) -> bool:
    """Whether the tokens after the last whole step are the beginning of one, or nothing."""
    return not rest or (_operation(rest[0].strip("(") + "(") is not None and ")" not in rest)


def reference(argument: str, index: int) -> int | None:
    """The step that an argument ``#n`` of step ``index`` refers to; None where there is none.

    An argument with ``#`` in it is a reference; so is a row's name, which the official evaluator therefore
    cannot read either.
    """
    try:
        number = int(argument.strip().strip("#"))
    except ValueError:
        return None
    return number if 0 <= number < index else None


Answer: TypeAlias = "float | str"

_DECIMALS = 5


class _InvalidError(Exception):
    """A program that has no result."""


def execute(program: Program | None, table: Sequence[Sequence[str]]) -> Answer | None:
    """The result of a program's last step: a number rounded to five decimals, or ``yes`` or ``no``.

    As in the official evaluator: ``greater`` gives yes or no; operations over a row take the row whose first
    cell is the name (of several the last), and all its cells must be numbers, ``$``, thousands commas,
    percent signs and what follows a bracket aside; ``const_100`` is 100, ``const_m1`` is -1. None where a
    step has no result: an argument that is no number, a reference to no earlier step, a division by zero, an
    overflow, a root of a negative number. (Arithmetic on yes and no, which the official evaluator sometimes
    accepts, has none.)

    Args:
        program: the steps; None for a text that is no program.
        table: rows of cells, the header among them, as the data set has them.
    """
    if not program:
        return None
    results: list[Answer] = []
    rows = {row[0]: row[1:] for row in table if row}
    try:
        for index, step in enumerate(program):
            results.append(_over_row(step, rows) if step.over_row else _result(step, index, results))
        last = results[-1]
        return last if isinstance(last, str) else round(last, _DECIMALS)
    except (_InvalidError, ArithmeticError, ValueError):
        return None


def _result(step: ProgramStep, index: int, results: Sequence[Answer]) -> Answer:
    one, other = (_argument(text, index, results) for text in (step.first, step.second))
    if step.operation == "greater":
        return "yes" if one > other else "no"
    result = ARITHMETIC[step.operation](one, other)
    if not isinstance(result, float):
        raise _InvalidError("a root of a negative number")
    return result


def _argument(text: str, index: int, results: Sequence[Answer]) -> float:
    if "#" in text:
        number = reference(text, index)
        value = None if number is None else results[number]
    else:
        value = number_of(text.strip())
    if not isinstance(value, float):
        raise _InvalidError(f"{text!r} is no number")
    return value


def number_of(text: str) -> float | None:
    """The number that a text writes: ``1,234``, ``8.1%`` (0.081), ``const_100``; None where it is none."""
    plain = text.replace(",", "")
    scale = 1.0
    if "%" in plain:
        plain, scale = plain.replace("%", ""), 100.0
    elif "const" in plain:
        plain = plain.replace("const_", "")
        plain = "-1" if plain == "m1" else plain
    try:
        return float(plain) / scale
    except ValueError:
        return None


def _over_row(step: ProgramStep, rows: Mapping[str, Sequence[str]]) -> float:
    cells = rows.get(step.first.strip())
    if not cells or "#" in step.first:
        raise _InvalidError(f"no row {step.first!r} with cells")
    numbers = [_cell(cell) for cell in cells]
    if step.operation == "table_max":
        return max(numbers)
    if step.operation == "table_min":
        return min(numbers)
    total: float = sum(numbers)
    return total / len(numbers) if step.operation == "table_average" else total


def _cell(text: str) -> float:
    """A cell's number: ``$ 5,829``, ``8.1%``, and of ``-12 ( 12 )`` what stands before the bracket."""
    number = number_of(text.replace("$", "").split("(")[0].strip())
    if number is None:
        raise _InvalidError(f"the cell {text!r} is no number")
    return number
