"""What each design changes against its base, in each format and over them ("Table Meets LLM", Table 9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...core.statistics import ROUNDING
from ..cube import Cube
from ..multiplicity import holm_adjusted
from ..options import Options
from ..result import CONTRAST, Contrast, contrast_cells, given_marks, nested_rows, number
from .perturbation_impact import (
    Pairs,
    ScoreDifferences,
    ambiguous,
    differences_by_serializer,
    score_differences,
)

METHOD = (
    "a design's score less that of its base, same format, perturbation and example, over all that was "
    "asked both ways; low and high are of the single difference, p of its being 0, over whole tables where "
    "they are known (t, or where skewed the symmetric studentized bootstrap). corrected: p after Holm's "
    "correction over a family: the designs of all models in that place (a data set, or overall), over "
    "formats; within formats, the designs of all models in all formats of that place. claimed: corrected is "
    "at most 1 - level, so that the chance of claiming any difference of the family that is not there is at "
    "most that"
)


class DesignContrast(Contrast):
    """The mean score with a design less that with its ``base``, see ``METHOD``."""

    base: str
    corrected: float | None = None
    claimed: bool = False


DesignDifferences = dict[str, dict[str, dict[str, DesignContrast]]]
"""Data set or "overall" -> model -> design -> its score less that of its base."""

DESIGN_CONTRAST = (*CONTRAST, "base", "corrected", "claimed")
"""Columns of tables that hold one."""


def base_pairs(cube: Cube, bases: Mapping[str, str]) -> dict[str, Pairs]:
    """For each design the configurations with it, each beside that of its base in the same format.

    Returns:
        design -> (places of its configurations, places of the base's), by name; designs without a pair are
        left out. Empty where the scores do not say serializer, perturbation and design of every one, or where
        two are the same in all three.
    """
    parts = [cube.parts.get(part, {}) for part in ("serializer", "perturbation", "design")]
    if not all(set(cube.configurations) <= set(part) for part in parts) or ambiguous(cube):
        return {}
    serializers, perturbations, designs = parts
    places = {
        (serializers[config], perturbations[config], designs[config]): place
        for place, config in enumerate(cube.configurations)
    }
    pairs: dict[str, Pairs] = {}
    for (serializer, perturbation, design), place in sorted(places.items()):
        base = places.get((serializer, perturbation, bases.get(design, design)))
        if base is not None and base != place:
            with_design, without = pairs.setdefault(design, ([], []))
            with_design.append(place)
            without.append(base)
    return dict(sorted(pairs.items()))


def formats_of_pairs(cubes: Sequence[Cube], bases: Mapping[str, str]) -> dict[str, list[str]]:
    """Design -> the serializers in which it and its base were both asked, of any data set; sorted."""
    found: dict[str, set[str]] = {}
    for cube in cubes:
        for design, (places, _) in base_pairs(cube, bases).items():
            serializers = cube.parts["serializer"]
            found.setdefault(design, set()).update(serializers[cube.configurations[at]] for at in places)
    return {design: sorted(names) for design, names in sorted(found.items())}


def design_differences(
    cubes: Sequence[Cube], bases: Mapping[str, str], options: Options
) -> tuple[DesignDifferences, dict[str, DesignDifferences]]:
    """Every design against its base: over formats, and within each, ``serializer -> differences``.

    "overall" is the unweighted mean over data sets, of the designs that all of them have a pair of.
    """
    pairs = [base_pairs(cube, bases) for cube in cubes]
    over = score_differences(cubes, pairs, options)
    within = differences_by_serializer(cubes, lambda cube: base_pairs(cube, bases), options)
    return _corrected({"": over}, bases, options.level)[""], _corrected(within, bases, options.level)


def _corrected(
    found: Mapping[str, ScoreDifferences], bases: Mapping[str, str], level: float
) -> dict[str, DesignDifferences]:
    """Each with Holm's p over the tests of its place, of all serializers, models and designs."""
    whole: dict[str, DesignDifferences] = {serializer: {} for serializer in found}
    for place in dict.fromkeys(place for differences in found.values() for place in differences):
        tests = [
            (serializer, model, design, own)
            for serializer, differences in found.items()
            for model, by_design in differences.get(place, {}).items()
            for design, own in by_design.items()
        ]
        known = [own.p for *_, own in tests if own.p is not None]
        adjusted = iter(holm_adjusted(np.array(known)).tolist())
        for serializer, model, design, own in tests:
            p = next(adjusted) if own.p is not None else None
            by_model = whole[serializer].setdefault(place, {})
            by_model.setdefault(model, {})[design] = _with_correction(own, bases[design], p, level)
        for serializer, differences in found.items():
            if place in differences:
                whole[serializer].setdefault(place, {})
    return whole


def _with_correction(own: Contrast, base: str, p: float | None, level: float) -> DesignContrast:
    fields = own.model_dump(exclude_unset=True)
    corrected = None if p is None else number(p)
    claimed = corrected is not None and corrected <= round(1 - level, ROUNDING)
    return DesignContrast(**fields, base=base, corrected=corrected, **given_marks(claimed=claimed))


def design_contrast_rows(results: object) -> Iterator[tuple[object, ...]]:
    """The rows of a table of differences, of nested mappings."""
    return nested_rows(results, lambda own: (*contrast_cells(own), own.base, own.corrected, own.claimed))
