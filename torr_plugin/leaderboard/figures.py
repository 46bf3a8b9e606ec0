"""Figures as the page shows them: text with as many digits as the interval bears, and places on an axis."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis import format_bounds, format_value, has_width
from . import schema

WIDTH = 112
"""Pixels of the axis from 0 to 1 on which intervals are drawn."""
_MARGIN = 4


@dataclass(frozen=True)
class FigureText:
    """A figure with its interval.

    ``value`` and ``bounds`` are texts, the latter empty where there is no interval; ``sort`` is the number to
    sort by, empty where there is no figure; ``x``, ``x_low`` and ``x_high`` are places on the axis, None
    where there is no figure, or no interval that has a width; ``numbers`` are value, low and high, likewise.
    """

    value: str
    bounds: str
    sort: str
    x: float | None
    x_low: float | None
    x_high: float | None
    complete: bool
    numbers: tuple[float | None, float | None, float | None] = (None, None, None)

    @property
    def no_width(self) -> bool:
        """Whether its interval is one number, which is not drawn: it would look like certainty."""
        return bool(self.bounds) and self.x_low is None

    def on(self, width: int, which: int = 0) -> float | None:
        """Where the value (0), the lower (1) or the upper end (2) stands on an axis of so many pixels."""
        return place(self.numbers[which], width)


def figure_text(figure: schema.Figure) -> FigureText:
    """A figure, ready for a cell of a table."""
    low, high = drawn_ends(figure)
    return FigureText(
        value=format_value(figure.value, figure.low, figure.high),
        bounds=format_bounds(figure.low, figure.high),
        sort="" if figure.value is None else repr(figure.value),
        x=place(figure.value),
        x_low=place(low),
        x_high=place(high),
        complete=figure.complete,
        numbers=(figure.value, low, high),
    )


def drawn_ends(figure: schema.Figure) -> tuple[float | None, float | None]:
    """The ends of an interval that can be drawn; None twice of one without a width."""
    if figure.low is None or figure.high is None or not has_width(figure.low, figure.high):
        return None, None
    return figure.low, figure.high


def side_of_zero(figure: schema.Figure) -> int:
    """1 where the whole interval lies above 0, -1 where below; 0 of any other, and of one without a width."""
    low, high = drawn_ends(figure)
    if low is None or high is None:
        return 0
    return 1 if low > 0 else -1 if high < 0 else 0


def place(value: float | None, width: int = WIDTH) -> float | None:
    """Where a number from 0 to 1 stands on an axis of so many pixels."""
    if value is None:
        return None
    return round(_MARGIN + min(1.0, max(0.0, value)) * (width - 2 * _MARGIN), 1)


def percent(share: float | None) -> str:
    """A share in percent; a dash where there is none."""
    return format_value(None) if share is None else f"{100 * share:.0f}%"
