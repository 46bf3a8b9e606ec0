"""Scores in each configuration that can be compared: those of a model, and of two, one less the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np

from ..analysis.cube import Cube, common_configurations, selected
from ..analysis.figures.configurations import ConfigurationScores, configuration_scores
from ..analysis.result import OVERALL
from ..analysis.shared_examples import (
    AskedShare,
    SharedExamples,
    comparable_configurations,
    set_apart,
    shared_counts,
)
from ..core.errors import counted
from ..core.statistics import ROUNDING, Floats, mean_over_examples
from .views import DASH, View, ViewCell


@dataclass(frozen=True)
class ComparedConfigurations:
    """A model's mean scores in its configurations, over the examples that it has a score of in all of them.

    Attributes:
        scores: data set, or ``OVERALL`` -> configuration -> model -> mean.
        examples: data set, or ``OVERALL`` -> model -> over how many that is.
        apart: data set -> configuration that was asked on too few examples to be among them -> on how many.
    """

    scores: ConfigurationScores
    examples: Mapping[str, Mapping[str, SharedExamples]]
    apart: Mapping[str, Mapping[str, AskedShare]]


def compared_configurations(cubes: Sequence[Cube]) -> ComparedConfigurations:
    """The configurations that were asked on nearly all examples, as formats are compared.

    One that was asked on half of the examples would take the other half from all of them; it stands apart.
    """
    apart = {cube.dataset: set_apart(cube) for cube in cubes}
    kept = [
        selected(cube, [name for name in cube.configurations if name not in apart[cube.dataset]])
        for cube in cubes
    ]
    shared = common_configurations(kept)
    together = [selected(cube, shared) for cube in kept]

    def examples(some: Sequence[Cube]) -> dict[str, SharedExamples]:
        alike = [comparable_configurations(cube) for cube in some]
        return dict(zip(cubes[0].models, shared_counts(some, alike), strict=True))

    return ComparedConfigurations(
        configuration_scores(kept),
        {OVERALL: examples(together), **{cube.dataset: examples([cube]) for cube in kept}},
        {dataset: few for dataset, few in apart.items() if few},
    )


@dataclass(frozen=True)
class ConfigurationDifference:
    """One model's mean score less another's in a configuration, over the examples that both have in it."""

    value: float
    examples: int


Differences = Mapping[str, Mapping[str, ConfigurationDifference]]
"""Data set, or ``OVERALL`` -> configuration -> difference; those without a score of both are left out."""


def configuration_differences(cubes: Sequence[Cube], one: str, other: str) -> Differences:
    """Two models in each configuration; over all data sets the unweighted mean, where all have it."""
    found = {cube.dataset: _differences(cube, one, other) for cube in cubes}
    first, *others = found.values()
    everywhere = {
        name: ConfigurationDifference(
            sum(own[name].value for own in found.values()) / len(found),
            sum(own[name].examples for own in found.values()),
        )
        for name in first
        if all(name in own for own in others)
    }
    return {OVERALL: everywhere, **found}


def _differences(cube: Cube, one: str, other: str) -> dict[str, ConfigurationDifference]:
    difference: Floats = cube.scores[cube.models.index(one)] - cube.scores[cube.models.index(other)]
    means = np.round(mean_over_examples(difference), ROUNDING).tolist()
    counts = (~np.isnan(difference)).sum(axis=1).tolist()
    return {
        name: ConfigurationDifference(mean, count)
        for name, mean, count in zip(cube.configurations, means, counts, strict=True)
        if count
    }


Parts = Mapping[str, tuple[str, str]]
"""Configuration -> its row and its column in a map: its format, and what else configurations differ in."""

_STEPS = 4
"""Of colour."""


def difference_map(
    found: Mapping[str, ConfigurationDifference],
    parts: Parts,
    names: tuple[str, str],
    where: str,
    short: Mapping[str, str],
) -> View:
    """A row a format, a column what else its configurations differ in; sizes are shaded, nothing is claimed.

    Args:
        found: of two models.
        parts: of all configurations, in the order of rows and columns.
        names: of the two models.
        where: the data set, "" where there are no others.
        short: names of formats as readers know them.
    """
    if not found:
        return View(("Format",), lines=("No configuration has scores of both.",))
    one, other = names
    rows, columns = (dict.fromkeys(own[n] for name, own in parts.items() if name in found) for n in (0, 1))
    at = {own: found[name] for name, own in parts.items() if name in found}
    every = [each.value for each in found.values()]
    most, counts = max(map(abs, every)), Counter(each.examples for each in found.values())
    ((usual, _),) = counts.most_common(1)
    higher, lower = sum(value > 0 for value in every), sum(value < 0 for value in every)

    def cell(own: ConfigurationDifference | None) -> ViewCell:
        if own is None:
            return DASH
        over = "" if own.examples == usual else counted(own.examples, "example")
        text = f"{own.value:+.3f}"
        if not float(text):
            return ViewCell("0.000", over, "num")
        step = ceil(_STEPS * abs(own.value) / most)
        return ViewCell(text, over, f"num {'less' if own.value < 0 else 'more'}-{step}")

    def cells(row: str) -> tuple[ViewCell, ...]:
        return ViewCell(short.get(row, row), whole=row), *(cell(at.get((row, column))) for column in columns)

    kind = "format" if len(columns) == 1 else "configuration"
    over = f"over {counted(usual, 'example')}{', unless a cell says otherwise' if len(counts) > 1 else ''}"
    return View(
        ("Format", *(name or "Difference" for name in columns)),
        tuple(map(cells, rows)),
        (
            f"{one} has the higher mean in {higher} of {counted(len(found), kind)}, {other} in {lower}: not "
            "tested.",
        ),
        caption=f"Mean score of {one} minus that of {other}{where and f', {where}'}, {over}",
    )
