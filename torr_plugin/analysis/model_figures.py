"""Figures of models with their intervals, per data set and overall: values, differences, places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cube import Cube
from .figures import STATISTICS, Estimate, MeanOfEstimates, Options, estimates, labelled
from .frame import OVERALL
from .holes import missing_counts
from .paired_tests import example_differences
from .performance import example_means
from .ranks import rank_intervals
from .separability import METHOD, separability


def all_estimates(
    all_cubes: Sequence[Cube], options: Options
) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
    """Per data set and overall; of the data sets' resamples only what is needed is kept."""
    totals = {name: MeanOfEstimates() for name in STATISTICS}
    per_dataset = []
    for cube in all_cubes:
        found = estimates(cube, options)
        for name, estimate in found.items():
            totals[name].add(estimate)
        per_dataset.append(found)
    return per_dataset, {name: total.mean() for name, total in totals.items()}


def model_figures(
    all_cubes: Sequence[Cube],
    per_dataset: Sequence[dict[str, Estimate]],
    overall: dict[str, Estimate],
    level: float,
) -> dict[str, Any]:
    """Name -> model -> overall and per data set, marked where scores are missing."""
    models = all_cubes[0].models
    lacking = {cube.dataset: missing_counts(cube).sum(axis=1) > 0 for cube in all_cubes}
    figures: dict[str, Any] = {}
    for name in STATISTICS:
        totals = labelled(models, overall[name], level)
        parts = {
            cube.dataset: labelled(models, found[name], level)
            for cube, found in zip(all_cubes, per_dataset, strict=True)
        }
        figures[name] = {
            model: {
                "overall": _marked(totals[model], any(lacks[m] for lacks in lacking.values())),
                "datasets": {d: _marked(figure[model], bool(lacking[d][m])) for d, figure in parts.items()},
            }
            for m, model in enumerate(models)
        }
    return figures


def _marked(figure: dict[str, Any], lacks: bool) -> dict[str, Any]:
    return {**figure, "complete": False} if lacks else figure


def told_apart(
    all_cubes: Sequence[Cube], per_dataset: Sequence[dict[str, Estimate]], overall: Estimate, level: float
) -> dict[str, Any]:
    """``separability``: which models' differences are real, per data set and overall."""
    models = all_cubes[0].models
    pairs = [example_differences(example_means(cube.scores)) for cube in all_cubes]
    datasets = {
        cube.dataset: separability(models, [own], found["performance"].bounds(level), level)
        for cube, found, own in zip(all_cubes, per_dataset, pairs, strict=True)
    }
    together = separability(models, pairs, overall.bounds(level), level, named=True)
    return {OVERALL: together, "datasets": datasets, "method": METHOD}


def dataset_rank_bounds(
    all_cubes: Sequence[Cube], per_dataset: Sequence[dict[str, Estimate]], level: float
) -> dict[str, dict[str, list[int] | None]]:
    """Data set -> model -> [low, high] by performance on it, from the resamples of the overall places."""
    return {
        cube.dataset: rank_bounds(cube.models, found["performance"], level)
        for cube, found in zip(all_cubes, per_dataset, strict=True)
    }


def rank_bounds(models: Sequence[str], estimate: Estimate, level: float) -> dict[str, list[int] | None]:
    """Model -> [low, high]; null for a model without a figure, which takes no place."""
    import numpy as np

    ranked = [int(model) for model in np.flatnonzero(~np.isnan(estimate.values))]
    samples = estimate.samples[ranked]
    bounds = rank_intervals(samples[:, ~np.isnan(samples).any(axis=0)], level)
    found: dict[str, list[int] | None] = dict.fromkeys(models)
    for model, (low, high) in zip(ranked, bounds, strict=True):
        found[models[model]] = [int(low), int(high)]
    return found
