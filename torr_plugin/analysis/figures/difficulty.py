"""How hard the examples are (ToRR, appendix D)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ...core.statistics import ROUNDING, Floats, Integers, mean_over_examples
from ..cube import Cube, lacking_models
from ..estimates import unsampled_means
from ..figure import Figure, FigureTable, Row
from ..options import Options
from ..result import OVERALL, FigureResult, Interval, number, rows_of
from ..statistics import example_means
from ..study import StudyScores

BINS = 20
"""Equal bins of [0, 1]; a value on an edge counts in the bin above it, 1 in the last."""

MOST_NAMED = 1000
"""Examples that are named, the hardest ones."""


def histogram(values: Floats, bins: int = BINS) -> Integers:
    """How many values in [0, 1] lie in each of equal bins.

    Args:
        values: (rows x any number); NaN is left out.
        bins: a value on an edge counts in the bin above it, 1 in the last.

    Returns:
        (rows x bins).
    """
    known = ~np.isnan(values)
    # rounded first: (0.1 + 0.7) * 20 is a little less than 16
    place = np.floor(np.round(np.where(known, values, 0.0) * bins, ROUNDING - 2)).astype(np.int64)
    place = np.minimum(place, bins - 1) + np.arange(len(values))[:, None] * bins
    return np.bincount(place[known], minlength=len(values) * bins).reshape(len(values), bins)


class Difficulty(FigureResult):
    """Examples of a data set by bins of their mean score over models and configurations.

    ``mean`` is over examples, ``examples`` the mean score of each, the hardest first and at most
    ``MOST_NAMED``.
    """

    edges: list[float]
    counts: list[int]
    mean: float | None = None
    mean_interval: Interval | None = None
    examples: dict[str, float | None] = {}
    examples_in_all: int = 0


def example_difficulty(scores: Floats) -> Floats:
    """The mean score of each example over models and configurations, (examples,).

    Args:
        scores: (models x configurations x examples). With holes: the mean over the models that have a score,
            of the mean over the configurations that are there; NaN where nothing is.
    """
    return mean_over_examples(example_means(scores).T)


def difficulty(cube: Cube, options: Options) -> Difficulty:
    """How hard the examples of a data set are: their mean scores (Fig. 17 of the paper)."""
    means = np.round(example_difficulty(cube.scores), ROUNDING)
    complete = not lacking_models(cube).any()
    estimate = unsampled_means(means[None], cube.clusters, np.array([complete]))
    # examples are sorted by name: of equally hard ones the first by name
    order = [int(i) for i in np.argsort(means, kind="stable") if not np.isnan(means[i])]
    return Difficulty(
        edges=_edges(),
        counts=histogram(means[None])[0].tolist(),
        mean=number(estimate.values[0]),
        mean_interval=estimate.intervals(options.level, [OVERALL])[OVERALL],
        examples={cube.examples[i]: number(means[i]) for i in order[:MOST_NAMED]},
        examples_in_all=len(order),
    )


def _edges() -> list[float]:
    return [i / BINS for i in range(BINS + 1)]


_BINS = ("dataset", "from", "to", "count")


def _bin_rows(result: Mapping[str, Difficulty]) -> Iterator[Row]:
    for dataset, found in result.items():
        for start, end, count in zip(found.edges[:-1], found.edges[1:], found.counts, strict=True):
            yield dataset, start, end, count


class DifficultyFigure(Figure[dict[str, Difficulty]]):
    """How hard the examples of each data set are."""

    key = "difficulty"
    tables = (
        FigureTable(
            "difficulty", _BINS, _bin_rows, f"how many examples lie in each of {BINS} bins of difficulty"
        ),
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
        return {cube.dataset: difficulty(cube, study.options) for cube in study.cubes}


DIFFICULTY = DifficultyFigure()
