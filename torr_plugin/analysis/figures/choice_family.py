"""The serializers among which a model's is chosen, and those that few examples were asked in.

A format that was asked on half of the examples must not shrink the comparison of all others to that half.
So formats asked on clearly fewer examples than the rest are set apart (:func:`~..shared_examples.set_apart`):
the others are compared over all that they share, and each one apart with every other over what the two share.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..cube import Cube, selected
from ..options import Options
from ..result import number
from ..shared_examples import AskedShare, Factor, set_apart
from .factor_cubes import FactorCubes, factor_cubes
from .level_pairs import LevelPair, pairs_with
from .prompt_tokens import level_tokens


class ApartPair(LevelPair):
    """A format that stands apart less another one; where known, their mean prompt tokens there."""

    first_tokens: float | None = None
    second_tokens: float | None = None


SetApart = dict[str, dict[str, AskedShare]]
"""Data set -> its formats that stand apart."""

ApartPairs = dict[str, dict[str, list[ApartPair]]]
"""Data set -> model -> each format that stands apart with every other."""


def choice_family(compared: FactorCubes) -> FactorCubes:
    """The levels that do not stand apart, compared over all that they share; the same where none does."""
    apart = [set_apart(cube, compared.factor) for cube in compared.cubes]
    if not any(apart):
        return compared
    cubes = [_without(cube, few, compared.factor) for cube, few in zip(compared.cubes, apart, strict=True)]
    return factor_cubes(cubes, compared.factor) or compared


def _without(cube: Cube, few: Collection[str], factor: Factor) -> Cube:
    if not few:
        return cube
    names = cube.parts[factor]
    return selected(cube, [config for config in cube.configurations if names[config] not in few])


def apart_formats(compared: FactorCubes, tokens: Sequence[Cube] | None, options: Options) -> dict[str, Any]:
    """The fields ``apart`` and ``apart_pairs`` of the figures of serializers, where some stand apart.

    Args:
        compared: all serializers.
        tokens: of each data set (:func:`.prompt_tokens.token_cubes`), where they are known.
        options: how intervals are made.
    """
    found: SetApart = {}
    pairs: ApartPairs = {}
    for place, cube in enumerate(compared.cubes):
        few = set_apart(cube, compared.factor)
        if few:
            found[cube.dataset] = few
            counted = tokens[place] if tokens else None
            pairs[cube.dataset] = {
                model: [_apart_pair(pair, model, counted, compared.factor) for pair in rows]
                for model, rows in pairs_with(cube, compared.factor, set(few), options).items()
            }
    return {"apart": found, "apart_pairs": pairs} if found else {}


def _apart_pair(pair: LevelPair, model: str, tokens: Cube | None, factor: Factor) -> ApartPair:
    fields = pair.model_dump(exclude_unset=True)
    if tokens is not None:
        first, second = level_tokens(tokens, factor, (pair.first, pair.second))[tokens.models.index(model)]
        fields |= {"first_tokens": number(first), "second_tokens": number(second)}
    return ApartPair(**fields)
