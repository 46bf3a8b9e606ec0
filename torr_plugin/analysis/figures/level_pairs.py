"""Configurations, serializers or perturbations pair by pair, each pair over the examples that it shares."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ...core.statistics import Floats, Integers, mean_over_examples
from ..cube import Cube
from ..figure import FigureTable
from ..multiplicity import holm_adjusted
from ..options import Options
from ..paired_tests import Differences, PairedTest, difference_means, mean_test
from ..result import CONTRAST, Contrast, contrast_cells, given_marks, number
from ..shared_examples import (
    Factor,
    Keys,
    Levels,
    comparable,
    factor_keys,
    factor_levels,
    few_shared,
    noun,
)
from ..studentized_bootstrap import PairValues, bootstrapped

MOST_PAIRS = 60
"""Of a model on a data set, those with the smallest p-values."""


class LevelPair(Contrast):
    """The mean score of the first less that of the second, over the examples that a model has of both.

    The interval is the pair's own; ``p`` is corrected by Holm's procedure over all pairs of the model on the
    data set.
    """

    first: str
    second: str
    examples: int


LevelPairs = dict[str, dict[str, list[LevelPair]]]
"""Data set -> model -> its pairs, of those whose configurations, say, share under half of the examples."""


def configuration_pairs(cubes: Sequence[Cube], options: Options) -> LevelPairs:
    """The configurations of the models that have under half of their examples in all of them."""
    every = [(cube, {config: config for config in cube.configurations}) for cube in cubes]
    found = {cube.dataset: _dataset_pairs(cube, levels, {}, options) for cube, levels in every}
    return {dataset: pairs for dataset, pairs in found.items() if pairs}


def factor_pairs(cubes: Sequence[Cube], factor: Factor, options: Options) -> LevelPairs:
    """As :func:`configuration_pairs`, of serializers or perturbations.

    Each pair is compared under the parts that both were asked with, as the perturbation and design of
    serializers.
    """
    found = {
        cube.dataset: _dataset_pairs(cube, factor_levels(cube, factor), factor_keys(cube, factor), options)
        for cube in cubes
    }
    return {dataset: pairs for dataset, pairs in found.items() if pairs}


def pairs_with(
    cube: Cube, factor: Factor, names: Collection[str], options: Options
) -> dict[str, list[LevelPair]]:
    """Model -> the pairs of each of some levels with every other level, such a level first.

    ``p`` is corrected by Holm's procedure over these pairs of the model.
    """
    levels, keys = factor_levels(cube, factor), factor_keys(cube, factor)
    order = [*sorted(names), *sorted(set(levels.values()) - set(names))]
    scores = _by_key(cube.scores, cube.configurations, order, levels, keys)
    return dict(zip(cube.models, _tested_pairs(cube, scores, order, len(names), options), strict=True))


def _dataset_pairs(cube: Cube, levels: Levels, keys: Keys, options: Options) -> dict[str, list[LevelPair]]:
    few = few_shared(cube, comparable(cube, levels, keys))
    names = sorted(set(levels.values()))
    if not few.any() or len(names) < 2:
        return {}
    scores = _by_key(cube.scores[few], cube.configurations, names, levels, keys)
    models = [model for model, chosen in zip(cube.models, few, strict=True) if chosen]
    return dict(zip(models, _tested_pairs(cube, scores, names, len(names), options), strict=True))


def _tested_pairs(
    cube: Cube, scores: Floats, names: Sequence[str], firsts: int, options: Options
) -> list[list[LevelPair]]:
    """Of each model, the pairs of the first levels with those after them.

    Args:
        cube: of the data set.
        scores: (models x levels x keys x examples).
        names: of the levels.
        firsts: how many of them are the first of a pair.
        options: level and seed are used.
    """
    test = _tested(cube.dataset, scores, firsts, cube.clusters, options)
    pairs = [(one, other) for place, one in enumerate(names[:firsts]) for other in names[place + 1 :]]
    bounds = test.bounds()
    return [_rows(pairs, test, bounds, m) for m in range(len(scores))]


def _by_key(
    scores: Floats, configurations: Sequence[str], names: Sequence[str], levels: Levels, keys: Keys
) -> Floats:
    """(models x levels x keys x examples): mean scores, NaN where one of their configurations has none."""
    places: dict[tuple[int, int], list[int]] = {}
    columns = {key: place for place, key in enumerate(dict.fromkeys(keys.get(c) for c in configurations))}
    for place, config in enumerate(configurations):
        cell = names.index(levels[config]), columns[keys.get(config)]
        places.setdefault(cell, []).append(place)
    found = np.full((len(scores), len(names), len(columns), scores.shape[2]), np.nan)
    for (row, column), chosen in places.items():
        found[:, row, column] = scores[:, chosen].mean(axis=1)
    return found


def _tested(dataset: str, scores: Floats, firsts: int, clusters: Integers, options: Options) -> PairedTest:
    """The pairs of the first levels with those after them, (models x pairs)."""
    count = sum(scores.shape[1] - 1 - place for place in range(firsts))
    first, second = (rows[:count] for rows in np.triu_indices(scores.shape[1], k=1))

    def values(models: Integers, pairs: Integers) -> list[PairValues]:
        differences = scores[models, first[pairs]] - scores[models, second[pairs]]
        return [PairValues(dataset, mean_over_examples(np.moveaxis(differences, 1, 2)), clusters)]

    found = _differences(scores, firsts, clusters)
    return bootstrapped(mean_test([found], options.level), values, options.seed)


def _differences(scores: Floats, firsts: int, clusters: Integers) -> Differences:
    """Of these pairs of levels, (models x pairs)."""
    parts = []
    for place in range(min(firsts, scores.shape[1] - 1)):
        differences = scores[:, place : place + 1] - scores[:, place + 1 :]
        parts.append(difference_means(mean_over_examples(np.moveaxis(differences, 2, 3)), clusters))
    joined = (
        np.concatenate([getattr(part, field.name) for part in parts], axis=1) for field in fields(Differences)
    )
    return Differences(*joined)


def _rows(
    pairs: Sequence[tuple[str, str]], test: PairedTest, bounds: tuple[Floats, Floats], model: int
) -> list[LevelPair]:
    """One model's, those with the smallest p-values first; a pair without a common example is left out."""
    values, p_values, counts = test.difference[model], test.p_values[model], test.count[model]
    low, high = (bound[model] for bound in bounds)
    adjusted = holm_adjusted(p_values)
    order = np.lexsort((-np.abs(values), p_values))
    return [
        LevelPair(
            first=pairs[place][0],
            second=pairs[place][1],
            value=number(values[place]),
            low=number(low[place]),
            high=number(high[place]),
            p=number(adjusted[place]),
            **given_marks(skewed=test.skewed[model, place], few=test.few[model, place]),
            examples=int(counts[place]),
        )
        for place in order[:MOST_PAIRS]
        if counts[place]
    ]


def pair_table(things: str, part: Any = lambda result: result) -> FigureTable:
    """The table of pairs of serializers, say."""

    def rows(result: Mapping[str, Mapping[str, Sequence[LevelPair]]]) -> Any:
        for dataset, models in result.items():
            for model, pairs in models.items():
                for pair in pairs:
                    yield dataset, model, pair.first, pair.second, *contrast_cells(pair), pair.examples

    return FigureTable(
        f"{things}_pairs",
        ("dataset", "model", "first", "second", *CONTRAST, "examples"),
        rows,
        f"differences of {noun(things)}s pair by pair, where all of them share under half of the examples",
        part,
    )
