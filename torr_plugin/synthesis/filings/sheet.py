"""A sheet: the figures of one table of a filing by row and column, and the table that prints them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from ...tables import Table
from ...tables.cells import Cell
from .measures import Figure, FigureMeasure

INDENT = "  "
"""What stands before a row's label for each level that it is indented."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of figures.

    Attributes:
        path: its header labels from the top; all columns of a sheet have as many.
        phrase: how a sentence names it: ``in fiscal 2023``.
        measure: what its figures measure, where their row does not say.
        year: the year of its figures, None where it is of none.
        series: equal for columns that differ in the year alone.
        owns: whether its measure also holds for rows with a measure of their own (a column of percentages).
    """

    path: tuple[str, ...]
    phrase: str
    measure: FigureMeasure
    year: int | None = None
    series: str = ""
    owns: bool = False


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A row: a heading without figures, an item, or a total.

    Attributes:
        label: its label, without a mark of a note.
        figures: one for each column, None for an empty cell; empty for a heading.
        level: how far its label is indented.
        adds: the labels of the rows that it is the sum of, within its group or the sheet.
        measure: what its figures measure, if not what their columns say.
        note: the number of the note that qualifies it, 0 for none.
    """

    label: str
    figures: tuple[Figure | None, ...] = ()
    level: int = 0
    adds: tuple[str, ...] = ()
    measure: FigureMeasure | None = None
    note: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A cell with a figure: the numbers of its line and column in the sheet."""

    line: int
    column: int


@dataclass(frozen=True)
class Sheet:
    """One table of a filing.

    Attributes:
        name: how text and questions call it; unique within a filing.
        corner: what its corner says, usually the unit.
        notes: what its notes say, the first belonging to mark ``(1)``.
        subject: the place of the table, ``Note 8`` or ``Item 7``.
        title: the sentence that introduces it.
    """

    name: str
    columns: tuple[Column, ...]
    lines: tuple[SheetLine, ...]
    corner: str = ""
    notes: tuple[str, ...] = ()
    subject: str = ""
    title: str = ""

    def measure(self, place: Place) -> FigureMeasure:
        """What the figure at a place measures."""
        column, line = self.columns[place.column], self.lines[place.line]
        return column.measure if column.owns or line.measure is None else line.measure

    def figure(self, place: Place) -> Figure:
        """The figure at a place that has one."""
        found = self.lines[place.line].figures[place.column]
        if found is None:
            raise LookupError(f"{self.name}: no figure in line {place.line}, column {place.column}")
        return found

    @property
    def is_statement(self) -> bool:
        """Whether it is one of the company's three statements."""
        return self.name.startswith("consolidated")

    @property
    def phrase(self) -> str:
        """How a question names the table: ``the table of leases (Note 9)``."""
        table = "the" if self.is_statement else "the table of"
        return f"{table} {self.name} ({self.subject})"

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """The places with a figure other than nil, row by row."""
        return tuple(
            Place(r, c) for r, line in enumerate(self.lines) for c, value in enumerate(line.figures) if value
        )

    @cached_property
    def parents(self) -> tuple[str, ...]:
        """For each line the label of the heading above it, empty without one."""
        found, stack = [], list[SheetLine]()
        for line in self.lines:
            while stack and stack[-1].level >= line.level:
                stack.pop()
            found.append(stack[-1].label if stack else "")
            if not line.figures:
                stack.append(line)
        return tuple(found)

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        """For each line its quoted label, with that of its heading where the label alone is not unique."""
        labels = [line.label for line in self.lines]
        return tuple(
            f'"{label}"' if labels.count(label) == 1 or not parent else f'"{label}" under "{parent}"'
            for label, parent in zip(labels, self.parents, strict=True)
        )

    def find(self, label: str, parent: str = "") -> int:
        """The number of the first line with this label, under ``parent`` if given."""
        for number, line in enumerate(self.lines):
            if line.label == label and parent in ("", self.parents[number]):
                return number
        raise LookupError(f"{self.name}: no line {label!r}")

    def addends(self, total: int) -> tuple[int, ...]:
        """The lines that a total adds up: those of its own group first, so that equal labels do not clash."""
        adds, parent = self.lines[total].adds, self.parents[total]
        near = {line.label: n for n, line in enumerate(self.lines[:total]) if self.parents[n] == parent}
        far = {line.label: n for n, line in enumerate(self.lines[:total])}
        return tuple(near.get(label, far.get(label, -1)) for label in adds)

    def series(self, line: int) -> Iterator[list[Place]]:
        """For each series of columns over two years or more the places of a line, earliest year first."""
        numbered = [(c, at) for at, c in enumerate(self.columns) if c.year is not None]
        for _, group in groupby(
            sorted(numbered, key=lambda pair: pair[0].series), lambda pair: pair[0].series
        ):
            places = [Place(line, at) for column, at in sorted(group, key=lambda pair: pair[0].year or 0)]
            if len(places) > 1 and self.lines[line].figures and all(map(self._has_figure, places)):
                yield places

    def _has_figure(self, place: Place) -> bool:
        """Whether there is a figure other than nil."""
        return bool(self.lines[place.line].figures[place.column])

    def cell(self, place: Place) -> str:
        """What the table prints at a place."""
        return _printed(self, place.line, place.column, _signed_lines(self))

    @cached_property
    def table(self) -> Table:
        """The table: spanning headers over the columns, labels indented, figures as filers print them."""
        signed = _signed_lines(self)
        depth = len(self.columns[0].path)
        header = [_header_row(self, level, depth) for level in range(depth)]
        body = [
            (
                Cell(_label(line)),
                *(Cell(_printed(self, r, c, signed)) for c in range(len(self.columns))),
            )
            for r, line in enumerate(self.lines)
        ]
        notes = tuple(f"({number}) {note}" for number, note in enumerate(self.notes, 1))
        return Table((*header, *body), header_rows=depth, header_columns=1, title=self.title, notes=notes)


def _label(line: SheetLine) -> str:
    mark = f" ({line.note})" if line.note else ""
    colon = "" if line.figures else ":"
    return f"{INDENT * line.level}{line.label}{colon}{mark}"


def _header_row(sheet: Sheet, level: int, depth: int) -> tuple[Cell, ...]:
    """One row of the header, with a cell over all neighbours that share their labels down to this level."""
    corner = Cell(sheet.corner if level == depth - 1 else "")
    spans = [
        (label[-1], len(list(group))) for label, group in groupby(c.path[: level + 1] for c in sheet.columns)
    ]
    return (corner, *(Cell(text, colspan=width) for text, width in spans))


def _signed_lines(sheet: Sheet) -> frozenset[int]:
    """The lines whose amounts have a currency sign: the first with figures, totals, and rows of prices."""
    first = next(number for number, line in enumerate(sheet.lines) if line.figures)
    return frozenset(
        number
        for number, line in enumerate(sheet.lines)
        if number == first or line.adds or (line.measure and line.measure.kind == "price")
    )


def _printed(sheet: Sheet, line: int, column: int, signed: Sequence[int] | frozenset[int]) -> str:
    figures = sheet.lines[line].figures
    figure = figures[column] if figures else None
    if figure is None:
        return ""
    measure = sheet.measure(Place(line, column))
    return measure.cell(figure, sign=line in signed or measure.kind == "price")
