"""Find lines of numbers that are the sum, mean or extreme of others, by arithmetic alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Flags: TypeAlias = NDArray[np.bool_]

Function: TypeAlias = Literal["sum", "mean", "max", "min"]
Functions: TypeAlias = "Mapping[int, frozenset[Function]]"

_EXTREMES: tuple[Function, ...] = ("max", "min")

LEAST_DIGITS = 3.0
"""Digits that must agree: less than one sum in a thousand does so by chance."""

LEAST_IF_NAMED = 1.0
"""Digits that must agree for a line whose label names the function."""


@dataclass(frozen=True, slots=True)
class NumberLines:
    """Numbers of shape (lines, places), NaN where a cell prints none, and how far rounding may move each."""

    values: Floats
    rounding: Floats


@dataclass(frozen=True, slots=True)
class Derived:
    """A line that aggregates others: its index, what it does, and the indexes of its parts."""

    line: int
    function: Function
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CandidateSums:
    """Candidate sets of parts, one a row: what each set's numbers come to, of shape (sets, places)."""

    total: Floats
    room: Floats
    given: Floats
    nonzero: Floats
    largest: Floats
    smallest: Floats


def runs(lines: NumberLines, order: Sequence[int], functions: Functions) -> Iterator[Derived]:
    """The lines that aggregate those directly before or behind them in ``order``.

    A run has two lines or more; the longest that agrees is taken. Every line may be a sum; of the other
    functions those that ``functions`` names for it (numbers that vary little are each other's mean by
    chance). A line agrees where enough of its printed numbers equal the aggregate within what rounding
    explains; some misprints are forgiven, since scanned tables have them, if what agrees says enough.
    """
    for names in (list(order), list(order)[::-1]):
        yield from _behind(NumberLines(lines.values[names], lines.rounding[names]), names, functions)


def _behind(lines: NumberLines, names: Sequence[int], functions: Functions) -> Iterator[Derived]:
    """The lines that aggregate a run after them, in one direction."""
    known = ~np.isnan(lines.values)
    filled = np.where(known, lines.values, 0.0)
    totals = np.cumsum(filled, axis=0)
    room = np.cumsum(np.where(known, lines.rounding, 0.0), axis=0)
    given, nonzero = np.cumsum(known, axis=0, dtype=float), np.cumsum(filled != 0, axis=0, dtype=float)
    digits = _digits(filled, lines.rounding)
    for i in np.flatnonzero(digits.sum(axis=1)[: max(len(names) - 2, 0)] >= LEAST_IF_NAMED).tolist():
        tail = slice(i + 2, None)
        named = functions.get(names[i], frozenset())
        parts = CandidateSums(
            totals[tail] - totals[i],
            room[tail] - room[i],
            given[tail] - given[i],
            nonzero[tail] - nonzero[i],
            *_extremes(lines.values[i + 1 :], named),
        )
        line = _Line(filled[i], lines.rounding[i], digits[i], LEAST_IF_NAMED if named else LEAST_DIGITS)
        for function, agreed in _agreements(parts, line, named):
            good = np.flatnonzero(_convincing(agreed, line, parts))
            if len(good) and function in _EXTREMES:
                # the largest of a group is in most places that of more lines by chance
                counts = agreed[good].sum(axis=1)
                good = good[counts == counts.max()]
            if len(good):
                yield Derived(names[i], function, tuple(names[i + 1 : i + 3 + int(good[-1])]))
                break


def over_all(
    lines: NumberLines, candidates: Sequence[int], pool: Sequence[int], functions: Functions
) -> Iterator[Derived]:
    """The candidates that aggregate all lines of the pool but themselves."""
    if len(pool) < 2:
        return
    known = ~np.isnan(lines.values)
    filled = np.where(known, lines.values, 0.0)
    rounding = np.where(known, lines.rounding, 0.0)
    facets = (filled, rounding, known, filled != 0)
    whole = [facet[list(pool)].sum(axis=0).astype(float) for facet in facets]
    inside = set(pool)
    digits = _digits(filled, lines.rounding)
    for i in candidates:
        rest = [part for part in pool if part != i]
        if len(rest) < 2:
            continue
        named = functions.get(i, frozenset())
        numbers = [
            all_ - facet[i] if i in inside else all_ for all_, facet in zip(whole, facets, strict=True)
        ]
        extremes = [each[-1:] for each in _extremes(lines.values[rest], named)]
        parts = CandidateSums(*[each[None] for each in numbers], *extremes)
        line = _Line(filled[i], lines.rounding[i], digits[i], LEAST_IF_NAMED if named else LEAST_DIGITS)
        for function, agreed in _agreements(parts, line, named):
            by_chance = function in _EXTREMES and not agreed[0][line.digits > 0].all()
            if _convincing(agreed, line, parts)[0] and not by_chance:
                yield Derived(i, function, tuple(rest))
                break


@dataclass(frozen=True, slots=True)
class _Line:
    """One line's numbers (0 where it prints none), their rounding, and the digits that each prints.

    ``least`` digits must agree: fewer where the line's own label says that it aggregates.
    """

    values: Floats
    rounding: Floats
    digits: Floats
    least: float


def _extremes(values: Floats, named: frozenset[Function]) -> tuple[Floats, Floats]:
    """The running largest and smallest of lines, from the second on; nothing where not named."""
    nothing = np.empty((0, values.shape[1]))
    largest = np.fmax.accumulate(values, axis=0)[1:] if "max" in named else nothing
    smallest = np.fmin.accumulate(values, axis=0)[1:] if "min" in named else nothing
    return largest, smallest


def _agreements(
    parts: CandidateSums, line: _Line, named: frozenset[Function]
) -> Iterator[tuple[Function, Flags]]:
    """Where the line's numbers are each function of the parts, of shape (sets, places)."""
    yield "sum", _near(parts.total, parts.room, line)
    if "mean" in named:
        weight = np.maximum(parts.given, 1)
        yield "mean", _near(parts.total / weight, parts.room / weight, line)
    if "max" in named:
        yield "max", _near(parts.largest, line.rounding, line)
    if "min" in named:
        yield "min", _near(parts.smallest, line.rounding, line)


def _near(aggregate: Floats, room: Floats, line: _Line) -> Flags:
    """Equal but for rounding: errors of the parts partly cancel, so not all of them add up."""
    near = np.abs(aggregate - line.values) <= np.minimum(room, 3 * line.rounding) + line.rounding * (1 + 1e-6)
    return np.asarray(near)


def _digits(values: Floats, rounding: Floats) -> Floats:
    """The number of printed digits of each number, which a coincidence would have to match.

    A number that a line repeats is no new evidence, so its digits are divided among the repeats.
    """
    digits = np.log10(np.maximum(np.abs(values) / (2 * rounding), 1.0))
    return np.asarray(digits / (values[:, :, None] == values[:, None, :]).sum(axis=2))


def _convincing(agreed: Flags, line: _Line, parts: CandidateSums) -> Flags:
    """Whether the agreement is unlikely to be chance: enough digits in all, in enough of the cells."""
    filled = line.values != 0
    hits = agreed & filled & (parts.nonzero >= 2)
    evidence = (hits * line.digits).sum(axis=-1)
    share = hits.sum(axis=-1) / max(int(filled.sum()), 1)
    good = ((evidence >= line.least) & (share >= 0.75)) | ((evidence >= 8.0) & (share >= 0.5))
    return np.asarray(good)
