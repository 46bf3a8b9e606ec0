"""What each property does to the mean score, the others held fixed (HCT-QA, section 4.2, Tables 4 and 9)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from pydantic import Field

from ....analysis.charts.labels import ChartContext, NoChart, bounds_row, unique_labels
from ....analysis.charts.panels import DotLayout, dot_chart
from ....analysis.charts.vega import ChartRow, Spec
from ....analysis.examples import ExampleScores, Value, is_yes_or_no
from ....analysis.figure import Figure, FigureChart, FigureTable, Row
from ....analysis.number_format import format_range
from ....analysis.result import FigureResult, number
from ....analysis.study import StudyScores
from ....core.names import steps_of
from ....core.statistics import Booleans, Floats, Integers, ratio_or_nan, table_count
from .least_squares import NOISE, Fit, RegressionDesign, fitted, regression_design

METHOD = (
    "ordinary least squares of the mean score over models; examples: errors clustered by table, t tests with "
    "tables - 1 degrees of freedom; tables: the mean over a table's questions, HC1 errors"
)
_FEWEST_TABLES = 10


class Coefficient(FigureResult):
    """Of a regression; ``p`` is None where neither the coefficient nor its error differs from 0."""

    value: float | None
    low: float | None
    high: float | None
    error: float | None
    p: float | None


class Regression(FigureResult):
    """A regression of the mean score on properties; ``dropped``: property -> why it is in no column."""

    rows: int
    tables: int
    left_out: int = 0
    r2: float | None
    intercept: Coefficient
    coefficients: dict[str, Coefficient]
    dropped: dict[str, str] = Field(default_factory=dict)


class Regressions(FigureResult):
    """Data set or "overall" -> "table" or "question" -> "examples" or "tables" -> regression.

    Questions' properties differ within a table, so they have no "tables".
    """

    method: str
    datasets: dict[str, dict[str, dict[str, Regression]]]


def regressions(found: Sequence[ExampleScores], level: float) -> Regressions | None:
    """Regress scores on the properties of tables and questions; None where nothing can be regressed.

    An example counts where every model that has any score has one of it, so that all means are over the same
    models.
    """
    datasets = {
        scores.place: fits
        for scores in found
        if (fits := {of: fit for of in scores.kinds() if (fit := _regressions_on(scores, of, level))})
    }
    return Regressions(method=METHOD, datasets=datasets) if datasets else None


def _regressions_on(of_examples: ExampleScores, of: str, level: float) -> dict[str, Regression]:
    properties = _indicators(of_examples.properties(of))
    scores, scored = mean_scores(of_examples.scores)
    clusters = of_examples.clusters
    chosen = regression_design(properties, scored, clusters)
    found = {"examples": _regressed(scores, chosen, clusters, scored, level)}
    if of == "table":
        found["tables"] = _by_table(properties, scores, scored, clusters, level)
    return {name: one for name, one in found.items() if one}


def _indicators(known: Mapping[str, Sequence[Value | None]]) -> dict[str, list[bool | None]]:
    """Property -> yes or no, an example each; for one on a scale, each step above the lowest that occurs."""
    found: dict[str, list[bool | None]] = {}
    for name, values in known.items():
        if is_yes_or_no(values):
            found[name] = [None if value is None else bool(value) for value in values]
        for step in steps_of({value for value in values if value is not None})[1:]:
            found[f"{name}: {step}"] = [None if value is None else value == step for value in values]
    return found


def mean_scores(scores: Floats) -> tuple[Floats, Booleans]:
    """The mean over the models that have any score, and which examples all of these have a score of.

    Args:
        scores: (models x examples); NaN is a hole.
    """
    used = scores[~np.isnan(scores).all(axis=1)]
    if not len(used):
        return np.full(scores.shape[1], np.nan), np.zeros(scores.shape[1], dtype=bool)
    # NaN where a model has none
    means: Floats = used.mean(axis=0)
    return means, ~np.isnan(means)


def _regressed(
    scores: Floats, chosen: RegressionDesign, clusters: Integers | None, scored: Booleans, level: float
) -> Regression | None:
    """One regression; None where too little is left for it."""
    y = scores[chosen.rows]
    groups = None if clusters is None else clusters[chosen.rows]
    tables = len(y) if groups is None else len(np.unique(groups))
    if not chosen.names or tables < max(_FEWEST_TABLES, len(chosen.names) + 2) or np.ptp(y) < NOISE:
        return None
    fit = fitted(y, chosen.columns, groups, level)
    return Regression(
        rows=len(y),
        tables=tables,
        left_out=int(len(scored) - len(y)),
        r2=number(fit.r2),
        intercept=_coefficient(fit, 0),
        coefficients={name: _coefficient(fit, i) for i, name in enumerate(chosen.names, 1)},
        dropped=dict(chosen.dropped),
    )


def _coefficient(fit: Fit, place: int) -> Coefficient:
    return Coefficient(
        value=number(fit.coefficients[place]),
        low=number(fit.low[place]),
        high=number(fit.high[place]),
        error=number(fit.errors[place]),
        # a p-value keeps its digits, however small
        p=None if math.isnan(fit.p[place]) else float(f"{fit.p[place]:.6g}"),
    )


def _by_table(
    properties: Mapping[str, Sequence[bool | None]],
    scores: Floats,
    scored: Booleans,
    clusters: Integers,
    level: float,
) -> Regression | None:
    """The regression over tables, each with the mean score of its questions."""
    count = table_count(clusters)
    if count == len(clusters):
        return None
    sums = np.bincount(clusters, weights=np.where(scored, scores, 0.0), minlength=count)
    counts = np.bincount(clusters, weights=scored.astype(float), minlength=count)
    means = ratio_or_nan(sums.astype(float), counts.astype(float))
    _, first = np.unique(clusters, return_index=True)
    of_tables = {name: [values[i] for i in first] for name, values in properties.items()}
    known = ~np.isnan(means)
    return _regressed(means, regression_design(of_tables, known, np.arange(count)), None, known, level)


def _rows(result: Regressions) -> Iterator[Row]:
    """A row a coefficient, and one a property that is in no column, with the reason."""
    for place, kinds in result.datasets.items():
        for of, fits in kinds.items():
            for over, fit in fits.items():
                size = fit.rows, fit.tables, fit.r2
                for name, own in {"(intercept)": fit.intercept, **fit.coefficients}.items():
                    yield place, of, over, name, own.value, own.low, own.high, own.error, own.p, *size, None
                for name, why in fit.dropped.items():
                    yield place, of, over, name, *[None] * 5, *size, why


_LONGEST = 48


def _chart(result: Regressions, context: ChartContext) -> Spec:
    """A row a property: its coefficient in the regression over examples, a panel a data set."""
    fits = {
        place: own["table"]["examples"]
        for place, own in result.datasets.items()
        if own.get("table", {}).get("examples")
    }
    if not fits:
        raise NoChart("no properties of tables to regress scores on")
    panels = unique_labels(fits, 30)
    names = unique_labels(dict.fromkeys(name for fit in fits.values() for name in fit.coefficients), _LONGEST)
    rows: list[ChartRow] = [
        {"row": names[name], "panel": panels[place], "reference": 0.0, **figure}
        for place, fit in fits.items()
        for name, own in fit.coefficients.items()
        if (figure := bounds_row(own))
    ]
    layout = DotLayout(
        rows=list(names.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="change of the mean score with the property",
        width=300,
        columns=3,
    )
    examples = format_range([fit.rows for fit in fits.values()])
    tables = format_range([fit.tables for fit in fits.values()])
    lines = [
        f"{context.basis}. Least squares over {examples} examples on {tables} tables",
        f"Lines: {context.level} intervals, errors clustered by table",
    ]
    return dot_chart(rows, layout, "Effect of each property of tables, the others held fixed", lines)


class RegressionFigure(Figure[Regressions]):
    """Regressions of the mean score on properties of tables and questions."""

    key = "regression"
    tables = (
        FigureTable(
            "regression",
            (
                *("dataset", "of", "over", "name", "value", "low", "high"),
                *("error", "p", "rows", "tables", "r2", "dropped"),
            ),
            _rows,
            "scores regressed on the properties of tables and questions",
        ),
    )
    charts = (FigureChart("regression", _chart, absent="no properties to regress scores on"),)

    def compute(self, study: StudyScores) -> Regressions | None:
        """Fit the regressions."""
        return regressions(study.example_scores, study.options.level)

    def notes(self, study: StudyScores, result: Regressions | None) -> list[str]:
        """Data sets whose properties are known, but that no regression is of."""
        regressed = result.datasets if result else {}
        without = [
            scores.place
            for scores in study.example_scores
            if scores.place not in regressed
            and any(_indicators(scores.properties(of)) for of in scores.kinds())
        ]
        if not without:
            return []
        return [
            "too few tables, or none that differ, or scores all alike, to regress scores on properties of "
            f"{', '.join(without)}"
        ]


REGRESSION = RegressionFigure()
