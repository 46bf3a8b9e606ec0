"""Programs at a few points: enough to tell most of them apart, and to keep off those that grow too large."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .program import ARITHMETIC

_POINTS = 3
_TOLERANCE = (
    1e-9  # of the largest number on the way; the rounding errors of some sixty operations are far less
)
_LARGEST = 1e12  # thirty numbers between 1 and 2, added and multiplied, stay below
_MOST_EXPONENT = 16  # of such numbers; a larger one makes exact powers with digits without end


class _UnboundedError(Exception):
    """A number that has no bounds, or no value at all."""


def may_be_equal(
    ours: Sequence[tuple[str, int, int]], theirs: Sequence[tuple[str, int, int]], symbols: int
) -> bool:
    """Whether two programs, evaluated at a few points, can be equal, and both stay within bounds.

    Equal expressions have equal values at every point where all numbers on the way are real; so different
    values settle it, up to rounding. Points lie between 1 and 2, the same on any machine. A program that
    divides by zero or has a power out of bounds whatever its numbers are is equal to none.

    Args:
        ours: steps (operation, argument, argument): a symbol's number n is n, the result of step n is -1 - n.
        theirs: as ``ours``.
        symbols: how many there are.
    """
    chance = random.Random(2021)  # noqa: S311
    for _ in range(_POINTS):
        point = [1 + chance.random() for _ in range(symbols)]
        try:
            one, other = _results(ours, point), _results(theirs, point)
        except (_UnboundedError, ArithmeticError, TypeError):
            return False
        passed = [*one, *other]
        # a root of a negative number may come out as either of two conjugates: it settles nothing
        if not any(isinstance(value, complex) for value in passed):
            scale = max(map(abs, passed))
            if not abs(one[-1] - other[-1]) <= _TOLERANCE * max(1.0, scale):
                return False
    return True


def _results(steps: Sequence[tuple[str, int, int]], point: Sequence[float]) -> list[float]:
    """Every step's value at a point; a comparison is 1 or 0.

    Raises:
        _UnboundedError: a number or an exponent grows beyond bounds.
        ArithmeticError: a division by zero, an overflow.
        TypeError: roots of negative numbers are compared.
    """
    results: list[float] = []
    for operation, first, second in steps:
        one, other = (results[-1 - number] if number < 0 else point[number] for number in (first, second))
        if operation == "exp" and abs(other) > _MOST_EXPONENT:
            raise _UnboundedError
        value = _OPERATIONS[operation](one, other)
        if not abs(value) <= _LARGEST:
            raise _UnboundedError
        results.append(value)
    return results


_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    **ARITHMETIC,
    "greater": lambda one, other: float(one > other),
    "row": lambda one, _: one,
}
