"""The table: an immutable value of rows of cells with spans, header depth on both axes, title and notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

from .errors import TableError

Scalar: TypeAlias = "str | int | float | bool | None"


class _Same(Enum):
    """Says that a cell's value is its text (an enum, so that it survives pickling)."""

    TEXT = "text"


TEXT = _Same.TEXT


_NUMBERS = (int, float, bool)


def _plain(value: object) -> Scalar:
    """Python's value of a NumPy scalar; the text of anything else."""
    item = getattr(value, "item", None)
    plain = item() if callable(item) and getattr(value, "shape", None) == () else None
    return plain if type(plain) in _NUMBERS else str(value)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text and how many rows and columns it covers (1 and 1 unless merged).

    ``value`` keeps a number as it came (``26``, ``None``), for formats that write numbers bare; it takes no
    part in comparison, since a table read back from text has texts alone.
    """

    text: str
    rowspan: int = 1
    colspan: int = 1
    value: Scalar | _Same = field(default=_Same.TEXT, compare=False, repr=False)

    @classmethod
    def of(cls, value: Scalar, rowspan: int = 1, colspan: int = 1) -> Cell:
        """A cell from any scalar: text as is, ``None`` as an empty cell, numbers by ``str``.

        A number of NumPy's counts as Python's; what is no scalar (a date) is its text.
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
        """The value the cell was made of; its text where that was text."""
        return self.text if isinstance(self.value, _Same) else self.value


Row: TypeAlias = "tuple[Cell, ...]"
Position: TypeAlias = "tuple[int, int]"


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
        object.__setattr__(self, "rows", tuple(tuple(row) for row in self.rows))
        object.__setattr__(self, "notes", tuple(self.notes))
        width = self._checked_width()
        if self.header_rows < 0 or self.header_columns < 0:
            raise TableError("a table's header_rows and header_columns are 0 or more")
        if self.header_rows >= len(self.rows):
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
            return len(_place(self.rows)[0])
        width = len(self.rows[0])
        for index, row in enumerate(self.rows):
            if len(row) != width:
                raise TableError(
                    f"row {index} of the table has {len(row)} cells, expected {width} as in row 0"
                )
        return width

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
            TableError: no header, no rows, or a row longer or shorter than the header (which row is said).
        """
        head = _cells(header, "header") if header is not None else ()
        if not head:
            raise TableError("the table has no header; expected at least one column name")
        body = [_cells(row, f"row {index}") for index, row in enumerate(_listed(rows, "rows"))]
        if not body:
            raise TableError("the table has no rows; expected at least one row below the header")
        for index, row in enumerate(body):
            if len(row) != len(head):
                raise TableError(
                    f"row {index} of the table has {len(row)} cells, expected {len(head)} as in the header"
                )
        return cls((head, *body), title=title, notes=tuple(notes))

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
        if self.header_rows == 1 and not self.has_spans:
            head, *body = self.rows
            return {
                "header": [cell.raw for cell in head],
                "rows": [[cell.raw for cell in row] for row in body],
            }
        body_values = [[cell.raw for cell in row] for row in self.grid[self.header_rows :]]
        if self.header_rows:
            return {"header": [" / ".join(path) for path in self.column_paths], "rows": body_values}
        if not self.header_columns:
            raise TableError("the table has no header; expected a header row or a header column")
        return {"header": [" ", *map(str, range(self.n_columns - 1))], "rows": body_values}

    @cached_property
    def has_spans(self) -> bool:
        """Whether any cell covers more than one place."""
        return any(cell.rowspan != 1 or cell.colspan != 1 for row in self.rows for cell in row)

    @property
    def is_flat(self) -> bool:
        """One header row, no header columns, no spans: what ``{"header", "rows"}`` holds."""
        return self.header_rows == 1 and self.header_columns == 0 and not self.has_spans

    @cached_property
    def grid(self) -> tuple[Row, ...]:
        """The full rectangle, shape (n_rows, n_columns): every covered place holds its cell."""
        return (
            self.rows
            if not self.has_spans
            else tuple(tuple(row[0] for row in line) for line in self._placed_rows)
        )

    @cached_property
    def origins(self) -> tuple[tuple[Position, ...], ...]:
        """For every place of the grid the (row, column) where the cell that covers it begins."""
        if not self.has_spans:
            return tuple(tuple((r, c) for c in range(len(row))) for r, row in enumerate(self.rows))
        return tuple(tuple(place[1] for place in line) for line in self._placed_rows)

    @cached_property
    def _placed_rows(self) -> tuple[tuple[tuple[Cell, Position], ...], ...]:
        return tuple(tuple(line) for line in _place(self.rows))

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
        """For each column the labels of its header cells from the top down; a merged cell's is said once."""
        return tuple(
            tuple(
                self.grid[r][c].text
                for r in range(self.header_rows)
                if r == 0 or self.origins[r][c] != self.origins[r - 1][c]
            )
            for c in range(self.n_columns)
        )

    def replace(self, **changes: Any) -> Table:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)


def _listed(values: Any, what: str) -> Iterable[Any]:
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise TableError(f"the table's {what} is {str(values)[:40]!r}; expected a list")
    return values


def _cells(values: Sequence[Scalar], what: str) -> Row:
    return tuple(map(Cell.of, _listed(values, what)))


def _place(rows: Sequence[Row]) -> list[list[tuple[Cell, Position]]]:
    """Lay cells out as HTML does: each takes the first free place of its row."""
    placed: list[dict[int, tuple[Cell, Position]]] = [{} for _ in rows]
    for r, row in enumerate(rows):
        c = 0
        for cell in row:
            while c in placed[r]:
                c += 1
            _cover(placed, cell, (r, c))
            c += cell.colspan
    width = max(max(line, default=-1) + 1 for line in placed)
    for r, line in enumerate(placed):
        if len(line) != width:
            raise TableError(
                f"row {r} of the table covers {len(line)} columns, expected {width} as in the widest row"
            )
    return [[line[c] for c in range(width)] for line in placed]


def _cover(placed: list[dict[int, tuple[Cell, Position]]], cell: Cell, at: Position) -> None:
    r, c = at
    if cell.rowspan < 1 or cell.colspan < 1:
        raise TableError(
            f"cell {cell.text!r} in row {r} has a span below 1 ({cell.rowspan} x {cell.colspan})"
        )
    if r + cell.rowspan > len(placed):
        raise TableError(
            f"cell {cell.text!r} in row {r} spans {cell.rowspan} rows, but only {len(placed) - r} are left"
        )
    for i in range(r, r + cell.rowspan):
        for j in range(c, c + cell.colspan):
            if j in placed[i]:
                raise TableError(
                    f"cell {cell.text!r} in row {r} overlaps cell {placed[i][j][0].text!r} at column {j}"
                )
            placed[i][j] = (cell, at)
