"""Scores within a model that can be compared: configurations, or serializers, over the same examples.

A format that was only asked about the easy tables looks better than it is, and so does one whose hard
examples timed out. So a model's formats are compared over the examples that have a score in all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from ..core.statistics import Booleans, Integers
from .cube import Cube, by_factor, numbered, selected
from .result import FigureResult

Factor = Literal["serializer", "perturbation", "design"]
"""A part of configurations whose levels are compared, one factor at a time."""

Levels = Mapping[str, str]
"""Configuration -> what is compared: itself, its serializer or its perturbation."""

Keys = Mapping[str, Hashable]
"""Configuration -> under what it is compared, as the perturbation and design of a serializer."""


def noun(factor: str) -> str:
    """What a factor, or a configuration, is called in sentences: a serializer is known by its format."""
    return "format" if factor == "serializer" else factor


class SharedExamples(FigureResult):
    """How many examples a model's comparison is over, of how many that the model has a score for."""

    shared: int
    of: int


def factor_levels(cube: Cube, factor: Factor) -> dict[str, str]:
    """Configuration -> its serializer, perturbation or design; empty where one does not say it."""
    return {config: name for name, part in by_factor(cube, factor).items() for config in part.configurations}


def factor_keys(cube: Cube, factor: Factor) -> dict[str, Hashable]:
    """Configuration -> the parts beside a factor that it is made of; an unknown part is empty."""
    others = [cube.parts.get(part, {}) for part in other_parts(factor)]
    return {config: tuple(names.get(config, "") for names in others) for config in cube.configurations}


def other_parts(factor: Factor) -> tuple[str, str]:
    """What configurations are made of beside a factor."""
    first, second = (part for part in get_args(Factor) if part != factor)
    return first, second


def shared_keys(levels: Levels, keys: Keys) -> tuple[set[Hashable], set[Hashable]]:
    """The keys under which all levels were asked, and all keys."""
    asked: dict[Hashable, set[str]] = {}
    for config, level in levels.items():
        asked.setdefault(keys.get(config), set()).add(level)
    every = set(levels.values())
    return {key for key, found in asked.items() if found == every}, set(asked)


def comparable(cube: Cube, levels: Levels, keys: Keys) -> Cube:
    """The cube with those scores alone that let its levels be compared.

    Levels are compared under the keys that all of them have, by the examples that a model has a score of in
    all of them. A level of which a model has no score at all takes no part in that model's comparison.

    Args:
        cube: the scores.
        levels: of the configurations that are compared; others are left out.
        keys: of these.

    Returns:
        The configurations under shared keys, with NaN where not all levels have a score; the cube itself
        where nothing is left out. Without a shared key it has no configuration.
    """
    shared, _ = shared_keys(levels, keys)
    kept = [config for config in cube.configurations if config in levels and keys.get(config) in shared]
    chosen = cube if len(kept) == len(cube.configurations) else selected(cube, kept)
    if not kept or not np.isnan(chosen.scores).any():
        return chosen
    return _masked(
        chosen,
        numbered([levels[config] for config in kept]),
        numbered([keys.get(config) for config in kept]),
    )


def comparable_configurations(cube: Cube) -> Cube:
    """The cube with the examples alone that a model has a score of in all configurations."""
    return comparable(cube, {config: config for config in cube.configurations}, {})


def comparable_levels(cube: Cube, factor: Factor, names: Sequence[str] | None = None) -> Cube:
    """The cube with what lets its serializers, or perturbations, be compared.

    Args:
        cube: the scores.
        factor: which; where not all configurations say it, no configuration is left.
        names: those that are compared; by default all of them.
    """
    levels = factor_levels(cube, factor)
    if names is not None:
        levels = {config: name for config, name in levels.items() if name in names}
    return comparable(cube, levels, factor_keys(cube, factor))


def _masked(cube: Cube, levels: Integers, keys: Integers) -> Cube:
    """NaN where, under a configuration's key, a level that the model has lacks the example."""
    present: Booleans = np.logical_not(np.isnan(cube.scores))
    some: Booleans = np.asarray(present.any(axis=2))
    has = np.stack([some[:, levels == level].any(axis=1) for level in range(levels.max() + 1)], axis=1)
    exempt: Booleans = np.logical_not(has[:, levels, None])
    kept = np.array(present)
    asked = cube.asked.copy()
    for key in range(keys.max() + 1):
        own = keys == key
        shared: Booleans = np.asarray((present[:, own] | exempt[:, own]).all(axis=1))
        kept[:, own] &= shared[:, None]
        asked[own] = asked[own].all(axis=0)
    if (kept == present).all():
        return cube
    return replace(cube, scores=np.where(kept, cube.scores, np.nan), asked=asked)


LEAST_ASKED = 0.9
"""The share of the data set's examples on which what does not stand apart was asked."""


class AskedShare(FigureResult):
    """On how many examples a format, or configuration, was asked, of how many that any was asked on."""

    asked: int
    of: int


def set_apart(cube: Cube, factor: Factor | None = None) -> dict[str, AskedShare]:
    """The levels asked on fewer than ``LEAST_ASKED`` of the examples that any level was asked on.

    A level that was asked on half of the examples must not shrink the comparison of all others to that half.
    Nothing where fewer than two would be left: then all are compared over what all have. What was asked
    counts, not what was answered.

    Args:
        cube: the scores.
        factor: whose levels; by default the configurations.
    """
    if factor is None:
        asked = dict(zip(cube.configurations, cube.asked, strict=True))
    else:
        asked = {name: part.asked.any(axis=0) for name, part in by_factor(cube, factor).items()}
    every = int(cube.asked.any(axis=0).sum())
    few = {name: int(own.sum()) for name, own in asked.items() if own.sum() < LEAST_ASKED * every}
    if len(asked) - len(few) < 2:
        return {}
    return {name: AskedShare(asked=count, of=every) for name, count in few.items()}


def scored_examples(cube: Cube) -> Integers:
    """How many examples each model has a score of, (models,)."""
    counts: Integers = np.logical_not(np.isnan(cube.scores)).any(axis=1).sum(axis=1).astype(np.int64)
    return counts


def shared_counts(cube: Cube, compared: Cube) -> dict[str, SharedExamples]:
    """Model -> how many of its examples are in what is compared."""
    counts = zip(cube.models, scored_examples(compared), scored_examples(cube), strict=True)
    return {model: SharedExamples(shared=int(shared), of=int(of)) for model, shared, of in counts}
