"""The scores of each serializer, or perturbation, that can be compared with the others of a data set."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from ...core.statistics import Booleans, Floats
from ..cube import Cube, by_factor, lacking_models, names_in_all, selected
from ..number_format import format_range
from ..shared_examples import (
    Factor,
    SharedExamples,
    comparable_configurations,
    comparable_levels,
    factor_keys,
    factor_levels,
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


def widely_asked(cube: Cube, factor: Factor) -> Cube:
    """The cube without the levels that :func:`~..shared_examples.set_apart` finds."""
    few, names = set_apart(cube, factor), cube.parts.get(factor, {})
    return selected(cube, [name for name in cube.configurations if names[name] not in few]) if few else cube


def rarely_asked_notes(cubes: Sequence[Cube]) -> list[str]:
    """The formats that comparisons leave out, as they were asked on few of the examples."""
    return [
        f"{cube.dataset}: {name} was asked on {few.asked:,} of {few.of:,} examples, so formats are compared "
        "without it"
        for cube in cubes
        for name, few in set_apart(cube, "serializer").items()
    ]


def own_cells(cubes: Sequence[Cube], factor: Factor) -> FactorCubes | None:
    """All levels over all scores that there are, as in the paper; None where these are the same."""
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
        The means, and which models lack a score in which group, (models x groups).
    """
    means = np.empty((len(cube.models), len(groups), len(cube.examples)))
    lacks = np.zeros(means.shape[:2], dtype=bool)
    for place, name in enumerate(sorted(groups)):
        means[:, place] = example_means(groups[name].scores)
        lacks[:, place] = lacking_models(groups[name])
    return means, lacks


def examples_compared(compared: FactorCubes) -> dict[str, dict[str, SharedExamples]]:
    """Data set -> model -> the examples that its serializers, or perturbations, are compared over."""
    return {
        cube.dataset: shared_counts(cube, comparable_levels(cube, compared.factor)) for cube in compared.cubes
    }


UNPERTURBED = "none"
"""The name of no perturbation."""

Places: TypeAlias = "tuple[list[int], list[int]]"
"""Places of changed configurations, and of the one that each is compared with."""


def unperturbed_pairs(cube: Cube) -> dict[str, Places]:
    """Perturbation -> its configurations, each with the unperturbed one of the same serializer and design."""
    perturbations = set(cube.parts.get("perturbation", {}).values())
    return paired(cube, "perturbation", dict.fromkeys(perturbations, UNPERTURBED))


def paired(cube: Cube, factor: Factor, bases: Mapping[str, str]) -> dict[str, Places]:
    """For each level its configurations, each with that of its base that is the same in all else.

    Where the scores say no design, all configurations have the same.

    Args:
        cube: the scores.
        factor: of whose levels.
        bases: level -> the level that it is compared with.

    Returns:
        level -> (places of its configurations, places of the base's), by name; levels without a pair are left
        out. Empty where the scores do not say serializer, perturbation and design of every configuration, or
        where :func:`ambiguous` finds two that are the same in all three.
    """
    if not _parts_known(cube, factor) or ambiguous(cube, factor):
        return {}
    keys = factor_keys(cube, factor)
    names = cube.parts[factor]
    places = {(names[config], keys[config]): place for place, config in enumerate(cube.configurations)}
    pairs: dict[str, Places] = {}
    # by name, so that sums do not depend on the order of rows
    for config in sorted(cube.configurations):
        name = names[config]
        base = places.get((bases.get(name, name), keys[config]))
        if base is not None and bases.get(name, name) != name:
            changed, unchanged = pairs.setdefault(name, ([], []))
            changed.append(places[name, keys[config]])
            unchanged.append(base)
    return dict(sorted(pairs.items()))


def ambiguous(cube: Cube, factor: Factor = "perturbation") -> tuple[str, str] | None:
    """Two configurations with the same serializer, perturbation and design, if there are such."""
    if not _parts_known(cube, factor):
        return None
    names, keys = cube.parts[factor], factor_keys(cube, factor)
    seen: dict[Hashable, str] = {}
    for config in sorted(cube.configurations):
        other = seen.setdefault((names[config], keys[config]), config)
        if other != config:
            return other, config
    return None


def _parts_known(cube: Cube, factor: Factor) -> bool:
    parts = {"serializer", "perturbation", factor}
    return all(set(cube.configurations) <= set(cube.parts.get(part, {})) for part in parts)


def pair_notes(cubes: Sequence[Cube]) -> list[str]:
    """Notes on perturbed configurations that cannot be compared, a line each."""
    notes = []
    for cube in cubes:
        twins = ambiguous(cube)
        if twins:
            notes.append(
                f"{cube.dataset}: configurations {twins[0]!r} and {twins[1]!r} have the same serializer, "
                "perturbation and design, so perturbed ones are not compared with unperturbed ones"
            )
        elif _parts_known(cube, "perturbation"):
            notes += _unpaired_notes(cube)
    return notes


def _unpaired_notes(cube: Cube) -> list[str]:
    pairs = {place for perturbed, _ in unperturbed_pairs(cube).values() for place in perturbed}
    unpaired = [
        config
        for place, config in enumerate(cube.configurations)
        if place not in pairs and cube.parts["perturbation"][config] != UNPERTURBED
    ]
    if not unpaired:
        return []
    return [
        f"{cube.dataset}: {len(unpaired)} perturbed configurations (the first is {min(unpaired)!r}) have no "
        "unperturbed one of the same serializer and design, so perturbation impact leaves them out"
    ]


def formats_of_pairs(cubes: Sequence[Cube], bases: Mapping[str, str]) -> dict[str, list[str]]:
    """Design -> the serializers in which it and its base were both asked, of any data set; sorted."""
    found: dict[str, set[str]] = {}
    for cube in cubes:
        for design, (places, _) in paired(cube, "design", bases).items():
            serializers = cube.parts["serializer"]
            found.setdefault(design, set()).update(serializers[cube.configurations[at]] for at in places)
    return {design: sorted(names) for design, names in sorted(found.items())}


def comparison_notes(cubes: Sequence[Cube], factor: Factor) -> list[str]:
    """What a comparison of serializers, or perturbations, leaves out by design, a line a data set."""
    return [note for cube in cubes if by_factor(cube, factor) for note in _key_notes(cube, factor)]


def _key_notes(cube: Cube, factor: Factor) -> list[str]:
    levels, keys = factor_levels(cube, factor), factor_keys(cube, factor)
    shared, every = shared_keys(levels, keys)
    if len(shared) == len(every):
        return []
    start = (
        f"{cube.dataset}: not all {noun(factor)}s were asked with the same {_what_differs(cube, factor)}, so "
    )
    if not shared:
        return [f"{start}there is no figure per {noun(factor)}"]
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
        "serializer": comparable_levels(widely_asked(formats, "serializer"), "serializer"),
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
    return [note]
