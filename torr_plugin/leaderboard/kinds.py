"""Tables of scores by kind of example: of tables over all data sets, of questions on one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..analysis import format_points
from ..analysis.figures.slices import Slice, Slices
from ..analysis.result import NOTHING, Interval
from .percents import PercentText, percent_text

MOST_ROWS = 60
"""Rows of a table on the page; all are in analysis.json."""


@dataclass(frozen=True)
class KindRow:
    """A kind of example: its name, how many examples are of it, and one figure per column."""

    name: str
    examples: int
    figures: tuple[PercentText, ...]


@dataclass(frozen=True)
class KindTable:
    """Rows of one sort of kind; ``more`` rows are left out."""

    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[KindRow, ...]
    more: int


def dataset_kinds(slices: Slices, models: tuple[str, ...]) -> tuple[KindTable, ...]:
    """By group, by property of questions and tables, and by the tables' size."""
    by_value = {
        **{f"By {name}": (name, values) for name, values in slices.groups.items()},
        **{
            f"By {name} of the {part}": (name, values)
            for part, properties in slices.values.items()
            for name, values in properties.items()
        },
        "By number of cells": ("cells", slices.cells),
    }
    tables = [_value_table(title, *of, models) for title, of in by_value.items() if len(of[1]) > 1]
    return (*tables, *_property_tables(slices, len(models)))


def _value_table(title: str, name: str, values: Mapping[str, Slice], models: tuple[str, ...]) -> KindTable:
    columns = (*(("Mean of all models",) if len(models) > 1 else ()), *models)
    rows = [
        KindRow(value, own.examples, tuple(map(percent_text, _of_models(own, models))))
        for value, own in values.items()
    ]
    return _table(title, _capital(name), columns, rows)


def _of_models(own: Slice, models: tuple[str, ...]) -> list[Interval]:
    mean = [own.overall] if len(models) > 1 else []
    return [*mean, *(own.models.get(model, NOTHING) for model in models)]


def _property_tables(slices: Slices, models: int) -> Iterator[KindTable]:
    for part, properties in slices.properties.items():
        rows = [
            KindRow(
                name,
                own.present.examples,
                (
                    *(percent_text(each.overall) for each in (own.present, own.absent)),
                    _points(own.difference.overall),
                ),
            )
            for name, own in properties.items()
            if own.present.examples and own.absent.examples
        ]
        if rows:
            title = f"By property of the {part}" + (", mean of all models" if models > 1 else "")
            yield _table(title, "Property", ("With it", "Without it", "Difference, in points"), rows)


def _points(found: Interval) -> PercentText:
    value, bounds = format_points(found.value, found.low, found.high)
    return PercentText(value, bounds, (found.value, found.low, found.high), found.complete)


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _table(title: str, first: str, columns: tuple[str, ...], rows: list[KindRow]) -> KindTable:
    return KindTable(title, first, columns, tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS))
