"""Whether two programs are the same symbolically, whatever the numbers are.

Most pairs differ in their values at a few points; sympy decides the rest.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from .program import ARITHMETIC, Program, ProgramStep, reference

if TYPE_CHECKING:
    import sympy

Symbols: TypeAlias = "dict[tuple[object, ...], int]"

MOST_OPERATIONS = 64
"""Operations of a program once every ``#n`` is written out (a result used twice counts twice).

A power counts as ``_POWER`` operations, for powers of powers are what an exact expression grows by.
"""

_POWER = 16


def equivalent(gold: Program | None, other: Program | None) -> bool:
    """Whether a program equals the gold one symbolically: FinQA's program accuracy.

    As in the official evaluator (Chen et al., EMNLP 2021, section 5): every distinct argument of the gold
    program is a symbol (``5,829`` and ``5829`` are two, for the text counts), and so is every operation over
    a row; the other program may use these and no more, even in a step that its result does not need; both are
    equal where sympy's ``simplify`` makes one expression of them: ``add(1, 2)`` and ``add(2, 1)``, but not
    ``multiply(2, 2)`` and ``add(2, 2)``, for numbers have no value here. An oddity is kept for comparable
    figures: an operation over a row is one symbol as the first step and another one in any later step.

    Programs are hostile: most pairs are distinguished by their values at a few points, and only two small
    expressions that agree there are simplified. A program that grows beyond ``MOST_OPERATIONS``,
    or whose powers do (see :mod:`.sampling`), is not equal. unitxt exchanges the two programs, so that there
    an answer may use what the gold program lacks (in a step without effect, say), and not the other way
    round.
    """
    if not gold or not other:
        return False
    symbols = _symbols(gold)
    if not _fits(gold, symbols) or not _fits(other, symbols):
        return False
    ours, theirs = _numbered(gold, symbols), _numbered(other, symbols)
    if ours == theirs:
        return True
    return may_be_equal(ours, theirs, len(symbols)) and _simplify_alike(ours, theirs)


def _symbols(gold: Program) -> Symbols:
    """The gold program's distinct arguments in the order of their first use, numbered."""
    found: Symbols = {}
    for index, step in enumerate(gold):
        for name in _names(step, index):
            found.setdefault(name, len(found))
    return found


def _names(step: ProgramStep, index: int) -> Iterator[tuple[object, ...]]:
    """The parts of a step that are symbols."""
    if step.over_row:
        yield (index == 0, step.operation, step.first, step.second)
    else:
        yield from ((text.strip(),) for text in (step.first, step.second) if "#" not in text)


def _fits(program: Program, symbols: Mapping[tuple[object, ...], int]) -> bool:
    """Whether a program has the gold one's symbols alone, refers back only, and stays small."""
    sizes: list[int] = []
    for index, step in enumerate(program):
        if any(name not in symbols for name in _names(step, index)):
            return False
        size = _POWER if step.operation == "exp" else 1
        if not step.over_row:
            for text in (step.first, step.second):
                if "#" in text:
                    number = reference(text, index)
                    if number is None:
                        return False
                    size += sizes[number]
        sizes.append(size)
    return sizes[-1] <= MOST_OPERATIONS


# a step as (operation, argument, argument): a symbol's number n is n, the result of step n is -1 - n
Numbered: TypeAlias = "tuple[tuple[str, int, int], ...]"


def _numbered(program: Program, symbols: Mapping[tuple[object, ...], int]) -> Numbered:
    steps = []
    for index, step in enumerate(program):
        if step.over_row:
            (name,) = _names(step, index)
            steps.append(("row", symbols[name], symbols[name]))
            continue
        one, other = (
            -1 - (reference(text, index) or 0) if "#" in text else symbols[(text.strip(),)]
            for text in (step.first, step.second)
        )
        steps.append((step.operation, one, other))
    return tuple(steps)


def _simplify_alike(ours: Numbered, theirs: Numbered) -> bool:
    one, other = _simplified(ours), _simplified(theirs)
    return one is not None and one == other


@lru_cache(maxsize=1024)
def _simplified(program: Numbered) -> sympy.Basic | None:
    """The program's expression, simplified; None where sympy has none (a comparison inside a sum)."""
    import sympy

    results: list[Any] = []
    try:
        for operation, first, second in program:
            one, other = (
                results[-1 - number] if number < 0 else sympy.Symbol(f"a{number}")
                for number in (first, second)
            )
            results.append(_EXPRESSION[operation](one, other))
        return sympy.simplify(results[-1])
    except (TypeError, ValueError, ArithmeticError, AttributeError, NotImplementedError, RecursionError):
        # sympy's errors for a comparison that is no number, or a form that it cannot handle
        return None


_EXPRESSION: Mapping[str, Callable[[Any, Any], Any]] = {
    **ARITHMETIC,
    "greater": operator.gt,
    "row": lambda one, _: one,
}


_POINTS = 3
_TOLERANCE = (
    1e-9  # of the largest number on the way; the rounding errors of some sixty operations are far less
)
_LARGEST = 1e12  # thirty numbers between 1 and 2, added and multiplied, stay below
_MOST_EXPONENT = 16  # of such numbers; a larger one makes exact powers with digits without end


class _UnboundedError(Exception):
    """A number that is unbounded or undefined."""


def may_be_equal(
    ours: Sequence[tuple[str, int, int]], theirs: Sequence[tuple[str, int, int]], symbols: int
) -> bool:
    """Whether two programs, evaluated at a few points, can be equal, and both stay within bounds.

    Equal expressions have equal values at every point where all intermediate numbers are real; so different
    values (beyond rounding) prove a difference. Points lie between 1 and 2, the same on any machine. A
    program that divides by zero or has a power out of bounds whatever its numbers are is equal to none.

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
        # a root of a negative number may be either of two conjugates, which decides nothing
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
