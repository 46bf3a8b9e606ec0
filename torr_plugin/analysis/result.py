"""The values of figures: frozen, with their intervals, as in ``analysis.json``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict

from ..core.statistics import ROUNDING

T = TypeVar("T")

OVERALL = "overall"
"""The place of figures over all data sets; no data set may have this name."""


class FigureResult(BaseModel):
    """A part of a figure's result.

    Fields that were not given are left out of ``analysis.json``: ``complete`` stands there only where it is
    false. Unknown keys of a file are ignored, as another version may write more.
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


class Verdict(Interval):
    """A difference with the interval and the p-value of its question, see :mod:`.compare`.

    ``differs``: the interval excludes 0; ``few``: too few tables differ to say, so that there is no interval;
    ``examples``: that both sides have, given where one of them lacks a score.
    """

    p: float | None = None
    differs: bool = False
    few: bool = False
    examples: int | None = None


NOTHING = Interval(value=None, low=None, high=None)

INTERVAL = ("value", "low", "high", "complete")
"""Columns of tables that hold an interval."""

VERDICT = (*INTERVAL, "p", "differs", "few")
"""Columns of tables that hold a verdict."""


class ByDataset(FigureResult, Generic[T]):
    """A result over all data sets and on each."""

    overall: T
    datasets: dict[str, T]

    def places(self) -> dict[str, T]:
        """All data sets together, then each."""
        return {OVERALL: self.overall, **self.datasets}


Everywhere = ByDataset[Interval]
"""A model's value over all data sets and on each."""


def interval_of(value: float, low: float, high: float, *, complete: bool = True) -> Interval:
    """A value with its interval from floats, None where they are NaN."""
    return Interval(**interval_fields(value, low, high, complete=complete))


def given_marks(**marks: float) -> dict[str, Any]:
    """The marks that are true; the others are not given."""
    return {name: True for name, mark in marks.items() if mark}


def interval_fields(value: float, low: float, high: float, *, complete: bool = True) -> dict[str, Any]:
    """The fields of :func:`interval_of`."""
    return {"value": number(value), "low": number(low), "high": number(high), **marked(complete)}


def marked(complete: bool) -> dict[str, Any]:
    """The field ``complete``, given only where it is false."""
    return {} if complete else {"complete": False}


def number(value: float) -> float | None:
    """A float as JSON can hold it."""
    plain = float(value)
    return round(plain, ROUNDING) if math.isfinite(plain) else None


def interval_cells(figure: MarkedBounds) -> tuple[object, ...]:
    """The cells of the columns ``INTERVAL``."""
    return figure.value, figure.low, figure.high, figure.complete


def verdict_cells(figure: Verdict) -> tuple[object, ...]:
    """The cells of the columns ``VERDICT``."""
    return *interval_cells(figure), figure.p, figure.differs, figure.few


def nested_rows(
    results: Any, cells: Callable[[Any], Iterable[object]] = interval_cells
) -> Iterator[tuple[object, ...]]:
    """The rows of a table, one for each leaf of nested mappings: the keys that lead to it, then its cells."""
    if isinstance(results, ByDataset):
        results = results.places()
    if not isinstance(results, Mapping):
        yield tuple(cells(results))
        return
    for name, below in results.items():
        for row in nested_rows(below, cells):
            yield name, *row


def rows_of(*fields: str) -> Callable[[Any], Iterator[tuple[object, ...]]]:
    """As :func:`nested_rows`, with these fields of a leaf as its cells; without any, the leaf itself."""
    cells = attrgetter(*fields) if fields else lambda leaf: (leaf,)
    return lambda results: nested_rows(results, cells)


def field_rows(*names: str) -> Callable[[Any], Iterator[tuple[object, ...]]]:
    """Rows of results with several figures of a model: model, data set, name of the figure, its interval."""

    def rows(results: Mapping[str, ByDataset[Any]]) -> Iterator[tuple[object, ...]]:
        for model, found in results.items():
            for dataset, own in found.places().items():
                yield from ((model, dataset, name, *interval_cells(getattr(own, name))) for name in names)

    return rows


def by_model(
    models: Iterable[str], overall: Iterable[T], datasets: Mapping[str, Iterable[T]]
) -> dict[str, ByDataset[T]]:
    """Model -> its result over all data sets and on each, from those of all models in their order."""
    each = zip(*datasets.values(), strict=True)
    return {
        model: ByDataset[Any](overall=together, datasets=dict(zip(datasets, own, strict=True)))
        for model, together, own in zip(models, overall, each, strict=True)
    }


def verdict_rows(results: Any) -> Iterator[tuple[object, ...]]:
    """As :func:`nested_rows`, of verdicts."""
    return nested_rows(results, verdict_cells)
