# ruff: noqa: RUF001 (signs of other scripts)
"""A sheet as people see it: texts, kinds and styles of its cells, hidden rows and columns left out."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias

from openpyxl.utils import get_column_letter, range_boundaries
from openpyxl.utils.cell import column_index_from_string, coordinate_from_string

from ..table import TEXT, Cell, CellStyle, Scalar
from .number_formats import shown
from .styles import style_of

Place: TypeAlias = "tuple[int, int]"
"""A row and a column, from 1, of those that show."""

INDENT = "  "  # of one level
_WIDE = " \u3000"


class Kind(Enum):
    """What a cell holds, as far as it helps to tell headers from values."""

    BLANK = "blank"
    MARK = "mark"
    """A dash or the like, where a value is missing."""
    NUMBER = "number"
    PERIOD = "period"
    """A year, quarter, month, date, or a length of time: a header as well as a value."""
    TEXT = "text"


VALUES = (Kind.NUMBER, Kind.MARK)
_MARK = re.compile(
    r"[-–—―/.·*…x]{1,4}|[-–—]?\s*[%％]|n[./]?[ad]\.?|nan|null|不适用|不適用|无|無|未知", re.IGNORECASE
)
_CENTURY, _QUARTER = "(?:19|20)", "(?:q[1-4]|h[12]|[1-4]q|[12]h)"
_MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?"
_PERIODS = (
    # FY2023, 2024E Q1
    rf"(?:fy|cy|{_QUARTER})?\s*['’]?{_CENTURY}\d\d\s*(?:[ae]|年度?|财年|財年)?(?:\s*{_QUARTER})?",
    rf"{_QUARTER}(?:\s*['’]?\d{{2,4}}[ae]?)?",  # 1Q24, H2
    rf"\d\d\s*(?:{_QUARTER}|[ae]|m\d\d?[ae]?|年)",  # 24Q1, 24E, 24M1
    rf"{_CENTURY}\d\d\s*[-–—~/.]\s*(?:{_CENTURY}\d\d|\d\d?)(?:\s*[-/.]\s*\d\d?)?"
    r"(?:\s+\d\d?:\d\d(?::\d\d)?)?年?",  # 2023-24, 2023/03, 2023-03-01 12:00
    rf"{_CENTURY}\d\d年.{{0,10}}(?:月|日|末|季度|半年)|第?[一二三四]季度|[上下]半年",
    r"\d\d?[/.]\d\d?[/.](?:19|20)?\d\d",  # 31.12.2023
    r"\d\d?:\d\d(?::\d\d)?(?:\s*[-–~]\s*\d\d?:\d\d(?::\d\d)?)?",  # 07:00-09:00
    r"\d{1,2}\s*(?:个?月|年期?|[日天周季]|[mydwq])",  # 3M, 1年期: lengths of time
    rf"{_MONTH}[\s-]*(?:\d\d?,?\s*)?(?:{_CENTURY}?\d\d)?|\d\d?\s+{_MONTH}(?:\s+{_CENTURY}?\d\d)?",  # Mar-19
)
_PERIOD = re.compile("|".join(_PERIODS), re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]{1,12}[)）]$")  # a unit: 2023 (USD)
_YEAR = re.compile(r"(?:19|20)\d\d")
_AMOUNT = re.compile(
    r"[-+−–~≈<>≤≥(（\s$€£¥￥]*(?:us|hk|rmb)?\$?\s*(?P<digits>\d[\d,，]*(?:\.\d+)?|\.\d+)(?P<rest>.*)",
    re.IGNORECASE,
)
_CODE = re.compile(r"\.[A-Za-z]{1,3}\b|[-_/]?[A-Za-z]*\d{6,}")
_LONGEST_AMOUNT, _MOST_LETTERS = 40, 4  # 12.5 mg/L is an amount, "3D technology" is not


def kind_of(text: str, *, is_number: bool = False) -> Kind:
    """The kind of a cell's text; ``is_number`` where the cell holds a number and no text.

    A number with a short unit, a sign, brackets or stars is a number; a code such as ``0700.HK`` or
    ``000700`` is a text.
    """
    stripped = text.strip()
    if not stripped:
        return Kind.BLANK
    if is_number:
        return Kind.PERIOD if _YEAR.fullmatch(stripped) else Kind.NUMBER
    if _MARK.fullmatch(stripped):
        return Kind.MARK
    if len(stripped) <= _LONGEST_AMOUNT and _PERIOD.fullmatch(_IN_BRACKETS.sub("", stripped)):
        return Kind.PERIOD
    match = _AMOUNT.fullmatch(stripped) if len(stripped) <= _LONGEST_AMOUNT else None
    if not match or re.fullmatch(r"0\d+", match["digits"]) or _CODE.match(match["rest"]):
        return Kind.TEXT
    return Kind.NUMBER if sum(map(str.isalpha, match["rest"])) <= _MOST_LETTERS else Kind.TEXT


@dataclass(frozen=True, slots=True)
class SheetRange:
    """A rectangle of a sheet; rows and columns count from 1, the last ones included."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def places(self) -> int:
        """How many cells it covers."""
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    @property
    def rows(self) -> range:
        """Its rows."""
        return range(self.top, self.bottom + 1)

    @property
    def columns(self) -> range:
        """Its columns."""
        return range(self.left, self.right + 1)

    def meets(self, other: SheetRange) -> bool:
        """Whether they have a cell in common."""
        return (
            self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )

    @classmethod
    def around(cls, items: Iterable[SheetRange]) -> SheetRange:
        """The smallest rectangle with all of some."""
        tops, lefts, bottoms, rights = zip(*[(i.top, i.left, i.bottom, i.right) for i in items], strict=True)
        return cls(min(tops), min(lefts), max(bottoms), max(rights))


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A cell that holds something: its text, the number if it is one, its kind, indentation and style."""

    text: str
    value: float | None
    kind: Kind
    indent: int
    style: CellStyle | None

    def as_cell(self, *, indented: bool) -> Cell:
        """The cell of a table, its indentation as leading spaces where ``indented``.

        An ideographic space in front counts as the two spaces that are as wide; any line break is a newline.
        """
        text = self.text.replace("\r\n", "\n").replace("\r", "\n")
        if indented and text.strip():
            inner = text.lstrip(_WIDE)
            spaces = text[: len(text) - len(inner)]
            text = INDENT * self.indent + spaces.replace("\u3000", INDENT) + inner
        value: Scalar | Any = TEXT if self.value is None or text != self.text else self.value
        return Cell(text, value=value, style=self.style)


@dataclass(frozen=True)
class VisibleAxis:
    """Rows or columns without the hidden ones, which are those ``hidden``, in order."""

    hidden: tuple[int, ...] = ()

    def shown(self, number: int) -> int | None:
        """The number of a row or column among those that show; None if it is hidden."""
        before = bisect_left(self.hidden, number)
        is_hidden = before < len(self.hidden) and self.hidden[before] == number
        return None if is_hidden else number - before

    def first_from(self, number: int) -> int:
        """The same of the first that shows from there on."""
        return number - bisect_left(self.hidden, number)

    def on_sheet(self, number: int) -> int:
        """The inverse of :meth:`shown`."""
        places = range(len(self.hidden))
        return number + bisect_right(places, number, key=lambda i: self.hidden[i] - i)


class SheetGrid:
    """What openpyxl's sheet shows; with ``hidden`` also its hidden rows and columns.

    Attributes:
        name: of the sheet.
        rows: which rows show; ``columns`` likewise.
        cells: those with a text.
        styled: the styles of cells without one.
        merged: the merged cells, of more than one place each; ``spans`` has them by their first places.
        frozen: how many rows and columns stay in view; 0 and 0 without.
        filters: the ranges that an automatic filter covers, headers first.
        declared: the ranges of tables that the workbook declares, with their numbers of header rows.
    """

    def __init__(self, sheet: Any, theme: tuple[str, ...], *, hidden: bool = False) -> None:
        self.name: str = sheet.title
        lines = [r for r, row in sheet.row_dimensions.items() if row.hidden or row.height == 0]
        groups = [each for each in sheet.column_dimensions.values() if each.hidden or each.width == 0]
        columns = {c for each in groups for c in range(each.min or 0, (each.max or -1) + 1)}
        self.rows = VisibleAxis(() if hidden else tuple(sorted(lines)))
        self.columns = VisibleAxis(() if hidden else tuple(sorted(columns)))
        self.cells: dict[Place, SheetCell] = {}
        self.styled: dict[Place, CellStyle] = {}
        for (
            r,
            c,
        ), place in sheet._cells.items():  # looking cells up through openpyxl would create missing ones
            row, column = self.rows.shown(r), self.columns.shown(c)
            if row is not None and column is not None:
                self._take(place, theme, row, column)
        found = []
        for each in sheet.merged_cells.ranges:
            area = self.area(each.bounds)
            if area is None:
                continue
            if first := sheet._cells.get((each.min_row, each.min_col)):  # hidden, it keeps its text
                self._take(first, theme, area.top, area.left)
            if area.places > 1:
                found.append(area)
        self.merged = tuple(sorted(found, key=lambda area: (area.top, area.left)))
        self.frozen = (0, 0)
        if sheet.freeze_panes:
            letters, number = coordinate_from_string(sheet.freeze_panes)
            column = self.columns.first_from(column_index_from_string(letters))
            self.frozen = self.rows.first_from(number) - 1, column - 1
        self.filters = self._areas([sheet.auto_filter.ref] if sheet.auto_filter.ref else [])
        self.declared = tuple(
            (area, 1 if table.headerRowCount is None else int(table.headerRowCount))
            for table in sheet.tables.values()
            for area in self._areas([table.ref])
        )

    def _take(self, place: Any, theme: tuple[str, ...], row: int, column: int) -> None:
        """Take in openpyxl's cell."""
        value, style = place.value, style_of(place, theme)
        if value is None or value == "":
            if style:
                self.styled[row, column] = style
            return
        is_number = type(value) in (int, float)
        text = shown(value, "" if isinstance(value, str) else place.number_format)
        is_moment = not is_number and not isinstance(value, str | bool)
        kind = Kind.PERIOD if is_moment else kind_of(text, is_number=is_number)
        is_left = place.has_style and place.alignment.horizontal != "right"
        indent = int(place.alignment.indent or 0) if is_left else 0
        self.cells[row, column] = SheetCell(text, value if is_number else None, kind, indent, style)

    @cached_property
    def spans(self) -> Mapping[Place, SheetRange]:
        """The merged cells by their first places."""
        return {(area.top, area.left): area for area in self.merged}

    def span(self, row: int, column: int) -> SheetRange:
        """What the cell that begins in a place covers."""
        return self.spans.get((row, column)) or SheetRange(row, column, row, column)

    def kind(self, row: int, column: int) -> Kind:
        """The kind of what is in a place."""
        cell = self.cells.get((row, column))
        return cell.kind if cell else Kind.BLANK

    def in_row(self, area: SheetRange, row: int) -> list[tuple[SheetCell, SheetRange]]:
        """The cells of a row of an area, with what they cover."""
        return [(cell, self.span(row, c)) for c in area.columns if (cell := self.cells.get((row, c)))]

    def address(self, area: SheetRange) -> str:
        """The name of a range on the sheet: ``A1:D9``."""
        first, last = [
            f"{get_column_letter(self.columns.on_sheet(column))}{self.rows.on_sheet(row)}"
            for row, column in ((area.top, area.left), (area.bottom, area.right))
        ]
        return first if first == last else f"{first}:{last}"

    def area(self, bounds: tuple[int, int, int, int]) -> SheetRange | None:
        """What shows of a range of the sheet (left, top, right, bottom); None if nothing does."""
        left, top, right, bottom = bounds
        shown = SheetRange(
            self.rows.first_from(top),
            self.columns.first_from(left),
            self.rows.first_from(bottom + 1) - 1,
            self.columns.first_from(right + 1) - 1,
        )
        return shown if shown.top <= shown.bottom and shown.left <= shown.right else None

    def _areas(self, references: Iterable[str]) -> tuple[SheetRange, ...]:
        return tuple(area for each in references if (area := self.area(range_boundaries(each))))
