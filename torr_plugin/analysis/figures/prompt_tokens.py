"""How many tokens a prompt takes in each format: the price of a choice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ...core.statistics import Floats, mean_over_examples
from ..cube import Cube, by_factor, on_cells
from ..frame import TOKENS
from ..result import OVERALL, number
from ..shared_examples import Factor, comparable_levels
from .factor_cubes import FactorCubes, level_means

TokenMeans = dict[str, dict[str, dict[str, float | None]]]
"""Data set or "overall" -> model -> serializer -> mean tokens of a prompt; None where unknown."""


def token_cubes(cubes: Sequence[Cube], rows: pd.DataFrame) -> list[Cube] | None:
    """The cubes with prompt tokens in place of scores; NaN where these are unknown, or there is no score.

    Args:
        cubes: of all data sets.
        rows: the scores that they are made of.

    Returns:
        None where no prompt's tokens are known.
    """
    if TOKENS not in rows or rows[TOKENS].isna().all():
        return None
    return [
        replace(cube, scores=np.where(np.isnan(cube.scores), np.nan, on_cells(cube, rows, rows[TOKENS])))
        for cube in cubes
    ]


def level_tokens(cube: Cube, factor: Factor, names: Sequence[str]) -> Floats:
    """Mean tokens of the prompts of some levels over the examples that a model has of all of them.

    Args:
        cube: one of :func:`token_cubes`.
        factor: whose levels they are.
        names: of the levels.

    Returns:
        (models x levels), in the order of ``names``; NaN where unknown.
    """
    groups = by_factor(comparable_levels(cube, factor, names), factor)
    found = np.full((len(cube.models), len(names)), np.nan)
    if groups:
        means = mean_over_examples(level_means(cube, groups)[0])
        found[:, [names.index(name) for name in sorted(groups)]] = means
    return found


def token_means(family: FactorCubes, tokens: Sequence[Cube]) -> TokenMeans:
    """Mean tokens of a prompt in each level, over what the levels are compared on.

    Args:
        family: the levels.
        tokens: of each data set, in the order of the family's.

    Returns:
        "overall" is the unweighted mean over data sets, of the levels that all of them have.
    """
    own = [
        (cube.dataset, level_tokens(known, family.factor, sorted(groups)), sorted(groups))
        for cube, known, groups in zip(family.cubes, tokens, family.datasets, strict=True)
    ]
    shared = sorted(family.shared)
    together = np.mean([level_tokens(known, family.factor, shared) for known in tokens], axis=0)
    return {
        place: {
            model: {name: number(value) for name, value in zip(names, means[m], strict=True)}
            for m, model in enumerate(family.models)
        }
        for place, means, names in [(OVERALL, together, shared), *own]
    }
