"""How a model's mean score is spread over its configurations: quantiles beside the worst and the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...core.statistics import Floats
from ..cube import Cube
from ..figure import Figure, FigureTable, Row
from ..result import OVERALL, ByDataset, number
from ..study import StudyScores
from .configurations import means_by_dataset

PERCENT = (5, 25, 50, 75, 95)

Quantiles = dict[str, "float | None"]
"""Percentage -> that quantile of the mean scores of configurations; None without a score."""

ConfigurationQuantiles = ByDataset[Quantiles]
"""Of a model, of its means over data sets, and on each."""


def configuration_quantiles(cubes: Sequence[Cube]) -> dict[str, ConfigurationQuantiles]:
    """Quantiles over configurations of mean scores, each over the examples scored in all of them.

    Quantiles interpolate linearly (Hyndman and Fan, "Sample quantiles in statistical packages", 1996, their
    seventh definition). The means are those of :func:`.configurations.means_by_dataset`.

    Args:
        cubes: of all data sets.

    Returns:
        Model -> its quantiles.
    """
    datasets = {place: _quantiles(means) for place, (_, means) in means_by_dataset(cubes).items()}
    overall = datasets.pop(OVERALL)
    return {
        model: ConfigurationQuantiles(
            overall=overall[m], datasets={name: found[m] for name, found in datasets.items()}
        )
        for m, model in enumerate(cubes[0].models)
    }


def _quantiles(means: Floats) -> list[Quantiles]:
    """Of each model, (models x configurations)."""
    found = []
    for own in means:
        known = own[~np.isnan(own)]
        values = np.percentile(known, PERCENT) if len(known) else np.full(len(PERCENT), np.nan)
        found.append({str(share): number(value) for share, value in zip(PERCENT, values, strict=True)})
    return found


def _rows(result: Mapping[str, ConfigurationQuantiles]) -> Iterator[Row]:
    for model, found in result.items():
        for dataset, quantiles in found.places().items():
            yield model, dataset, *quantiles.values()


class ConfigurationQuantilesFigure(Figure[dict[str, ConfigurationQuantiles]]):
    """Quantiles of each model's mean scores over configurations."""

    key = "configuration_quantiles"
    tables = (
        FigureTable(
            "configuration_quantiles",
            ("model", "dataset", *(f"{share} %" for share in PERCENT)),
            _rows,
            "quantiles of each model\N{RIGHT SINGLE QUOTATION MARK}s mean scores over configurations",
        ),
    )

    def compute(self, study: StudyScores) -> dict[str, ConfigurationQuantiles] | None:
        """Compute them, where a data set has several configurations."""
        if all(len(cube.configurations) == 1 for cube in study.cubes):
            return None
        return configuration_quantiles(study.cubes)


CONFIGURATION_QUANTILES = ConfigurationQuantilesFigure()
