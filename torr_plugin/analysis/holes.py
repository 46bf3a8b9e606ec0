"""Holes: cells of the score cube without a score, counted and named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .cube import Cube

if TYPE_CHECKING:
    from .types import Booleans, Integers

MOST_NAMED = 100


def missing_counts(cube: Cube) -> Integers:
    """How many examples have no score, (models x configurations)."""
    import numpy as np

    counts: Integers = np.isnan(cube.scores).sum(axis=2).astype(np.int64)
    return counts


def lacking_models(cube: Cube) -> Booleans:
    """Which models lack a score, (models,)."""
    import numpy as np

    lacks: Booleans = np.asarray(np.isnan(cube.scores).any(axis=(1, 2)))
    return lacks


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
