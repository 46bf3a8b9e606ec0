"""What ``analysis.json`` has beside the cube's figures: by kind of example, length of answer, modality."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .cube import Cube
from .descriptions import Description
from .estimates import Options
from .examples import Told, stacks
from .figures.modalities import modalities
from .figures.regression import regressions
from .figures.slices import slice_notes, slices
from .figures.verbosity import verbosity

if TYPE_CHECKING:
    import pandas as pd


def example_figures(
    cubes: Sequence[Cube],
    known: Mapping[str, Mapping[str, Told]],
    lengths: pd.DataFrame | None,
    described: Mapping[str, Description],
    options: Options,
) -> tuple[dict[str, Any], list[str]]:
    """``slices``, ``regression``, ``verbosity`` and ``modalities``, and what a reader must be told of them.

    Each is left out where the study has nothing for it: no groups or properties of examples, no properties
    that vary, no counts of values, no tables as pictures.
    """
    found = stacks(cubes, known)
    figures = {
        "slices": slices(found, options),
        "regression": regressions(found, options.level),
        "verbosity": verbosity(cubes, lengths, known, options),
        "modalities": modalities(cubes, described, options),
    }
    there = {name: one for name, one in figures.items() if one}
    return there, [*_untold(cubes, known), *slice_notes(found), *_unregressed(figures)]


def _untold(cubes: Sequence[Cube], known: Mapping[str, Mapping[str, Told]]) -> list[str]:
    """Of scores whose examples are not among those that something is known of."""
    datasets = [cube.dataset for cube in cubes]
    if known and not known.keys() & set(datasets):
        return [
            f"no figures by kind of example: what is known is of {', '.join(sorted(known))}, "
            f"the scores are of {', '.join(datasets)}"
        ]
    missing = {
        cube.dataset: len(set(cube.examples) - known[cube.dataset].keys())
        for cube in cubes
        if cube.dataset in known
    }
    return [
        f"{dataset}: nothing is known of {count:,} examples, which are in no figure by kind of example"
        for dataset, count in missing.items()
        if count
    ]


def _unregressed(figures: Mapping[str, Any]) -> list[str]:
    """Of data sets whose properties are known, but that no regression is of."""
    without = [
        place
        for place, found in figures["slices"].items()
        if any(found["properties"].values()) and place not in figures["regression"].get("datasets", {})
    ]
    if not without:
        return []
    return [
        "too few tables, or none that differ, or scores all alike, to regress scores on properties of "
        f"{', '.join(without)}"
    ]
