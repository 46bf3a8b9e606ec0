"""The values of figures: frozen, with their intervals, as in ``analysis.json``."""

from __future__ import annotations

import math
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from .arrays import ROUNDING


class FigureResult(BaseModel):
    """A part of a figure's result.

    Fields that were not given are left out of ``analysis.json``: ``complete`` stands there where it is false
    alone. Unknown keys of a file are ignored, as another version may write more.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Bounds(Protocol):
    """Anything with a value and its interval; None where there is none."""

    @property
    def value(self) -> float | None:
        """The value."""

    @property
    def low(self) -> float | None:
        """The lower bound."""

    @property
    def high(self) -> float | None:
        """The upper bound."""


class MarkedBounds(Bounds, Protocol):
    """The same, with a mark: whether no score of it is missing."""

    @property
    def complete(self) -> bool:
        """Whether no score is missing."""


class Interval(FigureResult):
    """A value with its interval, None where there is none; ``complete``: no score of it is missing."""

    value: float | None
    low: float | None
    high: float | None
    complete: bool = True


INTERVAL = ("value", "low", "high", "complete")
"""Columns of tables that hold an interval."""


class Everywhere(FigureResult):
    """A model's value over all data sets and on each."""

    overall: Interval
    datasets: dict[str, Interval]


def interval_of(value: float, low: float, high: float, *, complete: bool = True) -> Interval:
    """A value with its interval from floats, None where they are NaN."""
    found = Interval(value=number(value), low=number(low), high=number(high))
    return found if complete else found.model_copy(update={"complete": False})


def number(value: float) -> float | None:
    """A float as JSON can hold it."""
    plain = float(value)
    return round(plain, ROUNDING) if math.isfinite(plain) else None


def interval_cells(figure: MarkedBounds) -> tuple[object, ...]:
    """The cells of the columns ``INTERVAL``."""
    return figure.value, figure.low, figure.high, figure.complete


NOTHING = Interval(value=None, low=None, high=None)
