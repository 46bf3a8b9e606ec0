"""A hypothesis strategy of tables as people lay them out: header trees on both axes, groups, aggregates."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from .table import Cell, Table

_WORDS = (
    "Male",
    "Female",
    "Doha",
    "Al Khor",
    "2019",
    "2020/2021",
    "Q1",
    "Total",
    "x, y",
    'a "b"',
    "#1",
    "é",
    "1",
)
_LAYOUTS = ("plain", "new", "indent", "labels")


@dataclass(frozen=True)
class _Node:
    label: str
    children: tuple[_Node, ...] = ()

    @property
    def leaves(self) -> int:
        return sum(child.leaves for child in self.children) or 1

    @property
    def depth(self) -> int:
        return 1 + max((child.depth for child in self.children), default=0)


@st.composite
def hierarchical_tables(
    draw: st.DrawFn,
    layouts: tuple[str, ...] = _LAYOUTS,
    blank_corner: bool | None = None,
    labels: st.SearchStrategy[str] | None = None,
) -> Table:
    """Tables whose headers are trees, balanced or not, with aggregates at the edges; no label is empty.

    Args:
        draw: hypothesis's.
        layouts: of the rows: ``plain`` (one header column), ``new`` (parents in columns of their own, over
            their children's rows), ``indent`` (a parent's row, then its children behind an empty cell),
            ``labels`` (groups under a row of one cell that spans the table).
        blank_corner: whether the corner is one empty cell; else it is one label a header column. Drawn where
            None.
        labels: what labels are drawn from.
    """
    words = labels or st.sampled_from(_WORDS)
    columns = draw(_forest(words, levels=3))
    layout = draw(st.sampled_from(layouts))
    rows = draw(_forest(words, levels=1 if layout == "plain" else 2 if layout == "labels" else 3))
    height = max(node.depth for node in columns)
    width = 1 if layout in ("plain", "labels") else max(node.depth for node in rows)
    blank = draw(st.booleans()) if blank_corner is None else blank_corner
    lines = _head(columns, height)
    lines[0][:0] = [Cell("", height, width)] if blank else [Cell(draw(words), height) for _ in range(width)]
    sides = [line for node in rows for line in _SIDES[layout](node, width)]
    n_columns = sum(node.leaves for node in columns)
    for side in sides:
        values = draw(st.lists(_VALUES, min_size=n_columns, max_size=n_columns))
        is_label = layout == "labels" and side[0].colspan != 1
        lines.append([Cell(side[0].text, 1, width + n_columns)] if is_label else [*side, *map(Cell, values)])
    return Table(tuple(map(tuple, lines)), header_rows=height, header_columns=width)


_VALUES = st.one_of(st.integers(0, 5000).map(str), st.sampled_from(["12.50", "1,204", "-3", "7 %"]))


@st.composite
def _forest(draw: st.DrawFn, words: st.SearchStrategy[str], levels: int) -> tuple[_Node, ...]:
    roots = list(draw(st.lists(_nodes(words, levels), min_size=1, max_size=3)))
    place = draw(st.sampled_from(["none", "first", "last"]))
    if place != "none":
        roots.insert(0 if place == "first" else len(roots), _Node("Total"))
    return tuple(roots)


@st.composite
def _nodes(draw: st.DrawFn, words: st.SearchStrategy[str], levels: int) -> _Node:
    label = draw(words)
    if levels == 1 or draw(st.integers(0, 3)) == 0:
        return _Node(label)
    return _Node(label, tuple(draw(st.lists(_nodes(words, levels - 1), min_size=1, max_size=3))))


def _head(roots: tuple[_Node, ...], height: int) -> list[list[Cell]]:
    lines: list[list[Cell]] = [[] for _ in range(height)]

    def place(node: _Node, level: int) -> None:
        lines[level].append(Cell(node.label, 1 if node.children else height - level, node.leaves))
        for child in node.children:
            place(child, level + 1)

    for root in roots:
        place(root, 0)
    return lines


def _beside(node: _Node, width: int) -> list[list[Cell]]:
    """Parents to the left of their children, over all of their rows; a leaf reaches to the values."""
    if not node.children:
        return [[Cell(node.label, 1, width)]]
    lines = [line for child in node.children for line in _beside(child, width - 1)]
    return [[Cell(node.label, len(lines)), *lines[0]], *lines[1:]]


def _indented(node: _Node, width: int) -> list[list[Cell]]:
    """A parent in a row of its own, its children below it behind an empty cell."""
    below = [line for child in node.children for line in _indented(child, width - 1)]
    return [[Cell(node.label, 1, width)], *[[Cell(""), *line] for line in below]]


def _labelled(node: _Node, _: int) -> list[list[Cell]]:
    """A parent in a row that is all its own (told by its span), its children in rows below."""
    if not node.children:
        return [[Cell(node.label)]]
    return [[Cell(node.label, 1, 2)], *[[Cell(child.label)] for child in node.children]]


_SIDES = {
    "plain": lambda node, _: [[Cell(node.label)]],
    "new": _beside,
    "indent": _indented,
    "labels": _labelled,
}
