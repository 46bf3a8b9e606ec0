"""The table: an immutable value of rows of cells with spans, header depth on both axes, title and notes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from ..core.errors import TableError, counted
from .cells import TEXT, Cell, CellLayout, CellStyle, Position, Row, Scalar, lay_out
from .header_tree import HeaderTree, column_tree, row_tree

__all__ = ["TEXT", "Cell", "CellStyle", "Row", "Scalar", "Styles", "Table", "Texts"]

Texts: TypeAlias = "tuple[tuple[str, ...], ...]"
Styles: TypeAlias = "tuple[CellStyle | None, ...]"

_OTHER_FIELDS = ("header_rows", "header_columns", "title", "notes")


@dataclass(frozen=True)
class Table:
    """Rows of cells, as in HTML: a cell that another one covers is not listed.

    ``header_rows`` leading rows and ``header_columns`` leading columns are headers; a flat table has one
    header row, no header column and no spans. Every table has at least one body cell and covers its rectangle
    exactly. A table made of texts (:meth:`of_texts`) makes its cells on first use; it equals the same table
    made of cells.

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
    def of_texts(
        cls,
        lines: Iterable[Iterable[str]],
        *,
        header_rows: int = 1,
        header_columns: int = 0,
        title: str = "",
        notes: Iterable[str] = (),
    ) -> Table:
        """The table without spans whose cells have these texts, all rows of it, the header's first.

        Raises:
            TableError: as for a table of cells.
        """
        texts = tuple(map(tuple, lines))
        if not texts:
            raise TableError("the table has no rows; expected a header and at least one body row")
        if not any(texts):
            raise TableError("the table has no cells (no header); expected at least one column")
        table = object.__new__(cls)
        # the fields of a frozen dataclass but ``rows``, which __getattr__ makes, and what is known already
        table.__dict__.update(
            header_rows=header_rows,
            header_columns=header_columns,
            title=title,
            notes=tuple(notes),
            texts=texts,
            has_spans=False,
        )
        table._check_headers(len(texts), _even_width(texts))
        return table

    if not TYPE_CHECKING:  # every field is there for a type checker

        def __getattr__(self, name: str) -> Any:
            if name != "rows" or "texts" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            rows = tuple([tuple(map(Cell, line)) for line in self.__dict__["texts"]])
            self.__dict__["rows"] = rows
            return rows

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone, for pickling: what was worked out from them is worked out again."""
        made_of = ("texts", "has_spans") if self.__dict__.get("texts") is not None else ("rows",)
        return {name: getattr(self, name) for name in (*made_of, *_OTHER_FIELDS)}

    @cached_property
    def texts(self) -> Texts | None:
        """The texts of all rows of a table of texts alone; None with spans, styles, numbers or ``None``."""
        if self.has_spans or any(cell.value is not TEXT or cell.style for row in self.rows for cell in row):
            return None
        return tuple([tuple([cell.text for cell in row]) for row in self.rows])

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
        lines = (head, *body)
        if set(map(type, chain.from_iterable(lines))) == {str}:
            return cls.of_texts(lines, title=title, notes=notes)
        return cls(tuple([tuple(map(Cell.of, line)) for line in lines]), title=title, notes=tuple(notes))

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
        if self.header_rows == 1 and self.texts is not None:
            return self.texts
        if not self.header_rows and self.header_columns and self.texts is not None:
            return (tuple(self.blank_header), *self.texts)
        body = [tuple([cell.text if cell.value is TEXT else cell.raw for cell in row]) for row in self.body]
        if self.header_rows == 1 and not self.has_spans:
            return (tuple([cell.raw for cell in self.rows[0]]), *body)
        if self.header_rows:
            return (tuple([" / ".join(path) for path in self.column_paths]), *body)
        if not self.header_columns:
            raise TableError("the table has no header; expected a header row or a header column")
        return (tuple(self.blank_header), *body)

    @cached_property
    def unitxt_texts(self) -> Texts | None:
        """:attr:`unitxt_lines` where they are texts alone: no number and no ``None``."""
        lines = self.unitxt_lines
        if lines is not self.texts and not all(isinstance(value, str) for line in lines for value in line):
            return None
        return cast("Texts", lines)

    @property
    def blank_header(self) -> list[str]:
        """The header that unitxt's transposition writes: a blank, then 0, 1, 2..."""
        return [" ", *map(str, range(self.n_columns - 1))]

    @cached_property
    def has_spans(self) -> bool:
        """Whether any cell covers more than one place."""
        return any(cell.rowspan != 1 or cell.colspan != 1 for row in self.rows for cell in row)

    @cached_property
    def styles(self) -> Styles:
        """The style of each cell in order; empty for a table without any, which most are.

        Equal tables can differ in it: what depends on the looks of a table needs it beside the table as key.
        """
        if self.__dict__.get("texts") is not None:
            return ()
        found = tuple([cell.style for row in self.rows for cell in row])
        return found if any(found) else ()

    @property
    def is_flat(self) -> bool:
        """One header row, no header columns, no spans: what ``{"header", "rows"}`` holds."""
        return self.header_rows == 1 and self.header_columns == 0 and not self.has_spans

    @cached_property
    def grid(self) -> tuple[Row, ...]:
        """The full rectangle, shape (n_rows, n_columns): every covered place holds its cell."""
        return self._placed.grid if self.has_spans else self.rows

    @cached_property
    def origins(self) -> tuple[tuple[Position, ...], ...]:
        """For every place of the grid the (row, column) where the cell that covers it begins."""
        if self.has_spans:
            return self._placed.origins
        return tuple([tuple([(r, c) for c in range(len(row))]) for r, row in enumerate(self.rows)])

    @cached_property
    def _placed(self) -> CellLayout:
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
        return len(self._lines)

    @cached_property
    def n_columns(self) -> int:
        """Columns, header columns included."""
        return len(self.grid[0]) if self.has_spans else len(self._lines[0])

    @property
    def _lines(self) -> Sequence[Sequence[object]]:
        """The rows, as texts where they are at hand, so that no cells are made to count them."""
        return self.__dict__.get("texts") or self.rows

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
        if "rows" in changes or self.__dict__.get("texts") is None:
            return dataclasses.replace(self, **changes)
        return self.with_texts(self.__dict__["texts"], **changes)

    def with_texts(self, lines: Iterable[Iterable[str]], **changes: Any) -> Table:
        """A copy with these texts for cells, without spans, and some other fields changed."""
        kept = {name: getattr(self, name) for name in _OTHER_FIELDS}
        return self.of_texts(lines, **{**kept, **changes})


def _listed(values: Any, what: str) -> Iterable[Any]:
    if type(values) is not list and (isinstance(values, Mapping) or not isinstance(values, Iterable)):
        raise TableError(f"the table's {what} is {str(values)[:40]!r}; expected a list")
    return values


def _even_width(lines: Sequence[Sequence[object]]) -> int:
    """How long all lines are."""
    width = len(lines[0])
    for index, line in enumerate(lines):
        if len(line) != width:
            raise TableError(
                f"row {index} of the table has {counted(len(line), 'cell')}, expected {width} as in row 0"
            )
    return width
