"""The table: an immutable value of rows of cells with spans, header depth on both axes, title and notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from ..core.errors import TableError, counted
from .header_tree import HeaderTree, column_tree, row_tree

Scalar: TypeAlias = "str | int | float | bool | None"


class _Same(Enum):
    """Marks a cell whose value is its text (an enum, so that it survives pickling)."""

    TEXT = "text"


TEXT = _Same.TEXT
_NUMBERS = (int, float, bool)


def _plain(value: object) -> Scalar:
    """The Python value of a NumPy scalar; the text of anything else."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) and getattr(value, "shape", None) == () else None
    return plain if type(plain) in _NUMBERS else str(value)


@dataclass(frozen=True, slots=True)
class CellStyle:
    """How a cell looks in a workbook: ``bold``, and ``fill`` as ``#rrggbb``, empty without one."""

    bold: bool = False
    fill: str = ""


class Cell(NamedTuple):
    """One cell: its text and how many rows and columns it covers (1 and 1 unless merged).

    ``value`` keeps the original number or ``None``, for formats that write numbers bare, and ``style`` how
    the cell looks, for pictures. Both are compared: a table read back from a format that has texts alone
    equals :attr:`Table.texts_only` of the one that was written.
    """

    text: str
    rowspan: int = 1
    colspan: int = 1
    value: Scalar | _Same = _Same.TEXT
    style: CellStyle | None = None

    @classmethod
    def of(cls, value: Scalar, rowspan: int = 1, colspan: int = 1) -> Cell:
        """A cell from any scalar: text as is, ``None`` as an empty cell, numbers by ``str``.

        NumPy's numbers become Python's; anything else (a date) becomes its text.
        """
        if isinstance(value, str):
            return cls(value, rowspan, colspan)
        if value is None:
            return cls("", rowspan, colspan, value)
        if type(value) not in _NUMBERS:
            return cls.of(_plain(value), rowspan, colspan)
        return cls(str(value), rowspan, colspan, value)

    @property
    def raw(self) -> Scalar:
        """The value that the cell was made from."""
        return self.text if isinstance(self.value, _Same) else self.value


Row: TypeAlias = "tuple[Cell, ...]"
Position: TypeAlias = "tuple[int, int]"


def lay_out(rows: Sequence[Row]) -> tuple[tuple[Row, ...], tuple[tuple[Position, ...], ...]]:
    """Lay cells out as HTML does: each takes the first free place of its row.

    Returns two full rectangles: for every place the cell that covers it, and that cell's first place.

    Raises:
        TableError: a span below 1 or beyond the last row, cells that overlap, rows of different widths.
    """
    places: list[dict[int, tuple[Cell, Position]]] = [{} for _ in rows]
    for r, row in enumerate(rows):
        line, c = places[r], 0
        for cell in row:
            while c in line:
                c += 1
            placed = cell, (r, c)
            if cell.rowspan == cell.colspan == 1:  # most are
                line[c] = placed
            else:
                _check_span(cell, r, len(rows))
                _cover(places[r : r + cell.rowspan], placed)
            c += cell.colspan
    width = max(max(line, default=-1) + 1 for line in places)
    for r, line in enumerate(places):
        if len(line) != width:
            raise TableError(
                f"row {r} of the table covers {len(line)} columns, expected {width} as in the widest row"
            )
    full = [[line[column] for column in range(width)] for line in places]
    return (
        tuple([tuple([cell for cell, _ in line]) for line in full]),
        tuple([tuple([first for _, first in line]) for line in full]),
    )


def _cover(lines: Sequence[dict[int, tuple[Cell, Position]]], placed: tuple[Cell, Position]) -> None:
    """Put a cell into the places that it spans in these lines."""
    cell, (r, c) = placed
    for line in lines:
        for column in range(c, c + cell.colspan):
            if column in line:
                other = line[column][0].text
                raise TableError(f"cell {cell.text!r} in row {r} overlaps cell {other!r} at column {column}")
            line[column] = placed


def _check_span(cell: Cell, r: int, height: int) -> None:
    if cell.rowspan < 1 or cell.colspan < 1:
        raise TableError(
            f"cell {cell.text!r} in row {r} has a span below 1 ({cell.rowspan} x {cell.colspan})"
        )
    if r + cell.rowspan > height:
        raise TableError(
            f"cell {cell.text!r} in row {r} spans {cell.rowspan} rows, but only {height - r} are left"
        )


@dataclass(frozen=True)
class Table:
    """Rows of cells, as in HTML: a cell that another one covers is not listed.

    ``header_rows`` leading rows and ``header_columns`` leading columns are headers; a flat table has one
    header row, no header column and no spans. Every table has at least one body cell and covers its rectangle
    exactly.

    Raises:
        TableError: no rows, rows of different lengths, overlapping spans, a header that leaves no body.
    """

    rows: tuple[Row, ...]
    header_rows: int = 1
    header_columns: int = 0
    title: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(map(tuple, self.rows)))
        object.__setattr__(self, "notes", tuple(self.notes))
        self._check_headers(len(self.rows), self._checked_width())

    def _check_headers(self, height: int, width: int) -> None:
        if self.header_rows < 0 or self.header_columns < 0:
            raise TableError("a table's header_rows and header_columns are 0 or more")
        if self.header_rows >= height:
            raise TableError(
                f"the table has no rows below its {self.header_rows} header row(s); "
                "expected at least one body row"
            )
        if self.header_columns >= width:
            raise TableError(
                f"the table has no columns beside its {self.header_columns} header column(s) "
                f"of {width}; expected at least one"
            )

    def _checked_width(self) -> int:
        if not self.rows:
            raise TableError("the table has no rows; expected a header and at least one body row")
        if not any(self.rows):
            raise TableError("the table has no cells (no header); expected at least one column")
        if self.has_spans:
            return len(self.grid[0])
        return _even_width(self.rows)

    @classmethod
    def of_texts(cls, lines: Iterable[Iterable[str]], **others: Any) -> Table:
        """The table without spans whose cells have these texts, all rows of it, the header's first."""
        return cls(tuple([tuple(map(Cell, line)) for line in lines]), **others)

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone, for pickling: what was worked out from them is worked out again."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}

    @classmethod
    def flat(
        cls,
        header: Sequence[Scalar],
        rows: Iterable[Sequence[Scalar]],
        *,
        title: str = "",
        notes: Sequence[str] = (),
    ) -> Table:
        """A table with one header row and no spans, from plain values.

        Raises:
            TableError: no header, no rows, or a row longer or shorter than the header (with its number).
        """
        head = tuple(_listed(header, "header")) if header is not None else ()
        if not head:
            raise TableError("the table has no header; expected at least one column name")
        body = [tuple(_listed(row, f"row {index}")) for index, row in enumerate(_listed(rows, "rows"))]
        if not body:
            raise TableError("the table has no rows; expected at least one row below the header")
        for index, row in enumerate(body):
            if len(row) != len(head):
                raise TableError(
                    f"row {index} of the table has {counted(len(row), 'cell')}, "
                    f"expected {len(head)} as in the header"
                )
        lines = tuple([tuple(map(Cell.of, line)) for line in (head, *body)])
        return cls(lines, title=title, notes=tuple(notes))

    @classmethod
    def from_unitxt(cls, table: Mapping[str, Any]) -> Table:
        """From unitxt's ``{"header": [...], "rows": [[...]]}`` (and ``"caption"``, taken as the title)."""
        for key in ("header", "rows"):
            if key not in table:
                raise TableError(
                    f"the table has no field {key!r}; expected {{'header': [...], 'rows': [[...], ...]}}"
                )
        return cls.flat(table["header"], table["rows"], title=str(table.get("caption") or ""))

    def to_unitxt(self) -> dict[str, list[Any]]:
        """To unitxt's ``{"header": [...], "rows": [[...]]}``, without loss for flat tables.

        A header of several rows becomes one row of paths (``2019 / Male``), spans are filled with their
        cell's value, and a table without a header row gets the header that unitxt's transposition writes: a
        blank, then 0, 1, 2...

        Raises:
            TableError: the table has neither a header row nor a header column.
        """
        header, *rows = self.unitxt_lines
        return {"header": list(header), "rows": list(map(list, rows))}

    @cached_property
    def unitxt_lines(self) -> tuple[tuple[Scalar, ...], ...]:
        """The header and the rows of :meth:`to_unitxt`, which every dialect of unitxt's writes."""
        body = [tuple([cell.raw for cell in row]) for row in self.body]
        if self.header_rows == 1 and not self.has_spans:
            return (tuple([cell.raw for cell in self.rows[0]]), *body)
        if self.header_rows:
            return (tuple([" / ".join(path) for path in self.column_paths]), *body)
        if not self.header_columns:
            raise TableError("the table has no header; expected a header row or a header column")
        # the header that unitxt's transposition writes
        return ((" ", *map(str, range(self.n_columns - 1))), *body)

    @cached_property
    def has_spans(self) -> bool:
        """Whether any cell covers more than one place."""
        return any(cell.rowspan != 1 or cell.colspan != 1 for row in self.rows for cell in row)

    @property
    def texts_only(self) -> Table:
        """The table without values and styles: what formats that have texts alone keep of it."""
        rows = tuple(
            [tuple([Cell(each.text, each.rowspan, each.colspan) for each in row]) for row in self.rows]
        )
        return self.replace(rows=rows)

    @property
    def is_flat(self) -> bool:
        """One header row, no header columns, no spans: what ``{"header", "rows"}`` holds."""
        return self.header_rows == 1 and self.header_columns == 0 and not self.has_spans

    @cached_property
    def grid(self) -> tuple[Row, ...]:
        """The full rectangle, shape (n_rows, n_columns): every covered place holds its cell."""
        return self._layout[0] if self.has_spans else self.rows

    @cached_property
    def origins(self) -> tuple[tuple[Position, ...], ...]:
        """For every place of the grid the (row, column) where the cell that covers it begins."""
        if self.has_spans:
            return self._layout[1]
        return tuple([tuple([(r, c) for c in range(len(row))]) for r, row in enumerate(self.rows)])

    @cached_property
    def _layout(self) -> tuple[tuple[Row, ...], tuple[tuple[Position, ...], ...]]:
        return lay_out(self.rows)

    @property
    def placed_rows(self) -> list[list[tuple[int, Cell]]]:
        """The rows, with the column where each cell begins."""
        if not self.has_spans:
            return [list(enumerate(row)) for row in self.rows]
        return [
            [(c, cell) for c, cell in enumerate(line) if self.origins[r][c] == (r, c)]
            for r, line in enumerate(self.grid)
        ]

    @property
    def n_rows(self) -> int:
        """Rows, header rows included."""
        return len(self.rows)

    @cached_property
    def n_columns(self) -> int:
        """Columns, header columns included."""
        return len(self.grid[0])

    @property
    def body(self) -> tuple[Row, ...]:
        """The grid below the header rows."""
        return self.grid[self.header_rows :]

    @cached_property
    def column_paths(self) -> tuple[tuple[str, ...], ...]:
        """For each column the labels of its header cells from the top down; a merged cell's appears once."""
        grid, origins, depth = self.grid, self.origins, range(self.header_rows)
        return tuple(
            [
                tuple([grid[r][c].text for r in depth if r == 0 or origins[r][c] != origins[r - 1][c]])
                for c in range(self.n_columns)
            ]
        )

    @cached_property
    def column_tree(self) -> HeaderTree:
        """The tree of the column labels; see :func:`torr_plugin.tables.header_tree.column_tree`."""
        return column_tree(self)

    @cached_property
    def row_tree(self) -> HeaderTree:
        """The tree of the row labels; see :func:`torr_plugin.tables.header_tree.row_tree`."""
        return row_tree(self)

    def replace(self, **changes: Any) -> Table:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)


def _listed(values: Any, what: str) -> Iterable[Any]:
    if type(values) is not list and (isinstance(values, Mapping) or not isinstance(values, Iterable)):
        raise TableError(f"the table's {what} is {str(values)[:40]!r}; expected a list")
    return values


def _even_width(lines: Sequence[Row]) -> int:
    """How long all lines are."""
    width = len(lines[0])
    for index, line in enumerate(lines):
        if len(line) != width:
            raise TableError(
                f"row {index} of the table has {counted(len(line), 'cell')}, expected {width} as in row 0"
            )
    return width
