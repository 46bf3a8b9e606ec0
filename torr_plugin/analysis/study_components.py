"""Variance components of a study: of a data set, or of the mean over several, and what they leave out."""

from __future__ import annotations

import numpy as np

from ..core.seeds import generator
from ..core.statistics import Floats, mean_over_examples
from .bootstrap import percentile_bounds
from .complete import CrossedCubes
from .cube import Cube
from .options import Options
from .result import OVERALL, Interval, interval_of
from .unbalanced_components import holed_components
from .variance_components import (
    COMPONENTS,
    Components,
    anova,
    composite_components,
    dataset_components,
)

_FACETS = ("model", "configuration", "example")


class KnownComponents:
    """Components of data sets, which may serve alone and in the mean over data sets."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._known: dict[str, tuple[Cube, Components | None]] = {}

    def __call__(self, cube: Cube) -> Components | None:
        """The cube's; computed again where this data set's last cube was another."""
        last = self._known.get(cube.dataset)
        if last is None or not _equal(last[0].scores, cube.scores):
            last = self._known[cube.dataset] = cube, self._components(cube)
        return last[1]

    def _components(self, cube: Cube) -> Components | None:
        rng = generator(self._options.seed, "generalizability", cube.dataset)
        if np.isnan(cube.scores).any():
            return holed_components(cube.scores, cube.clusters, rng, self._options.resamples)
        return dataset_components(anova(cube.scores, cube.clusters), rng, self._options.resamples)


def _equal(one: Floats, other: Floats) -> bool:
    return one is other or (one.shape == other.shape and np.array_equal(one, other, equal_nan=True))


def study_components(
    part: CrossedCubes, options: Options, known: KnownComponents | None = None
) -> Components | None:
    """Components of one data set, or of the mean over several; None where they cannot be estimated."""
    if lacking(part):
        return None
    known = known or KnownComponents(options)
    every = [known(cube) for cube in part.cubes]
    found = [one for one in every if one is not None]
    if len(found) < len(every):
        return None
    if len(found) == 1:
        return found[0]
    table: Floats = np.mean([_cell_means(cube.scores) for cube in part.cubes], axis=0)
    rng = generator(options.seed, "generalizability", OVERALL)
    return composite_components(table, found, rng, options.resamples)


def _cell_means(scores: Floats) -> Floats:
    means: Floats = scores.mean(axis=2)
    return mean_over_examples(scores) if np.isnan(means).any() else means


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
    if not part.left_out:
        return []
    counts = ", ".join(f"{count:,} {name}" for name, count in part.left_out.items())
    return [f"left out, since not every model has a score in every configuration with them: {counts}"]


def holes_notes(part: CrossedCubes) -> list[str]:
    """How many scores are missing, and what is assumed of them; nothing without holes."""
    if not part.holes:
        return []
    cells = sum(cube.scores.size for cube in part.cubes)
    words = {"failed": "missing", "not_asked": "not asked"}
    counts = " and ".join(
        f"{count:,} {'was' if count == 1 else 'were'} {words[name]}" for name, count in part.holes.items()
    )
    return [
        f"of {cells:,} possible scores, {counts}; components are estimated from the others, as if these were "
        "missing at random"
    ]


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
