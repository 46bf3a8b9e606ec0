"""Scores of single examples: means, difficulty, and tables by kind of example."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from ..analysis.figures.slices import Slice, Slices
from ..analysis.result import NOTHING, Interval
from .results import StudyResults
from .source import main_rows
from .views import FigureText, figure_text

UNIT = 10_000
"""Means are kept as whole numbers of ten-thousandths."""


@dataclass(frozen=True)
class ExampleMeans:
    """The means of a study.

    ``examples`` are each data set's, in the order of the scores; ``of`` has a model's means in ``UNIT`` for
    each of them, None where it has no score.
    """

    examples: Mapping[str, Sequence[str]]
    of: Mapping[str, Mapping[str, Sequence[int | None]]]


def example_means(scores: pd.DataFrame, models: Sequence[str], datasets: Sequence[str]) -> ExampleMeans:
    """The means of the main scores, (model, data set, example); a hole is left out of its mean.

    Args:
        scores: of the scores' shape.
        models: whose means to return.
        datasets: on which.
    """
    main = main_rows(scores)
    keys = [main[name].astype(str) for name in ("dataset", "example", "model")]
    means = main.groupby(keys, sort=False, observed=True)["score"].mean()
    table = (means * UNIT).round().unstack("model").reindex(columns=list(models))
    examples: dict[str, list[str]] = {}
    found: dict[str, dict[str, list[int | None]]] = {model: {} for model in models}
    there = set(table.index.get_level_values("dataset"))
    for dataset in datasets:
        part = table.loc[dataset] if dataset in there else table.iloc[:0]
        examples[dataset] = [str(name) for name in part.index] if dataset in there else []
        for model in models:
            values = part[model].tolist()
            found[model][dataset] = [None if math.isnan(value) else int(value) for value in values]
    return ExampleMeans(examples, found)


@dataclass(frozen=True)
class ExampleDifficulty:
    """One example over all models: its mean score, and the standard deviation of the models' means."""

    example: str
    mean: float
    spread: float


def examples_by_difficulty(scores: pd.DataFrame) -> Mapping[str, Sequence[ExampleDifficulty]]:
    """Data set -> its examples that any model answered, hardest first.

    Args:
        scores: of the analysis's shape; rows that are not ``main`` or have no score are left out.
    """
    main = main_rows(scores)
    keys = [main[name].astype(str) for name in ("dataset", "example", "model")]
    means = main["score"].groupby(keys, sort=False, observed=True).mean().dropna()
    found = means.groupby(["dataset", "example"]).agg(["mean", lambda own: own.std(ddof=0)])
    examples: dict[str, list[ExampleDifficulty]] = {}
    for (dataset, example), mean, spread in found.itertuples(name=None):
        examples.setdefault(dataset, []).append(ExampleDifficulty(example, mean, spread))
    return {
        dataset: sorted(own, key=lambda each: (each.mean, each.example)) for dataset, own in examples.items()
    }


MOST_ROWS = 60
"""Rows of a table on the page; all are in analysis.json."""


@dataclass(frozen=True)
class KindRow:
    """A kind of example: its name, how many examples are of it, and one figure per column."""

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


def kinds(analysis: StudyResults, models: tuple[str, ...]) -> tuple[Kinds, ...]:
    """The tables of each data set whose examples have known kinds."""
    found = (
        Kinds(name, (*_value_tables(slices, models), *_property_tables(slices, len(models))))
        for name, slices in analysis.slices.items()
    )
    return tuple(each for each in found if each.tables)


def _value_tables(slices: Slices, models: tuple[str, ...]) -> Iterator[KindTable]:
    """By groups, by the table's size, and by properties that are not yes or no."""
    columns = (*(("Mean of all models",) if len(models) > 1 else ()), *models)
    named = [*slices.groups.items(), ("number of cells", slices.cells)]
    named += [
        (f"{name} of the {of}", values)
        for of, known in slices.values.items()
        for name, values in known.items()
    ]
    for group, values in named:
        if len(values) > 1:
            rows = [
                KindRow(value, own.examples, tuple(map(figure_text, _of_models(own, models))))
                for value, own in values.items()
            ]
            yield _table(f"By {group}", group[:1].upper() + group[1:], columns, rows)


def _of_models(own: Slice, models: tuple[str, ...]) -> list[Interval]:
    mean = [own.overall] if len(models) > 1 else []
    return [*mean, *(own.models.get(model, NOTHING) for model in models)]


def _property_tables(slices: Slices, models: int) -> Iterator[KindTable]:
    for part, properties in slices.properties.items():
        rows = [
            KindRow(
                name,
                own.present.examples,
                tuple(figure_text(each.overall) for each in (own.present, own.absent, own.difference)),
            )
            for name, own in properties.items()
            if own.present.examples and own.absent.examples
        ]
        if rows:
            title = f"By property of the {part}" + (", mean of all models" if models > 1 else "")
            yield _table(title, "Property", ("With it", "Without it", "Difference"), rows)


def _table(title: str, first: str, columns: tuple[str, ...], rows: list[KindRow]) -> KindTable:
    return KindTable(title, first, columns, tuple(rows[:MOST_ROWS]), max(0, len(rows) - MOST_ROWS))
