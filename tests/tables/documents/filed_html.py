"""Write tables as EDGAR filers do, and hypothesis strategies for tables of figures."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import TypeAlias

from hypothesis import strategies as st

from torr_plugin.tables import Cell, Table

Writer: TypeAlias = Callable[[Table], str]
_PARTS = re.compile(r"(\$?)(.*?)(\)?%?)\Z", re.S)


def workiva(table: Table) -> str:
    """Three columns a column (sign, number, closing sign), three of space; the first row sets widths."""
    unit = 6
    lines = [
        "<tr>"
        + "".join(f'<td style="width:{0.1 + c % 3}%"></td>' for c in range(table.n_columns * unit))
        + "</tr>"
    ]
    for r, row in enumerate(table.placed_rows):
        line = ""
        for c, cell in row:
            line += _workiva_cell(table, r, c, cell)
            line += '<td colspan="3" style="padding:0 1pt"></td>'
        lines.append(f"<tr>{line}</tr>")
    return f'<div><table style="border-collapse:collapse;width:100.000%">{"".join(lines)}</table></div>'


def _workiva_cell(table: Table, r: int, c: int, cell: Cell) -> str:
    reach = 6 * cell.colspan - 3
    down = f' rowspan="{cell.rowspan}"' if cell.rowspan > 1 else ""
    if r < table.header_rows:
        look = "padding:2px 1pt;text-align:center;vertical-align:bottom"
        inner = f'<span style="font-weight:700">{_text(cell.text)}</span>'
        return f'<td colspan="{reach}"{down} style="{look}">{inner}</td>'
    if c == 0:
        indent = 2 + 9 * ((len(cell.text) - len(cell.text.lstrip(" "))) // 2)
        return (
            f'<td colspan="{reach}" style="padding:2px 1pt 2px {indent}pt;text-align:left">'
            f"<span>{_text(cell.text.lstrip(' '))}</span></td>"
        )
    sign, number, close = _split(cell.text)
    head = f"<td>{sign}</td><td>" if sign else '<td colspan="2">'
    fact = f'<ix:nonFraction name="us-gaap:X" contextRef="c{r}">{_text(number)}</ix:nonFraction>'
    return f'{head}{fact}</td><td style="padding:2px 1pt 2px 0">{close}</td>'


def donnelley(table: Table) -> str:
    """A sign, a number, a closing sign and a gap a column, ``&nbsp;`` for blanks, rules between rows."""
    lines = []
    for r, row in enumerate(table.placed_rows):
        line = ""
        for c, cell in row:
            gap = '<TD VALIGN="bottom">&nbsp;&nbsp;</TD>'
            reach = 4 * cell.colspan - 1
            if r < table.header_rows or c == 0:
                indent = (len(cell.text) - len(cell.text.lstrip(" "))) // 2
                style = (
                    f"margin-left:{indent + 1:.2f}em; text-indent:-1.00em" if c == 0 else "text-align:center"
                )
                down = f' ROWSPAN="{cell.rowspan}"' if cell.rowspan > 1 else ""
                line += (
                    f'<TD VALIGN="bottom" COLSPAN="{reach}"{down}><P STYLE="{style}">'
                    f'<FONT SIZE="2">{_text(cell.text.strip(" "))}</FONT></P></TD>{gap}'
                )
            else:
                sign, number, close = (_text(part) or "&nbsp;" for part in _split(cell.text))
                line += f'<TD>{sign}</TD><TD ALIGN="right">{number}</TD><TD NOWRAP>{close}&nbsp;</TD>{gap}'
        lines.append(f"<TR>{line}</TR>\n<TR><TD HEIGHT=8></TD><TD HEIGHT=8 COLSPAN=4></TD></TR>")
    return f'<TABLE CELLSPACING="0" BORDER="0" ALIGN="center">{"".join(lines)}</TABLE>'


def toppan(table: Table) -> str:
    """A sign, a number with an open parenthesis, a closing sign and a space a column; ``<FONT>``."""
    lines = []
    for r, row in enumerate(table.placed_rows):
        line = "".join([_toppan_cell(cell, r < table.header_rows, c == 0) for c, cell in row])
        lines.append(f'<TR STYLE="vertical-align: bottom; background-color: rgb(204,238,255)">{line}</TR>')
    return f'<TABLE CELLSPACING="0" STYLE="font: 10pt Times New Roman; width: 100%">{"".join(lines)}</TABLE>'


def _toppan_cell(cell: Cell, is_header: bool, is_label: bool) -> str:
    space = "<TD>&#160;</TD>"
    if is_header:
        look = 'STYLE="font-weight: bold; text-align: center; border-bottom: Black 1.5pt solid"'
        spans = f'COLSPAN="{4 * cell.colspan - 1}" ROWSPAN="{cell.rowspan}"'
        return f"<TD {spans} {look}><B>{_text(cell.text)}</B></TD>{space}"
    if is_label:
        indent = 0.125 * ((len(cell.text) - len(cell.text.lstrip(" "))) // 2)
        look = f'STYLE="text-indent: -0.125in; padding-left: {indent + 0.125}in"'
        return f'<TD COLSPAN="3" {look}><FONT>{_text(cell.text.strip(" "))}</FONT></TD>{space}'
    return "".join([f"<TD>{_text(part) or '&nbsp;'}</TD>" for part in _split(cell.text)]) + space


def _split(text: str) -> tuple[str, str, str]:
    match = _PARTS.match(text)
    assert match is not None
    return match[1], match[2], match[3]


def _text(text: str) -> str:
    return html.escape(text)


_LABELS = st.sampled_from(
    [
        "Products",
        "Services (1)",
        "Cost of sales",
        "R&D",
        "Net (loss) income",
        "Total",
        "Cash",
        "Other, net",
        "2019 Notes",
    ]
)
_NUMBERS = st.one_of(
    st.integers(0, 99_999).map(lambda n: f"{n:,}"),
    st.integers(1, 99_999).map(lambda n: f"({n:,})"),
    st.integers(0, 999).map(lambda n: f"{n / 10:.1f}%"),
    st.integers(1, 999).map(lambda n: f"({n / 10:.1f})%"),
    st.integers(0, 9_999).map(lambda n: f"${n:,}"),
    st.integers(1, 9_999).map(lambda n: f"$({n:,})"),
    st.sampled_from(["\u2014", "$\u2014", "-", "N/A"]),
)


@st.composite
def figures(draw: st.DrawFn) -> Table:
    """Tables of figures as filings have them: years under spans, units, sections, indented rows."""
    groups = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    width = sum(groups)
    years = [str(2024 - n) for n in range(width)]
    corner = draw(st.sampled_from(["", "(In millions)", "December 31,"]))
    head = [[Cell(corner), *map(Cell, years)]]
    if draw(st.booleans()):
        parents = draw(st.permutations(["Year ended", "Assets", "Three Months Ended June 30,"]))
        head.insert(0, [Cell(""), *[Cell(text, 1, n) for text, n in zip(parents, groups, strict=False)]])
    body = []
    level = 0
    for _ in range(draw(st.integers(2, 5))):
        body.append([Cell("  " * level + draw(_LABELS)), *[Cell(draw(_NUMBERS)) for _ in range(width)]])
        level = draw(st.integers(0, level + 1))
    if draw(st.booleans()):
        body.insert(0, [Cell("Assets:"), *[Cell("")] * width])
    return Table(tuple(map(tuple, [*head, *body])), header_rows=len(head), header_columns=1)
