"""How scores and example difficulty are spread (ToRR, appendix D; Fig. 16 and 17).

MERGED: How scores are distributed on every data set (ToRR, Fig. 16).
MERGED: How hard the examples are (ToRR, Fig. 17).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..arrays import ROUNDING
from ..bootstrap import interval
from ..charts.labels import Analysis, basis, needed
from ..charts.panels import histograms
from ..charts.vega import Drawing
from ..cube import Cube, lacking_models
from ..estimates import Options, figure, number, resampled
from ..statistics import example_means, mean_over_examples

if TYPE_CHECKING:
    from ..arrays import Floats, Integers

BINS = 20
"""Equal bins of [0, 1]; a value on an edge counts in the bin above it, 1 in the last."""

MOST_NAMED = 1000
"""So many examples are named, the hardest ones."""


def histogram(values: Floats, bins: int = BINS) -> Integers:
    """How many values in [0, 1] lie in each of equal bins.

    Args:
        values: (rows x any number); NaN is left out.
        bins: a value on an edge counts in the bin above it, 1 in the last.

    Returns:
        (rows x bins).
    """
    import numpy as np

    known = ~np.isnan(values)
    # rounded first: (0.1 + 0.7) * 20 is a little less than 16
    place = np.floor(np.round(np.where(known, values, 0.0) * bins, ROUNDING - 2)).astype(np.int64)
    place = np.minimum(place, bins - 1) + np.arange(len(values))[:, None] * bins
    return np.bincount(place[known], minlength=len(values) * bins).reshape(len(values), bins)


def distributions(cubes: Sequence[Cube]) -> dict[str, Any]:
    """The distribution of the scores of each data set over models, configurations and examples (Fig. 16).

    Returns:
        data set -> {"edges", "counts", "models": {model: counts}, "mean", "missing"}: edges of the bins, one
        more than there are; how many scores lie in each, over all models and of each; their plain mean; how
        many scores are missing and so counted nowhere.
    """
    return {cube.dataset: _distribution(cube) for cube in cubes}


def _distribution(cube: Cube) -> dict[str, Any]:
    import numpy as np

    flat = cube.scores.reshape(len(cube.models), -1)
    counts = histogram(flat)
    return {
        "edges": _edges(),
        "counts": counts.sum(axis=0).tolist(),
        "models": {model: counts[m].tolist() for m, model in enumerate(cube.models)},
        "mean": number(float(mean_over_examples(flat.reshape(-1)))),
        "missing": int(np.isnan(flat).sum()),
    }


def example_difficulty(scores: Floats) -> Floats:
    """The mean score of each example over models and configurations, (examples,).

    Args:
        scores: (models x configurations x examples). With holes: the mean over the models that have a score,
            of the mean over the configurations that are there; NaN where nothing is.
    """
    return mean_over_examples(example_means(scores).T)


def difficulty(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """How hard the examples of each data set are: their mean scores (Fig. 17).

    Returns:
        data set -> {"edges", "counts": how many examples have their mean score in each bin, "mean": over
        examples, "mean_interval": {"value", "low", "high"} of it, with ``"complete": False`` where scores are
        missing, "examples": {example: mean score}, the hardest first and at most ``MOST_NAMED``,
        "examples_in_all"}.
    """
    return {cube.dataset: _difficulty(cube, options) for cube in cubes}


def _difficulty(cube: Cube, options: Options) -> dict[str, Any]:
    import numpy as np

    means = np.round(example_difficulty(cube.scores), ROUNDING)
    low, high = interval(resampled(means[None], cube.dataset, options), options.level)
    # examples are sorted by name: of equally hard ones the first by name
    order = [int(i) for i in np.argsort(means, kind="stable") if not np.isnan(means[i])]
    mean, complete = float(mean_over_examples(means)), not lacking_models(cube).any()
    return {
        "edges": _edges(),
        "counts": histogram(means[None])[0].tolist(),
        "mean": number(mean),
        "mean_interval": figure(mean, low[0], high[0], complete=complete),
        "examples": {cube.examples[i]: number(means[i]) for i in order[:MOST_NAMED]},
        "examples_in_all": len(order),
    }


def _edges() -> list[float]:
    return [i / BINS for i in range(BINS + 1)]


def build(analysis: Analysis) -> Drawing:
    """A panel a data set: the scores of all models, configurations and examples."""
    found = needed(analysis, "distributions")
    lines = [f"{basis(analysis)}. Dashed: the mean"]
    return histograms(found, ("score", "share of scores"), "Distribution of scores per data set", lines)


def build_difficulty(analysis: Analysis) -> Drawing:
    """A panel a data set: each example's mean score over models and configurations."""
    found = needed(analysis, "difficulty")
    lines = [f"{basis(analysis)}. Low: hard for all; dashed: the data set's mean"]
    axes = ("mean score", "share of examples")
    return histograms(found, axes, "Difficulty of examples per data set", lines)
