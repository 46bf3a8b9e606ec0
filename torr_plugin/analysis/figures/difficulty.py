"""How hard the examples are (ToRR, appendix D)."""

from __future__ import annotations

import numpy as np

from ...core.statistics import ROUNDING, Floats, mean_over_examples
from ..cube import Cube
from ..figure import Figure, FigureTable
from ..result import FigureResult, number, rows_of
from ..statistics import example_means
from ..study import StudyScores

MOST_NAMED = 1000
"""Examples that are named, the hardest ones."""


class Difficulty(FigureResult):
    """Examples of a data set by their mean score over models and configurations.

    ``mean`` is over examples, ``examples`` the mean score of each, the hardest first and at most
    ``MOST_NAMED``.
    """

    mean: float | None = None
    examples: dict[str, float | None] = {}
    examples_in_all: int = 0


def example_difficulty(scores: Floats) -> Floats:
    """The mean score of each example over models and configurations, (examples,).

    Args:
        scores: (models x configurations x examples). With holes: the mean over the models that have a score,
            of the mean over the configurations that are there; NaN where nothing is.
    """
    return mean_over_examples(example_means(scores).T)


def difficulty(cube: Cube) -> Difficulty:
    """How hard the examples of a data set are: their mean scores (Fig. 17 of the paper)."""
    means = np.round(example_difficulty(cube.scores), ROUNDING)
    # examples are sorted by name: of equally hard ones the first by name
    order = [int(i) for i in np.argsort(means, kind="stable") if not np.isnan(means[i])]
    return Difficulty(
        mean=number(float(mean_over_examples(means))),
        examples={cube.examples[i]: number(means[i]) for i in order[:MOST_NAMED]},
        examples_in_all=len(order),
    )


class DifficultyFigure(Figure[dict[str, Difficulty]]):
    """How hard the examples of each data set are."""

    key = "difficulty"
    tables = (
        FigureTable(
            "difficulty_examples",
            ("dataset", "example", "mean"),
            rows_of(),
            "mean score of each example over models and configurations",
            lambda result: {dataset: found.examples for dataset, found in result.items()},
        ),
    )

    def compute(self, study: StudyScores) -> dict[str, Difficulty]:
        """Compute the difficulty of each example."""
        return {cube.dataset: difficulty(cube) for cube in study.cubes}


DIFFICULTY = DifficultyFigure()
