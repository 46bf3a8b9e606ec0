"""Shares in percent and differences in points, ready for cells."""

from __future__ import annotations

from dataclasses import dataclass

from ..analysis import format_percent, format_percent_bounds, format_points
from ..analysis.result import Interval, MarkedBounds, Verdict
from .views import ViewCell, drawn_ends

Numbers = tuple[float | None, float | None, float | None]
"""Value, low and high; None where there is no figure, or no interval with a width."""


@dataclass(frozen=True)
class PercentText:
    """A share as it stands in a cell.

    Attributes:
        value: ``74%``; a dash where there is none.
        bounds: ``70\N{EN DASH}76``; "" where there is no interval with a width.
        numbers: value, low and high, from 0 to 1; None likewise.
        complete: whether no score is missing.
        limit: whether it is so near its floor or ceiling that it says little.
    """

    value: str
    bounds: str = ""
    numbers: Numbers = (None, None, None)
    complete: bool = True
    limit: bool = False

    @property
    def sort(self) -> str:
        """The number to sort by; "" where there is none."""
        return "" if self.numbers[0] is None else repr(0.0 + self.numbers[0])  # never -0.0, which equals 0.0


def percent_text(figure: MarkedBounds, *, limit: bool = False) -> PercentText:
    """A figure from 0 to 1, ready for a cell."""
    low, high = drawn_ends(figure)
    return PercentText(
        value=format_percent(figure.value, low, high),
        bounds=format_percent_bounds(low, high),
        numbers=(figure.value, low, high),
        complete=figure.complete,
        limit=limit,
    )


def percent_cell(figure: MarkedBounds) -> ViewCell:
    """The same, for a cell of a view."""
    share = percent_text(figure)
    return ViewCell(share.value + ("" if share.complete else "*"), share.bounds, "num")


def flipped(robustness: MarkedBounds) -> Interval:
    """The share of answers that flip between the best and the worst way of writing the table."""
    value, low, high = (
        None if each is None else 1.0 - each for each in (robustness.value, robustness.high, robustness.low)
    )
    return Interval(value=value, low=low, high=high, complete=robustness.complete)


@dataclass(frozen=True)
class PointsText:
    """A difference of shares as it stands in a cell, with what was decided of it.

    Attributes:
        value: ``-6``, in points; a dash where there is none.
        bounds: ``-8 to -5``; "" where there is no interval with a width.
        numbers: value, low and high, from -1 to 1.
        differs: whether the verdict is that it is not 0.
        few: whether too few answers differ to say.
        complete: whether no score is missing.
    """

    value: str
    bounds: str
    numbers: Numbers
    differs: bool
    few: bool
    complete: bool

    @property
    def sort(self) -> str:
        """The number to sort by; "" where there is none."""
        return "" if self.numbers[0] is None else repr(0.0 + self.numbers[0])

    @property
    def sign(self) -> int:
        """1 or -1 where the verdict is that it is above or below 0, else 0."""
        return 0 if not self.differs else 1 if (self.numbers[0] or 0.0) > 0 else -1


def points_text(verdict: Verdict) -> PointsText:
    """A difference, ready for a cell."""
    value, bounds = format_points(verdict.value, verdict.low, verdict.high)
    return PointsText(
        value=value,
        bounds=bounds,
        numbers=(verdict.value, *drawn_ends(verdict)),
        differs=verdict.differs,
        few=verdict.few,
        complete=verdict.complete,
    )
