"""How much of what configurations differ by is the design, the format, and the interaction of the two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats, cluster_sums, mean_over_examples
from ..bootstrap import percentile_bounds
from ..complete import without_gaps
from ..cube import Cube
from ..estimates import resampled
from ..figure import Row
from ..options import Options
from ..result import OVERALL, FigureResult, Interval, interval_cells, interval_of

METHOD = (
    "shares of the variance of a model's mean scores over designs x formats, all of these with the same "
    "perturbations and over the same examples: of the means over formats (design), of those over designs "
    "(serializer), and of what is left (interaction). Designs and formats are taken as given. What the "
    "examples add, the mean over resamples of the same of their errors, is subtracted; bounds are "
    "percentiles over resamples, less it twice, as a resample has it twice. Negative parts count as 0"
)

SOURCES = ("design", "serializer", "interaction")


class DesignShares(FigureResult):
    """Shares of the ``variance`` of mean scores of so many ``designs`` in so many ``serializers``."""

    variance: Interval
    design: Interval
    serializer: Interval
    interaction: Interval
    designs: int
    serializers: int


Interactions = dict[str, dict[str, DesignShares]]
"""Model -> data set or "overall" -> shares."""


def design_interaction(cubes: Sequence[Cube], options: Options) -> Interactions:
    """The shares of the variance, see ``METHOD``.

    Where not every design was asked in every serializer, what leaves gaps is left out, one by one
    (:func:`..complete.without_gaps`). "overall" is of the means over data sets, of the designs and
    serializers that all of them have.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        Without places that have not two designs in two serializers; empty where there is no other.
    """
    asked = [_asked(cube) for cube in cubes]
    common = [cell for cell in asked[0] if all(cell in own for own in asked)]
    parts = [_means(cube, own, _crossed(own), options) for cube, own in zip(cubes, asked, strict=True)]
    places = {cube.dataset: part for cube, part in zip(cubes, parts, strict=True)}
    shared = _crossed(common)
    together = [
        part if part and part.grid == shared else _means(cube, own, shared, options)
        for cube, own, part in zip(cubes, asked, parts, strict=True)
    ]
    means = [part for part in together if part]
    if len(means) == len(cubes):
        values, samples = (np.mean([getattr(one, name) for one in means], axis=0) for name in _ARRAYS)
        places = {OVERALL: _Means(shared, values, samples), **places}
    found: Interactions = {model: {} for model in cubes[0].models}
    for place, part in places.items():
        for own, shares in zip(found.values(), _shares(part, options.level) if part else (), strict=False):
            if shares:
                own[place] = shares
    return {model: own for model, own in found.items() if own}


_Cell = tuple[str, str]
"""A design and a serializer."""

_ARRAYS = ("values", "samples")


@dataclass(frozen=True)
class _Grid:
    """Designs and serializers, each of which was asked in each."""

    designs: tuple[str, ...]
    serializers: tuple[str, ...]


@dataclass(frozen=True)
class _Means:
    """Mean scores over the grid, (models x designs x serializers), and their resamples as a last axis."""

    grid: _Grid
    values: Floats
    samples: Floats


def _asked(cube: Cube) -> dict[_Cell, set[str]]:
    """Design and serializer -> the perturbations that they were asked with."""
    found: dict[_Cell, set[str]] = {}
    parts = [cube.parts.get(part, {}) for part in ("design", "serializer", "perturbation")]
    for config in cube.configurations:
        design, serializer, perturbation = (part.get(config, "") for part in parts)
        if design and serializer:
            found.setdefault((design, serializer), set()).add(perturbation)
    return found


def _crossed(cells: Iterable[_Cell]) -> _Grid:
    known = set(cells)
    designs, serializers = (sorted({cell[axis] for cell in known}) for axis in (0, 1))
    present: Booleans = np.array([[(d, s) in known for s in serializers] for d in designs], dtype=bool)
    if not known:
        return _Grid((), ())
    rows, columns = without_gaps(present)
    return _Grid(tuple(designs[row] for row in rows), tuple(serializers[column] for column in columns))


def _means(cube: Cube, asked: Mapping[_Cell, set[str]], grid: _Grid, options: Options) -> _Means | None:
    """Over the examples that a model has in all cells; errors are made as large as those of samples."""
    shape = len(grid.designs), len(grid.serializers)
    if min(shape) < 2:
        return None
    cells = [(design, serializer) for design in grid.designs for serializer in grid.serializers]
    shared = set.intersection(*(asked[cell] for cell in cells))
    if not shared:
        return None
    scores = np.stack([_scores(cube, *cell, shared) for cell in cells], axis=1)
    scores = np.where(np.isnan(scores).any(axis=1, keepdims=True), np.nan, scores)
    values, samples = mean_over_examples(scores), resampled(scores, cube, options)
    tables = (cluster_sums((~np.isnan(scores[:, 0])).astype(float), cube.clusters) > 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        larger = np.where(tables > 1, np.sqrt(tables / (tables - 1)), np.nan)[:, None, None]
    samples = values[..., None] + larger * (samples - values[..., None])
    return _Means(grid, values.reshape(-1, *shape), samples.reshape(-1, *shape, options.resamples))


def _scores(cube: Cube, design: str, serializer: str, perturbations: set[str]) -> Floats:
    """(models x examples), the mean over perturbations; NaN where one is missing."""
    designs, serializers = cube.parts["design"], cube.parts["serializer"]
    names = cube.parts.get("perturbation", {})
    places = [
        place
        for place, config in enumerate(cube.configurations)
        if (designs.get(config), serializers.get(config)) == (design, serializer)
        and names.get(config, "") in perturbations
    ]
    found: Floats = cube.scores[:, places].mean(axis=1)
    return found


def _shares(means: _Means, level: float) -> list[DesignShares | None]:
    """Of each model; None where it has no score, or there is one table only."""
    designs, serializers = means.values.shape[1:]
    noise = mean_over_examples(_variances(means.samples - means.values[..., None]))[..., None]
    parts = _variances(means.values[..., None]) - noise
    drawn = _variances(means.samples) - 2 * noise
    found: list[DesignShares | None] = []
    for m in range(len(means.values)):
        if np.isnan(parts[:, m]).any():
            found.append(None)
            continue
        own, draws = np.maximum(parts[:, m, 0], 0.0), np.maximum(drawn[:, m], 0.0)
        with np.errstate(invalid="ignore"):
            shares, of_draws = own / own.sum(), draws / draws.sum(axis=0)
        found.append(
            DesignShares(
                variance=interval_of(own.sum(), *_bounds(draws.sum(axis=0), level)),
                designs=designs,
                serializers=serializers,
                **{
                    name: interval_of(shares[place], *_bounds(of_draws[place], level))
                    for place, name in enumerate(SOURCES)
                },
            )
        )
    return found


def _bounds(draws: Floats, level: float) -> tuple[float, float]:
    low, high = percentile_bounds(draws, level)
    return float(low), float(high)


def _variances(means: Floats) -> Floats:
    """(models x designs x serializers x ...) -> (``SOURCES`` x models x ...), the parts of the variance."""
    away = means - means.mean(axis=(1, 2), keepdims=True)
    of_designs, of_serializers = away.mean(axis=2, keepdims=True), away.mean(axis=1, keepdims=True)
    rest = away - of_designs - of_serializers
    parts = np.stack([(part**2).mean(axis=(1, 2)) for part in (of_designs, of_serializers, rest)])
    parts[parts < 10.0 ** (-2 * ROUNDING)] = 0.0  # rounding errors of equal means
    return parts


def interaction_rows(result: Mapping[str, Mapping[str, DesignShares]]) -> Iterator[Row]:
    """A row a share."""
    for model, places in result.items():
        for dataset, own in places.items():
            for name in ("variance", *SOURCES):
                yield model, dataset, name, *interval_cells(getattr(own, name))[:3]
