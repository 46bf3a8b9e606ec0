"""How cells look: bold and fill, read from a workbook, written into one, and said in words."""

from __future__ import annotations

import colorsys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

from lxml import etree
from openpyxl.styles import Font, PatternFill
from openpyxl.styles.colors import COLOR_INDEX
from openpyxl.utils import get_column_letter

from ..table import CellStyle, Table

HEADING = CellStyle(bold=True, fill="#eeeeee")
"""How our writer shows header cells that have no style of their own."""

_WHITE = "#ffffff"
_MOST_COLOURS, _MOST_RANGES = 6, 12
_HUES = ((15, "red"), (45, "orange"), (70, "yellow"), (165, "green"), (195, "cyan"), (255, "blue"),
         (290, "purple"), (335, "pink"), (360, "red"))  # fmt: skip


def theme_colours(theme: bytes | None) -> tuple[str, ...]:
    """The colours of a workbook's theme as ``rrggbb``, in the order in which cells count them."""
    if not theme:
        return ()
    try:
        root = etree.fromstring(theme, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return ()
    colours = root.findall(".//{*}clrScheme/*/*")
    found = [each.get("lastClr") or each.get("val") or "" for each in colours]
    # cells count light before dark, the scheme lists dark before light
    return tuple([found[i] for i in (1, 0, 3, 2, *range(4, len(found)))]) if len(found) >= 4 else ()


def style_of(place: Any, theme: tuple[str, ...]) -> CellStyle | None:
    """The style of openpyxl's cell; None for a plain one. White counts as no fill."""
    if not place.has_style:
        return None
    bold = bool(place.font and place.font.b)
    fill = place.fill
    colour = _rgb(fill.fgColor, theme) if fill is not None and fill.fill_type == "solid" else ""
    style = CellStyle(bold, "" if colour == _WHITE else colour)
    return style if style != CellStyle() else None


def _rgb(colour: Any, theme: tuple[str, ...]) -> str:
    """A colour as ``#rrggbb``; empty where the workbook does not say it."""
    if colour is None:
        return ""
    if colour.type == "rgb":
        digits = str(colour.rgb)[-6:]
    elif colour.type == "theme":
        digits = theme[colour.theme] if 0 <= colour.theme < len(theme) else ""
    else:
        digits = COLOR_INDEX[colour.indexed][-6:] if 0 <= colour.indexed < len(COLOR_INDEX) else ""
    try:
        red, green, blue = bytes.fromhex(digits)
    except ValueError:
        return ""
    # darker for a negative tint and lighter for a positive one (ECMA-376 part 1, 18.8.19)
    hue, light, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    tint = max(-1.0, min(1.0, float(colour.tint or 0)))
    light = light * (1 + tint) if tint < 0 else light * (1 - tint) + tint
    return "#" + "".join(f"{round(part * 255):02x}" for part in colorsys.hls_to_rgb(hue, light, saturation))


def written_style(style: CellStyle) -> dict[str, Any]:
    """The attributes of openpyxl's cell that show a style."""
    fill = PatternFill("solid", fgColor=style.fill.lstrip("#")) if style.fill else PatternFill()
    return {"font": Font(bold=style.bold), "fill": fill}


def colour_name(fill: str) -> str:
    """The everyday name of ``#rrggbb``: ``light blue``."""
    red, green, blue = bytes.fromhex(fill[1:])
    hue, light, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    if light < 0.1:
        return "black"
    if saturation < 0.12 or light > 0.97:
        return "light grey" if light > 0.75 else "grey"
    name = next(name for limit, name in _HUES if hue * 360 <= limit)
    return f"light {name}" if light > 0.75 else f"dark {name}" if light < 0.3 else name


def style_notes(table: Table) -> Iterator[str]:
    """What bold and fill mark below the header rows, a note each, for formats that carry texts alone.

    Cells are named as in a spreadsheet, counted from the table's first row and column. A look that more than
    half of the row labels, or of the other cells, have marks nothing among them; at most 6 colours are named,
    and 12 ranges of each look.
    """
    marked: dict[str, set[tuple[int, int]]] = defaultdict(set)  # a colour, or "" for bold
    for is_label in (True, False):
        cells = {
            (r, c): cell.style
            for r, row in enumerate(table.placed_rows)
            for c, cell in row
            if r >= table.header_rows and (c < table.header_columns) is is_label
        }
        looks: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for place, style in cells.items():
            for look in ({""} if style and style.bold else set()) | (
                {style.fill} if style and style.fill else set()
            ):
                looks[look].add(place)
        for look, places in looks.items():
            if 2 * len(places) <= len(cells):
                marked[look] |= places
    bold = marked.pop("", set())
    for fill in sorted(marked, key=lambda fill: (-len(marked[fill]), fill))[:_MOST_COLOURS]:
        yield f"Cells filled {colour_name(fill)} ({fill}): {_named(marked[fill])}"
    if bold:
        yield f"Cells in bold: {_named(bold)}"


def _named(cells: Iterable[tuple[int, int]]) -> str:
    """The places as ranges, ``B3, C4:D6``: runs of a row, those of equal columns below each other joined."""
    runs: dict[tuple[int, int], list[list[int]]] = defaultdict(list)
    columns: dict[int, list[int]] = defaultdict(list)
    for r, c in sorted(cells):
        columns[r].append(c)
    for r, line in columns.items():
        for left, right in _runs(line):
            rows = runs[left, right]
            if rows and rows[-1][1] == r - 1:
                rows[-1][1] = r
            else:
                rows.append([r, r])
    areas = sorted((top, left, bottom, right) for (left, right), rows in runs.items() for top, bottom in rows)
    names = []
    for top, left, bottom, right in areas:
        first, last = f"{get_column_letter(left + 1)}{top + 1}", f"{get_column_letter(right + 1)}{bottom + 1}"
        names.append(first if first == last else f"{first}:{last}")
    more = f" and {len(names) - _MOST_RANGES} more" if len(names) > _MOST_RANGES else ""
    return ", ".join(names[:_MOST_RANGES]) + more


def _runs(numbers: list[int]) -> Iterator[tuple[int, int]]:
    """The first and last of each run of numbers that follow each other."""
    for _, run in groupby(enumerate(numbers), lambda pair: pair[1] - pair[0]):
        following = [number for _, number in run]
        yield following[0], following[-1]
