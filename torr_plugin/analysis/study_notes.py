"""What a reader must be told of a study as a whole, a sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cube import Cube, common_configurations
from .estimates import Options


def undefined_notes(result: dict[str, Any], all_cubes: Sequence[Cube]) -> list[str]:
    """Models that solve nothing on a data set, and so have no overall ``robustness_solvable``."""
    notes = []
    for model, figure in result["robustness_solvable"].items():
        unsolved = [
            name
            for name, own in figure["datasets"].items()
            if own["value"] is None and result["best"][model]["datasets"][name]["value"] is not None
        ]
        if unsolved:
            notes.append(
                f"{model} scores 0 on every example of {', '.join(unsolved)} in every configuration, "
                f"so it has no robustness_solvable there{' nor overall' if len(all_cubes) > 1 else ''}"
            )
    return notes


def study_notes(all_cubes: Sequence[Cube], options: Options) -> list[str]:
    """What the options, the configurations and the numbers of examples mean for the figures."""
    notes = []
    if options.two_way:
        notes.append(
            "intervals of robustness, worst, best and robustness_solvable are two-way resamples moved onto "
            "the figure, since a resample holds fewer different configurations; those per configuration, "
            "serializer and perturbation are over examples alone"
        )
    shared, every = (
        len(common_configurations(all_cubes)),
        {c for cube in all_cubes for c in cube.configurations},
    )
    if shared < len(every):
        notes.append(
            f"{len(every) - shared} of {len(every)} configurations are not in all data sets, "
            "so there is no overall score of them; robustness is over each data set's own"
        )
    alone = [cube.dataset for cube in all_cubes if len(cube.configurations) == 1]
    if alone:
        notes.append(f"one configuration only on {', '.join(alone)}: robustness is 1 there by definition")
    few = [cube.dataset for cube in all_cubes if len(cube.examples) == 1]
    if few:
        notes.append(f"one example only on {', '.join(few)}: its intervals have no width and say nothing")
    return notes
