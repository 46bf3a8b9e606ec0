"""Figures as text and as places on an axis, and the tables made of them (``macros/views.html``)."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis import format_bounds, format_value, has_width
from ..analysis.number_format import ABSENT
from ..analysis.result import Bounds, MarkedBounds

WIDTH = 150
"""Pixels of the axis on which intervals are drawn."""
_MARGIN = 4


@dataclass(frozen=True)
class FigureText:
    """A figure with its interval.

    ``value`` and ``bounds`` are texts, the latter empty where there is no interval that has a width; ``sort``
    is the number to sort by, empty where there is no figure.
    """

    value: str
    bounds: str
    sort: str
    complete: bool


def figure_text(figure: MarkedBounds) -> FigureText:
    """A figure, ready for a cell of a table."""
    return FigureText(
        value=format_value(figure.value, figure.low, figure.high),
        bounds=format_bounds(*drawn_ends(figure)),
        sort="" if figure.value is None else repr(0.0 + figure.value),  # never -0.0, which equals 0.0
        complete=figure.complete,
    )


def drawn_ends(figure: Bounds) -> tuple[float | None, float | None]:
    """The ends of an interval that can be drawn; None twice of one without a width."""
    if figure.low is None or figure.high is None or not has_width(figure.low, figure.high):
        return None, None
    return figure.low, figure.high


def place(value: float | None, width: int = WIDTH, ends: tuple[float, float] = (0.0, 1.0)) -> float | None:
    """The pixel of a number on an axis of this width, from one end to the other."""
    if value is None:
        return None
    share = min(1.0, max(0.0, (value - ends[0]) / (ends[1] - ends[0])))
    return round(_MARGIN + share * (width - 2 * _MARGIN), 1)


@dataclass(frozen=True)
class ViewCell:
    """A cell of a view.

    Attributes:
        text: what it says.
        bounds: its interval, or another note in small type.
        style: classes of its element, ours alone.
        href: a page of ours, from the site's root.
    """

    text: str = ""
    bounds: str = ""
    style: str = ""
    href: str = ""


DASH = ViewCell(ABSENT, style="num")
"""Where there is no number."""


@dataclass(frozen=True)
class View:
    """A table, the first cell of each row its header, and what it says in sentences.

    ``caption`` and ``title``, of a heading above it, may be empty.
    """

    head: tuple[str, ...] = ()
    rows: tuple[tuple[ViewCell, ...], ...] = ()
    lines: tuple[str, ...] = ()
    caption: str = ""
    title: str = ""


def number_cell(number: object) -> ViewCell:
    """A number without an interval, or its text."""
    return ViewCell(f"{number:,}" if isinstance(number, int) else str(number), style="num")
