"""Which perturbed configuration belongs to which unperturbed one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from ..cube import Cube

UNPERTURBED = "none"
"""The name of no perturbation."""

Pairs: TypeAlias = "tuple[list[int], list[int]]"
"""Places of perturbed configurations, and of the unperturbed one of each."""

_Key = tuple[str, str]


def unperturbed_pairs(cube: Cube) -> dict[str, Pairs]:
    """For each perturbation the configurations under it, each with its unperturbed one.

    A pair has the same serializer and design (where the scores say no design: all have the same).

    Returns:
        perturbation -> (places of the perturbed, places of the unperturbed), by name; perturbations without a
        pair are left out. Empty where the scores do not say serializer and perturbation of every
        configuration, or where :func:`ambiguous` finds two configurations with the same three parts.
    """
    if not _said(cube) or ambiguous(cube):
        return {}
    perturbations = cube.parts["perturbation"]
    unperturbed = {
        _key(cube, config): place
        for place, config in enumerate(cube.configurations)
        if perturbations[config] == UNPERTURBED
    }
    pairs: dict[str, Pairs] = {}
    # by name, so that sums do not depend on the order of rows
    for config in sorted(cube.configurations):
        base = unperturbed.get(_key(cube, config))
        if perturbations[config] != UNPERTURBED and base is not None:
            perturbed, bases = pairs.setdefault(perturbations[config], ([], []))
            perturbed.append(cube.configurations.index(config))
            bases.append(base)
    return dict(sorted(pairs.items()))


def ambiguous(cube: Cube) -> tuple[str, str] | None:
    """Two configurations with the same serializer, perturbation and design, if there are such."""
    if not _said(cube):
        return None
    seen: dict[tuple[str, _Key], str] = {}
    for config in sorted(cube.configurations):
        other = seen.setdefault((cube.parts["perturbation"][config], _key(cube, config)), config)
        if other != config:
            return other, config
    return None


def pair_notes(cubes: Sequence[Cube]) -> list[str]:
    """What a reader must be told about perturbed configurations that cannot be compared, a line each."""
    notes = []
    for cube in cubes:
        twins = ambiguous(cube)
        if twins:
            notes.append(
                f"{cube.dataset}: configurations {twins[0]!r} and {twins[1]!r} have the same serializer, "
                "perturbation and design, so perturbed ones are not compared with unperturbed ones"
            )
        elif _said(cube):
            notes += _alone_notes(cube)
    return notes


def _alone_notes(cube: Cube) -> list[str]:
    paired = {place for perturbed, _ in unperturbed_pairs(cube).values() for place in perturbed}
    alone = [
        config
        for place, config in enumerate(cube.configurations)
        if place not in paired and cube.parts["perturbation"][config] != UNPERTURBED
    ]
    if not alone:
        return []
    return [
        f"{cube.dataset}: {len(alone)} perturbed configurations (the first is {min(alone)!r}) have no "
        "unperturbed one of the same serializer and design, so perturbation impact leaves them out"
    ]


def _said(cube: Cube) -> bool:
    return all(
        set(cube.configurations) <= set(cube.parts.get(part, {})) for part in ("serializer", "perturbation")
    )


def _key(cube: Cube, config: str) -> _Key:
    designs: Mapping[str, str] = cube.parts.get("design", {})
    return cube.parts["serializer"][config], designs.get(config, "")
