"""The human-centric table of an instance: headers with spans on both axes, corner, row groups, aggregates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .....tables import Cell, Table
from ..instance import HctInstance, NamePosition
from .lines import AxisLine, Side, Totals, body_texts, header_cells, lines, runs

Lines = list[list[Cell]]
_JOINT = " / "


def with_corner(
    head: Sequence[Sequence[Cell]],
    columns: Sequence[str],
    rows: Sequence[str],
    positions: tuple[NamePosition, NamePosition],
) -> Lines:
    """Add the corner to the rows of the column header.

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
    """Add one cell before the body that names the levels of rows."""
    first, *others = body
    return [[Cell(_JOINT.join(rows), len(body), 1), *first], *map(list, others)]


def _corner(depth: int, rows: Sequence[str], *, named: bool) -> Lines:
    """A blank cell, the names of rows in its last line."""
    blank = depth - named
    lines: Lines = [[Cell("", blank, len(rows))], *([] for _ in range(blank - 1))] if blank else []
    return [*lines, [Cell(name) for name in rows]] if named else lines


def _lengthened(lines: Lines) -> Lines:
    """Extend the cells that reach the last line by one line."""
    return [
        [
            replace(cell, rowspan=cell.rowspan + 1) if place + cell.rowspan == len(lines) else cell
            for cell in line
        ]
        for place, line in enumerate(lines)
    ]


_SIDES: dict[str, Side] = {
    "none": "none",
    "left": "before",
    "right": "after",
    "top": "before",
    "bottom": "after",
}


def hct_table(instance: HctInstance) -> Table:
    """The instance as a table.

    An aggregate's name is at the level of the group that it sums up, with blank cells below it, as in the
    benchmark. With ``indent`` each value of the outermost row level has a separate row above its rows: filled
    by the aggregate if this is on top, else one cell as wide as the table. One level of rows has nothing to
    indent and is laid out as ``new``. The attributes' names are where the instance has them.
    """
    columns = lines(instance.columns, column_totals(instance))
    rows = lines(instance.rows, row_totals(instance))
    function = instance.aggregate.function if instance.aggregate else "sum"
    texts = body_texts(instance.values, columns, rows, function, instance.decimals)
    body = [[Cell(text) for text in line] for line in texts]
    build = _indented if is_indented(instance) else _in_columns
    built, names = build(rows, body, instance), instance.rows.attributes
    on_left = instance.name_positions[1] == "left"
    head = with_corner(_head(columns), instance.columns.attributes, names, instance.name_positions)
    return Table(
        tuple(tuple(line) for line in (*head, *(with_left_names(built, names) if on_left else built))),
        header_rows=len(head),
        header_columns=len(names) + on_left,
        title=instance.family,
    )


def is_indented(instance: HctInstance) -> bool:
    """Whether the values of the outermost row level have separate rows."""
    return instance.row_format == "indent" and len(instance.rows.attributes) > 1


def column_totals(instance: HctInstance) -> Totals:
    """The place of the aggregates of lines: left or right, at every level."""
    aggregate = instance.aggregate
    if aggregate is None:
        return Totals("", "none", "none")
    return Totals(aggregate.name, _SIDES[aggregate.columns], _SIDES[aggregate.columns])


def row_totals(instance: HctInstance) -> Totals:
    """The place of the aggregates of columns: above or below; indented, that of all is always the last."""
    aggregate = instance.aggregate
    if aggregate is None:
        return Totals("", "none", "none")
    side = _SIDES[aggregate.rows]
    overall: Side = "after" if side == "before" and instance.row_format == "indent" else side
    return Totals(aggregate.name, side, overall)


def _head(columns: Sequence[AxisLine]) -> list[list[Cell]]:
    return [
        [Cell(cell.text, cell.levels, cell.lines) for cell in header_cells(columns, level)]
        for level in range(len(columns[0].labels))
    ]


def _in_columns(rows: Sequence[AxisLine], body: list[list[Cell]], instance: HctInstance) -> list[list[Cell]]:
    return _beside(rows, body, range(len(instance.rows.attributes)))


def _beside(rows: Sequence[AxisLine], body: list[list[Cell]], levels: range) -> list[list[Cell]]:
    """Add a column of labels for each level, merged downward."""
    placed: list[list[Cell]] = [[] for _ in rows]
    for level in levels:
        for cell in header_cells(rows, level):
            placed[cell.start].append(Cell(cell.text, cell.lines, cell.levels))
    return [header + line for header, line in zip(placed, body, strict=True)]


def _indented(rows: Sequence[AxisLine], body: list[list[Cell]], instance: HctInstance) -> list[list[Cell]]:
    """Each group as a row with its name, then its rows below a blank cell; the aggregate of all as it is."""
    depth = len(instance.rows.attributes)
    width = depth + len(body[0])
    built: list[list[Cell]] = []
    for start, length in runs(rows, 0):
        group, cells = rows[start : start + length], body[start : start + length]
        if group[0].level == 0 or any(line.merged[1] for line in group):
            built += _beside(group, cells, range(depth))
            continue
        filled = group[0].level == 1
        label = Cell(group[0].labels[0], 1, depth if filled else width)
        built.append([label, *cells[0]] if filled else [label])
        below = _beside(group[filled:], cells[filled:], range(1, depth))
        below[0].insert(0, Cell("", len(below), 1))
        built += below
    return built
