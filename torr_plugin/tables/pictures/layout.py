"""The sizes of a picture's columns and rows, in points, so that it is known before anything is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..table import Table
from .content import WIDEST, PictureContent, content_of
from .typesetting import TypesetBlock, measured

MARGIN = 8.0
GAP = 8.0  # between title, table and notes
INSET_X, INSET_Y = 5.0, 4.0
_LEAST_HEIGHT = 6.5  # of a line of text, so that empty rows are as high as others
_NARROWEST = 12.0
_LEAST_BESIDE = 320.0  # the least width for title and notes
NOTE_SIZE = 8.5

_Span: TypeAlias = "tuple[int, int, float]"
"""First line, number of lines, and the size that a cell needs along an axis."""


@dataclass(frozen=True, slots=True)
class Page:
    """A table that is laid out, in points.

    Attributes:
        content: what is drawn.
        borders: whether cells are ruled.
        columns, rows: widths and heights, insets included.
        beside: the width of title and notes.
        title, notes: their heights with the gaps that set them apart; 0 without any.
    """

    content: PictureContent
    borders: bool
    columns: Sequence[float]
    rows: Sequence[float]
    beside: float
    title: float
    notes: float

    @property
    def width(self) -> float:
        """The width, margins included."""
        texts = self.beside if self.title or self.notes else 0.0
        return max(sum(self.columns), texts) + 2 * MARGIN

    @property
    def height(self) -> float:
        """The height, margins included."""
        return sum(self.rows) + self.title + self.notes + 2 * MARGIN


def page_of(table: Table, *, borders: bool = True, least: Sequence[float] = ()) -> Page:
    """Measure a table's texts and lay it out; columns and rows are as large as their cells need.

    A cell that covers several columns or rows widens all of them alike where it has no room. ``least`` gives
    the least width of each column.

    Raises:
        InputError: a table that cannot be drawn, see :func:`content_of`, or typst is not installed.
    """
    content = content_of(table, shaded=borders)
    sizes = measured([TypesetBlock(cell.lines, cell.bold, WIDEST) for cell in content.cells])
    columns = _sizes(
        [
            (cell.column, cell.colspan, width + 2 * INSET_X)
            for cell, (width, _) in zip(content.cells, sizes, strict=True)
        ],
        least or [_NARROWEST] * content.n_columns,
    )
    rows = _sizes(
        [
            (cell.row, cell.rowspan, height + 2 * INSET_Y)
            for cell, (_, height) in zip(content.cells, sizes, strict=True)
        ],
        [_LEAST_HEIGHT + 2 * INSET_Y] * content.n_rows,
    )
    beside = max(sum(columns), _LEAST_BESIDE)
    title = [TypesetBlock(content.title, True, beside)] if content.title else []
    notes = [TypesetBlock(note, False, beside, NOTE_SIZE) for note in content.notes]
    heights = [height + GAP for _, height in measured([*title, *notes])]
    return Page(
        content, borders, columns, rows, beside, sum(heights[: len(title)]), sum(heights[len(title) :])
    )


def _sizes(spans: Sequence[_Span], least: Sequence[float]) -> list[float]:
    """The size of each line along an axis: that of its own cells first, then what merged ones lack."""
    sizes = list(least)
    for start, length, need in sorted(spans, key=lambda span: span[1]):
        lack = need - sum(sizes[start : start + length])
        if lack > 0:
            sizes[start : start + length] = [size + lack / length for size in sizes[start : start + length]]
    return sizes


def page_data(page: Page) -> dict[str, Any]:
    """A page as plain data for :func:`~torr_plugin.tables.pictures.typesetting.drawn`."""
    content = page.content
    return {
        "width": page.width,
        "height": page.height,
        "margin": MARGIN,
        "gap": GAP,
        "inset": [INSET_X, INSET_Y],
        "note_size": NOTE_SIZE,
        "borders": page.borders,
        "rules": [] if page.borders else sorted({0, content.header_rows, content.n_rows}),
        "columns": page.columns,
        "rows": page.rows,
        "beside": page.beside,
        "title": content.title,
        "notes": content.notes,
        "cells": [
            {
                "x": cell.column,
                "y": cell.row,
                "rowspan": cell.rowspan,
                "colspan": cell.colspan,
                "lines": cell.lines,
                "bold": cell.bold,
                "align": cell.align,
                "fill": cell.fill,
                "ink": cell.ink,
            }
            for cell in content.cells
        ],
    }
