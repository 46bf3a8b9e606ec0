"""The tree of headers on one axis of a table: nesting, paths, depth.

The terms are those of HCT-QA's Appendix A: columns are nested if a header cell is above others; rows, if one
is to the left of others, or above them in rows that are indented or grouped under a label.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from .table import CellStyle, Table


@dataclass(frozen=True, slots=True)
class HeaderNode:
    """A header label and the labels under it.

    ``start`` and ``stop`` are the grid columns that it covers (in a row tree the rows), ``stop`` excluded.
    The label is blank for a column without a header, and for the own line of a row that is the parent of
    rows below it.
    """

    label: str
    start: int
    stop: int
    children: tuple[HeaderNode, ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether labels lie under this one."""
        return any(child.label for child in self.children)


@dataclass(frozen=True)
class HeaderTree:
    """The header nodes of one axis: ``roots`` cover the body's columns (or rows) in order without a gap."""

    roots: tuple[HeaderNode, ...]

    @cached_property
    def _branches(self) -> tuple[tuple[tuple[str, ...], HeaderNode], ...]:
        """Every leaf, in order, with the labels on the way to it."""
        return tuple(walk(self.roots))

    @property
    def nodes(self) -> Iterator[HeaderNode]:
        """All nodes, parents before their children."""
        stack = list(self.roots)
        while stack:
            node = stack.pop()
            yield node
            stack += node.children

    @property
    def leaves(self) -> tuple[HeaderNode, ...]:
        """The nodes without children, in order; a merged one covers several columns (or rows)."""
        return tuple([leaf for _, leaf in self._branches])

    @property
    def paths(self) -> tuple[tuple[str, ...], ...]:
        """For each leaf, in order, the labels from the outermost in; a leaf without labels has ``()``."""
        return tuple([path for path, _ in self._branches])

    @property
    def depth(self) -> int:
        """The number of labels on the longest path."""
        return max((len(path) for path, _ in walk(self.roots)), default=0)

    @property
    def is_nested(self) -> bool:
        """Whether any label lies under another."""
        return any(root.is_nested for root in self.roots)


def walk(roots: Sequence[HeaderNode]) -> Iterator[tuple[tuple[str, ...], HeaderNode]]:
    """The leaves in order with their paths, without recursion: a header can be as deep as a file is long."""
    stack: list[tuple[tuple[str, ...], HeaderNode]] = [((), node) for node in reversed(roots)]
    while stack:
        above, node = stack.pop()
        path = (*above, node.label) if node.label else above
        if not node.children:
            yield path, node
        stack += [(path, child) for child in reversed(node.children)]


__all__ = ["HeaderNode", "HeaderTree", "column_tree", "label_rows", "label_style", "row_tree"]

_Open: TypeAlias = "tuple[tuple[int, bool], HeaderNode, list[HeaderNode]]"


def column_tree(table: Table) -> HeaderTree:
    """The tree of the header rows over the columns of the body (the corner belongs to no tree).

    Merged cells show which labels belong together. In a header row without any, a blank continues the label
    on its left if that has labels under it, else the label above: the canonical layout of HCT-QA, with a
    parent above its leftmost child.
    """
    lines = _lines(table, range(table.header_rows), range(table.header_columns, table.n_columns), by_row=True)
    return HeaderTree(_nodes(lines, table.header_columns, indented=False))


def row_tree(table: Table) -> HeaderTree:
    """The tree of the header columns over the rows of the body.

    As for columns. Rows can also be written below their parent: after a blank first header cell, with leading
    spaces in the first header column, or below a row with only a label. Such a parent covers its own line,
    whose leaf has a blank label.
    """
    lines = _lines(table, range(table.header_columns), range(table.header_rows, table.n_rows), by_row=False)
    return HeaderTree(_grouped(table, _nodes(lines, table.header_rows, indented=True)))


# labels by level


@dataclass(frozen=True, slots=True)
class _Lines:
    """The labels by level; equal neighbours in ``cells`` are one cell, ``merged`` marks levels with such."""

    labels: list[list[str]]
    cells: list[list[object]]
    merged: list[bool]


def _lines(table: Table, levels: range, places: range, *, by_row: bool) -> _Lines:
    labels: list[list[str]] = []
    cells: list[list[object]] = []
    grid, origins = table.grid, table.origins
    for level in levels:
        at = [(level, place) if by_row else (place, level) for place in places]
        own: list[object] = [origins[r][c] for r, c in at]
        above = cells[-1] if cells else []
        texts = [grid[r][c].text.strip() for r, c in at]
        # a cell that reaches down from the level above is named there
        labels.append([text if not above or above[i] != own[i] else "" for i, text in enumerate(texts)])
        cells.append(own)
    merged = [any(a == b for a, b in pairwise(row)) for row in cells]
    if not labels:
        return _Lines([[""] * len(places)], [list(places)], [False])
    return _Lines(labels, cells, merged)


def _labelled_below(labels: Sequence[Sequence[str]]) -> list[list[bool]]:
    """For each level and place, whether a deeper level has a label there."""
    below = [[False] * len(labels[0])]
    for line in reversed(labels[1:]):
        below.append([known or bool(text) for known, text in zip(below[-1], line, strict=True)])
    return below[::-1]


def _starts(lines: _Lines, indented: bool) -> list[list[int]]:
    """For each level the places where a node begins; a parent's edge is its children's too."""
    below = _labelled_below(lines.labels)
    found: list[list[int]] = []
    edges: set[int] = set()
    for labels, cells, deeper, merged in zip(lines.labels, lines.cells, below, lines.merged, strict=True):
        starts = [0]
        for place in range(1, len(labels)):
            joined = cells[place] == cells[place - 1] or (
                not labels[place]
                and deeper[place]
                and bool(labels[starts[-1]])
                and (indented if not deeper[starts[-1]] else not merged)
            )
            if place in edges or not joined:
                starts.append(place)
        found.append(starts)
        edges = set(starts)
    return found


def _nodes(lines: _Lines, offset: int, *, indented: bool) -> tuple[HeaderNode, ...]:
    """The nodes of the outermost level, built from the innermost outwards."""
    size = len(lines.labels[0])
    inner: list[HeaderNode] = []
    for labels, starts in zip(reversed(lines.labels), reversed(_starts(lines, indented)), strict=True):
        stops = [*starts[1:], size]
        outer: list[HeaderNode] = []
        position = 0
        for start, stop in zip(starts, stops, strict=True):
            first = position
            while position < len(inner) and inner[position].start < stop + offset:
                position += 1
            outer += _node(labels[start], start + offset, stop + offset, inner[first:position])
        inner = outer
    return tuple(inner)


def _node(label: str, start: int, stop: int, children: Sequence[HeaderNode]) -> Sequence[HeaderNode]:
    """The node of a label; a blank label is replaced by its children."""
    named = any(child.label for child in children)
    if not label and children and (named or len(children) > 1):
        return children
    return [HeaderNode(label, start, stop, tuple(children) if named else ())]


# rows below their parent


def _is_label_row(table: Table, r: int) -> bool:
    """Whether a row's only text is in its first cell, which may cover the others."""
    row, origins = table.grid[r], table.origins[r]
    return (
        len(row) > 1
        and bool(row[0].text.strip())
        and origins[0][0] == r
        and all(
            origin == origins[0] or not cell.text.strip() for cell, origin in zip(row, origins, strict=True)
        )
    )


def _spanning_label(table: Table, r: int) -> str:
    """The text of a row's only cell beside blank header cells, such as a unit; empty in other rows.

    It is merged over all columns of the body. A corner that reaches down into the row counts as blank.
    """
    side = table.header_columns
    row, origins = table.grid[r], table.origins[r]
    if not 0 < side < len(row) - 1 or len(set(origins[side:])) > 1 or origins[side] != (r, side):
        return ""
    beside = zip(row[:side], origins[:side], strict=True)
    is_blank = all(origin[0] < table.header_rows or not cell.text.strip() for cell, origin in beside)
    return row[side].text.strip() if is_blank else ""


def label_rows(table: Table) -> tuple[int, ...]:
    """The body rows with nothing but the label of a row group.

    It is in the first cell, or, beside blank header cells, in one that covers the other columns.
    """
    rows = range(table.header_rows, table.n_rows)
    return tuple([r for r in rows if _is_label_row(table, r) or _spanning_label(table, r)])


def label_style(table: Table, node: HeaderNode) -> CellStyle | None:
    """The style of the cell that has the label of a node of the row tree; None without one."""
    if not node.label:
        return None
    cells = table.grid[node.start][: max(1, table.header_columns)]
    return next((cell.style for cell in cells if cell.text.strip() == node.label), None)


def _grouped(table: Table, roots: Sequence[HeaderNode]) -> tuple[HeaderNode, ...]:
    """Put rows under the group label above them, and indented rows under the less indented one.

    A label that spans the body's columns is over all other rows up to the next one.
    """
    labels = set(label_rows(table))
    open_nodes: list[_Open] = []
    found: list[HeaderNode] = []

    def close() -> None:
        _, node, children = open_nodes.pop()
        (open_nodes[-1][2] if open_nodes else found).append(_parent(node, children))

    for root, level in zip(roots, _levels(table, roots), strict=True):
        is_label = root.start in labels
        text, spanning = table.grid[root.start][0].text, _spanning_label(table, root.start)
        rank = (_OUTERMOST if spanning else level, not is_label)
        while open_nodes and (open_nodes[-1][0] >= rank or _ends(table, open_nodes[-1], text)):
            close()
        label = spanning or text.strip()
        node = HeaderNode(label, root.start, root.stop, root.children) if is_label else root
        open_nodes.append((rank, node, []))
    while open_nodes:
        close()
    return tuple(found)


_OUTERMOST = -1


def _levels(table: Table, roots: Sequence[HeaderNode]) -> list[int]:
    """How far in each row begins; a row without any text is as far in as the next one with some."""
    found, following = [], 0
    for root in reversed(roots):
        row = table.grid[root.start]
        if any(cell.text.strip() for cell in row):
            following = indentation(row[0].text) if table.header_columns else 0
        found.append(following)
    return found[::-1]


def _ends(table: Table, group: _Open, text: str) -> bool:
    """Whether a row's first text shows that it is not in a group.

    It does in a group whose rows leave that place blank, and, not indented, in one whose rows are.
    """
    (level, is_row), node, below = group
    inside = next((child for child in (*node.children, *below) if child.label), None)
    if inside is None or not text.strip() or level == _OUTERMOST:
        return False
    first = table.grid[inside.start][0].text
    indented = not is_row and table.header_columns > 0 and indentation(first) > level >= indentation(text)
    return indented or not first.strip()


def _parent(node: HeaderNode, children: Sequence[HeaderNode]) -> HeaderNode:
    if not children:
        return node
    own = node.children or (HeaderNode("", node.start, node.stop),)
    return HeaderNode(node.label, node.start, children[-1].stop, (*own, *children))


def indentation(text: str) -> int:
    """The spaces before a label, by which people write rows under others."""
    return len(text) - len(text.lstrip()) if text.strip() else 0
