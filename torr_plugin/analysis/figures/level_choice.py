"""Which serializer, or design, to use for a model: those that do not differ significantly from its best one.

The best of seven serializers on the data is best in part by luck, so how far the others lie behind it must
not be judged as if it had been named beforehand. All pairs of a model's serializers are therefore compared at
once: what a difference must exceed is the largest studentized difference, over all of them, of normal errors
with the observed covariance, each pair divided by a standard error of its own that is drawn too. That is
Tukey's procedure with unequal variances and with examples paired (Hsu, "Multiple Comparisons", 1996, chapter
5; Hothorn, Bretz and Westfall, "Simultaneous inference in general parametric models", 2008, section 3; that
pairs must not share one standard error where examples are few: Games and Howell, "Pairwise multiple
comparison procedures with unequal n's and/or variances", 1976). As every pair's statement holds at once, so
do those about whichever one turned out best: with mu the true means, for all i together

    max over j of (X_j - X_i - q e_ji)  <=  max over j of mu_j - mu_i  <=  max over j of (X_j - X_i + q e_ji),

and the chance that any serializer of a model that is in truth as good as its best has a lower bound above 0
is at most 1 - level. "Worse" allows for the other models of the place too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ...core.statistics import ROUNDING, Booleans, Floats, Integers, cluster_sums
from ..cube import Cube, numbered
from ..estimates import mean_of_estimates, unsampled_means
from ..largest_difference import DRAWS, LargestDifferences
from ..options import Options
from ..paired_tests import Differences, example_differences, paired_test
from ..result import OVERALL, ByDataset, FigureResult, interval_fields, number
from .factor_cubes import FactorCubes, Groups, level_means


class Behind(FigureResult):
    """How far a level lies behind a model's best; bounds and ``p`` hold for all of them at once."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None


Row = TypeVar("Row")

_Fields = tuple[str, dict[str, Any]]
"""The name of a level, and what is known of it."""


@dataclass(frozen=True)
class _Compared:
    """Serializers, or designs, of one data set on equal terms.

    Attributes:
        cube: of all configurations.
        means: (models x levels x examples), over the configurations that are comparable; NaN where none
            is there.
        lacks: (models,), which lack a score among these configurations.
    """

    cube: Cube
    means: Floats
    lacks: Booleans


def ranked_levels(
    compared: FactorCubes, options: Options, row: Callable[[str, dict[str, Any]], Row]
) -> dict[str, ByDataset[list[Row]]]:
    """Per model its serializers, or designs, best mean first, and how far each lies behind the best.

    "overall" is of the unweighted means over data sets, of the levels that all of them have.

    Args:
        compared: levels on equal terms. An example for which a model lacks one of them is left out of that
            model's comparison.
        options: resamples (of the means' own intervals), level and seed are used; configurations are taken as
            given.
        row: makes one of a level's name and the fields ``value``, ``low``, ``high``, perhaps ``complete``,
            ``behind`` (:class:`Behind`) and ``worse``, which holds for the levels of all models of the place
            at once.

    Returns:
        model -> its levels; no row where there are not two with scores. Of equal means the first by name
        stands first. Empty where there is no row at all.
    """
    each = list(zip(compared.cubes, compared.datasets, strict=True))
    per_dataset = {
        cube.dataset: _rows(cube.models, sorted(own), [_compared(cube, own)], cube.dataset, options)
        for cube, own in each
    }
    if len(each) == 1:
        together = next(iter(per_dataset.values()))
    else:
        parts = [_compared(cube, own) for cube, own in zip(compared.cubes, compared.together, strict=True)]
        together = _rows(compared.models, sorted(compared.shared), parts, OVERALL, options)
    if not any(any(rows) for rows in [together, *per_dataset.values()]):
        return {}

    def made(found: Sequence[_Fields]) -> list[Row]:
        return [row(name, fields) for name, fields in found]

    return {
        model: ByDataset(
            overall=made(together[m]), datasets={name: made(rows[m]) for name, rows in per_dataset.items()}
        )
        for m, model in enumerate(compared.models)
    }


def _compared(cube: Cube, groups: Groups) -> _Compared:
    """The levels by name."""
    return _Compared(cube, *level_means(cube, groups))


def _rows(
    models: Sequence[str], names: Sequence[str], compared: Sequence[_Compared], place: str, options: Options
) -> list[list[_Fields]]:
    """The rows of each model; "worse" is corrected by Bonferroni's procedure for the number of models.

    Holm's would give a model's share of the errors to the next once one of its levels is called worse, though
    others of its levels may be equal.
    """
    # a level that a model has no score of is left out, and then the examples that lack any of the others
    there: Booleans = np.asarray(~np.any([np.isnan(one.means).all(axis=2) for one in compared], axis=0))
    if len(names) < 2 or (there.sum(axis=1) < 2).all():
        return [[] for _ in models]
    means = [without_gaps(one.means, there) for one in compared]
    clusters = [one.cube.clusters for one in compared]
    figures = mean_of_estimates([unsampled_means(one, own) for one, own in zip(means, clusters, strict=True)])
    own = there & ~np.isnan(figures.values)
    draws = LargestDifferences.of(len(names), options.seed, "choice", place)
    behind: dict[int, dict[str, Floats]] = {}
    for m in np.flatnonzero(own.sum(axis=1) > 1).tolist():
        parts = [(one[m, own[m]], tables) for one, tables in zip(means, clusters, strict=True)]
        behind[m] = _behind(parts, draws, options.level)
    lacks = np.asarray(np.any([one.lacks for one in compared], axis=0))
    three = np.stack([figures.values, *figures.bounds(options.level)], axis=-1)
    family = sum(not np.isnan(found["p"]).all() for found in behind.values())
    limit = np.round(1 - options.level, ROUNDING)
    rows: list[list[_Fields]] = [[] for _ in models]
    for m, found in behind.items():
        claimed = np.round(family * found["p"], ROUNDING) <= limit
        lines = [
            (
                names[s],
                {
                    **interval_fields(*three[m, s], complete=not lacks[m]),
                    "behind": Behind(**{key: number(array[i]) for key, array in found.items()}),
                    "worse": bool(claimed[i]),
                },
            )
            for i, s in enumerate(np.flatnonzero(own[m]).tolist())
        ]
        rows[m] = sorted(lines, key=lambda line: (-(line[1]["value"] or 0.0), line[0]))
    return rows


def without_gaps(means: Floats, there: Booleans) -> Floats:
    """NaN on the examples for which a model lacks one of the levels that are there."""
    gaps = np.asarray((np.isnan(means) & there[:, :, None]).any(axis=1))
    return np.where(gaps[:, None, :] | ~there[:, :, None], np.nan, means)


def _behind(
    means: Sequence[tuple[Floats, Integers]], draws: LargestDifferences, level: float
) -> dict[str, Floats]:
    """How far each level lies behind the best: value, low, high, p, (levels,) each.

    Args:
        means: of each data set (levels x examples), NaN on examples that are left out, and the numbers
            of the examples' tables.
        draws: errors to be given the observed covariance.
        level: of the bounds, all together.
    """
    present = [_present(one, clusters) for one, clusters in means]
    value = np.mean([one.mean(axis=1) for one, _ in present], axis=0)
    value = np.round(value.max() - value, ROUNDING)
    if any(len(set(clusters.tolist())) < 2 for _, clusters in present):
        unknown = np.full(len(value), np.nan)
        return {"value": value, "low": unknown, "high": unknown, "p": unknown}
    differences: list[Differences] = [example_differences(*one) for one in present]
    test = paired_test(differences)
    upper = np.triu_indices(len(test.error), k=1)
    largest = np.sort(draws.draw(_root(present), test.error[upper], test.freedom[upper]))
    # a difference is real if no more than so many draws, itself counted, are as large
    allowed = int(round((1 - level) * (DRAWS + 1), 6))
    limit = largest[DRAWS - allowed] if allowed else np.inf
    # differences that do not vary have the test that flips signs, with Bonferroni's correction for all pairs
    constant = test.error == 0
    size = len(value)
    signs = np.minimum(1.0, test.p_values * (size * (size - 1) // 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        ahead = np.where(constant, 0.0, test.difference / test.error)
        half = np.where(constant, 0.0, limit * test.error)
    as_large = DRAWS - np.searchsorted(largest, ahead, side="left")
    # below what the draws can show, Bonferroni's, which is never smaller than the largest difference's
    rare = np.minimum(1 / (DRAWS + 1), signs)
    drawn = np.where(as_large > 0, (1 + as_large) / (DRAWS + 1), rare)
    p_values = np.where(constant & (test.difference > 0), signs, drawn)
    half[constant & (test.difference != 0) & (signs > 1 - level)] = np.inf
    high = (test.difference + half).max(axis=0)
    return {
        "value": value,
        # none is ahead of the best, nor the best ahead of itself
        "low": np.round((test.difference - half).max(axis=0), ROUNDING),
        "high": np.round(np.where(np.isinf(high), np.nan, np.minimum(high, 1.0)), ROUNDING),
        "p": p_values.min(axis=0),
    }


def _present(means: Floats, clusters: Integers) -> tuple[Floats, Integers]:
    """The examples that are not left out, and the numbers of their tables."""
    there = ~np.isnan(means).any(axis=0)
    return means[:, there], numbered(clusters[there].tolist())


def _root(means: Sequence[tuple[Floats, Integers]]) -> Floats:
    """R with R'R the covariance of the levels' means, exact also where they hardly differ.

    The symmetric one, which is unique: it is the same in whichever order the examples stand.
    """
    parts = []
    for one, clusters in means:
        sums = cluster_sums(one - one.mean(axis=1, keepdims=True), clusters)
        tables = sums.shape[1]
        parts.append(sums / one.shape[1] * np.sqrt(tables / (tables - 1)))
    _, sizes, axes = np.linalg.svd(np.concatenate(parts, axis=1).T / len(means), full_matrices=False)
    root: Floats = (axes.T * sizes) @ axes
    return root
