"""Figures as the page shows them: text with as many digits as the interval bears, and places on an axis."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis import format_value
from . import schema

WIDTH = 112
"""Pixels of the axis from 0 to 1 on which intervals are drawn."""
_MARGIN = 4


@dataclass(frozen=True)
class Shown:
    """A figure with its interval.

    ``value``, ``low`` and ``high`` are texts; ``sort`` is the number to sort by, empty where there is no
    figure; ``x``, ``x_low`` and ``x_high`` are places on the axis, None where there is no figure; ``numbers``
    are value, low and high.
    """

    value: str
    low: str
    high: str
    sort: str
    x: float | None
    x_low: float | None
    x_high: float | None
    complete: bool
    numbers: tuple[float | None, float | None, float | None] = (None, None, None)

    def on(self, width: int, which: int = 0) -> float | None:
        """Where the value (0), the lower (1) or the upper end (2) stands on an axis of so many pixels."""
        return place(self.numbers[which], width)


def shown(figure: schema.Figure) -> Shown:
    """A figure, ready for a cell of a table."""
    bounds = figure.low, figure.high
    return Shown(
        value=format_value(figure.value, *bounds),
        low=format_value(figure.low, *bounds),
        high=format_value(figure.high, *bounds),
        sort="" if figure.value is None else repr(figure.value),
        x=place(figure.value),
        x_low=place(figure.low),
        x_high=place(figure.high),
        complete=figure.complete,
        numbers=(figure.value, figure.low, figure.high),
    )


def place(value: float | None, width: int = WIDTH) -> float | None:
    """Where a number from 0 to 1 stands on an axis of so many pixels."""
    if value is None:
        return None
    return round(_MARGIN + min(1.0, max(0.0, value)) * (width - 2 * _MARGIN), 1)


def percent(share: float | None) -> str:
    """A share in percent; a dash where there is none."""
    return format_value(None) if share is None else f"{100 * share:.0f}%"
