"""Agreement between data sets: Kendall's tau-b of their model rankings (ToRR, section 4, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ...core.statistics import ROUNDING, Floats, mean_over_examples
from ..charts.heat import HeatLayout, heat_map
from ..charts.labels import ChartContext, require_several
from ..charts.vega import DIVERGING, ChartRow, Spec
from ..cube import Cube
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import FigureResult, number
from ..statistics import example_means
from ..study import StudyScores

METHOD = (
    "Kendall's tau-b between two data sets' model rankings by performance over all configurations, over the "
    "models that both have"
)


class DatasetAgreement(FigureResult):
    """Kendall's tau-b between data sets' rankings, None where a ranking ties all models.

    ``own_cells``: ToRR's tau-b, over every score of each model, where some are not there.
    """

    datasets: list[str]
    tau: list[list[float | None]]
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


def dataset_agreement(study: StudyScores) -> DatasetAgreement:
    """Tau-b of every pair of data sets, sorted; 1 with itself, None where the models all tie."""
    return DatasetAgreement(
        datasets=sorted(cube.dataset for cube in study.cubes),
        tau=_matrix(study.shared_cubes),
        **_own_cells(study),
        method=METHOD,
    )


def _matrix(cubes: Sequence[Cube]) -> list[list[float | None]]:
    ordered = sorted(cubes, key=lambda cube: cube.dataset)
    values = [mean_over_examples(example_means(cube.scores)) for cube in ordered]
    return [[number(_tau(one, other)) for other in values] for one in values]


def _own_cells(study: StudyScores) -> dict[str, list[list[float | None]]]:
    """Tau-b over every score of each model; nothing where none is missing."""
    if not any(np.isnan(cube.scores).any() for cube in study.cubes):
        return {}
    return {"own_cells": _matrix(study.cubes)}


def _tau(one: Floats, other: Floats) -> float:
    """Over the models that both have."""
    known = ~(np.isnan(one) | np.isnan(other))
    return float(kendall_tau_b(one[known], other[known]))


def _rows(result: DatasetAgreement) -> Iterator[Row]:
    for i, first in enumerate(result.datasets):
        for j, second in enumerate(result.datasets):
            yield first, second, result.tau[i][j]


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
    lines = [f"{context.basis}. Tau-b of these scores"]
    return heat_map(rows, layout, "Agreement of data sets on the ranking of models", lines)


def _cell(result: DatasetAgreement, first: str, second: str) -> ChartRow | None:
    """Tau-b of two data sets; None where there is none."""
    i, j = (result.datasets.index(name) for name in (first, second))
    tau = result.tau[i][j]
    return None if tau is None else {"value": tau, "low": tau, "high": tau}


class DatasetAgreementFigure(Figure[DatasetAgreement]):
    """Kendall's tau-b between the data sets' rankings of the models."""

    key = "dataset_agreement"
    tables = (
        FigureTable(
            "dataset_agreement",
            ("dataset", "other", "tau"),
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
