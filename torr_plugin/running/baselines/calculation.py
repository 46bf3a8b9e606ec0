"""Counts, sums, means, extremes and differences over the column that a question names."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from .matching import Match, best, format_number, is_nested, is_numeric, match, numbers_of, selected
from .reading import Grid

_BOUND = re.compile(
    r"\b(?P<most>at most|no more than|up to)|\b(?P<least>at least|no less than|no fewer than)"
    r"|\b(?P<above>above|over|exceed(?:s|ed|ing)?|(?:more|greater|higher|larger|longer) than)"
    r"|\b(?P<below>below|under|(?:less|fewer|lower|smaller|shorter) than)",
    re.IGNORECASE,
)
_COMPARISONS = {"most": operator.le, "least": operator.ge, "above": operator.gt, "below": operator.lt}
_THEN_NUMBER = re.compile(r"\s+(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\w,])")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a number is compared with; ``rest`` is the question without the bound."""

    kind: str
    threshold: float
    rest: str

    def rows(self, numbers: Mapping[int, float]) -> list[int]:
        """The rows whose numbers are within it."""
        holds = _COMPARISONS[self.kind]
        return [row for row, value in numbers.items() if holds(value, self.threshold)]


def find_bound(text: str) -> Bound | None:
    """The first bound that names a number."""
    for mark in _BOUND.finditer(text):
        value = _THEN_NUMBER.match(text, mark.end())
        if value and mark.lastgroup:
            rest = f"{text[: mark.start()]} {text[value.end() :]}"
            return Bound(mark.lastgroup, float(value[1].replace(",", "")), rest)
    return None


_HOW_MANY = re.compile(r"\bhow many\b|\bcount of\b|^\W*(?:what (?:is|was) )?the number of\b", re.IGNORECASE)
_DIFFERENCE = re.compile(r"\bdifference\b|\bhow (?:much|many) (?:\w+ )?(?:more|less|fewer)\b", re.IGNORECASE)
_SUM = re.compile(r"\btotal\b|\bsum\b|\baltogether\b|\bin all\b|\bcombined\b|\boverall\b", re.IGNORECASE)
_MEAN = re.compile(r"\baverage\b|\bmean\b", re.IGNORECASE)
_MOST = re.compile(
    r"\b(?:most|highest|largest|greatest|biggest|maximum|longest|latest|last|top|best|newest|tallest)\b",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"\b(?:least|lowest|smallest|fewest|minimum|shortest|earliest|first|worst|oldest)\b", re.IGNORECASE
)
_MAXIMUM = re.compile(r"\bmaximum\b", re.IGNORECASE)
_MINIMUM = re.compile(r"\bminimum\b", re.IGNORECASE)
_WHICH = re.compile(r"\b(?:which|who|whose|where|name the|what (?:is|was) the name)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question about a grid.

    Attributes:
        text: the question without its bound (``above 84``).
        bound: that bound, if there is one.
        found: what of the grid the text names.
        column: the column of numbers it names best, if any.
        numbers: that column's numbers by row.
    """

    grid: Grid
    text: str
    bound: Bound | None
    found: Match
    column: int | None
    numbers: dict[int, float]

    @property
    def rows(self) -> list[int]:
        """The rows it speaks of: those within the bound; else those it names best; else all."""
        if self.bound is not None:
            return self.bound.rows(self.numbers)
        weights = {row: self._weight(row) for row in self.numbers}
        most = max(weights.values(), default=0.0)
        return [row for row, weight in weights.items() if weight >= most - 1e-9]

    def _weight(self, row: int) -> float:
        return self.found.rows[row] if any(c != self.column for c in self.found.named[row]) else 0.0


def parse_question(grid: Grid, question: str) -> ParsedQuestion:
    """Match a question to a grid."""
    bound = find_bound(question)
    text = question if bound is None else bound.rest
    found = match(grid, text)
    column = best((found.columns[c], c) for c in range(len(grid.columns)) if is_numeric(grid, c))
    return ParsedQuestion(
        grid, text, bound, found, column, {} if column is None else numbers_of(grid, column)
    )


def calculated_answer(grid: Grid, question: str) -> str | None:
    """The result of the calculation that a question asks for; None where it asks for a cell."""
    asked = parse_question(grid, question)
    if is_nested(grid) and asked.bound is None and not _WHICH.search(question):
        # over all cells that the question names on both sides; several results are joined by ``||``
        return " || ".join(map(format_number, calculated(grid, question))) or None
    if _MOST.search(asked.text) or _LEAST.search(asked.text):
        extreme = _extreme(asked)
        if extreme is not None:
            return extreme
    if asked.column is not None:
        values = [asked.numbers[row] for row in asked.rows]
        for pattern, function in _FUNCTIONS:
            if values and pattern.search(asked.text):
                return format_number(function(values))
    return _count(asked) if _HOW_MANY.search(asked.text) else None


def calculated(grid: Grid, text: str) -> list[float]:
    """Every calculation that a text names over the cells that it selects, in the order of their names."""
    named = sorted(
        (found.start(), place)
        for place, (pattern, _) in enumerate(_CALCULATIONS)
        if (found := pattern.search(text))
    )
    values = selected(grid, text) if named else []
    return [_CALCULATIONS[place][1](values) for _, place in named] if values else []


def _difference(values: Sequence[float]) -> float:
    return max(values) - min(values)


_FUNCTIONS: tuple[tuple[re.Pattern[str], Callable[[Sequence[float]], float]], ...] = (
    (_DIFFERENCE, _difference),
    (_MEAN, fmean),
    (_SUM, sum),
)

_CALCULATIONS: tuple[tuple[re.Pattern[str], Callable[[Sequence[float]], float]], ...] = (
    *_FUNCTIONS,
    (_MAXIMUM, max),
    (_MINIMUM, min),
)


def _count(asked: ParsedQuestion) -> str | None:
    """How many rows are within the bound, or hold what the question names.

    Where it names one row and a column of numbers, it asks for the number in that cell.
    """
    if asked.bound is not None and asked.column is not None:
        return str(len(asked.rows))
    most = max(asked.found.rows)
    named = sum(weight >= most - 1e-9 for weight in asked.found.rows)
    if asked.column is not None and (named == 1 or most <= 0):
        return None
    return str(named)


def _extreme(asked: ParsedQuestion) -> str | None:
    """The highest or lowest value of a column, or what has it."""
    if asked.column is None:
        return None
    which = bool(_WHICH.search(asked.text))
    rows = list(asked.numbers) if which else asked.rows
    if not rows:
        return None
    row = (max if _MOST.search(asked.text) else min)(rows, key=asked.numbers.__getitem__)
    if not which:
        return asked.grid.rows[row][asked.column]
    named = best((weight, c) for c, weight in enumerate(asked.found.columns) if c != asked.column)
    return asked.grid.rows[row][_label_column(asked.grid, asked.column) if named is None else named]


def _label_column(grid: Grid, column: int) -> int:
    """The column that names a row: the first without numbers."""
    texts = [c for c in range(len(grid.columns)) if c != column and not is_numeric(grid, c)]
    return texts[0] if texts else 0
