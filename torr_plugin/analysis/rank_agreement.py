"""How far rankings agree: between data sets, between configurations, and between smaller studies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .complete import complete, gap_notes
from .cube import Cube
from .estimates import ConfigurationSamples, Options
from .figures import configuration_agreement, dataset_agreement
from .figures import reliability as reliability_curves

METHODS: Mapping[str, str] = {
    "dataset_agreement": dataset_agreement.METHOD,
    "configuration_agreement": configuration_agreement.METHOD,
    "reliability": reliability_curves.METHOD,
}
"""How each figure and its interval is made, in words."""


def rank_agreement(
    cubes: Sequence[Cube], options: Options, known: Mapping[str, ConfigurationSamples] | None = None
) -> dict[str, Any]:
    """``dataset_agreement``, ``configuration_agreement`` and its intervals, and ``reliability``.

    Args:
        cubes: of all data sets.
        options: all but ``two_way``: intervals are over examples, configurations as given.
        known: data set -> its resampled means, where they are made already.
    """
    figures = configuration_agreement.configuration_agreement(cubes, options, known)
    return {
        "dataset_agreement": dataset_agreement.dataset_agreement(cubes, options),
        "configuration_agreement": {name: figure["value"] for name, figure in figures.items()},
        "configuration_agreement_intervals": figures,
        "reliability": reliability_curves.reliability(cubes, options),
    }


def rank_agreement_notes(cubes: Sequence[Cube], figures: Mapping[str, Any]) -> list[str]:
    """What a reader must be told of rankings that are smaller than the study, or do not exist.

    Args:
        cubes: of all data sets.
        figures: of :func:`rank_agreement`.
    """
    notes = gap_notes([complete(cube) for cube in cubes])
    found = figures["configuration_agreement_intervals"]
    tied = [
        name
        for name, figure in found.items()
        if figure["value"] is None and min(figure["raters"], figure["models"]) > 1
    ]
    if tied:
        notes.append(f"every configuration ties all models on {', '.join(tied)}: no ranking, and so no W")
    return notes
