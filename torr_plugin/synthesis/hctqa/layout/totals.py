"""The body's numbers, aggregates included: exact, then rounded half to even and written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

from ..instance import Function
from .lines import Line

Integers = Sequence[Sequence[int]]


def body_texts(
    values: Sequence[Sequence[Decimal]],
    columns: Sequence[Line],
    rows: Sequence[Line],
    function: Function,
    decimals: int,
) -> list[list[str]]:
    """What stands in each place of the body, shape (rows, columns); an aggregate is over all its cells.

    A mean is over the cells and not over other means (they differ where groups have different sizes).
    """
    scale = max(decimals, *(_exponent(value) for line in values for value in line))
    exact = [[int(value.scaleb(scale)) for value in line] for line in values]
    reduce = _REDUCE[function]
    across = [[reduce(_picked(line, column.members)) for column in columns] for line in exact]
    downward = list(zip(*across, strict=True))
    mean = function == "avg"
    return [
        [
            written(
                reduce(_picked(column, row.members)),
                len(row.members) * len(members.members) if mean else 1,
                scale,
                decimals,
            )
            for column, members in zip(downward, columns, strict=True)
        ]
        for row in rows
    ]


def written(number: int, count: int, scale: int, decimals: int) -> str:
    """``number / count / 10**scale`` with so many decimals, a tie to the even neighbour."""
    divisor = count * 10 ** (scale - decimals)
    whole, rest = divmod(number, divisor)
    if 2 * rest > divisor or (2 * rest == divisor and whole % 2):
        whole += 1
    if not decimals:
        return str(whole)
    digits = str(abs(whole)).zfill(decimals + 1)
    return f"{'-' * (whole < 0)}{digits[:-decimals]}.{digits[-decimals:]}"


def _picked(numbers: Sequence[int], members: Sequence[int]) -> list[int]:
    return [numbers[member] for member in members]


def _exponent(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


_REDUCE: dict[Function, Callable[[Sequence[int]], int]] = {"sum": sum, "avg": sum, "min": min, "max": max}
