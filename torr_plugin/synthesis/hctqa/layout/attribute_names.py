"""The corner of a table, and the attributes' names in its headers (``col_row_name_pos``, Appendix C.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....tables import Cell
from ..instance import NamePosition

Lines = list[list[Cell]]
_JOINT = " / "


def with_corner(
    head: Sequence[Sequence[Cell]],
    columns: Sequence[str],
    rows: Sequence[str],
    positions: tuple[NamePosition, NamePosition],
) -> Lines:
    """The rows of the column header with the corner before them.

    Args:
        head: the header's cells above the body, a line a level.
        columns: the names of the levels of columns, outermost first.
        rows: those of rows.
        positions: of columns' and of rows' names. ``left`` of columns: each in the corner, left of its level;
            ``top``: all in a line above. ``top`` of rows: each above its level; ``left``: all in a column on
            the left, whose cell beside the body :func:`with_left_names` adds. ``none``: not shown.
    """
    above, beside = positions
    lines = [list(line) for line in head]
    if above == "left":
        corner = [[Cell(name, 1, len(rows))] for name in columns]
        if beside == "top":
            lines = [*_lengthened(lines), []]
            corner.append([Cell(name) for name in rows])
    else:
        corner = _corner(len(lines), rows, named=beside == "top")
    lines = [before + line for before, line in zip(corner, lines, strict=True)]
    if above == "top":
        width = sum(cell.colspan for cell in head[0])
        lines.insert(0, [Cell("", 1, len(rows)), Cell(_JOINT.join(columns), 1, width)])
    if beside == "left":
        lines[0].insert(0, Cell("", len(lines), 1))
    return lines


def with_left_names(body: Sequence[Sequence[Cell]], rows: Sequence[str]) -> Lines:
    """The body with one cell before it that names the levels of rows."""
    first, *others = body
    return [[Cell(_JOINT.join(rows), len(body), 1), *first], *map(list, others)]


def _corner(depth: int, rows: Sequence[str], *, named: bool) -> Lines:
    """A blank cell, the names of rows in its last line."""
    blank = depth - named
    lines: Lines = [[Cell("", blank, len(rows))], *([] for _ in range(blank - 1))] if blank else []
    return [*lines, [Cell(name) for name in rows]] if named else lines


def _lengthened(lines: Lines) -> Lines:
    """The cells that reach the last line made a line longer."""
    return [
        [
            replace(cell, rowspan=cell.rowspan + 1) if place + cell.rowspan == len(lines) else cell
            for cell in line
        ]
        for place, line in enumerate(lines)
    ]
