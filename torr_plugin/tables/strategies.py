"""Hypothesis strategies of tables, for our tests and for authors of serializers and perturbations.

Hypothesis is imported with this module, which nothing in the package imports.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from ._hierarchical_strategy import hierarchical_tables
from .table import Cell, Scalar, Table

__all__ = ["cells", "flat_tables", "hierarchical_tables", "scalars", "spanned_rows", "tables", "texts"]

# what one format or another trips over, by kind
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
    """Cell texts: what formats trip over, and any Unicode but NUL, which HTML forbids."""
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
    told = st.fixed_dictionaries({"title": texts(), "notes": st.lists(texts(), max_size=2).map(tuple)})
    return st.one_of(st.just(plain), told)
