"""What a format, a layout change or a design costs: on average over models first, then for each model.

Two kinds of question. Levels without a reference, as formats, are compared with the best of them: every pair
is a difference of the question, so that the verdicts hold whichever turns out best. Levels with a reference,
as layout changes (no change) and designs (their bases), are each compared with theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.statistics import Booleans, Floats, Integers
from ..compare import ComparedPairs, all_pairs, compare
from ..cube import Cube, names_in_all
from ..estimates import ExampleValues, mean_of_estimates, mean_over_models, mean_scores
from ..figure import Row
from ..options import Options
from ..result import (
    OVERALL,
    ByDataset,
    FigureResult,
    Verdict,
    interval_cells,
    interval_fields,
    nested_rows,
    verdict_cells,
)
from ..statistics import example_means
from .factor_cubes import FactorCubes, Groups, Places, level_means


class Level(FigureResult):
    """A format, or design: its mean score, and how far it lies ``behind`` the best one."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    behind: Verdict
    complete: bool = True

    @property
    def worse(self) -> bool:
        """Whether it differs from the best."""
        return self.behind.differs


Levels = ByDataset[list[Level]]
"""Levels, best mean first, over all data sets and on each; none where there are not two."""


class Choice(FigureResult):
    """``average``: of the mean over models; ``models``: of each model, each a question of its own."""

    average: Levels = Levels(overall=[], datasets={})
    models: dict[str, Levels] = {}

    def of(self, model: str, place: str) -> list[Level]:
        """A model's levels in a place, best first."""
        own = self.models.get(model)
        return own.places().get(place, []) if own else []

    def unlike(self, place: str) -> dict[str, list[Level]]:
        """Model -> what is worse for it than its best, though not on average; other models are left out."""
        worse = {level.name for level in self.average.places().get(place, []) if level.worse}
        found = {
            model: [level for level in self.of(model, place) if level.worse and level.name not in worse]
            for model in self.models
        }
        return {model: levels for model, levels in found.items() if levels and len(self.models) > 1}


def choice(compared: FactorCubes, options: Options) -> Choice:
    """The levels of a factor, best first, on average and of each model.

    "overall" is of the unweighted means over data sets, of the levels that all of them have. An example for
    which a model lacks one of the levels is left out of that model's comparison.
    """
    places = [
        (cube.dataset, sorted(own), [(cube, own)])
        for cube, own in zip(compared.cubes, compared.datasets, strict=True)
    ]
    whole = list(zip(compared.cubes, compared.together, strict=True))
    found = {place: _place(names, parts, options.level) for place, names, parts in places}
    if len(places) == 1:
        together = next(iter(found.values()))
    else:
        together = _place(sorted(compared.shared), whole, options.level)

    def levels(row: int) -> Levels:
        return Levels(overall=together[row], datasets={place: own[row] for place, own in found.items()})

    if not any(rows for own in (together, *found.values()) for rows in own):
        return Choice()
    return Choice(average=levels(0), models={model: levels(m) for m, model in enumerate(compared.models, 1)})


def _place(names: Sequence[str], parts: Sequence[tuple[Cube, Groups]], level: float) -> list[list[Level]]:
    """The levels of the average, then of each model."""
    models = len(parts[0][0].models)
    if len(names) < 2:
        return [[] for _ in range(models + 1)]
    found = [level_means(cube, groups) for cube, groups in parts]
    there: Booleans = np.all([~np.isnan(means).all(axis=2) for means, _ in found], axis=0)
    lacks = np.any([own.any(axis=1) for _, own in found], axis=0)
    means = [without_gaps(own, there) for own, _ in found]
    clusters = [cube.clusters for cube, _ in parts]
    whole = there.all(axis=1)
    rows = [
        _levels(names, there[m], [own[m] for own in means], clusters, level, complete=not lacks[m])
        for m in range(models)
    ]
    if not whole.any():
        return [[], *rows]
    average = [mean_over_models(own[whole]) for own in means]
    every = np.ones(len(names), dtype=bool)
    return [_levels(names, every, average, clusters, level, complete=not lacks[whole].any()), *rows]


def without_gaps(means: Floats, there: Booleans) -> Floats:
    """NaN on the examples for which a model lacks one of the levels that are there."""
    gaps = np.asarray((np.isnan(means) & there[:, :, None]).any(axis=1))
    return np.where(gaps[:, None, :] | ~there[:, :, None], np.nan, means)


def _levels(
    names: Sequence[str],
    there: Booleans,
    means: Sequence[Floats],
    clusters: Sequence[Integers],
    level: float,
    *,
    complete: bool,
) -> list[Level]:
    """The levels that are there, of (levels x examples) of each data set, best first."""
    if there.sum() < 2:
        return []

    def differences(first: Integers, second: Integers) -> list[ExampleValues]:
        return [
            ExampleValues(own[first] - own[second], tables)
            for own, tables in zip(means, clusters, strict=True)
        ]

    pairs = all_pairs(there, differences, level)
    figures = mean_of_estimates(
        [mean_scores(own, tables) for own, tables in zip(means, clusters, strict=True)]
    )
    three = np.stack([figures.values, *figures.bounds(level)], axis=-1)
    known = [at for at in np.flatnonzero(there).tolist() if not np.isnan(figures.values[at])]
    ranked = sorted(known, key=lambda at: (-figures.values[at], names[at]))
    return [
        Level(
            name=names[at],
            **interval_fields(*three[at], complete=complete),
            behind=_behind(pairs, ranked[0], at),
        )
        for at in ranked
    ]


def _behind(pairs: ComparedPairs, best: int, other: int) -> Verdict:
    if best == other:
        return Verdict(value=0.0, low=0.0, high=0.0)
    at = pairs.at(best, other)
    assert at is not None  # noqa: S101 (both are there)
    return pairs.verdicts.verdict(at, swapped=best > other)


LEVEL_COLUMNS = ("value", "low", "high", "complete", "behind", "behind_low", "behind_high", "p", "worse")


def level_rows(result: Choice) -> Iterator[Row]:
    """A row a level: of the average, with an empty cell for the model, then of each model."""
    for model, found in ((None, result.average), *result.models.items()):
        for dataset, levels in found.places().items():
            for own in levels:
                behind = own.behind
                cells = (behind.value, behind.low, behind.high, behind.p, own.worse)
                yield model, dataset, own.name, *interval_cells(own), *cells


Average = dict[str, dict[str, Verdict]]
"""Data set or "overall" -> change -> of the mean over models."""

Differences = dict[str, dict[str, dict[str, Verdict]]]
"""Data set or "overall" -> model -> change -> of each model, each a question of its own."""


def changes(cubes: Sequence[Cube], pairs: Sequence[Mapping[str, Places]], options: Options) -> dict[str, Any]:
    """Score with a change less that without, over all that was asked both ways.

    Args:
        cubes: of all data sets.
        pairs: of each, name -> places of configurations, and of those that they are compared with.
        options: the level is used.

    Returns:
        ``average``, an :data:`Average`, and ``differences``, :data:`Differences`; empty without a pair.
    """
    if not any(pairs):
        return {}
    models, shared = cubes[0].models, names_in_all(pairs)
    values = [_of_pairs(cube, of) for cube, of in zip(cubes, pairs, strict=True)]
    complete = [_complete(cube, of) for cube, of in zip(cubes, pairs, strict=True)]
    average: Average = {}
    found: Differences = {}
    places = [(cube.dataset, list(of), [n]) for n, (cube, of) in enumerate(zip(cubes, pairs, strict=True))]
    for place, names, used in [(OVERALL, shared, list(range(len(cubes)))), *places]:
        at = [[list(pairs[n]).index(name) for name in names] for n in used]
        own = [values[n][:, index] for n, index in zip(used, at, strict=True)]
        whole = np.all([complete[n][:, index] for n, index in zip(used, at, strict=True)], axis=0)
        clusters = [cubes[n].clusters for n in used]
        if not names:
            continue
        if (known := ~np.any([np.isnan(one).all(axis=2) for one in own], axis=(0, 2))).any():
            together = [mean_over_models(one[known]) for one in own]
            average[place] = _verdicts(names, together, clusters, whole[known].all(axis=0), options.level)
        found[place] = {
            model: _verdicts(names, [one[m] for one in own], clusters, whole[m], options.level)
            for m, model in enumerate(models)
        }
    return {"average": average, "differences": found}


def _of_pairs(cube: Cube, pairs: Mapping[str, Places]) -> Floats:
    """The mean over pairs of their differences, (models x changes x examples)."""
    found = np.empty((len(cube.models), len(pairs), len(cube.examples)))
    for place, (changed, unchanged) in enumerate(pairs.values()):
        found[:, place] = example_means(cube.scores[:, changed] - cube.scores[:, unchanged])
    return found


def _complete(cube: Cube, pairs: Mapping[str, Places]) -> Booleans:
    """Whether no score is missing, (models x changes)."""
    lacks = np.isnan(cube.scores) & cube.asked
    found = np.ones((len(cube.models), len(pairs)), dtype=bool)
    for place, (changed, unchanged) in enumerate(pairs.values()):
        found[:, place] = ~lacks[:, [*changed, *unchanged]].any(axis=(1, 2))
    return found


def _verdicts(
    names: Sequence[str],
    values: Sequence[Floats],
    clusters: Sequence[Integers],
    complete: Booleans,
    level: float,
) -> dict[str, Verdict]:
    """Of (changes x examples) of each data set."""
    family = compare(
        [ExampleValues(own, tables) for own, tables in zip(values, clusters, strict=True)], level
    )
    return {name: family.verdict(at, complete=bool(complete[at])) for at, name in enumerate(names)}


def change_rows(result: tuple[Average, Differences]) -> Iterator[Row]:
    """A row a change: of the average, with an empty cell for the model, then of each model."""
    average, differences = result
    yield from nested_rows({place: {None: own} for place, own in average.items()}, verdict_cells)
    yield from nested_rows(differences, verdict_cells)
