"""Answer the questions from a document alone: tables, rows and columns are found by their words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from torr_plugin.tables import Table
from torr_plugin.tables.documents import Document, TextBlock

_TABLE = r"(?:the table of (?:.+?) \((?:Item|Note) \w+\)|the consolidated [\w ]+ \(Item 8\))"
_ROW = r'"[^"]+"(?: under "[^"]+")?'
_COLUMN = (
    r"(?:in the (?:first|second|third|fourth) quarter of fiscal \d{4}|in fiscal \d{4}|"
    r'in the column "[^"]+"(?: for fiscal \d{4}| as of \w+ \d+, \d{4}| of "[^"]+")?|as of \w+ \d+, \d{4})'
)
_QUARTERS = {"first": "Q1", "second": "Q2", "third": "Q3", "fourth": "Q4"}


@dataclass(frozen=True)
class Found:
    """A figure with what its cell and headers say of its unit."""

    value: Decimal
    unit: str

    def said(self, value: Decimal | None = None) -> str:
        """A value of the same unit as an answer says it."""
        shown = self.value if value is None else value
        minus, digits = "-" if shown < 0 else "", f"{abs(shown):,}"
        return f"{minus}{self.unit.replace('#', digits)}"


@dataclass(frozen=True)
class TableInDocument:
    """A table with the heading that it stands under."""

    table: Table
    heading: str

    def row(self, name: str) -> int:
        """The number of the row that a question names."""
        label, _, parent = name.replace('"', "").partition(" under ")
        above, found = "", []
        for number, line in enumerate(self.table.body, self.table.header_rows):
            text = re.sub(r" \(\d\)$", "", line[0].text)
            if not any(cell.text for cell in line[1:]):
                above = text.strip().rstrip(":")
            elif text.strip() == label and parent in {"", above}:
                found.append(number)
        assert len(found) == 1, f"{name} is {len(found)} rows of {self.table.title}"
        return found[0]

    def column(self, phrase: str) -> int:
        """The number of the column that a question names."""
        paths = self.table.column_paths
        found = [number for number in range(1, len(paths)) if _is_meant(paths[number], phrase)]
        assert len(found) == 1, f"{phrase} is {len(found)} columns of {self.table.title}"
        return found[0]

    def figure(self, row: str, column: str) -> Found:
        """The figure in a row and a column."""
        r, c = self.row(row), self.column(column)
        text = self.table.grid[r][c].text
        return Found(number_of(text), self._unit(text, r, c))

    def _unit(self, text: str, row: int, column: int) -> str:
        """The unit, with # for the digits: from the cell, the label above it, the header, the corner."""
        header = self.table.column_paths[column][-1]
        corner = self.table.grid[self.table.header_rows - 1][0].text
        above = " ".join(line[0].text for line in self.table.grid[row - 2 : row])
        if "%" in text:
            return "#%"
        if "." in text:
            return f"$# per {'unit' if 'unit' in header else 'share'}"
        for words, noun in {"Number of units": "units", "Shares purchased": "shares"}.items():
            if words in header:
                return f"# thousand {noun}"
        if "shares (in thousands)" in above:
            return "# thousand shares"
        if "employees" in self.table.title:
            return "# employees"
        if "square feet" in corner:
            return "# thousand square feet"
        scale = re.search(r"in (million|thousand)s", f"{corner} {header}")
        assert scale is not None, f"no unit in {corner!r} of {self.table.title!r}"
        return f"$# {scale[1]}"


def _is_meant(path: tuple[str, ...], phrase: str) -> bool:
    """Whether a question's phrase for a column means the one under these headers."""
    if match := re.fullmatch(r"in the (\w+) quarter of fiscal (\d{4})", phrase):
        return path == (f"Fiscal {match[2]}", _QUARTERS[match[1]])
    if match := re.fullmatch(r"in fiscal (\d{4})", phrase):
        return path[-1] == match[1]
    if match := re.fullmatch(r"as of (\w+ \d+,) (\d{4})", phrase):
        return path == (match[1], match[2])
    if match := re.fullmatch(r'in the column "([^"]+)" for fiscal (\d{4})', phrase):
        return path == (match[1], match[2])
    if match := re.fullmatch(r'in the column "([^"]+)" as of (.+)', phrase):
        return path == (match[2], match[1])
    if match := re.fullmatch(r'in the column "([^"]+)" of "([^"]+)"', phrase):
        return path == (match[2], match[1])
    match = re.fullmatch(r'in the column "([^"]+)"', phrase)
    assert match is not None, phrase
    return path[-1] == match[1]


def number_of(text: str) -> Decimal:
    """The number that a cell prints; nil for a dash."""
    digits = re.sub(r"[^\d.]", "", text)
    assert digits or "\u2014" in text, f"no number in {text!r}"
    return Decimal(digits or 0) * (-1 if "(" in text else 1)


def to_places(value: Decimal, places: int) -> Decimal:
    """The value rounded, halves away from zero."""
    return value.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


class Solver:
    """Answers questions on one document."""

    def __init__(self, document: Document) -> None:
        self.tables: list[TableInDocument] = []
        heading = ""
        for block in document.blocks:
            if isinstance(block, Table):
                self.tables.append(TableInDocument(block, heading))
            elif isinstance(block, TextBlock) and re.match(r"(?:Item|Note) \w+\.", block.text):
                heading = block.text

    def find(self, phrase: str) -> TableInDocument:
        """The one table that a question names by its title and the heading above it."""
        match = re.fullmatch(r"the (?:table of )?(.+) \((.+)\)", phrase)
        assert match is not None, phrase
        introduced = rf"(?:presents|shows|sets forth|summarizes)(?: our)? {re.escape(match[1])}$"
        named = [
            each
            for each in self.tables
            if re.search(introduced, each.table.title) and each.heading.startswith(f"{match[2]}.")
        ]
        assert len(named) == 1, f"{phrase} is {len(named)} tables"
        return named[0]

    def answer(self, question: str) -> str:
        """The answer to a question for extraction or calculation."""
        for pattern, work in _WAYS.items():
            if match := re.fullmatch(pattern, question):
                return work(self, *match.groups())
        raise AssertionError(f"no way to read {question!r}")


def _cell(solver: Solver, table: str, row: str, column: str) -> str:
    return solver.find(table).figure(row, column).said()


def _difference(solver: Solver, table: str, row: str, now: str, before: str) -> str:
    found = solver.find(table)
    a, b = found.figure(row, now), found.figure(row, before)
    return _less(a, b)


def _less(a: Found, b: Found) -> str:
    assert a.unit == b.unit
    if a.unit != "#%":
        return a.said(a.value - b.value)
    points = a.value - b.value
    return f"{points:,} percentage {'point' if abs(points) == 1 else 'points'}"


def _growth(solver: Solver, table: str, row: str, now: str, before: str) -> str:
    found = solver.find(table)
    a, b = found.figure(row, now).value, found.figure(row, before).value
    return f"{to_places(100 * (a - b) / b, 1):,}%"


def _row_sum(solver: Solver, table: str, rows: str, column: str) -> str:
    found = solver.find(table)
    figures = [found.figure(row, column) for row in re.findall(_ROW, rows)]
    assert len({figure.unit for figure in figures}) == 1
    return figures[0].said(sum((figure.value for figure in figures), Decimal(0)))


def _over_years(solver: Solver, table: str, row: str, years: str, series: str | None) -> list[Found]:
    inside = 'in the column "%s" for fiscal' % series if series else "in fiscal"  # noqa: UP031
    return [solver.find(table).figure(row, f"{inside} {year}") for year in re.findall(r"\d{4}", years)]


def _year_sum(solver: Solver, table: str, row: str, years: str, series: str | None) -> str:
    figures = _over_years(solver, table, row, years, series)
    return figures[0].said(sum((figure.value for figure in figures), Decimal(0)))


def _average(solver: Solver, table: str, row: str, years: str, series: str | None) -> str:
    figures = _over_years(solver, table, row, years, series)
    return figures[0].said(to_places(sum((figure.value for figure in figures), Decimal(0)) / len(figures), 1))


def _percentage(solver: Solver, table: str, part: str, whole: str, column: str) -> str:
    found = solver.find(table)
    value = 100 * found.figure(part, column).value / found.figure(whole, column).value
    return f"{to_places(value, 1):,}%"


def _ratio(solver: Solver, table: str, over: str, under: str, column: str) -> str:
    found = solver.find(table)
    return f"{to_places(found.figure(over, column).value / found.figure(under, column).value, 2):,}"


def _across(solver: Solver, part: str, first: str, whole: str, second: str, column: str) -> str:
    over, under = solver.find(first).figure(part, column), solver.find(second).figure(whole, column)
    return f"{to_places(100 * over.value / under.value, 1):,}%"


def _between(solver: Solver, row: str, column: str, first: str, second: str) -> str:
    return _less(solver.find(first).figure(row, column), solver.find(second).figure(row, column))


_ROUNDED = r" Round to one decimal place\."
_NEGATIVE = r" Give a (?:decrease as a negative number|negative number if it is lower)\."
_YEARS = r'(\d{4}(?:, \d{4})* and \d{4})(?: in the columns "([^"]+)")?\?'
_IN, _NAME = rf"In ({_TABLE}),", rf"({_ROW}) ({_COLUMN})"
_WAYS: dict[str, Callable[..., str]] = {
    rf"(?:In|According to) ({_TABLE}), (?:what|how much) is {_NAME}\?": _cell,
    rf"What figure does ({_TABLE}) give for {_NAME}\?": _cell,
    rf"{_IN} by how much does {_NAME} exceed the figure ({_COLUMN})\?{_NEGATIVE}": _difference,
    rf"{_IN} how does {_NAME} compare with the figure ({_COLUMN}), as a change in per cent of the earlier "
    rf"figure\?{_NEGATIVE}{_ROUNDED}": _growth,
    rf"{_IN} what do ({_ROW}(?:, {_ROW})* and {_ROW}) add up to ({_COLUMN})\?": _row_sum,
    rf"{_IN} what is the sum of ({_ROW}) over fiscal {_YEARS}": _year_sum,
    rf"{_IN} what is the average of ({_ROW}) over fiscal {_YEARS}{_ROUNDED}": _average,
    rf"{_IN} what is ({_ROW}) as a percentage of {_NAME}\?{_ROUNDED}": _percentage,
    rf"{_IN} what is the ratio of ({_ROW}) to {_NAME}\? Round to two decimal places\.": _ratio,
    rf"What is ({_ROW}) in ({_TABLE}) as a percentage of ({_ROW}) in ({_TABLE}), both ({_COLUMN})"
    rf"\?{_ROUNDED}": _across,
    rf"By how much does {_NAME} in ({_TABLE}) exceed the same figure in ({_TABLE})\?{_NEGATIVE}": _between,
}
