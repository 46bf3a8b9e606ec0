"""Transpose a table; labels of row groups, above their rows, become merged header cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...core.errors import TableError
from ..header_tree import HeaderTree, label_rows, label_style
from ..table import TEXT, Cell, Table
from .base import Perturbation
from .hierarchy import transposed

if TYPE_CHECKING:
    import numpy as np


class Transpose(Perturbation):
    """Header rows become header columns and spans turn with their cells; twice is the identity.

    The label of a row group, written above its rows, would look like one more column when transposed. It
    becomes a merged header cell over its columns instead, and transposed back, one beside its rows.
    """

    name = "transpose"
    draws = False

    def perturb(self, table: Table, rng: np.random.Generator) -> Table:  # noqa: D102
        turned = transposed(table)
        if table.is_flat or not table.header_columns:
            return turned
        return _grouped(table, turned) or turned


def _grouped(table: Table, plainly: Table) -> Table | None:
    """The transposed table with row groups as headers; None if that is not needed or not possible."""
    if not any(path[1:] for path in table.row_tree.paths):
        return None
    if paths_by_line(plainly.column_tree) == paths_by_line(table.row_tree):
        return None
    beside = labels_beside(table)
    if beside is None:
        return None
    turned = transposed(beside)
    is_shown = paths_by_line(turned.column_tree) == paths_by_line(beside.row_tree)
    return turned if is_shown else None


def paths_by_line(tree: HeaderTree) -> list[tuple[str, ...]]:
    """The labels of every line that a tree covers, in order."""
    leaves = zip(tree.leaves, tree.paths, strict=True)
    return [path for leaf, path in leaves for _ in range(leaf.start, leaf.stop)]


def labels_beside(table: Table) -> Table | None:
    """The table with every row group's label in a merged header cell that covers its rows.

    The label's own row keeps its values behind an empty cell; a row of nothing but the label goes. Header
    columns are added where the groups are deeper. None where a cell covers parts of header and body, or of
    a row that goes, and where a text would be lost.
    """
    tree = table.row_tree
    kept = _kept_rows(tree, table)
    if not kept or not table.header_columns or _crosses(table, set(kept)):
        return None
    side = max(table.header_columns, tree.depth)
    headers = _header_cells(table, kept, side)
    lines = [*_head(table, side - table.header_columns)]
    rows = table.placed_rows
    lines += [headers[r] + [cell for c, cell in rows[r] if c >= table.header_columns] for r in kept]
    try:
        beside = table.replace(rows=tuple(map(tuple, lines)), header_columns=side)
    except TableError:  # merged cells that reach into a group from elsewhere
        return None
    return beside if _sorted_texts(beside) == _sorted_texts(table) else None


def _sorted_texts(table: Table) -> list[str]:
    """All texts; indentation is layout."""
    return sorted(text for row in table.rows for cell in row if (text := cell.text.strip()))


def _kept_rows(tree: HeaderTree, table: Table) -> list[int]:
    """The body rows, except those with nothing but the label of the rows below them."""
    parents = {node.start for node in tree.nodes if len(node.children) > 1 and not node.children[0].label}
    gone = parents.intersection(label_rows(table))
    return [r for r in range(table.header_rows, table.n_rows) if r not in gone]


def _crosses(table: Table, kept: set[int]) -> bool:
    """Whether a cell spans the header's edge, or both a dropped and a kept row."""
    top, side = table.header_rows, table.header_columns
    for r, row in enumerate(table.placed_rows):
        for c, cell in row:
            below, right = r + cell.rowspan, c + cell.colspan
            if r < top < below or (c < side < right and (r < top or r in kept)):
                return True
            if c >= side and r >= top and len({i in kept for i in range(r, below)}) > 1:
                return True
    return False


def _header_cells(table: Table, kept: Sequence[int], side: int) -> dict[int, list[Cell]]:
    """The header cells that begin in each row, outermost first; no recursion, as trees can be deep."""
    cells: dict[int, list[Cell]] = {r: [] for r in kept}
    stack = [(node, 0) for node in reversed(table.row_tree.roots)]
    while stack:
        node, level = stack.pop()
        rows = [r for r in range(node.start, node.stop) if r in cells]
        if rows:
            width = 1 if node.children else side - level
            cells[rows[0]].append(Cell(node.label, len(rows), width, style=label_style(table, node)))
            stack += [(child, level + 1) for child in reversed(node.children)]
    return cells


def _head(table: Table, extra: int) -> Iterator[list[Cell]]:
    """The header rows, with the corner widened by ``extra`` columns."""
    for row in table.placed_rows[: table.header_rows]:
        line = []
        for c, cell in row:
            is_edge = c < table.header_columns <= c + cell.colspan
            wide = cell._replace(colspan=cell.colspan + extra, value=TEXT) if is_edge and extra else cell
            line.append(wide)
        yield line
