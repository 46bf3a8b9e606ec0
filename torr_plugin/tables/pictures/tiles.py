"""Cut a table that is too large for one picture into parts, each with the header and the row labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TypeAlias

from ...core.errors import InputError
from ..header_tree import HeaderNode
from ..table import Cell, Table
from .layout import MARGIN, Page, page_of
from .limits import PictureLimits

CONTINUED = " (continued)"
"""Follows the text of a merged cell and a row group's label in the parts after the one where it begins."""

_SPARE = (0.0, 60.0, 180.0)  # points kept free in a strip, tried in this order; the mark is about 60 wide

_Range: TypeAlias = "tuple[int, int]"
"""First line and the one after the last."""


class _TooWideError(InputError):
    """A strip has no room for a label with its mark."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """A part of a table, laid out; ``words`` say which: ``rows 1 to 40 of 120``, counted below the header."""

    table: Table
    words: str
    page: Page


def parts_of(table: Table, page: Page, limits: PictureLimits) -> list[TablePart]:
    """The parts of a table in reading order, each of which fits into a picture.

    Every part has the header rows and the row labels (without header columns, the first column); a part
    inside a group of rows begins with the group's label. The title is in the first part, the notes are in the
    last. Cuts keep merged cells whole where they can; a cell that is cut has its text in every part, marked
    in those after the first.

    Raises:
        InputError: more parts than pictures allowed, or a row or column that fills a picture alone.
    """
    _, area = limits.largest_page
    if page.width * page.height > area * limits.most_pictures:
        raise _too_many(table, limits)
    for spare in _SPARE[:-1]:
        try:
            return _parts(_Cutter(table, page, limits), spare)
        except _TooWideError:  # labels that are marked as continued need room
            continue
    return _parts(_Cutter(table, page, limits), _SPARE[-1])


def _parts(cutter: _Cutter, spare: float) -> list[TablePart]:
    table, limits = cutter.table, cutter.limits
    strips = cutter.strips(spare)
    parts: list[TablePart] = []
    start = table.header_rows
    while start < table.n_rows:
        if len(parts) + len(strips) > limits.most_pictures:
            raise _too_many(table, limits)
        start, band = cutter.band(start, strips)
        parts += band
    return parts


def _too_many(table: Table, limits: PictureLimits) -> InputError:
    return InputError(
        f"the table of {table.n_rows} rows and {table.n_columns} columns takes more than "
        f"{limits.most_pictures} {limits.words}; use a text format"
    )


class _Cutter:
    """Finds the strips of columns and bands of rows of one table."""

    def __init__(self, table: Table, page: Page, limits: PictureLimits) -> None:
        self.table, self._page, self.limits = table, page, limits
        self._crossed_rows = {*_crossed(table, by_row=True), *_after_labels(table)}
        self._crossed_columns = set(_crossed(table, by_row=False))

    def strips(self, spare: float) -> list[_Range]:
        """The ranges of body columns that fit beside the row labels with so many points to spare."""
        first, last = self.table.header_columns, self.table.n_columns
        side, _ = self.limits.largest_page
        found: list[_Range] = []
        start = first
        while start < last:
            lead = sum(self._page.columns[column] for column in _lead(self.table, start))
            room = side - 2 * MARGIN - lead - spare
            stop = start + _fitting(self._page.columns[start:], room)
            stop = _good_cut(start, stop, self._crossed_columns, last)
            while not self._is_narrow((start, stop)):
                if stop == start + 1:
                    raise self._too_large(f"column {start}")
                stop = start + max(1, (stop - start) * 4 // 5)
            found.append((start, stop))
            start = stop
        return found

    def _is_narrow(self, strip: _Range) -> bool:
        side, _ = self.limits.largest_page
        rows = (self.table.header_rows, self.table.n_rows)
        return self._part(rows, strip).page.width <= side

    def band(self, start: int, strips: Sequence[_Range]) -> tuple[int, list[TablePart]]:
        """The most rows from ``start`` that fit in every strip: where they end, and a part for each strip."""
        side, area = self.limits.largest_page
        header = sum(self._page.rows[: self.table.header_rows])
        stop = start + _fitting(self._page.rows[start:], side - 2 * MARGIN - header)
        while True:
            stop = _good_cut(start, stop, self._crossed_rows, self.table.n_rows)
            parts = [self._part((start, stop), strip) for strip in strips]
            if all(self.limits.holds(part.page.width, part.page.height) for part in parts):
                return stop, parts
            if stop == start + 1:
                wide = any(part.page.width > side for part in parts)
                raise self._too_large(f"row {start}", _TooWideError if wide else InputError)
            largest = max(part.page.width * part.page.height for part in parts)
            stop = start + max(1, int((stop - start) * min(0.97, max(area / largest, 0.3))))

    def _too_large(self, what: str, kind: type[InputError] = InputError) -> InputError:
        return kind(
            f"{what} of the table, with what is repeated beside it, does not fit into one of the "
            f"{self.limits.words}; use a text format"
        )

    def _part(self, rows: _Range, columns: _Range) -> TablePart:
        part = _cut(self.table, rows, columns)
        shown = [*_lead(self.table, columns[0]), *range(*columns)]
        least = [self._page.columns[column] for column in shown]
        words = ", ".join(
            [
                *_words("row", rows, self.table.header_rows, self.table.n_rows),
                *_words("column", columns, self.table.header_columns, self.table.n_columns),
            ]
        )
        return TablePart(part, words, page_of(part, borders=self._page.borders, least=least))


def _words(line: str, part: _Range, first: int, last: int) -> Iterator[str]:
    """``rows 1 to 40 of 120``; nothing where all are shown."""
    start, stop, count = part[0] - first + 1, part[1] - first, last - first
    if (start, stop) != (1, count):
        yield f"{line} {start} of {count}" if start == stop else f"{line}s {start} to {stop} of {count}"


def _lead(table: Table, start: int) -> range:
    """The columns that are repeated left of a strip that begins at ``start``: those of the row labels."""
    return range(table.header_columns or min(start, 1))


def _fitting(sizes: Sequence[float], room: float) -> int:
    """How many of the first lines fit into a room; at least one."""
    return max(1, sum(end <= room for end in accumulate(sizes)))


def _good_cut(start: int, stop: int, crossed: set[int], last: int) -> int:
    """The last place up to ``stop`` that cuts nothing; ``stop`` where that would waste half of the room."""
    if stop >= last:
        return last
    least = start + (stop - start) // 2
    return next((place for place in range(stop, least, -1) if place not in crossed), stop)


def _crossed(table: Table, *, by_row: bool) -> Iterator[int]:
    """The places between two lines that a merged cell reaches over."""
    for r, row in enumerate(table.placed_rows) if table.has_spans else ():
        for c, cell in row:
            start, length = (r, cell.rowspan) if by_row else (c, cell.colspan)
            yield from range(start + 1, start + length)


def _after_labels(table: Table) -> Iterator[int]:
    """The places that would divide the label of a row group from the group's first row."""
    return (node.start + 1 for node in table.row_tree.nodes if node.is_nested)


def _cut(table: Table, rows: _Range, columns: _Range) -> Table:
    """The table of some body rows and columns, with header, row labels and labels of groups begun above."""
    is_first = (rows[0], columns[0]) == (table.header_rows, table.header_columns)
    is_last = (rows[1], columns[1]) == (table.n_rows, table.n_columns)
    shown = [*_lead(table, columns[0]), *range(*columns)]
    header = _pieces(table, range(table.header_rows), shown, columns[0])
    groups = [_label_line(table, node, shown) for node in _begun_above(table, rows[0])]
    if rows[0] == table.header_rows:  # merged cells may reach from the header into the body
        lines = _pieces(table, range(rows[1]), shown, columns[0])
    else:
        lines = [*header, *groups, *_pieces(table, range(*rows), shown, columns[0])]
    return table.replace(
        rows=tuple(map(tuple, lines)),
        title=table.title if is_first else "",
        notes=table.notes if is_last else (),
    )


def _pieces(table: Table, rows: Iterable[int], columns: Sequence[int], cut: int) -> list[list[Cell]]:
    """The cells that begin in each row, clipped to these rows and columns; marked where their start is off.

    Cells do not reach over the column ``cut`` where columns before it are left out.
    """
    is_cut = cut > table.header_columns
    places: dict[tuple[int, int, bool], list[tuple[int, int]]] = {}
    for r in rows:
        for c in columns:
            places.setdefault((*table.origins[r][c], is_cut and c >= cut), []).append((r, c))
    lines: dict[int, list[tuple[int, Cell]]] = {r: [] for r in rows}
    for (row, column, _), at in places.items():
        cell, (r, c) = table.grid[row][column], at[0]
        width = sum(place[0] == r for place in at)
        mark = CONTINUED if (r, c) != (row, column) and cell.text.strip() else ""
        piece = replace(cell, text=cell.text + mark, rowspan=len(at) // width, colspan=width)
        lines[r].append((c, piece))
    return [[cell for _, cell in sorted(line, key=lambda each: each[0])] for line in lines.values()]


def _begun_above(table: Table, row: int) -> Iterator[HeaderNode]:
    """The row groups that a row lies in and whose label stands in a row above it, the outermost first."""
    nodes: Sequence[HeaderNode] = table.row_tree.roots
    while node := next((node for node in nodes if node.start < row < node.stop), None):
        if _label_column(table, node, row) is not None:
            yield node
        nodes = node.children


def _label_column(table: Table, node: HeaderNode, row: int) -> int | None:
    """The column of a group's label; None without one, and where the label's cell reaches down to ``row``."""
    for column in range(max(1, table.header_columns)):
        cell = table.grid[node.start][column]
        if node.label and cell.text.strip() == node.label:
            return None if table.origins[row][column] == table.origins[node.start][column] else column
    return None


def _label_line(table: Table, node: HeaderNode, columns: Sequence[int]) -> list[Cell]:
    """A row with nothing but the label of a group that began above."""
    label = _label_column(table, node, node.stop - 1)
    cells = [Cell("")] * len(columns)
    for index, column in enumerate(columns):
        if column == label:
            cell = table.grid[node.start][column]
            cells[index] = replace(cell, text=cell.text + CONTINUED, rowspan=1, colspan=1)
    return cells
