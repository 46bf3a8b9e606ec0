"""What perturbations change: each configuration under one against the same without (ToRR, appendix C.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ...core.statistics import Booleans, Floats, mean_over_examples
from ..cube import Cube, by_factor, names_in_all
from ..estimates import Estimate, mean_over_datasets, resampled
from ..options import Options
from ..result import OVERALL, Contrast, FigureResult, Interval
from ..statistics import example_means
from ..studentized_bootstrap import PairValues, difference_test


class AbsoluteImpact(FigureResult):
    """Mean absolute impact of perturbations: data set or model -> perturbation."""

    datasets: dict[str, dict[str, Interval]] = {}
    models: dict[str, dict[str, Interval]] = {}


ScoreDifferences = dict[str, dict[str, dict[str, Contrast]]]
"""Data set or "overall" -> model -> perturbation -> mean difference."""


UNPERTURBED = "none"
"""The name of no perturbation."""

Pairs: TypeAlias = "tuple[list[int], list[int]]"
"""Places of perturbed configurations, and of the unperturbed one of each."""

_Key = tuple[str, str]


def unperturbed_pairs(cube: Cube) -> dict[str, Pairs]:
    """For each perturbation the configurations under it, each with its unperturbed one.

    A pair has the same serializer and design (where the scores say no design: all have the same).

    Returns:
        perturbation -> (places of the perturbed, places of the unperturbed), by name; perturbations without a
        pair are left out. Empty where the scores do not say serializer and perturbation of every
        configuration, or where :func:`ambiguous` finds two configurations with the same three parts.
    """
    if not _factors_known(cube) or ambiguous(cube):
        return {}
    perturbations = cube.parts["perturbation"]
    unperturbed = {
        _key(cube, config): place
        for place, config in enumerate(cube.configurations)
        if perturbations[config] == UNPERTURBED
    }
    pairs: dict[str, Pairs] = {}
    # by name, so that sums do not depend on the order of rows
    for config in sorted(cube.configurations):
        base = unperturbed.get(_key(cube, config))
        if perturbations[config] != UNPERTURBED and base is not None:
            perturbed, bases = pairs.setdefault(perturbations[config], ([], []))
            perturbed.append(cube.configurations.index(config))
            bases.append(base)
    return dict(sorted(pairs.items()))


def ambiguous(cube: Cube) -> tuple[str, str] | None:
    """Two configurations with the same serializer, perturbation and design, if there are such."""
    if not _factors_known(cube):
        return None
    seen: dict[tuple[str, _Key], str] = {}
    for config in sorted(cube.configurations):
        other = seen.setdefault((cube.parts["perturbation"][config], _key(cube, config)), config)
        if other != config:
            return other, config
    return None


def pair_notes(cubes: Sequence[Cube]) -> list[str]:
    """Notes on perturbed configurations that cannot be compared, a line each."""
    notes = []
    for cube in cubes:
        twins = ambiguous(cube)
        if twins:
            notes.append(
                f"{cube.dataset}: configurations {twins[0]!r} and {twins[1]!r} have the same serializer, "
                "perturbation and design, so perturbed ones are not compared with unperturbed ones"
            )
        elif _factors_known(cube):
            notes += _unpaired_notes(cube)
    return notes


def _unpaired_notes(cube: Cube) -> list[str]:
    paired = {place for perturbed, _ in unperturbed_pairs(cube).values() for place in perturbed}
    unpaired = [
        config
        for place, config in enumerate(cube.configurations)
        if place not in paired and cube.parts["perturbation"][config] != UNPERTURBED
    ]
    if not unpaired:
        return []
    return [
        f"{cube.dataset}: {len(unpaired)} perturbed configurations (the first is {min(unpaired)!r}) have no "
        "unperturbed one of the same serializer and design, so perturbation impact leaves them out"
    ]


def _factors_known(cube: Cube) -> bool:
    return all(
        set(cube.configurations) <= set(cube.parts.get(part, {})) for part in ("serializer", "perturbation")
    )


def _key(cube: Cube, config: str) -> _Key:
    designs: Mapping[str, str] = cube.parts.get("design", {})
    return cube.parts["serializer"][config], designs.get(config, "")


def perturbation_impact(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """Mean differences and mean absolute impact of perturbations, with intervals over examples.

    A perturbed configuration is compared with the unperturbed one of the same serializer and design, example
    by example. "overall", and a model's over all, are unweighted means over the data sets, of the
    perturbations that all of them have pairs of; a data set's over all models is the unweighted mean over the
    models that have scores there.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        ``differences`` and ``absolute_impact`` of :class:`Perturbations`; empty where no data set has a pair.
    """
    pairs = [unperturbed_pairs(cube) for cube in cubes]
    if not any(pairs):
        return {}
    return {
        "differences": score_differences(cubes, pairs, options),
        "absolute_impact": _absolute_impact(cubes, pairs, options),
    }


def score_differences(
    cubes: Sequence[Cube], pairs: Sequence[Mapping[str, Pairs]], options: Options
) -> ScoreDifferences:
    """The mean differences of paired configurations, by model and what they are named by, with p-values.

    Args:
        cubes: of all data sets.
        pairs: of each, name -> places of configurations, and of those that they are compared with.
        options: resamples, level and seed are used.
    """
    models, shared = cubes[0].models, names_in_all(pairs)
    found: ScoreDifferences = {OVERALL: {}}
    figures: list[Estimate] = []
    parts: list[PairValues] = []
    for cube, of in zip(cubes, pairs, strict=True):
        changes = _of_pairs(cube, of, lambda change: change)
        figure, part = _estimate(cube, of, changes, options), PairValues(cube.dataset, changes, cube.clusters)
        found[cube.dataset] = figure.contrasts(difference_test([part], options), models, list(of))
        at = np.s_[:, [list(of).index(name) for name in shared]]
        figures.append(figure.at(at))
        parts.append(replace(part, values=changes[at]))
    found[OVERALL] = mean_over_datasets(figures).contrasts(difference_test(parts, options), models, shared)
    return found


def _absolute_impact(
    cubes: Sequence[Cube], pairs: Sequence[Mapping[str, Pairs]], options: Options
) -> AbsoluteImpact:
    shared, datasets, figures = names_in_all(pairs), {}, []
    for cube, of in zip(cubes, pairs, strict=True):
        figure = _estimate(cube, of, _of_pairs(cube, of, np.abs), options)
        datasets[cube.dataset] = _over_models(figure).intervals(options.level, list(of))
        figures.append(figure.at(np.s_[:, [list(of).index(name) for name in shared]]))
    of_models = mean_over_datasets(figures).intervals(options.level, cubes[0].models, shared)
    return AbsoluteImpact(datasets=datasets, models=of_models)


def impact_by_serializer(cubes: Sequence[Cube], options: Options) -> dict[str, ScoreDifferences]:
    """What perturbations change in each serializer alone; empty where there are not two serializers."""
    several = len({name for cube in cubes for name in by_factor(cube, "serializer")}) > 1
    return differences_by_serializer(cubes, unperturbed_pairs, options) if several else {}


def differences_by_serializer(
    cubes: Sequence[Cube], pairs_of: Callable[[Cube], Mapping[str, Pairs]], options: Options
) -> dict[str, ScoreDifferences]:
    """:func:`score_differences` in each serializer alone.

    Args:
        cubes: of all data sets.
        pairs_of: the pairs of configurations of a data set.
        options: resamples, level and seed are used.

    Returns:
        serializer -> differences, of the data sets that have it, "overall" only where all have; without
        serializers that have no pair.
    """
    groups = [by_factor(cube, "serializer") for cube in cubes]
    found: dict[str, ScoreDifferences] = {}
    for name in dict.fromkeys(name for group in groups for name in group):
        having = [group[name] for group in groups if name in group]
        pairs = [pairs_of(cube) for cube in having]
        differences = score_differences(having, pairs, options) if any(pairs) else {}
        if len(having) < len(cubes):
            differences.pop(OVERALL, None)
        if differences:
            found[name] = differences
    return found


def _of_pairs(cube: Cube, pairs: Mapping[str, Pairs], of: Callable[[Floats], Floats]) -> Floats:
    """The mean over pairs of something of their differences, (models x perturbations x examples)."""
    found = np.empty((len(cube.models), len(pairs), len(cube.examples)))
    for place, (perturbed, unperturbed) in enumerate(pairs.values()):
        found[:, place] = example_means(of(cube.scores[:, perturbed] - cube.scores[:, unperturbed]))
    return found


def _estimate(cube: Cube, pairs: Mapping[str, Pairs], values: Floats, options: Options) -> Estimate:
    """Means over examples, (models x perturbations)."""
    lacks = np.isnan(cube.scores) & cube.asked
    complete = np.ones(values.shape[:2], dtype=bool)
    for place, (perturbed, unperturbed) in enumerate(pairs.values()):
        complete[:, place] = ~lacks[:, [*perturbed, *unperturbed]].any(axis=(1, 2))
    absent: Booleans = np.asarray(np.isnan(cube.scores).all(axis=(1, 2)))
    return Estimate(mean_over_examples(values), resampled(values, cube, options), complete, absent)


def _over_models(impacts: Estimate) -> Estimate:
    """The mean over the models that have a figure, (perturbations,)."""
    known = ~np.isnan(impacts.values)
    samples = np.where(known[..., None], impacts.samples, 0.0).sum(axis=0)
    values = np.where(known, impacts.values, 0.0).sum(axis=0)
    count = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
    return Estimate(values / count, samples / count[..., None], np.all(impacts.complete, axis=0))
