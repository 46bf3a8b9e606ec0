"""typst, which measures texts and draws tables; nothing of a table is code to it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ...core.errors import InputError
from ...core.versions import install_hint
from .content import Lines

_COMMON = b"""
#let data = json(bytes(sys.inputs.data))
#set text(size: 10pt, fill: black, lang: "en", hyphenate: false)
#set par(leading: 0.45em, justify: false)
#let line((indent, words)) = if indent == 0 { text(words) } else { pad(left: indent * 1pt, text(words)) }
#let lines(texts) = {
  if texts.len() == 1 { line(texts.first()) } else { stack(spacing: 0.45em, ..texts.map(line)) }
}
#let weighted(bold, body) = if bold { strong(body) } else { body }
"""
# a text is as wide as it needs, up to a limit beyond which it is wrapped
_MEASURE = (
    _COMMON
    + b"""
#let size(each) = {
  let body = text(size: each.size * 1pt, weighted(each.bold, lines(each.lines)))
  let natural = measure(body)
  let most = each.most * 1pt
  let found = if natural.width > most { measure(block(width: most, body)) } else { natural }
  (found.width.pt(), found.height.pt())
}
#context [#metadata(data.map(size)) <sizes>]
"""
)
_DRAW = (
    _COMMON
    + b"""
#set page(width: data.width * 1pt, height: data.height * 1pt, margin: data.margin * 1pt, fill: white)
#set block(spacing: 0pt)
#let sides = (left: left, center: center, right: right)
#let shown(cell) = table.cell(
  x: cell.x, y: cell.y, rowspan: cell.rowspan, colspan: cell.colspan,
  align: sides.at(cell.align) + horizon,
  fill: if cell.fill == "" { none } else { rgb(cell.fill) },
  text(fill: rgb(cell.ink), weighted(cell.bold, lines(cell.lines))),
)
#let beside(size, bold, texts) = block(
  width: data.beside * 1pt, text(size: size * 1pt, weighted(bold, lines(texts))),
)
#if data.title.len() > 0 { beside(10, true, data.title); v(data.gap * 1pt) }
#table(
  columns: data.columns.map(width => width * 1pt),
  rows: data.rows.map(height => height * 1pt),
  inset: (x: data.inset.at(0) * 1pt, y: data.inset.at(1) * 1pt),
  stroke: if data.borders { 0.5pt + luma(90) } else { none },
  ..data.cells.map(shown),
  ..data.rules.map(y => table.hline(y: y, stroke: 0.8pt)),
)
#for note in data.notes { v(data.gap * 1pt); beside(data.note_size, false, note) }
"""
)


_COVERED = "\u052f"  # Latin, Greek and Cyrillic are in typst's own fonts
_NO_LETTER = "\ufffe"  # no character: what is drawn is the box for letters that a font lacks
_known: set[str] = set()


@dataclass(frozen=True, slots=True)
class TypesetBlock:
    """Lines to measure: wrapped where they are wider than ``most`` points."""

    lines: Lines
    bold: bool
    most: float
    size: float = 10.0


def measured(blocks: Sequence[TypesetBlock]) -> list[tuple[float, float]]:
    """Width and height of each block in points.

    Raises:
        InputError: typst is not installed.
    """
    if not blocks:
        return []
    different = list(dict.fromkeys(blocks))  # cells repeat each other
    data = [
        {"lines": each.lines, "bold": each.bold, "most": each.most, "size": each.size} for each in different
    ]
    found = _typst().query(
        _MEASURE,
        "<sizes>",
        field="value",
        one=True,
        sys_inputs={"data": json.dumps(data)},
        font_paths=_fonts(),
    )
    sizes = dict(zip(different, json.loads(found), strict=True))
    return [(sizes[block][0], sizes[block][1]) for block in blocks]


def drawn(data: dict[str, Any], ppi: float) -> bytes:
    """The PNG file of a page that is laid out, at so many pixels per inch."""
    picture = _typst().compile(
        _DRAW, format="png", ppi=ppi, sys_inputs={"data": json.dumps(data)}, font_paths=_fonts()
    )
    return bytes(picture[0] if isinstance(picture, list) else picture)


def check_letters(texts: Iterable[str]) -> None:
    """Refuse texts with letters that no font has: a picture would show boxes in their place.

    Raises:
        InputError: some of the letters, and what to install.
    """
    unknown = sorted({char for text in texts for char in text if char > _COVERED and char.isalpha()} - _known)
    if not unknown:
        return
    shown = [_NO_LETTER, *unknown]
    plain, bold = (
        [TypesetBlock(((0.0, char),), is_bold, 99.0) for char in shown] for is_bold in (False, True)
    )
    box, *sizes = zip(measured(plain), measured(bold), strict=True)
    lacking = [char for char, size in zip(unknown, sizes, strict=True) if size == box]
    if lacking:
        some = "".join(lacking[:10])
        raise InputError(
            f"no font on this machine has the letters {some!r}, which a picture would show as boxes; "
            "install a font that has them, such as Noto (fonts-noto-cjk for Chinese, Japanese and Korean)"
        )
    _known.update(unknown)


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
