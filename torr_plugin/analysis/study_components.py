"""Variance components of a study: of a data set, or of the mean over several, and what they leave out."""

from __future__ import annotations

import numpy as np

from ..core.errors import counted
from ..core.seeds import generator
from ..core.statistics import Floats
from .bootstrap import percentile_bounds
from .complete import CrossedCubes
from .number_format import format_names
from .options import Options
from .result import OVERALL, Interval, interval_of
from .variance_components import (
    COMPONENTS,
    Components,
    anova,
    composite_components,
    dataset_components,
)

_FACETS = ("model", "configuration", "example")


def study_components(part: CrossedCubes, options: Options) -> Components | None:
    """Components of one data set, or of the mean over several; None where they cannot be estimated."""
    if lacking(part):
        return None
    found = [
        dataset_components(
            anova(cube.scores, cube.clusters),
            generator(options.seed, "generalizability", cube.dataset),
            options.resamples,
        )
        for cube in part.cubes
    ]
    if len(found) == 1:
        return found[0]
    table: Floats = np.mean([cube.scores.mean(axis=2) for cube in part.cubes], axis=0)
    rng = generator(options.seed, "generalizability", OVERALL)
    return composite_components(table, found, rng, options.resamples)


def lacking(part: CrossedCubes) -> list[str]:
    """Of which of model, configuration, example and table there are not two on some data set."""
    sizes = [min(cube.scores.shape[axis] for cube in part.cubes) for axis in range(3)]
    tables = min(cube.tables for cube in part.cubes)
    few = [name for name, size in zip(_FACETS, sizes, strict=True) if size < 2]
    return few if few or tables > 1 else ["table"]


def not_negative(value: Floats | float, draws: Floats, level: float) -> Interval:
    """The interval of a figure that is not negative."""
    return each_not_negative(np.atleast_1d(value), draws[None], level)[0]


def each_not_negative(values: Floats, draws: Floats, level: float) -> list[Interval]:
    """The intervals of figures (figures,) from their draws (figures x draws)."""
    low, high = percentile_bounds(np.maximum(draws, 0.0), level)
    return [interval_of(*each) for each in zip(np.maximum(values, 0.0), low, high, strict=True)]


def left_out_notes(part: CrossedCubes) -> list[str]:
    """What the holes cost, a line; nothing where there are none."""
    named = [
        f"{counted(len(names), kind[:-1])} ({format_names(names)})"
        for kind, names in part.without.items()
        if names
    ]
    examples = [counted(part.examples, "example")] if part.examples else []
    if not (named or examples):
        return []
    what = ", ".join(named + examples)
    return [f"left out, since not every model has a score in every configuration: {what}"]


def table_notes(part: CrossedCubes) -> list[str]:
    """What components mean where examples share tables; nothing where they do not."""
    examples = sum(len(cube.examples) for cube in part.cubes)
    tables = sum(cube.tables for cube in part.cubes)
    if tables == examples:
        return []
    return [
        f"the {examples:,} examples are about {tables:,} tables: components with examples are those of an "
        "example as it counts in a mean, design effect included"
    ]


def negative_notes(found: Components) -> list[str]:
    """Which components were estimated below 0, a line; nothing where none was."""
    negative = [name for name in COMPONENTS if float(found.estimates[name]) < 0]
    if not negative:
        return []
    return [f"estimated below 0, so shown as 0: {', '.join(negative)}"]
