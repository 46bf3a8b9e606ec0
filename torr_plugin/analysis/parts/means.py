"""Figures of parts of the cube: per configuration, per serializer, per perturbation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..bootstrap import generator, resampled_means
from ..configurations import common_configurations, configuration_means, grouped, selected
from ..cube import Cube
from ..figures import Estimate, MeanOfEstimates, Options, labelled, number
from ..frame import OVERALL
from ..performance import example_means, mean_over_examples


def by_configuration(cubes: Sequence[Cube]) -> dict[str, dict[str, dict[str, float | None]]]:
    """Mean scores: data set or "overall" -> configuration -> model -> score.

    "overall" is the unweighted mean over data sets, of the configurations that all of them have.
    """
    import numpy as np

    shared = common_configurations(cubes)
    overall = np.mean([configuration_means(selected(cube, shared).scores) for cube in cubes], axis=0)
    means = {cube.dataset: (cube.configurations, configuration_means(cube.scores)) for cube in cubes}
    means = {OVERALL: (tuple(shared), overall), **means}
    return {
        place: {
            config: {model: number(values[m, c]) for m, model in enumerate(cubes[0].models)}
            for c, config in enumerate(configurations)
        }
        for place, (configurations, values) in means.items()
    }


def by_part(cubes: Sequence[Cube], part: str, options: Options) -> dict[str, Any]:
    """Mean scores per serializer or perturbation, with intervals over examples.

    Args:
        cubes: of all data sets.
        part: "serializer" or "perturbation".
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        data set or "overall" -> name -> model -> {"value", "low", "high"}; empty where the scores do not say
        the parts. "overall" is the unweighted mean over data sets, of the names that all of them have.
    """
    estimates = {cube.dataset: _estimates(grouped(cube, part), cube.dataset, options) for cube in cubes}
    if not all(estimates.values()):
        return {}
    shared = [
        name for name in estimates[cubes[0].dataset] if all(name in found for found in estimates.values())
    ]
    overall = {name: _mean([found[name] for found in estimates.values()]) for name in shared}
    models = cubes[0].models
    return {
        place: {name: labelled(models, estimate, options.level) for name, estimate in found.items()}
        for place, found in {OVERALL: overall, **estimates}.items()
    }


def _estimates(groups: Mapping[str, Cube], dataset: str, options: Options) -> dict[str, Estimate]:
    """Name -> mean score of every model; all names share their resamples, those of the other figures."""
    import numpy as np

    if not groups:
        return {}
    means = [example_means(cube.scores) for cube in groups.values()]
    rng = generator(options.seed, "examples", dataset)
    samples = np.split(resampled_means(np.concatenate(means), rng, options.resamples), len(means))
    return {
        name: Estimate(mean_over_examples(mean), drawn)
        for name, mean, drawn in zip(groups, means, samples, strict=True)
    }


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    total = MeanOfEstimates()
    for estimate in estimates:
        total.add(estimate)
    return total.mean()
