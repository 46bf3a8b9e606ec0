"""Simulated studies whose examples share tables, with holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tests.analysis.simulated import Population
from tests.analysis.test_coverage_agreement import cubes_of
from torr_plugin.analysis.cube import Cube


def clustered_scores(
    studied: Population, rng: np.random.Generator, tables: int, questions: int, icc: float
) -> list[np.ndarray]:
    """Scores of fresh examples, a data set each; a table's share this part of their effects' variance.

    Args:
        studied: the models and configurations.
        rng: draws the examples.
        tables: how many.
        questions: about each table.
        icc: the intraclass correlation of the effects of examples, also with models and configurations.
    """
    spread, (models, configurations) = studied.spread, studied.model_configuration.shape[1:]
    own, of_table = np.sqrt(1 - icc), np.sqrt(icc)

    def effects(sd: float, *shape: int) -> np.ndarray:
        shared = np.repeat(rng.normal(0, sd, (*shape, tables)), questions, axis=-1)
        return of_table * shared + own * rng.normal(0, sd, (*shape, tables * questions))

    found = []
    for dataset in range(studied.datasets):
        given = studied.model[dataset][:, None] + studied.configuration[dataset]
        latent = studied.mean + (given + studied.model_configuration[dataset])[:, :, None]
        latent = latent + effects(spread.example) + effects(spread.model_example, models, 1)
        latent += effects(spread.configuration_example, configurations)
        latent += rng.normal(0, spread.residual, latent.shape)
        if studied.kind == "binary":
            latent = (latent > 0).astype(float)
        found.append(np.clip(latent, 0, 1) if studied.kind == "continuous" else latent)
    return found


def clustered_cubes(scores: Sequence[np.ndarray], questions: int) -> list[Cube]:
    """Their cubes, which know the tables."""
    tables = [np.arange(one.shape[2]) // questions for one in scores]
    return [replace(cube, clusters=own) for cube, own in zip(cubes_of(list(scores)), tables, strict=True)]


def with_holes(scores: np.ndarray, rng: np.random.Generator, failed: float, asked: float) -> np.ndarray:
    """Some answers failed, and the last configuration was asked about the first examples alone."""
    holed = np.where(rng.random(scores.shape) < failed, np.nan, scores)
    holed[:, -1, round(asked * scores.shape[2]) :] = np.nan
    return holed
