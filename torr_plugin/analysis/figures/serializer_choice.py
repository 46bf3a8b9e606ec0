"""Which serializer to use for a model: those that do not differ significantly from its best one.

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

and the chance that any serializer that is in truth as good as the best is called worse is at most 1 - level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.seeds import generator
from ..bootstrap import percentile_bounds
from ..clusters import cluster_sums
from ..cube import Cube, by_factor, numbered, selected
from ..estimates import resampled
from ..figure import Row
from ..options import Options
from ..paired_tests import Differences, PairedTest, example_differences, paired_test
from ..result import OVERALL, ByDataset, FigureResult, interval_cells, interval_fields, number
from ..statistics import ROUNDING, Booleans, Floats, Integers, example_means, mean_over_examples

DRAWS = 9_999
"""Of the largest difference: p-values are multiples of 1 in 10,000."""

METHOD = (
    "a model's serializers, each a mean over the perturbations (and designs) that all of them have, compared "
    "example by example; behind is the best one's mean less its own. Its bounds and p are simultaneous over "
    "all pairs of the model's serializers (Tukey's procedure with the observed covariances, each pair with a "
    f"standard error of its own, {DRAWS:,} draws; where a difference does not vary, random flips of its "
    "signs with Bonferroni's correction), so that they allow for the best having been picked on the same "
    "scores; worse: the lower bound is above 0. Not corrected for the number of models and data sets"
)


class Behind(FigureResult):
    """How far a serializer lies behind a model's best; bounds and ``p`` hold for all of them at once."""

    value: float | None
    low: float | None
    high: float | None
    p: float | None


class ChoiceRow(FigureResult):
    """A serializer of a model: its mean score, and whether it is worse than the model's best."""

    serializer: str
    value: float | None
    low: float | None
    high: float | None
    behind: Behind
    worse: bool
    complete: bool = True


SerializerChoice = ByDataset[list[ChoiceRow]]
"""A model's serializers, best mean first, over all data sets and on each."""


_Key = tuple[str, str]


@dataclass(frozen=True)
class _Compared:
    """Serializers of one data set on equal terms.

    Attributes:
        cube: of all configurations.
        means: (models x serializers x examples), over the configurations that are comparable; NaN where none
            is there.
        lacks: (models,), which lack a score among these configurations.
    """

    cube: Cube
    means: Floats
    lacks: Booleans


def serializer_choice(cubes: Sequence[Cube], options: Options) -> dict[str, SerializerChoice]:
    """Per model its serializers, best mean first, and how far each lies behind the best.

    "overall" is of the unweighted means over data sets, of the serializers that all of them have. An example
    for which a model lacks one of the serializers is left out of that model's comparison.

    Args:
        cubes: of all data sets.
        options: resamples (of the means' own intervals), level and seed are used; configurations are taken as
            given.

    Returns:
        model -> its serializers; no row where there are not two serializers with scores. Of equal means the
        first by name stands first. Empty where there is no row at all, or the scores do not say the
        serializers.
    """
    keys = [_keys(cube) for cube in cubes]
    if not all(keys):
        return {}
    shared = sorted(set(keys[0]).intersection(*keys[1:]))
    overall = [_compared(cube, of, shared) for cube, of in zip(cubes, keys, strict=True)]
    per_dataset = {
        cube.dataset: _rows(cube.models, sorted(of), [_compared(cube, of, sorted(of))], cube.dataset, options)
        for cube, of in zip(cubes, keys, strict=True)
    }
    together = _rows(cubes[0].models, shared, overall, OVERALL, options)
    if len(cubes) == 1:
        together = next(iter(per_dataset.values()))
    if not any(any(rows) for rows in [together, *per_dataset.values()]):
        return {}
    return {
        model: SerializerChoice(
            overall=together[m], datasets={name: rows[m] for name, rows in per_dataset.items()}
        )
        for m, model in enumerate(cubes[0].models)
    }


def _keys(cube: Cube) -> dict[str, set[_Key]]:
    """Serializer -> the perturbations and designs that it was asked with; an unknown part is ""."""
    perturbations, designs = cube.parts.get("perturbation", {}), cube.parts.get("design", {})
    return {
        name: {(perturbations.get(config, ""), designs.get(config, "")) for config in kind.configurations}
        for name, kind in by_factor(cube, "serializer").items()
    }


def _compared(cube: Cube, keys: Mapping[str, set[_Key]], names: Sequence[str]) -> _Compared:
    """The named serializers under the perturbations and designs that all of them have."""
    perturbations, designs = cube.parts.get("perturbation", {}), cube.parts.get("design", {})
    common = set.intersection(*(keys[name] for name in names)) if names else set()
    groups = by_factor(cube, "serializer")
    means = np.full((len(cube.models), len(names), len(cube.examples)), np.nan)
    lacks = np.zeros(len(cube.models), dtype=bool)
    for place, name in enumerate(names):
        # by name, so that sums do not depend on the order of rows
        chosen = [
            config
            for config in sorted(groups[name].configurations)
            if (perturbations.get(config, ""), designs.get(config, "")) in common
        ]
        if chosen:
            scores = selected(cube, chosen).scores
            means[:, place] = example_means(scores)
            lacks |= np.isnan(scores).any(axis=(1, 2))
    return _Compared(cube, means, lacks)


def _rows(
    models: Sequence[str], names: Sequence[str], compared: Sequence[_Compared], place: str, options: Options
) -> list[list[ChoiceRow]]:
    """The rows of each model."""
    # a serializer that a model has no score of is left out, and then the examples that lack any of the others
    there: Booleans = np.asarray(~np.any([np.isnan(one.means).all(axis=2) for one in compared], axis=0))
    if len(names) < 2 or (there.sum(axis=1) < 2).all():
        return [[] for _ in models]
    means = [_without_gaps(one.means, there) for one in compared]
    values = np.mean([mean_over_examples(one) for one in means], axis=0)
    samples = np.mean(
        [resampled(one, each.cube, options) for one, each in zip(means, compared, strict=True)], axis=0
    )
    bounds = percentile_bounds(samples, options.level)
    lacks = np.asarray(np.any([one.lacks for one in compared], axis=0))
    normal = generator(options.seed, "choice", place).standard_normal((DRAWS, len(names)))
    found: list[list[ChoiceRow]] = []
    for m in range(len(models)):
        own = np.flatnonzero(there[m] & ~np.isnan(values[m])).tolist()
        if len(own) < 2:
            found.append([])
            continue
        # of the model's own, so that no other model's presence changes it
        draws = _Draws(normal, generator(options.seed, "choice", place, models[m]))
        behind = _behind(
            [(one[m, own], each.cube.clusters) for one, each in zip(means, compared, strict=True)],
            draws,
            options.level,
        )
        lines = [
            ChoiceRow(
                serializer=names[s],
                **interval_fields(values[m, s], bounds[0][m, s], bounds[1][m, s], complete=not lacks[m]),
                behind=Behind(**{key: number(array[i]) for key, array in behind.items()}),
                worse=bool(behind["low"][i] > 0),
            )
            for i, s in enumerate(own)
        ]
        found.append(sorted(lines, key=lambda line: (-(line.value or 0.0), line.serializer)))
    return found


def _without_gaps(means: Floats, there: Booleans) -> Floats:
    """NaN on the examples for which a model lacks one of the serializers that are there."""
    gaps = np.asarray((np.isnan(means) & there[:, :, None]).any(axis=1))
    return np.where(gaps[:, None, :] | ~there[:, :, None], np.nan, means)


@dataclass(frozen=True)
class _Draws:
    """Standard normal numbers, (draws x serializers), and what draws how large standard errors are."""

    normal: Floats
    rng: np.random.Generator


def _behind(means: Sequence[tuple[Floats, Integers]], draws: _Draws, level: float) -> dict[str, Floats]:
    """How far each serializer lies behind the best: value, low, high, p, (serializers,) each.

    Args:
        means: of each data set (serializers x examples), NaN on examples that are left out, and the numbers
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
    largest = np.sort(_largest(present, test, draws))
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
    p_values = np.where(constant & (test.difference > 0), signs, (1 + as_large) / (DRAWS + 1))
    half[constant & (test.difference != 0) & (signs > 1 - level)] = np.inf
    high = (test.difference + half).max(axis=0)
    return {
        "value": value,
        # no serializer is ahead of the best, nor the best ahead of itself
        "low": np.round((test.difference - half).max(axis=0), ROUNDING),
        "high": np.round(np.where(np.isinf(high), np.nan, high), ROUNDING),
        "p": p_values.min(axis=0),
    }


def _present(means: Floats, clusters: Integers) -> tuple[Floats, Integers]:
    """The examples that are not left out, and the numbers of their tables."""
    there = ~np.isnan(means).any(axis=0)
    return means[:, there], numbered(clusters[there].tolist())


def _largest(means: Sequence[tuple[Floats, Integers]], test: PairedTest, draws: _Draws) -> Floats:
    """The largest studentized difference of errors with the covariance of these means, (draws,)."""
    first, second = np.triu_indices(len(test.error), k=1)
    error = test.error[first, second]
    varying = error > 0
    if not varying.any():
        return np.zeros(len(draws.normal))
    first, second, error = first[varying], second[varying], error[varying]
    root = _root(means)
    errors = draws.normal[:, : len(root)] @ root
    # every pair is divided by an error of its own: with one draw for all, of 8 examples and 7 serializers 10
    # studies in 100 would claim a difference that is not there, not 5
    freedom = test.freedom[first, second]
    sizes = draws.rng.chisquare(freedom, (DRAWS, len(freedom))) / freedom
    largest: Floats = (np.abs(errors[:, first] - errors[:, second]) / error / np.sqrt(sizes)).max(axis=1)
    return largest


def _root(means: Sequence[tuple[Floats, Integers]]) -> Floats:
    """R with R'R the covariance of the serializers' means, exact also where they hardly differ.

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


def choice_rows(result: Mapping[str, SerializerChoice]) -> Iterator[Row]:
    """A row a serializer of a model and data set."""
    for model, found in result.items():
        for dataset, rows in found.places().items():
            for own in rows:
                behind = own.behind
                cells = (behind.value, behind.low, behind.high, behind.p)
                yield model, dataset, own.serializer, *interval_cells(own), *cells, own.worse
