"""A table as plain data for typesetting: what each cell says, and how it looks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...core.errors import InputError
from ..table import Cell, Table

WIDEST = 240.0
"""Points; a longer text is wrapped."""

_MOST_PLACES = 20_000
_LONGEST = 5_000  # characters of a text
_DEEPEST = 24  # spaces of an indentation
_SHADE = "#eeeeee"
_DARK_BELOW = 0.179  # relative luminance from which on black has more contrast than white (WCAG 2)
_is_number = re.compile(r"[-+(]?\s?[$€£]?\s?[0-9][0-9., ]*%?\)?").fullmatch
_is_colour = re.compile(r"#[0-9a-fA-F]{6}").fullmatch
_LONG_WORD = re.compile(r"\S{30}(?=\S)")  # a zero-width space behind it lets it go on in the next line
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_FORBIDDEN = dict.fromkeys((*range(55296, 57344), 0), 65533)
_INDENT = 5.0  # points a leading space, half the text's size, so that a level of two spaces is seen
_EMPTY = "\u200b"  # as high as any line of text

Lines: TypeAlias = "tuple[tuple[float, str], ...]"
"""Lines of a text: how far each is indented, in points, and what it says."""


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A cell as it is drawn: its place and spans, its lines of text, and how they look."""

    row: int
    column: int
    rowspan: int
    colspan: int
    lines: Lines
    bold: bool
    align: str
    fill: str

    @property
    def ink(self) -> str:
        """The colour of the text: white on dark fills."""
        return "#ffffff" if self.fill and _luminance(self.fill) < _DARK_BELOW else "#000000"


@dataclass(frozen=True, slots=True)
class PictureContent:
    """All that a picture shows: the cells in reading order, and the lines of title and notes."""

    n_rows: int
    n_columns: int
    header_rows: int
    cells: list[DrawnCell]
    title: Lines
    notes: list[Lines]


def content_of(table: Table, *, shaded: bool = True) -> PictureContent:
    """The table as plain data; ``shaded`` fills header cells that have no fill of their own.

    Raises:
        InputError: more than 20,000 places and notes, a text of more than 5,000 characters, or a fill that is
            no colour.
    """
    places = table.n_rows * table.n_columns + len(table.notes)
    if places > _MOST_PLACES:
        raise InputError(
            f"the table has {places} places and notes; expected at most {_MOST_PLACES} for pictures, "
            "use a text format"
        )
    return PictureContent(
        table.n_rows,
        table.n_columns,
        table.header_rows,
        [_drawn(table, cell, r, c, shaded) for r, row in enumerate(table.placed_rows) for c, cell in row],
        _lines(table.title, "the title") if table.title else (),
        [_lines(note, f"note {index}") for index, note in enumerate(table.notes)],
    )


def _drawn(table: Table, cell: Cell, r: int, c: int, shaded: bool) -> DrawnCell:
    in_head, in_side = r < table.header_rows, c < table.header_columns
    is_head = in_head or in_side
    where = f"the cell in row {r}, column {c}"
    fill = cell.style.fill if cell.style else ""
    if fill and not _is_colour(fill):
        raise InputError(f"{where} has the fill {fill[:20]!r}; expected a colour such as #ffcc00")
    align = "right" if _is_number(cell.text) and not in_side else "left"
    return DrawnCell(
        r,
        c,
        cell.rowspan,
        cell.colspan,
        _lines(cell.text, where),
        bold=is_head or bool(cell.style and cell.style.bold),
        align="center" if in_head and (cell.colspan > 1 or not in_side) else align,
        fill=fill or (_SHADE if is_head and shaded else ""),
    )


def _lines(text: str, what: str) -> Lines:
    """The lines of a text, leading spaces as indentation, with break points in long words."""
    if len(text) > _LONGEST:
        raise InputError(f"{what} has {len(text)} characters; expected at most {_LONGEST} for a picture")
    clean = text.translate(_FORBIDDEN).replace("\t", "    ")
    return tuple([_indented(line) for line in _LINE_END.split(clean)])


def _indented(line: str) -> tuple[float, str]:
    stripped = line.lstrip(" ")
    depth = min(len(line) - len(stripped), _DEEPEST)
    return _INDENT * depth, _LONG_WORD.sub("\\g<0>\u200b", stripped) or _EMPTY


def _luminance(colour: str) -> float:
    """The relative luminance of ``#rrggbb``, 0 to 1 (WCAG 2.2)."""
    shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def all_texts(content: PictureContent) -> Sequence[str]:
    """Every line of text of a picture."""
    lines = [cell.lines for cell in content.cells]
    return [text for each in (*lines, content.title, *content.notes) for _, text in each]
