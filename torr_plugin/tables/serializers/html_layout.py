"""A table as HTML writes it, and as a browser lays it out: rows in order, cells in their places, headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple

from ...core.errors import ParseError, TableError
from ..table import Cell, Table
from .html_tree import settled
from .structure import most_places

MOST_COLUMNS = 1000


@dataclass(slots=True)
class HtmlCell:
    """A cell as written."""

    is_header: bool
    rowspan: int = 1
    colspan: int = 1
    pieces: list[str] = field(default_factory=list)


@dataclass(slots=True)
class HtmlRow:
    """A row as written: its group of rows, and that group's tag if it is the head or the foot, else empty."""

    group: int
    part: str
    cells: list[HtmlCell] = field(default_factory=list)


@dataclass
class HtmlTable:
    """The content of a table; texts are pieces for :func:`settled`."""

    lines: list[HtmlRow] = field(default_factory=list)
    caption: list[str] = field(default_factory=list)
    notes: list[list[str]] = field(default_factory=list)
    declared: dict[str, int] = field(default_factory=dict)


def shown_rows(lines: Sequence[HtmlRow]) -> list[HtmlRow]:
    """Rows in the order in which they are shown; those without height, that no cell is in, left out."""
    order = {"thead": 0, "": 1, "tfoot": 2}
    found = []
    reach, group = 0, -1  # of the cells above, in the same group
    for line in sorted(lines, key=lambda line: order[line.part]):
        reach, group = reach if line.group == group else 0, line.group
        reach = max([reach - 1, *[cell.rowspan or len(lines) for cell in line.cells]])
        if line.cells or reach > 0:
            found.append(line)
    return found


def table_of(found: HtmlTable, name: str, layout: HtmlLayout | None = None) -> Table:
    """The table as it is written; its layout is made where it is not given.

    Raises:
        ParseError: it has no cells, or no body.
    """
    if not any(line.cells for line in found.lines):
        raise ParseError(f"{name}: the table has no cells; expected rows <tr> with <th> or <td>")
    rows, is_header = _filled(layout or placed(found.lines, name))
    heads = takewhile(lambda line: line.part == "thead", found.lines)
    header_rows, header_columns = infer_header(is_header, len(list(heads)))
    try:
        return Table(
            rows,
            header_rows=found.declared.get("data-header-rows", header_rows),
            header_columns=found.declared.get("data-header-columns", header_columns),
            title=settled(found.caption),
            notes=tuple(map(settled, found.notes)),
        )
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None


def infer_header(is_header: Sequence[Sequence[bool]], heads: int) -> tuple[int, int]:
    """Header rows and header columns, given which places are ``th`` and how many rows are in ``thead``.

    Without ``thead`` the leading rows of ``th`` alone are the header; header columns are the leading columns
    that are ``th`` in every body row. At least one row and one column are left for the body.
    """
    rows = heads
    if not rows:
        while rows < len(is_header) and all(is_header[rows]):
            rows += 1
        if rows == len(is_header):
            rows = 1
    rows = min(rows, len(is_header) - 1)
    width = len(is_header[0])
    leading = (next((c for c, head in enumerate(line) if not head), width) for line in is_header[rows:])
    return rows, min(width - 1, *leading)


class PlacedCell(NamedTuple):
    """A cell in its first column, and how many rows and columns it covers."""

    column: int
    cell: HtmlCell
    height: int
    width: int


@dataclass(frozen=True, slots=True)
class HtmlLayout:
    """The cells of each row in their places; of each row the covered columns (true: by ``th``); the width."""

    rows: list[list[PlacedCell]]
    covered: list[dict[int, bool]]
    width: int


def placed(lines: Sequence[HtmlRow], name: str, most: int | None = None) -> HtmlLayout:
    """Cells in their places, as in browsers: spans are cut where they leave the table or meet a cell.

    Raises:
        ParseError: the cells cover more than ``most`` places (by default 4 million and one a cell).
    """
    covered: list[dict[int, bool]] = [{} for _ in lines]
    rows: list[list[PlacedCell]] = [[] for _ in lines]
    last = {line.group: index for index, line in enumerate(lines)}
    area = 0
    most = most_places(sum(len(line.cells) for line in lines)) if most is None else most
    for r, line in enumerate(lines):
        c = 0
        for found in line.cells:
            while c in covered[r]:
                c += 1
            left = last[line.group] - r + 1
            height = min(found.rowspan, left) if found.rowspan else left
            width = found.colspan
            if width > 1:
                width = next((w for w in range(1, width) if c + w in covered[r]), width)
            area += height * width
            if area > most:
                raise ParseError(f"{name}: the table covers more than {most} places")
            if height == 1 == width:
                covered[r][c] = found.is_header
            else:
                for i in range(r, r + height):
                    covered[i].update(dict.fromkeys(range(c, c + width), found.is_header))
            rows[r].append(PlacedCell(c, found, height, width))
            c += width
    total = _width(rows, covered)
    if total * len(lines) > most:
        raise ParseError(f"{name}: the table covers more than {most} places")
    return HtmlLayout(rows, covered, total)


def _width(rows: list[list[PlacedCell]], covered: list[dict[int, bool]]) -> int:
    """The number of columns; a cell alone in its row that reaches beyond those of the others is cut there."""
    reach = [max(line, default=-1) + 1 for line in covered]
    width = max((end for end, row in zip(reach, rows, strict=True) if len(row) > 1), default=max(reach))
    for r, row in enumerate(rows):
        for at, cell in enumerate(row):
            if cell.column < width < cell.column + cell.width:
                row[at] = cell._replace(width=width - cell.column)
                for line in covered[r : r + cell.height]:
                    for column in range(width, cell.column + cell.width):
                        line.pop(column, None)
    return max(max(line, default=-1) for line in covered) + 1


def _filled(layout: HtmlLayout) -> tuple[tuple[tuple[Cell, ...], ...], list[list[bool]]]:
    """The rows of cells, short ones filled with empty cells, and which places are ``th``."""
    rows = []
    for line, places in zip(layout.rows, layout.covered, strict=True):
        cells = [(c, Cell(settled(found.pieces), height, width)) for c, found, height, width in line]
        missing = [c for c in range(layout.width) if c not in places]
        if missing:
            cells += [(c, Cell("")) for c in missing]
            cells.sort(key=lambda item: item[0])
        rows.append(tuple([cell for _, cell in cells]))
    is_header = [[places.get(c, False) for c in range(layout.width)] for places in layout.covered]
    return tuple(rows), is_header
