"""Scores by kind of example, as tables: by group (source, question template) and by property."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from . import schema
from .figures import FigureText, figure_text

MOST_ROWS = 60
"""Rows of a table on the page; all are in analysis.json."""


@dataclass(frozen=True)
class KindRow:
    """A kind of example: its name, how many examples are of it, and a figure a column."""

    name: str
    examples: int
    figures: tuple[FigureText, ...]


@dataclass(frozen=True)
class KindTable:
    """Rows of one sort of kind; ``more`` rows are left out."""

    title: str
    first: str
    columns: tuple[str, ...]
    rows: tuple[KindRow, ...]
    more: int


@dataclass(frozen=True)
class Kinds:
    """All tables of one data set."""

    dataset: str
    tables: tuple[KindTable, ...]


def kinds(analysis: schema.Analysis, models: tuple[str, ...]) -> tuple[Kinds, ...]:
    """The tables of each data set whose examples are told apart; none where nothing is known of them."""
    found = (
        Kinds(name, (*_group_tables(slices, models), *_property_tables(slices, len(models))))
        for name, slices in (analysis.slices or {}).items()
    )
    return tuple(each for each in found if each.tables)


def _group_tables(slices: schema.Slices, models: tuple[str, ...]) -> Iterator[KindTable]:
    columns = (*(("Mean of all models",) if len(models) > 1 else ()), *models)
    by_part = {**slices.groups, **({"number of cells": slices.cells} if slices.cells else {})}
    for group, values in by_part.items():
        if len(values) > 1:
            rows = [
                KindRow(value, own.examples, tuple(map(figure_text, _of_models(own, models))))
                for value, own in values.items()
            ]
            yield _table(f"By {group}", group.capitalize(), columns, rows)


def _of_models(own: schema.Slice, models: tuple[str, ...]) -> list[schema.Figure]:
    mean = [own.overall] if len(models) > 1 else []
    return [*mean, *(own.models.get(model, _NO_FIGURE) for model in models)]


def _property_tables(slices: schema.Slices, models: int) -> Iterator[KindTable]:
    for part, properties in slices.properties.items():
        rows = [
            KindRow(name, own.present.examples, tuple(map(figure_text, _with_and_without(own))))
            for name, own in properties.items()
            if own.present.examples and own.absent.examples
        ]
        if rows:
            title = f"By property of the {part}" + (", mean of all models" if models > 1 else "")
            yield _table(title, "Property", ("With it", "Without it", "Difference"), rows)


def _with_and_without(own: schema.Contrast) -> tuple[schema.Figure, ...]:
    return own.present.overall, own.absent.overall, own.difference.overall


def _table(title: str, first: str, columns: tuple[str, ...], rows: list[KindRow]) -> KindTable:
    return KindTable(title, first, columns, tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS))


_NO_FIGURE = schema.Figure(value=None, low=None, high=None)
