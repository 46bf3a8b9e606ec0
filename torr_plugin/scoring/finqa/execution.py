"""What a program comes to over a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from .program import ARITHMETIC, Program, Step, reference

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
    overflow, a root of a negative number. (Arithmetic on yes and no, which the official evaluator lets pass
    in odd corners, has none.)

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


def _result(step: Step, index: int, results: Sequence[Answer]) -> Answer:
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


def _over_row(step: Step, rows: Mapping[str, Sequence[str]]) -> float:
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
