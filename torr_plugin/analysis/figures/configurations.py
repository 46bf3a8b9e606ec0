"""Each configuration's mean score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..cube import Cube, common_configurations, configuration_means, selected
from ..figure import Figure, FigureTable
from ..result import OVERALL, number, rows_of
from ..shared_examples import comparable_configurations
from ..study import StudyScores
from .factor_cubes import example_notes

ConfigurationScores = dict[str, dict[str, dict[str, float | None]]]
"""Data set or "overall" -> configuration -> model -> mean score."""


def configuration_scores(cubes: Sequence[Cube]) -> ConfigurationScores:
    """Mean scores of all data sets.

    "overall" is the unweighted mean over data sets, of the configurations that all of them have.
    """
    shared = common_configurations(cubes)
    parts = [configuration_means(comparable_configurations(selected(cube, shared)).scores) for cube in cubes]
    means = {
        OVERALL: (shared, np.mean(parts, axis=0)),
        **{
            cube.dataset: (cube.configurations, configuration_means(comparable_configurations(cube).scores))
            for cube in cubes
        },
    }
    return {
        place: {
            config: {model: number(values[m, c]) for m, model in enumerate(cubes[0].models)}
            for c, config in enumerate(configurations)
        }
        for place, (configurations, values) in means.items()
    }


class ConfigurationScoresFigure(Figure[ConfigurationScores]):
    """The mean score of each model in each configuration, over the examples that it has in all of them."""

    key = "configurations"
    required = True
    tables = (
        FigureTable(
            "configurations",
            ("dataset", "config", "model", "score"),
            rows_of(),
            "mean score of each model in each configuration, over the examples scored in all of them",
        ),
    )

    def compute(self, study: StudyScores) -> ConfigurationScores:
        """Compute the means."""
        return configuration_scores(study.cubes)

    def notes(self, study: StudyScores, result: ConfigurationScores | None) -> list[str]:
        """Over how many examples comparisons within a model are, where that is not all."""
        return example_notes(study)


CONFIGURATION_SCORES = ConfigurationScoresFigure()
