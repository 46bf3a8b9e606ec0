"""Agreement between data sets: Kendall's tau-b of their model rankings (ToRR, section 4, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import generator
from ...core.statistics import ROUNDING, Floats, mean_over_examples
from ..charts.heat import HeatLayout, heat_map
from ..charts.labels import ChartContext, require_several
from ..charts.vega import DIVERGING, ChartRow, Spec
from ..estimates import resampled
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import FigureResult, number
from ..shrinkage import paired_draws, stabilised
from ..statistics import example_means
from ..study import StudyScores

METHOD = (
    "value: Kendall's tau-b between two data sets' model rankings by performance over all configurations, "
    "over the models that both have; interval: of the tau-b that endless examples would show, "
    "configurations taken as given; estimate: the median of its draws, the best guess of that tau-b. Noise "
    "pulls the value towards 0, and a plain bootstrap pulls it again; so the resampled performances "
    "(tables within each data set, arcsine of the root) are shrunk to the spread between models that "
    "noise leaves, with an inverse Wishart draw of the two data sets' spread and correlation a resample, "
    "and the quantiles are of their tau-b, a value half on each side of itself. Estimate and interval "
    "belong together; where scores are noisy the value may lie nearer 0 than both. Over simulated studies "
    "of other models each the interval covers at its level; for one set of models, above all with near "
    "ties, it may cover more or less often, and it is too short where scores are almost all 0 or 1, and "
    "says little of models that are exactly equal"
)


class DatasetAgreement(FigureResult):
    """Kendall's tau-b between data sets' rankings, None where a ranking ties all models.

    ``tau`` as found; ``estimate``, ``low`` and ``high`` of the tau-b that endless examples would show;
    ``own_cells``: ToRR's tau-b, over every score of each model, where some are not there.
    """

    datasets: list[str]
    tau: list[list[float | None]]
    estimate: list[list[float | None]] = []
    low: list[list[float | None]] = []
    high: list[list[float | None]] = []
    own_cells: list[list[float | None]] = []
    method: str = ""


def kendall_tau_b(first: Floats, second: Floats) -> Floats:
    """Kendall's tau-b, corrected for ties (Kendall 1945, "The treatment of ties in ranking problems").

    The sum over pairs of models of sign(x_i - x_j) sign(y_i - y_j), over the root of the product of the
    numbers of pairs that x and that y do not tie. Scores are compared to 12 decimals.

    Args:
        first: x, (... x models), without NaN.
        second: y, of the same shape.

    Returns:
        (...), from -1 to 1; NaN where x or y tie all models.
    """
    x, y = np.round(first, ROUNDING), np.round(second, ROUNDING)
    agreeing, of_x, of_y = (np.zeros(x.shape[:-1]) for _ in range(3))
    for model in range(x.shape[-1] - 1):
        signs_x = _signs(x, model)
        signs_y = _signs(y, model)
        agreeing += np.einsum("...i,...i->...", signs_x, signs_y)
        of_x += np.einsum("...i,...i->...", signs_x, signs_x)
        of_y += np.einsum("...i,...i->...", signs_y, signs_y)
    known = (of_x > 0) & (of_y > 0)
    result: Floats = np.divide(agreeing, np.sqrt(of_x * of_y), out=np.full(known.shape, np.nan), where=known)
    return result


def _signs(scores: Floats, model: int) -> NDArray[np.float32]:
    """The signs of a model's differences from those after it, (... x models after it)."""
    own, others = scores[..., model, None], scores[..., model + 1 :]
    signs: NDArray[np.float32] = (own > others).astype(np.float32) - (own < others).astype(np.float32)
    return signs


def tau_without_noise(
    values: Floats, samples: Floats, rng: np.random.Generator, level: float
) -> tuple[float, float, float]:
    """The tau-b that endless examples would show, with its interval; see :data:`METHOD`.

    Args:
        values: both data sets' performances, (2 x models), in [0, 1], without NaN.
        samples: resampled, (resamples x 2 x models); NaN where a resample held no score of a model.
        rng: draws the spreads.
        level: e.g. 0.95.

    Returns:
        The estimate and the bounds; NaN where no resample has a figure.
    """
    there = samples[~np.isnan(samples).any(axis=(1, 2))]
    if not len(there):
        return float("nan"), float("nan"), float("nan")
    draws = paired_draws(stabilised(values), stabilised(there), rng)
    found = kendall_tau_b(draws[:, 0], draws[:, 1])
    return (middle_value(found), *middle_interval(found, level))


def middle_interval(draws: Floats, level: float) -> tuple[float, float]:
    """Quantiles of figures that take few values: a value counts half below and half above itself.

    With few models tau-b moves in wide steps, and an interval between plain quantiles, which counts the whole
    of its end values in, covers more often than it says (the mid-p-value: Lancaster 1961).

    Args:
        draws: (draws,); NaN is left out.
        level: e.g. 0.95.

    Returns:
        The least and the greatest value drawn that have at least ``(1 - level) / 2`` on their outer side; NaN
        where there is no draw.
    """
    known = np.round(draws[~np.isnan(draws)], ROUNDING)
    if not len(known):
        return float("nan"), float("nan")
    values, counts = np.unique(known, return_counts=True)
    below = (np.cumsum(counts) - counts / 2) / len(known)
    inside = values[np.minimum(below, 1 - below) >= (1 - level) / 2]
    low, high = (inside[0], inside[-1]) if len(inside) else (values[0], values[-1])
    return float(low), float(high)


def middle_value(draws: Floats) -> float:
    """The median, of an even number of draws the lower of the two: a value that was drawn; NaN of none."""
    known = np.round(draws[~np.isnan(draws)], ROUNDING)
    return float(np.quantile(known, 0.5, method="inverted_cdf")) if len(known) else float("nan")


def dataset_agreement(study: StudyScores) -> DatasetAgreement:
    """Tau-b of every pair of data sets, sorted, with intervals; configurations are taken as given."""
    options = study.options
    ordered = sorted(study.shared_cubes, key=lambda cube: cube.dataset)
    means = [example_means(cube.scores) for cube in ordered]
    values = [mean_over_examples(mean) for mean in means]
    samples = [resampled(mean, cube, options).T for cube, mean in zip(ordered, means, strict=True)]
    size = len(ordered)
    tables: dict[str, list[list[float | None]]] = {
        key: [[None] * size for _ in ordered] for key in ("tau", "estimate", "low", "high")
    }
    for d in range(size):
        _put(tables, (d, d), _with_itself(values[d]))
    for one, other in combinations(range(size), 2):
        rng = generator(options.seed, "dataset agreement", ordered[one].dataset, ordered[other].dataset)
        both = (values[one], values[other]), (samples[one], samples[other])
        _put(tables, (one, other), _pair(*both, rng, options.level))
    return DatasetAgreement(
        datasets=[cube.dataset for cube in ordered], **tables, **_own_cells(study), method=METHOD
    )


def _own_cells(study: StudyScores) -> dict[str, list[list[float | None]]]:
    """Tau-b over every score of each model; nothing where none is missing."""
    if not any(np.isnan(cube.scores).any() for cube in study.cubes):
        return {}
    ordered = sorted(study.cubes, key=lambda cube: cube.dataset)
    values = [mean_over_examples(example_means(cube.scores)) for cube in ordered]
    return {"own_cells": [[number(_tau(one, other)) for other in values] for one in values]}


def _tau(one: Floats, other: Floats) -> float:
    """Over the models that both have."""
    known = ~(np.isnan(one) | np.isnan(other))
    return float(kendall_tau_b(one[known], other[known]))


def _put(
    tables: dict[str, list[list[float | None]]], place: tuple[int, int], figure: Sequence[float]
) -> None:
    row, column = place
    for table, value in zip(tables.values(), figure, strict=True):
        table[row][column] = table[column][row] = number(value)


def _with_itself(values: Floats) -> tuple[float, ...]:
    """1 by definition, without doubt; NaN where the models that have a figure all tie."""
    return (_tau(values, values),) * 4


def _pair(
    values: tuple[Floats, Floats], samples: tuple[Floats, Floats], rng: np.random.Generator, level: float
) -> tuple[float, ...]:
    stacked = np.stack(values)
    known = ~np.isnan(stacked).any(axis=0)
    tau = _tau(*values)
    if np.isnan(tau):
        return (tau,) * 4
    drawn = np.stack(samples, axis=1)[:, :, known]
    return (tau, *tau_without_noise(stacked[:, known], drawn, rng, level))


def _rows(result: DatasetAgreement) -> Iterator[Row]:
    for i, first in enumerate(result.datasets):
        for j, second in enumerate(result.datasets):
            yield first, second, result.tau[i][j], result.estimate[i][j], result.low[i][j], result.high[i][j]


def _chart(result: DatasetAgreement, context: ChartContext) -> Spec:
    """A row and a column a data set, each pair once."""
    require_several(result.datasets, "data set")
    require_several(context.ranked, "model")
    names = context.dataset_labels()
    rows = [
        {"row": names[later], "column": names[earlier], **figure}
        for earlier, later in combinations(names, 2)
        if (figure := _cell(result, later, earlier))
    ]
    labels = list(names.values())
    layout = HeatLayout(labels[1:], labels[:-1], "Kendall's tau-b", DIVERGING, (-1, 1), (-0.75, 0.75))
    lines = [
        f"{context.basis}. Large figures and colours: tau-b of these scores",
        f"Small figures: {context.without_noise('tau-b')}",
    ]
    return heat_map(rows, layout, "Agreement of data sets on the ranking of models", lines)


def _cell(result: DatasetAgreement, first: str, second: str) -> ChartRow | None:
    """Tau-b of two data sets with the estimate and its interval; None where there is none."""
    i, j = (result.datasets.index(name) for name in (first, second))
    tau, estimate, low, high = (
        table[i][j] for table in (result.tau, result.estimate, result.low, result.high)
    )
    if tau is None:
        return None
    return {
        "value": tau,
        "low": tau if low is None else low,
        "high": tau if high is None else high,
        "seen": tau,
        "estimate": tau if estimate is None else estimate,
    }


class DatasetAgreementFigure(Figure[DatasetAgreement]):
    """Kendall's tau-b between the data sets' rankings of the models."""

    key = "dataset_agreement"
    tables = (
        FigureTable(
            "dataset_agreement",
            ("dataset", "other", "tau", "estimate", "low", "high"),
            _rows,
            "agreement of data sets on the ranking (Kendall's tau-b)",
            # one alone agrees with itself
            part=lambda result: result if len(result.datasets) > 1 else None,
        ),
    )
    charts = (FigureChart("dataset_agreement", _chart, "Fig. 5"),)

    def compute(self, study: StudyScores) -> DatasetAgreement:
        """Compare the rankings."""
        return dataset_agreement(study)


DATASET_AGREEMENT = DatasetAgreementFigure()
