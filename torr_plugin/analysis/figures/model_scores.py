"""Figures of models with their intervals, per data set and overall: values, differences, places.

MERGED: Holes: cells of the score cube without a score, counted and named.
MERGED: Performance and robustness of every model (ToRR, Table 2).
MERGED: Performance of every model on every data set (ToRR, Fig. 8).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..charts.labels import Analysis, basis, intervals, known, labels, model_labels
from ..charts.panels import Layout, dots, panel_labels
from ..charts.vega import Drawing
from ..cube import Cube, missing_counts
from ..estimates import STATISTICS, Estimate, MeanOfEstimates, Options, estimates, labelled
from ..frame import OVERALL
from ..paired_tests import example_differences
from ..statistics import example_means, rank_intervals
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


if TYPE_CHECKING:
    pass

MOST_NAMED = 100


def holes(cubes: Sequence[Cube], most: int = MOST_NAMED) -> dict[str, Any]:
    """Where scores are missing: totals, and the gaps by name, largest first.

    Args:
        cubes: of all data sets. A cell is expected for every model, and every configuration and example of a
            data set.
        most: how many gaps are named.

    Returns:
        ``complete``; ``missing`` of ``expected`` cells; the same per model and data set that lacks some;
        ``cells``, a gap a model, data set and configuration, at most ``most``; ``cells_in_all``, how many
        gaps there are.
    """
    by_model: dict[str, int] = {}
    by_dataset: dict[str, int] = {}
    gaps = []
    for cube in cubes:
        counts = missing_counts(cube)
        of = len(cube.examples)
        for m, c in zip(*counts.nonzero(), strict=True):
            count, model = int(counts[m, c]), cube.models[m]
            by_model[model] = by_model.get(model, 0) + count
            by_dataset[cube.dataset] = by_dataset.get(cube.dataset, 0) + count
            gaps.append(
                {
                    "model": model,
                    "dataset": cube.dataset,
                    "config": cube.configurations[c],
                    "missing": count,
                    "of": of,
                }
            )
    gaps.sort(key=lambda gap: -int(str(gap["missing"])))
    return {
        "complete": not gaps,
        "missing": sum(by_model.values()),
        "expected": sum(int(cube.scores.size) for cube in cubes),
        "models": by_model,
        "datasets": by_dataset,
        "cells": gaps[:most],
        "cells_in_all": len(gaps),
    }


def hole_notes(cubes: Sequence[Cube], found: dict[str, Any]) -> list[str]:
    """What a reader must be told about the holes, a line each."""
    if found["complete"]:
        return []
    notes = [
        f"{found['missing']:,} of {found['expected']:,} scores are missing (failed requests, absent rows): "
        "figures over the rest, each example over the configurations it has, say complete: false"
    ]
    for cube in cubes:
        for model, counts in zip(cube.models, missing_counts(cube), strict=True):
            if (counts == len(cube.examples)).all():
                notes.append(f"{model} has no score on {cube.dataset}, so it has no overall figure")
    return notes


_PANELS = {"performance": "performance", "robustness": "robustness", "worst": "worst", "best": "best"}


def build(analysis: Analysis) -> Drawing:
    """A row a model; beside performance and robustness the worst and best configuration of each example."""
    models = model_labels(analysis)
    rows = [
        {"row": label, "panel": panel, **figure}
        for name, panel in _PANELS.items()
        for model, label in models.items()
        if (figure := known(analysis[name][model]["overall"]))
    ]
    layout = Layout(
        rows=list(models.values()),
        panels=list(_PANELS.values()),
        x="score, 0 to 1",
        width=135,
        columns=4,
        apart=True,
    )
    lines = [
        f"{basis(analysis)}. Robustness: 1 less the mean range of an example's scores over configurations; "
        "worst and best: the mean of its least and its highest score.",
        intervals(analysis),
    ]
    return dots(rows, layout, "Performance and robustness of each model", lines)


_WIDTH = 105


def build_performance_datasets(analysis: Analysis) -> Drawing:
    """A panel a data set, a row a model."""
    models = model_labels(analysis)
    datasets = labels(analysis["settings"]["examples"], panel_labels(_WIDTH))
    rows = [
        {"row": label, "panel": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, found in analysis["performance"][model]["datasets"].items()
        if (figure := known(found))
    ]
    layout = Layout(
        rows=list(models.values()),
        panels=list(datasets.values()),
        x="performance, 0 to 1",
        width=_WIDTH,
        apart=True,
    )
    lines = [f"{basis(analysis)}. Every panel has an axis of its own", intervals(analysis)]
    return dots(rows, layout, "Performance of each model per data set", lines)
