"""A document as HTML of the kind that filers send to EDGAR: for readers, not for programs.

No element says what is a heading, a header cell or a data table. A figure is spread over cells of its own for
the currency sign, the digits, and the closing parenthesis or per cent sign, with empty cells between columns;
row labels are indented by padding; figures carry inline XBRL tags; page numbers, page breaks, a table of
contents and bullets laid out with tables stand between the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import count
from random import Random

from ...tables import Table
from ...tables.documents import Block, Document, TextBlock
from .sheet import INDENT

PAGE_SIZE = 3_000
"""Characters of text, markup apart, after which a page ends."""

_LEAST_LINKED = 4
"""Pages of the shortest filing whose pages link back to the contents."""

_FIGURE = re.compile(r"(\$)?(\(?)([\d,]+(?:\.\d+)?|\u2014)(\)?)(%?)")
_MARK = re.compile(r"(.*\S) (\(\d+\))")


@dataclass(frozen=True, slots=True)
class _Style:
    """How a filer writes: the element of a paragraph, its font, whether empty cells separate columns."""

    paragraph: str
    font: str
    spacers: bool
    sized: bool
    note_tables: bool
    shade: str


def _style(random: Random) -> _Style:
    size = random.choice((9, 10))
    return _Style(
        paragraph=random.choice(("div", "p")),
        font=f"font-family:{random.choice(('Arial,sans-serif', 'Times New Roman,serif'))};font-size:{size}pt",
        spacers=random.random() < 0.75,
        sized=random.random() < 0.5,
        note_tables=random.random() < 0.5,
        shade=random.choice(("background-color:#cceeff;", "")),
    )


def edgar_html(document: Document, *, seed: int = 0) -> str:
    """The document as a filer would send it; ``seed`` draws the filer's habits.

    Every table's header is above, and its labels in the first column. Reading it back with
    :func:`torr_plugin.tables.documents.read_filing` gives the same tables.
    """
    style = _style(Random(seed))  # noqa: S311
    numbers = count(1)
    parts = [_head(document.title), *_cover(document, style)]
    sizes = [len(b.text) if isinstance(b, TextBlock) else _text_size(b) for b in document.blocks]
    back = _back(style) if sum(sizes) > _LEAST_LINKED * PAGE_SIZE else ""
    filled, page = 0, count(1)
    for block, size in zip(document.blocks, sizes, strict=True):
        parts.append("".join(_block(block, style, numbers)))
        filled += size
        if filled >= PAGE_SIZE:
            parts.append(f"{_page_number(next(page), style)}{_PAGE_BREAK}{back}")
            filled = 0
    return "\n".join([*parts, "</body></html>\n"])


def _text_size(table: Table) -> int:
    return sum(len(cell.text) + 1 for row in table.rows for cell in row)


def _head(title: str) -> str:
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL" '
        'xmlns:us-gaap="http://fasb.org/us-gaap/2023">'
        f'<head><meta http-equiv="Content-Type" content="text/html"/><title>{escape(title)}</title></head>\n'
        '<body><div style="display:none"><ix:header><ix:hidden><ix:nonNumeric contextRef="c-1" '
        'name="dei:AmendmentFlag" id="f-0">false</ix:nonNumeric></ix:hidden><ix:resources>'
        '<xbrli:context id="c-1"><xbrli:entity>'
        '<xbrli:identifier scheme="http://www.sec.gov/CIK">0000000000</xbrli:identifier></xbrli:entity>'
        "</xbrli:context></ix:resources></ix:header></div>"
    )


def _cover(document: Document, style: _Style) -> Iterator[str]:
    """A table of contents, laid out with a table whose entries are links, and a page break."""
    items = [
        block.text
        for block in document.blocks
        if isinstance(block, TextBlock) and block.kind == "heading" and block.text.startswith("Item ")
    ]
    if not items:
        return
    yield _paragraph("Table of Contents", style, "text-align:center", bold=True)
    rows = "".join(
        f'<tr><td style="padding:2px 1pt"><a href="#i{at}">{escape(item.split(". ")[0])}.</a></td>'
        f'<td style="padding:2px 1pt"><a href="#i{at}">{escape(item.split(". ", 1)[1])}</a></td>'
        f'<td style="text-align:right"><a href="#i{at}">{3 + 4 * at}</a></td></tr>'
        for at, item in enumerate(items)
    )
    yield f'<table style="border-collapse:collapse;width:100%">{rows}</table>'
    yield _PAGE_BREAK


_PAGE_BREAK = '<hr style="page-break-after:always"/>'


def _page_number(page: int, style: _Style) -> str:
    return f'<div style="text-align:center"><span style="{style.font}">{page}</span></div>'


def _back(style: _Style) -> str:
    """The link at the top of each page of a filing of several."""
    return f'<div><a href="#toc" style="{style.font};color:#0000ff">Table of Contents</a></div>'


def _block(block: Block, style: _Style, numbers: Iterator[int]) -> Iterator[str]:
    if isinstance(block, Table):
        yield _table(block, style, numbers)
        for note in block.notes:
            yield _note(note, style)
    elif block.kind == "heading":
        centred = "text-align:center" if block.level == 3 else "margin-top:12pt"
        yield _paragraph(block.text, style, centred, bold=True, size=14 - block.level)
    else:
        yield _paragraph(block.text, style, "text-indent:24pt;text-align:justify")


def _paragraph(text: str, style: _Style, css: str, *, bold: bool = False, size: int = 0) -> str:
    weight = ";font-weight:700" if bold else ""
    bigger = f";font-size:{size}pt" if size else ""
    inner = f'<span style="{style.font}{bigger}{weight}">{_escaped(text)}</span>'
    return f'<{style.paragraph} style="{css}">{inner}</{style.paragraph}>'


def _escaped(text: str) -> str:
    return escape(text, quote=False).replace("\u2014", "&#8212;").replace("'", "&#39;")


def _note(note: str, style: _Style) -> str:
    """A note under a table: a paragraph, or a table that sets the mark off from the text."""
    mark, _, text = note.partition(" ")
    if not style.note_tables:
        return f'<div><span style="{style.font};font-size:8pt">{_escaped(note)}</span></div>'
    return (
        '<table style="border-collapse:collapse"><tr>'
        f'<td style="width:18pt;vertical-align:top"><span style="{style.font}">{mark}</span></td>'
        f'<td><span style="{style.font}">{_escaped(text)}</span></td></tr></table>'
    )


# tables


def _table(table: Table, style: _Style, numbers: Iterator[int]) -> str:
    rows = [_sizes(table, style)] if style.sized else []
    for r, row in enumerate(table.placed_rows):
        label, *rest = [cell for _, cell in row]
        if r < table.header_rows:
            cells = [_corner(label.text, style)]
            cells += [_header(cell.text, cell.colspan, style) for cell in rest]
        else:
            cells = [_label(label.text, style)]
            cells += [_figure(cell.text, style, numbers) for cell in rest]
        shade = style.shade if r % 2 and r >= table.header_rows else ""
        rows.append(f'<tr style="{shade}">{"".join(cells)}</tr>')
    return (
        '<div><table style="border-collapse:collapse;display:inline-table;width:100%">'
        f"{''.join(rows)}</table></div>"
    )


_EMPTY = '<td style="padding:0 1pt"></td>'
_SPACER = '<td style="padding:0 5pt">&#160;</td>'


def _sizes(table: Table, style: _Style) -> str:
    """A row without text that gives every cell its width, as some programs write it first."""
    width = 3 + (1 if style.spacers else 0)
    cells = '<td style="width:1.0%"></td>' + '<td style="width:0.5%"></td>' * (width * (table.n_columns - 1))
    return f"<tr>{cells}</tr>"


def _spacer(style: _Style) -> str:
    return _SPACER if style.spacers else ""


def _corner(text: str, style: _Style) -> str:
    inner = f'<span style="{style.font};font-style:italic">{_escaped(text)}</span>' if text else "&#160;"
    return f'<td style="padding:2px 1pt">{inner}</td>'


def _header(text: str, columns: int, style: _Style) -> str:
    """A header cell over its columns' cells and what is between them."""
    width = 3 * columns + (columns - 1 if style.spacers else 0)
    line = "border-bottom:1pt solid #000;" if text else ""
    inner = f'<span style="{style.font};font-weight:700">{_escaped(text)}</span>' if text else "&#160;"
    return f'{_spacer(style)}<td colspan="{width}" style="{line}text-align:center">{inner}</td>'


def _label(text: str, style: _Style) -> str:
    label = text.lstrip(" ")
    level = (len(text) - len(label)) // len(INDENT)
    match = _MARK.fullmatch(label)
    inner = _escaped(label)
    if match:
        inner = f'{_escaped(match[1])} <sup style="font-size:6pt">{match[2]}</sup>'
    return (
        f'<td style="padding:2px 1pt;padding-left:{2 + 12 * level}pt;text-align:left">'
        f'<span style="{style.font}">{inner}</span></td>'
    )


def _figure(text: str, style: _Style, numbers: Iterator[int]) -> str:
    """Three cells: currency sign, digits with an opening parenthesis, the sign that closes the figure."""
    match = _FIGURE.fullmatch(text)
    if match is None:
        inner = f'<span style="{style.font}">{_escaped(text)}</span>' if text else "&#160;"
        return f'{_spacer(style)}<td colspan="3" style="text-align:right">{inner}</td>'
    sign, opening, digits, closing, percent = match.groups(default="")
    tagged = _tagged(digits, next(numbers), negative=bool(opening), percent=bool(percent))
    return (
        f"{_spacer(style)}{_small(sign, style, 'left')}"
        f'<td style="text-align:right"><span style="{style.font}">{opening}{tagged}</span></td>'
        f"{_small(closing + percent, style, 'left')}"
    )


def _small(text: str, style: _Style, align: str) -> str:
    if not text:
        return _EMPTY
    return f'<td style="text-align:{align}"><span style="{style.font}">{text}</span></td>'


def _tagged(digits: str, number: int, *, negative: bool, percent: bool) -> str:
    """Digits inside an inline XBRL element."""
    if digits == "\u2014":
        return "&#8212;"
    sign = ' sign="-"' if negative else ""
    unit = "number" if percent else "usd"
    return (
        f'<ix:nonFraction unitRef="{unit}" contextRef="c-1" decimals="-6" name="us-gaap:Amount" '
        f'format="ixt:num-dot-decimal"{sign} id="f-{number}">{digits}</ix:nonFraction>'
    )
