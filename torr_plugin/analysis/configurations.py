"""Mean scores per configuration, serializer and perturbation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .cube import Cube
from .performance import mean_over_examples

if TYPE_CHECKING:
    from .types import Floats


def configuration_means(scores: Floats) -> Floats:
    """The mean score per configuration, (models x configurations), over the examples that are there."""
    return mean_over_examples(scores)


def common_configurations(cubes: Sequence[Cube]) -> list[str]:
    """The configurations that every data set was asked in, in the first one's order."""
    shared = set(cubes[0].configurations).intersection(*(cube.configurations for cube in cubes))
    return [config for config in cubes[0].configurations if config in shared]


def selected(cube: Cube, configurations: Sequence[str]) -> Cube:
    """The cube with these configurations alone, in this order."""
    index = {config: position for position, config in enumerate(cube.configurations)}
    chosen = [index[config] for config in configurations]
    return replace(cube, configurations=tuple(configurations), scores=cube.scores[:, chosen])


def grouped(cube: Cube, part: str) -> dict[str, Cube]:
    """The cube cut by ``serializer`` or ``perturbation``: name -> the cube of its configurations.

    Empty where the scores do not say the part of every configuration.
    """
    names = cube.parts.get(part, {})
    if not set(cube.configurations) <= set(names):
        return {}
    return {
        name: selected(cube, [config for config in cube.configurations if names[config] == name])
        for name in dict.fromkeys(names[config] for config in cube.configurations)
    }


def label_keeping(cubes: Sequence[Cube], keeps_labels: Mapping[str, Collection[str]]) -> list[Cube]:
    """The cubes with those configurations alone whose perturbation keeps the labels; ``none`` always does.

    Args:
        cubes: of all data sets.
        keeps_labels: data set -> perturbations. Every configuration of a data set that is not in it is taken.

    Returns:
        Empty where nothing is taken away, where the scores do not say the perturbations, and where a data set
        would have no configuration left.
    """
    kept = [_label_keeping(cube, keeps_labels.get(cube.dataset)) for cube in cubes]
    smaller = any(
        len(new.configurations) < len(old.configurations) for new, old in zip(kept, cubes, strict=True)
    )
    return kept if smaller and all(cube.configurations for cube in kept) else []


def label_keeping_notes(cubes: Sequence[Cube], keeps_labels: Mapping[str, Collection[str]]) -> list[str]:
    """Why there are no figures over label-keeping perturbations alone, where one would expect them."""
    unsaid = [
        cube.dataset
        for cube in cubes
        if cube.dataset in keeps_labels
        and not set(cube.configurations) <= set(cube.parts.get("perturbation", {}))
    ]
    kept = [_label_keeping(cube, keeps_labels.get(cube.dataset)) for cube in cubes]
    none = [cube.dataset for cube in kept if not cube.configurations]
    notes = []
    if unsaid:
        notes.append(
            f"not all configurations of {', '.join(unsaid)} say their perturbation, so all of them count as "
            "label-keeping there"
        )
    if none:
        notes.append(
            f"no configuration of {', '.join(none)} keeps the labels, so there are no figures over "
            "label-keeping perturbations alone"
        )
    return notes


def _label_keeping(cube: Cube, keeps: Collection[str] | None) -> Cube:
    names = cube.parts.get("perturbation", {})
    if keeps is None or not set(cube.configurations) <= set(names):
        return cube
    return selected(cube, [config for config in cube.configurations if names[config] in {"none", *keeps}])
