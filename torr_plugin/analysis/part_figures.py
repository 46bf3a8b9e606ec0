"""What is said of serializers and of perturbations: scores, win rates, ranges, impact (ToRR, appendix C)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .cube import Cube, grouped
from .estimates import Options
from .figures.factor_scores import by_part, deviations, win_rates
from .figures.perturbations import impact_by_serializer, pair_notes, perturbation_impact
from .figures.serializer_choice import serializer_choice
from .figures.serializers import serializer_range


def part_figures(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """``serializers`` and ``perturbations`` of ``analysis.json``.

    Returns:
        "serializers": ``scores``, ``win_rates``, ``range``, ``choice`` and ``deviations``; "perturbations":
        ``scores``, ``win_rates``, ``deviations``, ``differences_by_serializer``, and where perturbed
        configurations have unperturbed ones ``differences`` and ``absolute_impact``. Each
        is left out where the scores do not say the part of every configuration.
    """
    found: dict[str, Any] = {}
    serializers = by_part(cubes, "serializer", options)
    if serializers:
        found["serializers"] = {
            "scores": serializers,
            "win_rates": win_rates(cubes, "serializer", options),
            "range": serializer_range(cubes, options),
            "choice": serializer_choice(cubes, options),
            "deviations": deviations(cubes, "serializer", options),
        }
    perturbations = by_part(cubes, "perturbation", options)
    if perturbations:
        found["perturbations"] = {
            "scores": perturbations,
            **perturbation_impact(cubes, options),
            "differences_by_serializer": impact_by_serializer(cubes, options),
            "deviations": deviations(cubes, "perturbation", options),
            "win_rates": win_rates(cubes, "perturbation", options),
        }
    return found


def part_notes(cubes: Sequence[Cube]) -> list[str]:
    """What a reader must be told about these figures, a line each."""
    notes = [note for part in ("serializer", "perturbation") for note in _unsaid(cubes, part)]
    return [*notes, *pair_notes(cubes), *_uneven(cubes)]


def _unsaid(cubes: Sequence[Cube], part: str) -> list[str]:
    """Of a column that is there, but not for all configurations; an absent one is said with the scores."""
    lacking = [cube.dataset for cube in cubes if not grouped(cube, part)]
    if not lacking or not any(cube.parts.get(part) for cube in cubes):
        return []
    return [
        f"not all configurations of {', '.join(lacking)} say their {part}, so figures per {part} are left out"
    ]


def _uneven(cubes: Sequence[Cube]) -> list[str]:
    """Serializers under different perturbations: their means are over different things."""
    notes = []
    for cube in cubes:
        names, kinds = cube.parts.get("perturbation", {}), grouped(cube, "serializer").values()
        under = {tuple(sorted(names.get(config, "") for config in kind.configurations)) for kind in kinds}
        if len(under) > 1:
            notes.append(
                f"{cube.dataset}: not all serializers were asked with the same perturbations, so their "
                "scores and win rates are not quite of the same thing"
            )
    return notes
