"""Highest minus lowest serializer score per model and data set (ToRR, Table 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..configurations import grouped
from ..cube import Cube
from ..figures import Options
from ..holes import lacking_models
from ..labelling import resampled
from ..performance import example_means, mean_over_examples
from .configuration_range import named, of
from .extremes import extremes


def serializer_range(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """The difference between the best and the worst serializer, each a mean over its configurations.

    Values are those of the data, intervals allow for the choice of the best and the worst, see
    :mod:`.extremes`. Of equal serializers the first by name is taken.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        model -> {data set: {"value", "low", "high", "best", "worst"}}, null where a model has no score;
        without the data sets that have one serializer, or whose scores do not say them; empty if all are so.
    """
    found: dict[str, dict[str, Any]] = {model: {} for model in cubes[0].models}
    for cube in cubes:
        for model, figure in _of_dataset(cube, options).items():
            found[model][cube.dataset] = figure
    return found if any(found.values()) else {}


def _of_dataset(cube: Cube, options: Options) -> dict[str, dict[str, Any]]:
    import numpy as np

    groups = grouped(cube, "serializer")
    if len(groups) < 2:
        return {}
    names = sorted(groups)
    means = np.stack([example_means(groups[name].scores) for name in names], axis=1)
    samples = resampled(means, cube.dataset, options)
    ends = extremes(mean_over_examples(means), samples, options.level)
    lacks = lacking_models(cube)
    return {
        model: {
            **of(ends.range, m, lacks),
            "best": named(names, ends.best_index[m]),
            "worst": named(names, ends.worst_index[m]),
        }
        for m, model in enumerate(cube.models)
    }
