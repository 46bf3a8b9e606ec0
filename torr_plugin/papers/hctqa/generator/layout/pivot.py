"""The human-centric table of an instance: headers with spans on both axes, row groups, aggregates."""

from __future__ import annotations

from collections.abc import Sequence

from .....tables import Cell, Table
from ..instance import HctInstance
from .lines import AxisLine, Side, Totals, body_texts, header_cells, lines, runs

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
    indent and is laid out as ``new``.
    """
    columns = lines(instance.columns, column_totals(instance))
    rows = lines(instance.rows, row_totals(instance))
    function = instance.aggregate.function if instance.aggregate else "sum"
    texts = body_texts(instance.values, columns, rows, function, instance.decimals)
    body = [[Cell(text) for text in line] for line in texts]
    build = _indented if is_indented(instance) else _in_columns
    head, depth = _head(columns), len(instance.rows.attributes)
    head[0].insert(0, Cell("", len(head), depth))  # the corner
    return Table(
        tuple(tuple(line) for line in (*head, *build(rows, body, instance))),
        header_rows=len(head),
        header_columns=depth,
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
