"""The scores of each serializer, or perturbation, that can be compared with the others of a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.statistics import Booleans, Floats
from ..cube import Cube, by_factor, lacking_models, names_in_all
from ..number_format import format_names, format_range
from ..shared_examples import (
    Factor,
    SharedExamples,
    comparable_configurations,
    comparable_levels,
    factor_keys,
    factor_levels,
    few_shared,
    noun,
    other_parts,
    scored_examples,
    set_apart,
    shared_counts,
    shared_keys,
)
from ..statistics import example_means
from ..study import StudyScores

Groups = Mapping[str, Cube]
"""Serializer or perturbation -> the cube of its configurations."""


@dataclass(frozen=True)
class FactorCubes:
    """The scores of serializers, or perturbations, of a study.

    Attributes:
        factor: which.
        cubes: of all data sets, whole.
        datasets: of each data set, its groups; empty where nothing of it can be compared.
        together: of each data set, the groups that all data sets have, compared among themselves.
    """

    factor: Factor
    cubes: Sequence[Cube]
    datasets: Sequence[Groups]
    together: Sequence[Groups]

    @property
    def models(self) -> tuple[str, ...]:
        """Their names."""
        return self.cubes[0].models

    @property
    def shared(self) -> list[str]:
        """The serializers or perturbations that all data sets have, in the first one's order."""
        return list(self.together[0])


def factor_cubes(cubes: Sequence[Cube], factor: Factor) -> FactorCubes | None:
    """Serializers or perturbations on equal terms, see :func:`~..shared_examples.comparable_levels`.

    Returns:
        None where the scores do not say the serializer or perturbation of every configuration.
    """
    if not all(by_factor(cube, factor) for cube in cubes):
        return None
    alike = [by_factor(comparable_levels(cube, factor), factor) for cube in cubes]
    shared = names_in_all(alike)
    return FactorCubes(
        factor,
        cubes,
        alike,
        [
            own if len(own) == len(shared) else by_factor(comparable_levels(cube, factor, shared), factor)
            for cube, own in zip(cubes, alike, strict=True)
        ],
    )


def own_cells(compared: FactorCubes) -> FactorCubes | None:
    """The same over all scores that there are, as in the paper; None where these are the same."""
    cubes, factor = compared.cubes, compared.factor
    if not any(left_out(cube, factor) for cube in cubes):
        return None
    whole = [by_factor(cube, factor) for cube in cubes]
    shared = names_in_all(whole)
    return FactorCubes(factor, cubes, whole, [{name: own[name] for name in shared} for own in whole])


def left_out(cube: Cube, factor: Factor) -> bool:
    """Whether a comparison of a data set's serializers, or perturbations, leaves scores out."""
    return comparable_levels(cube, factor) is not cube


def level_means(cube: Cube, groups: Groups) -> tuple[Floats, Booleans]:
    """Mean scores of an example under each group, by name, (models x groups x examples).

    Returns:
        The means, and which models lack a score in some group, (models,).
    """
    means = np.empty((len(cube.models), len(groups), len(cube.examples)))
    lacks = np.zeros(len(cube.models), dtype=bool)
    for place, name in enumerate(sorted(groups)):
        means[:, place] = example_means(groups[name].scores)
        lacks |= lacking_models(groups[name])
    return means, lacks


def examples_compared(compared: FactorCubes) -> dict[str, dict[str, SharedExamples]]:
    """Data set -> model -> the examples that its serializers, or perturbations, are compared over."""
    return {
        cube.dataset: dict(
            zip(
                cube.models,
                shared_counts([cube], [comparable_levels(cube, compared.factor)]),
                strict=True,
            )
        )
        for cube in compared.cubes
    }


def comparison_notes(cubes: Sequence[Cube], factor: Factor) -> list[str]:
    """What a comparison of serializers, or perturbations, leaves out by design, a line a data set."""
    return [note for cube in cubes if by_factor(cube, factor) for note in _key_notes(cube, factor)]


def _key_notes(cube: Cube, factor: Factor) -> list[str]:
    levels, keys = factor_levels(cube, factor), factor_keys(cube, factor)
    shared, every = shared_keys(cube, levels, keys)
    if len(shared) == len(every):
        return []
    start = (
        f"{cube.dataset}: not all {noun(factor)}s were asked with the same {_what_differs(cube, factor)}, so "
    )
    if not shared:
        return [
            f"{start}there is no figure per {noun(factor)}; {noun(factor)}s are compared pair by pair "
            f"({factor}_pairs)"
        ]
    kinds = " and ".join(map(noun, other_parts(factor)))
    return [f"{start}they are compared under the {len(shared)} of {len(every)} {kinds} pairs that all have"]


def _what_differs(cube: Cube, factor: Factor) -> str:
    """The parts whose names differ between serializers or perturbations; both if only together they do."""
    levels = factor_levels(cube, factor)
    found = []
    for part in other_parts(factor):
        names = cube.parts.get(part, {})
        of_level: dict[str, set[str]] = {}
        for config, level in levels.items():
            of_level.setdefault(level, set()).add(names.get(config, ""))
        if len(set(map(frozenset, of_level.values()))) > 1:
            found.append(f"{noun(part)}s")
    return " and ".join(found or [f"pairs of {' and '.join(map(noun, other_parts(factor)))}"])


def example_notes(study: StudyScores) -> list[str]:
    """Over how many examples comparisons within a model are, where these are not all, a line a data set."""
    parts = study.cubes, study.at_one_design("serializer"), study.at_one_design("perturbation")
    return [note for cubes in zip(*parts, strict=True) for note in _example_notes(*cubes)]


def _example_notes(cube: Cube, formats: Cube, perturbed: Cube) -> list[str]:
    compared = {
        "configuration": comparable_configurations(cube),
        "serializer": comparable_levels(formats, "serializer"),
        "perturbation": comparable_levels(perturbed, "perturbation"),
    }
    every = scored_examples(cube)
    fewer = {
        thing: own
        for thing, own in compared.items()
        if own.configurations and (scored_examples(own) < every).any()
    }
    if not fewer:
        return []
    counts = ", ".join(
        f"{noun(thing)}s over {format_range(scored_examples(own).tolist())}" for thing, own in fewer.items()
    )
    note = (
        f"{cube.dataset}: what is compared within a model is compared over the examples scored in all of it, "
        f"of {format_range(every.tolist())}: {counts}"
    )
    few = [f"{thing}_pairs" for thing, own in fewer.items() if few_shared(cube, own).any()]
    note += f" (under half: {' and '.join(few)} {'have' if len(few) > 1 else 'has'} more)" if few else ""
    if apart := set_apart(formats, "serializer"):
        left = sorted(set(factor_levels(formats, "serializer").values()) - set(apart))
        over = format_range(scored_examples(comparable_levels(formats, "serializer", left)).tolist())
        note += f"; family_choice is over {over}, without {format_names(sorted(apart))}"
    return [note]
