"""Scores of single examples: means, ranges over configurations, and tables by kind of example."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pandas as pd
from numpy.typing import NDArray

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
class ScoreRange:
    """One model's scores on one example over its configurations; ties go to the configuration named first.

    ``lows`` and ``highs`` are how many configurations share the lowest and the highest score.
    """

    dataset: str
    example: str
    low: float
    high: float
    low_config: str
    high_config: str
    mean: float
    lows: int = 1
    highs: int = 1

    @property
    def width(self) -> float:
        """From the worst configuration to the best."""
        return self.high - self.low


@dataclass(frozen=True)
class ExampleDifficulty:
    """One example over all models: its mean score, and the standard deviation of the models' means."""

    example: str
    mean: float
    spread: float


def score_ranges(scores: pd.DataFrame) -> pd.DataFrame:
    """A row per model, data set and example with ``low``, ``high``, their configurations, and ``mean``.

    Of several configurations with the lowest score the first by name; ``lows`` says how many they are. So
    with the highest, and ``highs``.

    Args:
        scores: of the analysis's shape; rows that are not ``main`` or have no score are left out.
    """
    main = main_rows(scores)
    main = main[main["score"].notna()]
    cell = ["model", "dataset", "example"]
    groups = main.groupby(cell, observed=True, sort=False).ngroup().to_numpy()
    score = main["score"].to_numpy(float)
    place, configs = pd.factorize(main["config"].astype(str), sort=True)
    order = np.lexsort((place, score, groups))
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    counts = np.diff(starts, append=len(order))
    first = order[starts]
    # of several best ones the first by name, as with the worst
    last = np.lexsort((place, -score, groups))[starts]
    means = np.add.reduceat(score[order], starts) / counts if len(starts) else np.empty(0)
    lows, highs = (_equal(score[order], score[end], starts, counts) for end in (first, last))
    columns = {
        **{name: main[name].iloc[first].astype(str).to_numpy() for name in cell},
        "low": score[first],
        "high": score[last],
        "mean": means,
        "low_config": configs.to_numpy()[place[first]],
        "high_config": configs.to_numpy()[place[last]],
        "lows": lows,
        "highs": highs,
    }
    found: pd.DataFrame = pd.DataFrame(columns)
    return found


def _equal(
    scores: NDArray[np.float64], ends: NDArray[np.float64], starts: NDArray[np.intp], counts: NDArray[np.intp]
) -> NDArray[np.intp]:
    """How many scores of each group, which lie together, equal the group's end."""
    same = (scores == np.repeat(ends, counts)).astype(np.intp)
    found: NDArray[np.intp] = np.add.reduceat(same, starts) if len(starts) else same
    return found


def widest_ranges(found: pd.DataFrame, most: int) -> Mapping[str, Sequence[ScoreRange]]:
    """Model -> the examples whose score moves furthest, widest first; none that does not move.

    Equally wide ones: those first that are neither right nor wrong in most configurations.
    """
    wide = found.assign(width=found["high"] - found["low"], edge=(found["mean"] - 0.5).abs())
    wide = wide[wide["width"] > 0].sort_values(
        ["width", "edge", "dataset", "example"], ascending=[False, True, True, True], kind="stable"
    )
    columns = [field.name for field in fields(ScoreRange)]
    return {
        str(model): [ScoreRange(**row) for row in own.head(most)[columns].to_dict("records")]
        for model, own in wide.groupby("model")
    }


def examples_by_difficulty(found: pd.DataFrame, dataset: str) -> Sequence[ExampleDifficulty]:
    """The examples of a data set that any model answered, hardest first."""
    own = found[found["dataset"] == dataset].groupby("example")["mean"]
    means, spreads = own.mean(), own.std(ddof=0)
    every = [ExampleDifficulty(str(name), float(means[name]), float(spreads[name])) for name in means.index]
    return sorted(every, key=lambda each: (each.mean, each.example))


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
