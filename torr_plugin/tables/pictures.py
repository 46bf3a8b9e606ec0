"""Tables as PNG pictures, drawn by typst (extra ``image``); a table too large for one picture is refused."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..core.errors import InputError
from ..core.versions import install_hint
from .serializers.base import PictureSerializer
from .table import Cell, Table

_MOST_PLACES, _MOST_PIXELS = 20_000, 100_000_000
_LONGEST = 5_000  # characters of a text
_DEEPEST = 24  # spaces of an indentation
_SHADE = "#eeeeee"
_DARK_BELOW = 0.179  # relative luminance from which on black has more contrast than white (WCAG 2)
_TEXT = 10  # the size of text in points
_COMFORTABLE = 20  # pixels of the size of text where a picture has room
_NARROWEST = 34  # the least longest side, in sizes of text: no column is wider, nor a title's lines
_ROUNDING = 0.998  # a side is a whole number of pixels
_is_number = re.compile(r"[-+(]?\s?[$€£]?\s?[0-9][0-9., ]*%?\)?").fullmatch
_is_colour = re.compile(r"#[0-9a-fA-F]{6}").fullmatch
_LONG_WORD = re.compile(r"\S{30}(?=\S)")  # a zero-width space behind it lets it go on in the next line
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_FORBIDDEN = dict.fromkeys((*range(55296, 57344), 0), 65533)
_EMPTY = "\u200b"  # as high as any line of text
_COVERED = "\u052f"  # Latin, Greek and Cyrillic are in typst's own fonts
_NO_LETTER = "\ufffe"  # no character: what is drawn is the box for letters that a font lacks
_known_letters: set[str] = set()

# nothing of a table is code to typst; texts are as wide as they need, up to 240 pt, where they are wrapped
_TEMPLATE = b"""
#let data = json(bytes(sys.inputs.data))
#set page(width: auto, height: auto, margin: 8pt, fill: white)
#set text(size: 10pt, fill: black, lang: "en", hyphenate: false)
#set par(leading: 0.45em, justify: false)
#set block(spacing: 0pt)
#let line((indent, words)) = if indent == 0 { text(words) } else { pad(left: indent * 5pt, text(words)) }
#let lines(texts) = {
  if texts.len() == 1 { line(texts.first()) } else { stack(spacing: 0.45em, ..texts.map(line)) }
}
#let weighted(bold, body) = if bold { strong(body) } else { body }
#let fitted(body) = context {
  let natural = measure(body).width
  block(width: calc.max(2pt, calc.min(natural, 240pt)), body)
}
#let sides = (left: left, center: center, right: right)
#let shown(cell) = table.cell(
  x: cell.x, y: cell.y, rowspan: cell.rowspan, colspan: cell.colspan,
  align: sides.at(cell.align) + horizon,
  fill: if cell.fill == "" { none } else { rgb(cell.fill) },
  fitted(text(fill: rgb(cell.ink), weighted(cell.bold, lines(cell.lines)))),
)
#let drawn = table(
  columns: data.columns,
  inset: (x: 5pt, y: 4pt),
  stroke: if data.borders { 0.5pt + luma(90) } else { none },
  ..data.cells.map(shown),
  ..data.rules.map(y => table.hline(y: y, stroke: 0.8pt)),
)
#let whole = if data.title.len() + data.notes.len() == 0 { drawn } else { context {
  let beside(size, bold, texts) = block(
    width: calc.max(measure(drawn).width, 320pt), text(size: size, weighted(bold, lines(texts))),
  )
  if data.title.len() > 0 { beside(10pt, true, data.title); v(8pt) }
  drawn
  for note in data.notes { v(8pt); beside(8.5pt, false, note) }
} }
"""
_DRAW = _TEMPLATE + b"#whole"
_MEASURE = (
    _TEMPLATE
    + b"""
#context {
  let size = measure(whole)
  [#metadata((size.width.pt() + 16, size.height.pt() + 16)) <size>]
}
"""
)
_LETTERS = b"""
#let data = json(bytes(sys.inputs.data))
#set text(size: 10pt, lang: "en")
#let size(each) = { let it = measure(each); (it.width.pt(), it.height.pt()) }
#context [#metadata(data.map(each => size(text(each)) + size(strong(each)))) <size>]
"""


@dataclass(frozen=True, slots=True)
class PictureLimits:
    """What models with vision take without scaling a picture down, which makes small text unreadable.

    Such models scale a larger picture down before they look at it: Claude one with a side above 1568 pixels
    or more than about 1.15 million pixels, GPT-4.1 mini and later ones what is beyond about 1.5 million, open
    models what is beyond their largest grid of patches. The defaults fit these. GPT-4o scales the short side
    to 768 pixels, so that it takes ``longest_side=768``.

    Attributes:
        longest_side: pixels of a picture's longer side, 34 times ``least_text`` to 20,000.
        most_pixels: pixels of a picture, width times height, 40,000 to 100 million.
        least_text: the smallest size of text in pixels, 6 to 40. At 14 a digit is 9 pixels high, and a patch
            of 14 pixels, usual in vision transformers, holds no more than two characters.
    """

    longest_side: int = 1568
    most_pixels: int = 1_150_000
    least_text: int = 14

    def __post_init__(self) -> None:
        for name, low, high in (
            ("least_text", 6, 40),
            ("longest_side", _NARROWEST * self.least_text, 20_000),
            ("most_pixels", 40_000, _MOST_PIXELS),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise InputError(f"pictures: {name} is {value}; expected {low} to {high}")

    def ppi(self, width: float, height: float) -> float:
        """The resolution of a page of so many points: the largest that fits, up to comfortable text.

        Raises:
            InputError: the page does not fit with text as small as allowed.
        """
        scale = self.least_text / _TEXT
        pixels = math.ceil(width * scale), math.ceil(height * scale)
        if max(pixels) > self.longest_side or math.prod(pixels) > self.most_pixels:
            raise InputError(
                f"the table does not fit into a picture of at most {self.longest_side} pixels a side and "
                f"{self.most_pixels:,} in all, with text of {self.least_text} pixels; use a text format"
            )
        fitting = min(self.longest_side / max(width, height), math.sqrt(self.most_pixels / (width * height)))
        return max(72 * scale, min(72 * _COMFORTABLE / _TEXT, 72 * fitting * _ROUNDING))


class Image(PictureSerializer):
    """``image``: the table as a person sees it, ruled, as PNG; needs the extra ``image`` (typst).

    Args:
        limits: how large a picture may be, and how small its text.
        name: the format's name; a plugin can add a format with other limits under a name of its own, which
            begins with ``image``.
    """

    def __init__(self, limits: PictureLimits | None = None, name: str = "image") -> None:
        self.limits = limits or PictureLimits()
        self.name = name

    def draw(self, table: Table) -> bytes:
        """The table in one picture.

        Raises:
            InputError: see :func:`png`; or the text would be smaller than the limits allow.
        """
        data = _data(table, borders=True)
        return _drawn(data, self.limits.ppi(*page_size(data)))


def png(table: Table, *, borders: bool = True, ppi: int = 144) -> bytes:
    """The table as a person sees it: fills, bold text, indentation, merged cells, title above, notes below.

    Headers are bold, and shaded where they have no fill of their own; text on a dark fill is white. The
    picture is as large as the table; long texts are wrapped. Fonts are typst's own, and the machine's for
    characters that these lack.

    Args:
        table: at most 20,000 places, and 100 million pixels in all.
        borders: whether cells are ruled; else there are lines above and below the table and its header.
        ppi: pixels per inch, 36 to 600; a line of text is 0.17 inch high.

    Raises:
        InputError: typst is not installed, the table is too large for a picture, or no font has its letters.
    """
    if not 36 <= ppi <= 600:
        raise InputError(f"ppi is {ppi}; expected 36 to 600 pixels per inch")
    data = _data(table, borders=borders)
    pixels = math.prod(page_size(data)) * (ppi / 72) ** 2
    if pixels > _MOST_PIXELS:
        raise InputError(
            f"a picture of the table would have about {pixels / 1e6:.0f} million pixels; "
            f"expected at most {_MOST_PIXELS // 1_000_000}: lower ppi ({ppi}) or use a text format"
        )
    return _drawn(data, ppi)


def _data(table: Table, *, borders: bool) -> dict[str, Any]:
    """The table as plain data for the template."""
    places = table.n_rows * table.n_columns + len(table.notes)
    if places > _MOST_PLACES:
        raise InputError(
            f"the table has {places} places and notes; expected at most {_MOST_PLACES} for pictures, "
            "use a text format"
        )
    return {
        "columns": table.n_columns,
        "borders": borders,
        "rules": [] if borders else sorted({0, table.header_rows, table.n_rows}),
        "cells": [
            _cell(table, cell, r, c, borders) for r, row in enumerate(table.placed_rows) for c, cell in row
        ],
        "title": _lines(table.title, "the title") if table.title else [],
        "notes": [_lines(note, f"note {index}") for index, note in enumerate(table.notes)],
    }


def _cell(table: Table, cell: Cell, r: int, c: int, shaded: bool) -> dict[str, Any]:
    in_head, in_side = r < table.header_rows, c < table.header_columns
    where = f"the cell in row {r}, column {c}"
    fill = cell.style.fill if cell.style else ""
    if fill and not _is_colour(fill):
        raise InputError(f"{where} has the fill {fill[:20]!r}; expected a colour such as #ffcc00")
    fill = fill or (_SHADE if (in_head or in_side) and shaded else "")
    align = "right" if _is_number(cell.text) and not in_side else "left"
    return {
        "x": c,
        "y": r,
        "rowspan": cell.rowspan,
        "colspan": cell.colspan,
        "lines": _lines(cell.text, where),
        "bold": in_head or in_side or bool(cell.style and cell.style.bold),
        "align": "center" if in_head and (cell.colspan > 1 or not in_side) else align,
        "fill": fill,
        "ink": "#ffffff" if fill and _luminance(fill) < _DARK_BELOW else "#000000",
    }


def _lines(text: str, what: str) -> list[tuple[int, str]]:
    """The lines of a text: the spaces it is indented by, and its words with break points in long ones."""
    if len(text) > _LONGEST:
        raise InputError(f"{what} has {len(text)} characters; expected at most {_LONGEST} for a picture")
    found = []
    for line in _LINE_END.split(text.translate(_FORBIDDEN).replace("\t", "    ")):
        stripped = line.lstrip(" ")
        words = _LONG_WORD.sub("\\g<0>\u200b", stripped) or _EMPTY
        found.append((min(len(line) - len(stripped), _DEEPEST), words))
    return found


def _luminance(colour: str) -> float:
    """The relative luminance of ``#rrggbb``, 0 to 1 (WCAG 2.2)."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def page_size(data: dict[str, Any]) -> tuple[float, float]:
    """Width and height of a page in points, margins included."""
    width, height = _query(_MEASURE, data)
    return width, height


def _drawn(data: dict[str, Any], ppi: float) -> bytes:
    texts = [cell["lines"] for cell in data["cells"]] + [data["title"], *data["notes"]]
    _check_letters(words for lines in texts for _, words in lines)
    picture = _typst().compile(
        _DRAW, format="png", ppi=ppi, sys_inputs={"data": json.dumps(data)}, font_paths=_fonts()
    )
    return bytes(picture[0] if isinstance(picture, list) else picture)


def _check_letters(texts: Iterable[str]) -> None:
    """Refuse texts with letters that no font has: a picture would show boxes in their place."""
    letters = {char for text in texts for char in text if char > _COVERED and char.isalpha()}
    if not (unknown := sorted(letters - _known_letters)):
        return
    box, *sizes = _query(_LETTERS, [_NO_LETTER, *unknown])
    lacking = [char for char, size in zip(unknown, sizes, strict=True) if size == box]
    if lacking:
        raise InputError(
            f"no font on this machine has the letters {''.join(lacking[:10])!r}, which a picture would show "
            "as boxes; install a font that has them, such as Noto (fonts-noto-cjk for Chinese, Japanese and "
            "Korean)"
        )
    _known_letters.update(unknown)


def _query(template: bytes, data: object) -> Any:
    """The sizes that a template measures."""
    found = _typst().query(
        template,
        "<size>",
        field="value",
        one=True,
        sys_inputs={"data": json.dumps(data)},
        font_paths=_fonts(),
    )
    return json.loads(found)


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
