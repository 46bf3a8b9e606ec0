"""Tables as PNG pictures, drawn by typst (extra ``image``)."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from ..core.errors import InputError
from ..core.installing import install_hint
from .serializers.base import PictureSerializer
from .table import Cell, Table

TEMPLATE = b"""
#let data = json(bytes(sys.inputs.table))
#set page(width: auto, height: auto, margin: 8pt, fill: white)
#set text(size: 10pt, fill: black, lang: "en", hyphenate: false)
#set par(leading: 0.45em, justify: false)
#let lines(texts) = texts.map(text).join(linebreak())
#let room(width, body) = if width == none { body } else { block(width: width * 1pt, body) }
#let sides = (left: left, center: center, right: right)
#let shown(cell) = table.cell(
  x: cell.x, y: cell.y, rowspan: cell.rowspan, colspan: cell.colspan,
  align: sides.at(cell.align) + horizon,
  fill: if cell.head and data.borders { luma(238) } else { none },
  room(cell.width, if cell.head { strong(lines(cell.lines)) } else { lines(cell.lines) }),
)
#let grid = table(
  columns: (auto,) * data.columns,
  inset: (x: 5pt, y: 4pt),
  stroke: if data.borders { 0.5pt + luma(90) } else { none },
  ..data.cells.map(shown),
  ..data.rules.map(y => table.hline(y: y, stroke: 0.8pt)),
)
#let beside(texts) = context block(width: calc.max(measure(grid).width, 160pt), lines(texts))
#if data.title.len() > 0 { text(weight: "bold", beside(data.title)) }
#grid
#for note in data.notes { text(size: 8.5pt, beside(note)) }
"""


_MOST_PLACES = 20_000
_MOST_PIXELS = 100_000_000
_LONGEST = 2_000  # characters of a text
_WIDEST = 240.0  # points; longer texts are wrapped
_is_number = re.compile(r"[-+(]?\s?[$€£]?\s?[0-9][0-9., ]*%?\)?").fullmatch
_LONG_WORD = re.compile(r"\S{30}(?=\S)")  # a zero-width space behind it lets it go on in the next line
_FORBIDDEN = dict.fromkeys((*range(55296, 57344), 0), 65533)


def described(table: Table, *, borders: bool, ppi: int) -> dict[str, Any]:
    """The table as plain data.

    Raises:
        InputError: too many places or pixels, or a resolution out of range.
    """
    places = table.n_rows * table.n_columns
    if places > _MOST_PLACES:
        raise InputError(
            f"the table has {places} places; expected at most {_MOST_PLACES} for a picture, use a text format"
        )
    cells = [_cell(table, cell, r, c) for r, row in enumerate(table.placed_rows) for c, cell in row]
    title = _lines(table.title, "the title") if table.title else []
    notes = [_lines(note, f"note {index}") for index, note in enumerate(table.notes)]
    _check_size(table, cells, sum(map(len, notes)) + len(title), ppi)
    rules = [] if borders else sorted({0, table.header_rows, table.n_rows})
    return {
        "columns": table.n_columns,
        "cells": cells,
        "rules": rules,
        "borders": borders,
        "title": title,
        "notes": notes,
    }


def _cell(table: Table, cell: Cell, r: int, c: int) -> dict[str, Any]:
    in_head, in_side = r < table.header_rows, c < table.header_columns
    lines = _lines(cell.text, f"the cell in row {r}, column {c}")
    align = "right" if _is_number(cell.text) and not in_side else "left"
    return {
        "x": c,
        "y": r,
        "rowspan": cell.rowspan,
        "colspan": cell.colspan,
        "head": in_head or in_side,
        "align": "center" if in_head and (cell.colspan > 1 or not in_side) else align,
        "lines": lines,
        "width": _WIDEST if max(map(_width, lines)) > _WIDEST else None,
    }


def _lines(text: str, what: str) -> list[str]:
    """The lines of a text, with leading spaces kept and break points in long words."""
    if len(text) > _LONGEST:
        raise InputError(f"{what} has {len(text)} characters; expected at most {_LONGEST} for a picture")
    clean = text.translate(_FORBIDDEN).replace("\t", "    ")
    return [_indented(line) for line in re.split("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]", clean)]


def _indented(line: str) -> str:
    stripped = line.lstrip(" ")
    return "\u00a0" * (len(line) - len(stripped)) + _LONG_WORD.sub("\\g<0>\u200b", stripped)


def _width(line: str) -> float:
    """The approximate width of a line in points, overestimated rather than underestimated."""
    return sum(6.5 if char < "\u0300" else 11.0 for char in line)


def _check_size(table: Table, cells: list[dict[str, Any]], lines_around: int, ppi: int) -> None:
    """Estimate the picture's size before anything is drawn."""
    if not 36 <= ppi <= 600:
        raise InputError(f"ppi is {ppi}; expected 36 to 600 pixels per inch")
    widths, heights = [10.0] * table.n_columns, [20.0] * table.n_rows
    for cell in cells:
        x, y = cell["x"], cell["y"]
        longest = max(map(_width, cell["lines"]))
        wrapped = sum(_width(line) // _WIDEST + 1 for line in cell["lines"])
        share = min(longest, _WIDEST) / cell["colspan"] + 10
        widths[x : x + cell["colspan"]] = [max(w, share) for w in widths[x : x + cell["colspan"]]]
        share = 14 * wrapped / cell["rowspan"] + 8
        heights[y : y + cell["rowspan"]] = [max(h, share) for h in heights[y : y + cell["rowspan"]]]
    pixels = (sum(widths) + 160) * (sum(heights) + 14 * 13 * lines_around + 40) * (ppi / 72) ** 2
    if pixels > _MOST_PIXELS:
        raise InputError(
            f"a picture of the table would have about {pixels / 1e6:.0f} million pixels; "
            f"expected at most {_MOST_PIXELS // 1_000_000}: lower ppi ({ppi}) or use a text format"
        )


def png(table: Table, *, borders: bool = True, ppi: int = 144) -> bytes:
    """The table as a person sees it: headers bold, merged cells merged, title above, notes below.

    The picture is as large as the table; long texts are wrapped. Fonts are typst's own, and the machine's for
    characters that these lack.

    Args:
        table: at most 20,000 places, and 100 million pixels in all.
        borders: whether cells are ruled; else there are lines above and below the table and its header.
        ppi: pixels per inch, 36 to 600; a line of text is 0.17 inch high.

    Raises:
        InputError: typst is not installed, or the table is too large for a picture.
    """
    data = described(table, borders=borders, ppi=ppi)
    typst = _typst()
    picture = typst.compile(
        TEMPLATE,
        format="png",
        ppi=float(ppi),
        sys_inputs={"table": json.dumps(data)},
        font_paths=_fonts(),
    )
    return bytes(picture[0] if isinstance(picture, list) else picture)


def _typst() -> Any:
    try:
        import typst
    except ImportError:
        raise InputError(
            f"pictures of tables need typst, which is not installed: {install_hint('.[image]')}"
        ) from None
    return typst


@lru_cache(maxsize=1)
def _fonts() -> Any:
    """The available fonts, searched once; older versions of typst search on each call."""
    fonts = getattr(_typst(), "Fonts", None)
    return fonts() if fonts else []


class Image(PictureSerializer):
    """``image``: the table as a person sees it, ruled, as PNG; needs the extra ``image`` (typst)."""

    name = "image"

    def draw(self, table: Table) -> bytes:
        """See :func:`png`."""
        return png(table)
