"""Hypothesis strategies for tables, for tests of serializers and perturbations, ours and plugins'.

Hypothesis is imported with this module, which nothing in the package imports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from .table import Cell, Scalar, Table

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
    words = st.sampled_from(_WORDS) if labels is None else labels
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
    """A parent in a row of its own (marked by its span), its children in rows below."""
    if not node.children:
        return [[Cell(node.label)]]
    return [[Cell(node.label, 1, 2)], *[[Cell(child.label)] for child in node.children]]


_SIDES = {
    "plain": lambda node, _: [[Cell(node.label)]],
    "new": _beside,
    "indent": _indented,
    "labels": _labelled,
}


__all__ = ["cells", "flat_tables", "hierarchical_tables", "scalars", "spanned_rows", "tables", "texts"]

# texts that break one format or another, by kind
NASTY = (
    *("", " ", "  ", "a", "a b", " a", "a ", "a  b", "\t", "a\tb", "\n", "a\nb", "a \n b", "\r", "\r\n"),
    *("\u00a0", "\u00a0a", "\u2028", "\x85", "\x0b", "\x0c", "\x1c", "\u200b", "\ufeff", "\u0301", "\x7f"),
    *("|", "a|b", "||", "a | b", "\\", "\\|", "\\n", "a\\", "---", ":---:", "<br>", "<BR/>", "\\<br>", "&"),
    *("&amp;", "&#32;", "&#10", "&nbsp;", "<td>", "</table>", "<!-- x -->", "-->", "--\\>", "<", ">", "<b>&"),
    *('"', '""', "'", '"a"', ",", 'a,"b"', "#", "# title: x", "# header rows: 2", "#a", "{", "[]", "null"),
    *("col : ", "col :", "row 1 : ", "row 1 :", " row 2 : x", "row", "row 1", ": a", ":", "col", "\\:"),
    *("1", "-1", "1.0", "1e5", "NaN", "None", "True", "0x1", "\u0661", "A1:B1", "__", "e\u0301", "\ufffe"),
    *("שלום", "日本語", "🏳️‍🌈", "é", "İ", "&lt", "&#0;", "a\r\nb", "row 10 : |"),
)  # fmt: skip


def texts() -> st.SearchStrategy[str]:
    """Cell texts: troublesome ones, and any Unicode but NUL, which HTML forbids."""
    letters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
    pieces = st.sampled_from(NASTY)
    return st.one_of(
        pieces, st.text(letters, max_size=8), st.lists(pieces, min_size=2, max_size=3).map("".join)
    )


def scalars() -> st.SearchStrategy[Scalar]:
    """Raw values as data sets hold them: texts, numbers (infinite ones too), booleans, ``None``."""
    numbers = st.one_of(st.integers(-(2**40), 2**40), st.floats(width=32), st.booleans(), st.none())
    return st.one_of(texts(), texts(), numbers)


def cells() -> st.SearchStrategy[Cell]:
    """Cells that cover one place."""
    return scalars().map(Cell.of)


@st.composite
def flat_tables(draw: st.DrawFn, max_rows: int = 4, max_columns: int = 4, notes: bool = True) -> Table:
    """Tables of one header row, no header column and no spans, with numbers among the cells."""
    width = draw(st.integers(1, max_columns))
    header: list[Scalar] = list(draw(st.lists(texts(), min_size=width, max_size=width)))
    rows = draw(st.lists(st.lists(scalars(), min_size=width, max_size=width), min_size=1, max_size=max_rows))
    return Table.flat(header, rows, **(draw(_surroundings()) if notes else {}))


@st.composite
def tables(draw: st.DrawFn, max_rows: int = 5, max_columns: int = 5) -> Table:
    """Any table: merged cells (across the header's edges too), header depth on both axes, title, notes."""
    if draw(st.integers(0, 3)) == 0:
        return draw(flat_tables())
    height, width = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    return Table(
        draw(spanned_rows(height, width)),
        header_rows=draw(st.integers(0, height - 1)),
        header_columns=draw(st.integers(0, width - 1)),
        **draw(_surroundings()),
    )


@st.composite
def spanned_rows(draw: st.DrawFn, height: int, width: int) -> tuple[tuple[Cell, ...], ...]:
    """Rows that fill a rectangle with cells of random spans; a row that is covered whole is empty."""
    merges = draw(st.booleans())
    free = [[True] * width for _ in range(height)]
    rows: list[tuple[Cell, ...]] = []
    for r in range(height):
        row = []
        for c in range(width):
            if not free[r][c]:
                continue
            room = next((i for i in range(c, width) if not free[r][i]), width) - c
            across = draw(st.integers(1, room)) if merges else 1
            down = draw(st.integers(1, height - r)) if merges else 1
            for i in range(r, r + down):
                free[i][c : c + across] = [False] * across
            value = draw(scalars())
            row.append(Cell.of(value, down, across))
        rows.append(tuple(row))
    return tuple(rows)


def _surroundings() -> st.SearchStrategy[dict[str, Any]]:
    plain: dict[str, Any] = {}
    filled = st.fixed_dictionaries({"title": texts(), "notes": st.lists(texts(), max_size=2).map(tuple)})
    return st.one_of(st.just(plain), filled)
