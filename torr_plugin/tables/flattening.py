"""Flatten a table with nested headers, writing every label as its whole path."""

from __future__ import annotations

from collections.abc import Sequence

from .header_tree import HeaderTree, column_tree, row_tree
from .table import Cell, Table

SEPARATOR = " / "


def flattened(table: Table) -> Table:
    """Flatten to one header row of joined paths (``2019 / Male``), with all row labels on every row.

    A row label that spans several rows is repeated in each. The label of a parent row (above indented rows or
    a group) goes in front of its children's labels: in a header column of its own if there are enough, else
    joined (``Sindh / Total``). A row with nothing but a group's label is dropped if rows follow it. Texts and
    styles stay (a line's cells have the styles of its places), spans do not. A flat table is returned
    unchanged; one without header rows gets the header that unitxt gives it: a blank, then 0, 1, 2...
    """
    if table.is_flat:
        return table
    lines = {table.header_rows - 1: _header(table), **_body(table)}
    if not table.styles:
        return Table.of_texts(lines.values(), title=table.title, notes=table.notes)
    rows = tuple([_styled(table, r, texts) for r, texts in lines.items()])
    return Table(rows, title=table.title, notes=table.notes)


def _styled(table: Table, r: int, texts: Sequence[str]) -> tuple[Cell, ...]:
    """A line's texts with the styles of row r, from which they come; -1 for none."""
    styles = [cell.style for cell in table.grid[r]] if r >= 0 else [None] * table.n_columns
    return tuple([Cell(text, style=style) for text, style in zip(texts, styles, strict=True)])


def _header(table: Table) -> list[str]:
    if not table.header_rows:
        return table.blank_header if table.header_columns else [""] * table.n_columns
    tree = column_tree(table)
    names = [_joined(path) for path in table.column_paths[: table.header_columns]]
    for leaf, path in zip(tree.leaves, tree.paths, strict=True):
        names += [_joined(path)] * (leaf.stop - leaf.start)
    return names


def _body(table: Table) -> dict[int, list[str]]:
    """The texts of each row that is kept, by its number; one empty line of none if none is."""
    tree = row_tree(table)
    paths = {
        r: path
        for leaf, path in zip(tree.leaves, tree.paths, strict=True)
        for r in range(leaf.start, leaf.stop)
    }
    label_lines = _label_lines(tree, table)
    lines = {
        r: _line(table, r, paths[r]) for r in range(table.header_rows, table.n_rows) if r not in label_lines
    }
    return lines or {table.header_rows: [""] * table.n_columns}


def _label_lines(tree: HeaderTree, table: Table) -> set[int]:
    """The rows with nothing but the label of the rows below them."""
    return {
        node.start
        for node in tree.nodes
        if len(node.children) > 1
        and not node.children[0].label
        and {cell.text.strip() for cell in table.grid[node.start]} <= {node.label, ""}
    }


def _line(table: Table, r: int, path: tuple[str, ...]) -> list[str]:
    side = table.header_columns
    cells, origins = table.grid[r], table.origins[r]
    own = ["" if c and origins[c] == origins[c - 1] else cells[c].text for c in range(side)]
    if sum(bool(text.strip()) for text in own) != len(path):
        own = _in_columns(path, side)
    values = [cell.text if c < side or origins[c][1] >= side else "" for c, cell in enumerate(cells)][side:]
    if not side and path and values[0].strip() != path[-1]:
        values[0] = _joined((*path, values[0]))
    elif not side and len(path) > 1:
        values[0] = _joined(path)
    if not any(text.strip() for text in own) and side and not path:
        own = [cell.text if c == 0 else "" for c, cell in enumerate(cells[:side])]
    return [*own, *values]


def _in_columns(path: tuple[str, ...], side: int) -> list[str]:
    if not side:
        return []
    surplus = max(0, len(path) - side)
    texts = [_joined(path[: surplus + 1]), *path[surplus + 1 :]]
    return [*texts, *[""] * (side - len(texts))]


def _joined(path: tuple[str, ...]) -> str:
    return SEPARATOR.join([label for label in path if label.strip()])
