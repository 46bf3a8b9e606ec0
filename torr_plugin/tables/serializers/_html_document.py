"""Reading the first table of an HTML text, ours or the world's, from the tree that lxml builds of it.

Tolerated: no ``thead``, header cells in the body, missing end tags, entities, nested tags and tables, spans
that reach too far, short rows (filled with empty cells). White space at the ends of a cell goes, and a run of
it that holds a line break or a tab (wrapped source) is one space; other spaces stay, and so does all that is
written as a character reference. ``<br>`` is a newline, and so is the edge of a block such as ``<p>`` inside
a cell.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import ParseError, TableError
from ..table import Cell, Table
from ._html_tree import Line, settled, written

_MOST_PLACES = 4_000_000


def read(text: str, name: str) -> Table:
    """The first table of an HTML text.

    Raises:
        ParseError: there is no table, or none with rows.
    """
    found = written(text, name)
    if not any(line.cells for line in found.lines):
        raise ParseError(f"{name}: the table has no cells; expected rows <tr> with <th> or <td>")
    rows, is_header = _lay(found.lines, name)
    heads = sum(1 for line in found.lines if line.in_head)
    header_rows, header_columns = infer_header(is_header, heads)
    try:
        return Table(
            rows,
            header_rows=found.told.get("data-header-rows", header_rows),
            header_columns=found.told.get("data-header-columns", header_columns),
            title=settled(found.caption),
            notes=tuple(map(settled, found.notes)),
        )
    except TableError as error:
        raise ParseError(f"{name}: {error}") from None


def infer_header(is_header: Sequence[Sequence[bool]], heads: int) -> tuple[int, int]:
    """Header rows and header columns, from which places are ``th`` and how many rows stand in ``thead``.

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


def most_places(cells: int) -> int:
    """How many places so many cells may cover: large tables are read, small ones of huge spans are not."""
    return _MOST_PLACES + cells


def _lay(lines: Sequence[Line], name: str) -> tuple[tuple[tuple[Cell, ...], ...], list[list[bool]]]:
    """Cells in their places, as in browsers: spans are cut where they leave the table or meet a cell."""
    placed: list[dict[int, bool]] = [{} for _ in lines]
    rows: list[list[tuple[int, Cell]]] = [[] for _ in lines]
    last = {line.group: index for index, line in enumerate(lines)}
    area, most = 0, most_places(sum(len(line.cells) for line in lines))
    for r, line in enumerate(lines):
        c = 0
        for found in line.cells:
            while c in placed[r]:
                c += 1
            left = last[line.group] - r + 1
            height = min(found.rowspan, left) if found.rowspan else left
            width = next((w for w in range(1, found.colspan) if c + w in placed[r]), found.colspan)
            area += height * width
            if area > most:
                raise ParseError(f"{name}: the table covers more than {most} places")
            for i in range(r, r + height):
                placed[i].update(dict.fromkeys(range(c, c + width), found.is_header))
            rows[r].append((c, Cell(settled(found.pieces), height, width)))
            c += width
    total = max(max(line, default=-1) for line in placed) + 1
    if total * len(lines) > most:
        raise ParseError(f"{name}: the table covers more than {most} places")
    for line_cells, places in zip(rows, placed, strict=True):
        missing = [c for c in range(total) if c not in places]
        if missing:
            line_cells += [(c, Cell("")) for c in missing]
            line_cells.sort(key=lambda item: item[0])
            places.update(dict.fromkeys(missing, False))
    return (
        tuple(tuple(cell for _, cell in line_cells) for line_cells in rows),
        [[places[c] for c in range(total)] for places in placed],
    )
