"""Do models that give more values find more of the truth? (HCT-QA, appendix D.2, RQ6, Fig. 35)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ....analysis.bootstrap import percentile_bounds
from ....analysis.charts import vega
from ....analysis.charts.labels import ChartContext, bounds_row, unique_labels
from ....analysis.charts.vega import ChartRow, Spec
from ....analysis.cube import Cube
from ....analysis.examples import KnownExample, joined_numbers, slice_means, table_numbers
from ....analysis.figure import Figure, FigureChart, FigureTable, Row
from ....analysis.options import AnalysisError, Options
from ....analysis.result import INTERVAL, OVERALL, FigureResult, Interval, interval_cells, interval_of, number
from ....analysis.statistics import example_means
from ....analysis.study import StudyScores
from ....core.statistics import Booleans, Floats, Integers

_CELL = ("model", "config", "example")
LENGTH_COLUMNS = ("dataset", *_CELL, "values", "truth")


class ModelVerbosity(FigureResult):
    """A model's mean number of values an answer, its mean score, and their rank correlation over examples."""

    values: Interval
    score: Interval
    correlation: float | None


class Verbosity(FigureResult):
    """How many values answers hold: right ones, and those of each model; the rank correlation over models."""

    truth: float | None
    models: dict[str, ModelVerbosity]
    correlation: float | None


def verbosity(study: StudyScores) -> dict[str, Verbosity]:
    """Data set, or "overall" for all examples together, -> verbosity, where answers' values were counted.

    Whole tables are resampled where they are known.

    Raises:
        AnalysisError: ``study.lengths`` lacks one of ``LENGTH_COLUMNS``: ``values``, how many an answer
            holds, and ``truth``, how many the right one holds.
    """
    lengths = study.lengths
    if lengths is None:
        return {}
    missing = [name for name in LENGTH_COLUMNS if name not in lengths.columns]
    if missing:
        raise AnalysisError(f"lengths: no column {missing[0]!r}; expected {', '.join(LENGTH_COLUMNS)}")
    parts = {str(dataset): rows for dataset, rows in lengths.groupby("dataset", sort=False, observed=True)}
    found = [
        _dataset_lengths(cube, parts[cube.dataset], study.known_examples.get(cube.dataset, {}))
        for cube in study.cubes
        if cube.dataset in parts
    ]
    places = [*found, _together(found)] if len(found) > 1 else found
    return {one.place: _verbosity(one, study.options) for one in places}


@dataclass(frozen=True)
class _AnswerLengths:
    """Answers with their numbers of values, on one data set or on several together.

    Attributes:
        place: the data set's name, or "overall".
        models: labels of the rows.
        values: mean number of values over configurations, (models x examples); NaN where it is unknown.
        scores: mean score of the same answers, (models x examples).
        lacks: whether answers of a model are missing, (models,).
        clusters: the number of the table of each example, (examples,).
        truth: the number of values of each right answer that is known.
    """

    place: str
    models: tuple[str, ...]
    values: Floats
    scores: Floats
    lacks: Booleans
    clusters: Integers
    truth: Floats


def _dataset_lengths(cube: Cube, rows: pd.DataFrame, known: Mapping[str, KnownExample]) -> _AnswerLengths:
    counts = _counts(cube, rows)
    return _AnswerLengths(
        place=cube.dataset,
        models=cube.models,
        values=example_means(counts),
        scores=example_means(np.where(np.isnan(counts), np.nan, cube.scores)),
        lacks=np.asarray(np.isnan(counts).any(axis=(1, 2))),
        clusters=table_numbers([known.get(example) for example in cube.examples]),
        truth=rows.drop_duplicates("example")["truth"].to_numpy(dtype=float),
    )


def _together(parts: Sequence[_AnswerLengths]) -> _AnswerLengths:
    return _AnswerLengths(
        place=OVERALL,
        models=parts[0].models,
        values=np.concatenate([one.values for one in parts], axis=1),
        scores=np.concatenate([one.scores for one in parts], axis=1),
        lacks=np.any([one.lacks for one in parts], axis=0),
        clusters=joined_numbers([one.clusters for one in parts]),
        truth=np.concatenate([one.truth for one in parts]),
    )


def _verbosity(found: _AnswerLengths, options: Options) -> Verbosity:
    both = np.concatenate([found.values, found.scores])
    whole = np.ones(both.shape[1], dtype=bool)
    means, drawn = slice_means(both, [whole], found.clusters, options, found.place)
    low, high = percentile_bounds(drawn[:, 0], options.level)
    values, many = means[:, 0], len(found.models)

    def interval(row: int, model: int) -> Interval:
        return interval_of(values[row], low[row], high[row], complete=not found.lacks[model])

    models = {
        model: ModelVerbosity(
            values=interval(m, m),
            score=interval(many + m, m),
            correlation=number(rank_correlation(both[m], both[many + m])),
        )
        for m, model in enumerate(found.models)
    }
    return Verbosity(
        truth=number(float(found.truth.mean())),
        models=models,
        correlation=number(rank_correlation(values[:many], values[many:])),
    )


def _counts(cube: Cube, rows: pd.DataFrame) -> Floats:
    """The number of values of each answer, of the shape of the cube's scores; NaN where it is unknown."""
    found = np.full(cube.scores.shape, np.nan)
    axes = (cube.models, cube.configurations, cube.examples)
    places = [
        rows[name].astype(str).map({label: i for i, label in enumerate(labels)})
        for name, labels in zip(_CELL, axes, strict=True)
    ]
    there = ~np.any([place.isna().to_numpy() for place in places], axis=0)
    index = tuple(place.to_numpy()[there].astype(int) for place in places)
    found[index] = rows["values"].to_numpy(dtype=float)[there]
    return found


def rank_correlation(first: Floats, second: Floats) -> float:
    """Spearman's rank correlation, ties at their mean rank; NaN with fewer than three pairs or no spread."""
    known = ~np.isnan(first) & ~np.isnan(second)
    ranks = [pd.Series(each[known]).rank() for each in (first, second)]
    if known.sum() < 3 or any(each.nunique() < 2 for each in ranks):
        return float("nan")
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _rows(result: Mapping[str, Verbosity]) -> Iterator[Row]:
    """Per model the number of values, the score and their correlation; the truth's number of values."""
    for place, found in result.items():
        yield place, None, "truth", found.truth, None, None, None
        yield place, None, "correlation", found.correlation, None, None, None
        for model, own in found.models.items():
            yield place, model, "values", *interval_cells(own.values)
            yield place, model, "score", *interval_cells(own.score)
            yield place, model, "correlation", own.correlation, None, None, None


_WIDTH, _HEIGHT, _COLUMNS = 300, 220, 3


def _chart(result: Mapping[str, Verbosity], context: ChartContext) -> Spec:
    """A panel a data set, a point a model; a dashed line at the truth's number of values."""
    panels, models = unique_labels(result, 40), context.model_labels()
    rows: list[ChartRow] = [
        {
            "panel": panels[place],
            "model": models[model],
            "truth": own.truth,
            **score,
            "across": values["value"],
            "left": values["low"],
            "right": values["high"],
        }
        for place, own in result.items()
        for model, one in own.models.items()
        if (score := bounds_row(one.score)) and (values := bounds_row(one.values))
    ]
    spec = {"layer": _layers(), "width": _WIDTH, "height": _HEIGHT}
    chart = vega.faceted(spec, list(panels.values()), _COLUMNS)
    del chart["spacing"], chart["resolve"]
    lines = [
        context.basis,
        f"Dashed: the mean number of values in right answers. Lines: {context.level} intervals, "
        "whole tables resampled",
    ]
    title = "Score against the number of values that a model gives"
    return vega.specification(chart, rows, vega.heading(title, lines, max(420, _WIDTH * len(panels))))


def _layers() -> list[Spec]:
    x = {"x": vega.quantitative("across", title="values an answer, mean", scale={"zero": False})}
    value = {"y": vega.quantitative("value")}
    low = vega.quantitative("low", title="mean score, 0 to 1", scale={"zero": False})
    across = {"x": vega.quantitative("left"), "x2": {"field": "right"}, **value}
    line: Spec = {"strokeWidth": 2, "opacity": 0.6, "color": vega.BLUE}
    truth = {"x": vega.quantitative("truth", aggregate="min")}
    text: Spec = {"align": "left", "dx": 6, "dy": -6, "fontSize": 9}
    return [
        vega.layer("rule", truth, strokeDash=[4, 3], color=vega.GREY),
        vega.layer("rule", {**x, "y": low, "y2": {"field": "high"}}, **line),
        vega.layer("rule", across, **line),
        vega.layer("point", {**x, **value}, filled=True, size=40, opacity=1, color=vega.BLUE),
        vega.layer("text", {**x, **value, "text": vega.nominal("model")}, **text),
    ]


class VerbosityFigure(Figure[dict[str, Verbosity]]):
    """How many values answers hold, and how that goes with their score."""

    key = "verbosity"
    tables = (
        FigureTable(
            "verbosity",
            ("dataset", "model", "figure", *INTERVAL),
            _rows,
            "how many values answers hold, and how that goes with their score",
        ),
    )
    charts = (FigureChart("verbosity", _chart, absent="nobody counted the values in answers"),)

    def compute(self, study: StudyScores) -> dict[str, Verbosity] | None:
        """Compute it, where answers' values were counted."""
        return verbosity(study) or None


VERBOSITY = VerbosityFigure()
