"""Perturbations: what they do to scores (ToRR, appendix C.2, Fig. 12 to 15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ..charts.labels import ChartContext
from ..charts.vega import Spec
from ..cube import Cube, by_factor
from ..estimates import Estimate, mean_over_datasets, resampled
from ..figure import Figure, FigureChart, FigureTable
from ..options import Options
from ..paired_tests import Differences, difference_means, mean_test
from ..result import CONTRAST, INTERVAL, OVERALL, Contrast, FigureResult, Interval, contrast_rows
from ..shared_examples import Factor, SharedExamples
from ..statistics import Booleans, example_means, mean_over_examples
from ..study import StudyScores
from .deviations import Deviations, deviation_table, deviations
from .factor_cubes import comparison_notes, factor_cubes
from .factor_scores import (
    LevelScores,
    OwnCells,
    WinRates,
    beside,
    examples_table,
    level_scores,
    panel_chart,
    score_table,
    unnamed,
    win_rate_chart,
    win_rate_table,
    win_rates,
)
from .level_pairs import LevelPairs, pair_table


class AbsoluteImpact(FigureResult):
    """Mean absolute impact of perturbations: data set or model -> perturbation."""

    datasets: dict[str, dict[str, Interval]] = {}
    models: dict[str, dict[str, Interval]] = {}


ScoreDifferences = dict[str, dict[str, dict[str, Contrast]]]
"""Data set or "overall" -> model -> perturbation -> mean difference."""


class Perturbations(FigureResult):
    """Figures of perturbations.

    ``differences``: data set or "overall" -> model -> perturbation -> score with it less that without, each
    over all that was asked both ways; ``differences_by_serializer``: serializer -> the same; ``deviations``:
    data set or "overall" -> how far each lies from the mean over them; ``examples``, ``pairs`` and
    ``own_cells``: as of serializers.
    """

    scores: LevelScores
    differences: ScoreDifferences = {}
    absolute_impact: AbsoluteImpact | None = None
    differences_by_serializer: dict[str, ScoreDifferences] = {}
    deviations: dict[str, Deviations] = {}
    win_rates: WinRates | None = None
    examples: dict[str, dict[str, SharedExamples]] = {}
    pairs: LevelPairs = {}
    own_cells: OwnCells | None = None


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
    shared = [name for name in pairs[0] if all(name in found for found in pairs)]
    models, level = cubes[0].models, options.level
    differences: ScoreDifferences = {OVERALL: {}}
    of_datasets, all_changes, all_impacts, all_tests = {}, [], [], []
    for cube, found in zip(cubes, pairs, strict=True):
        names = list(found)
        changes, impacts, test = _figures(cube, found, options)
        p_values = mean_test([test]).p_values
        differences[cube.dataset] = changes.contrasts(level, p_values, models, names)
        of_datasets[cube.dataset] = _over_models(impacts).intervals(level, names)
        at = np.s_[:, [names.index(name) for name in shared]]
        all_changes.append(changes.at(at))
        all_impacts.append(impacts.at(at))
        all_tests.append(test.at(at))
    p_values = mean_test(all_tests).p_values
    differences[OVERALL] = mean_over_datasets(all_changes).contrasts(level, p_values, models, shared)
    of_models = mean_over_datasets(all_impacts).intervals(level, models, shared)
    impact = AbsoluteImpact(datasets=of_datasets, models=of_models)
    return {"differences": differences, "absolute_impact": impact}


def impact_by_serializer(cubes: Sequence[Cube], options: Options) -> dict[str, ScoreDifferences]:
    """What perturbations change in each serializer alone.

    Args:
        cubes: of all data sets.
        options: as for :func:`perturbation_impact`.

    Returns:
        serializer -> ``differences`` as of :func:`perturbation_impact`, of the data sets that have it,
        "overall" only where all have; without serializers that were not asked with a perturbation. Empty
        where there are not two serializers.
    """
    groups = [by_factor(cube, "serializer") for cube in cubes]
    names = list(dict.fromkeys(name for group in groups for name in group))
    found: dict[str, ScoreDifferences] = {}
    for name in names if len(names) > 1 else ():
        having = [group[name] for group in groups if name in group]
        differences = perturbation_impact(having, options).get("differences", {})
        if len(having) < len(cubes):
            differences.pop(OVERALL, None)
        if differences:
            found[name] = differences
    return found


def _figures(
    cube: Cube, pairs: Mapping[str, Pairs], options: Options
) -> tuple[Estimate, Estimate, Differences]:
    """Differences, absolute impact, and what tests of the differences need, (models x perturbations)."""
    shape = len(cube.models), len(pairs), len(cube.examples)
    changes, impacts = np.empty(shape), np.empty(shape)
    complete = np.ones(shape[:2], dtype=bool)
    for i, (perturbed, unperturbed) in enumerate(pairs.values()):
        change = cube.scores[:, perturbed] - cube.scores[:, unperturbed]
        changes[:, i], impacts[:, i] = example_means(change), example_means(np.abs(change))
        used = cube.scores[:, [*perturbed, *unperturbed]]
        complete[:, i] = ~np.isnan(used).any(axis=(1, 2))
    samples = resampled(np.concatenate([changes, impacts]), cube, options)
    absent: Booleans = np.asarray(np.isnan(cube.scores).all(axis=(1, 2)))
    half = len(changes)
    return (
        Estimate(mean_over_examples(changes), samples[:half], complete, absent),
        Estimate(mean_over_examples(impacts), samples[half:], complete, absent),
        difference_means(changes, cube.clusters),
    )


def _over_models(impacts: Estimate) -> Estimate:
    """The mean over the models that have a figure, (perturbations,)."""
    known = ~np.isnan(impacts.values)
    samples = np.where(known[..., None], impacts.samples, 0.0).sum(axis=0)
    values = np.where(known, impacts.values, 0.0).sum(axis=0)
    count = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
    return Estimate(values / count, samples / count[..., None], np.all(impacts.complete, axis=0))


def factor_notes(cubes: Sequence[Cube]) -> list[str]:
    """What a reader must know of figures per serializer and perturbation, a line each."""
    factors: tuple[Factor, ...] = ("serializer", "perturbation")
    notes = [note for factor in factors for note in _unnamed_notes(cubes, factor)]
    return [*notes, *pair_notes(cubes), *comparison_notes(cubes, "perturbation")]


def _unnamed_notes(cubes: Sequence[Cube], factor: Factor) -> list[str]:
    """Of a column that is there, but not for all configurations; an absent one is named with the scores."""
    lacking = [cube.dataset for cube in cubes if not by_factor(cube, factor)]
    if not lacking or not any(cube.parts.get(factor) for cube in cubes):
        return []
    return [
        f"not all configurations of {', '.join(lacking)} say their {factor}, "
        f"so figures per {factor} are left out"
    ]


_UNPAIRED = "no perturbed configuration has an unperturbed one beside it"


def _chart(
    name: str,
    source: str,
    part: Callable[[Any], Any],
    *,
    of: Literal["model", "data set"],
    words: tuple[str, str, str],
    reference: float | None = None,
) -> FigureChart:
    """A row a model or data set, a panel a perturbation; ``words``: axis, title, what the figures mean."""
    x, title, meaning = words

    def build(found: Mapping[str, Mapping[str, Interval]], context: ChartContext) -> Spec:
        return panel_chart(
            found,
            context.model_labels() if of == "model" else context.dataset_labels(),
            title,
            [f"{context.basis}. {meaning}", context.intervals],
            reference=reference,
            x=x,
            width=110,
            columns=4 if len({name for own in found.values() for name in own}) == 4 else 5,
        )

    return FigureChart(name, build, source, unnamed("perturbation"), part, _UNPAIRED)


_CHANGE = (
    "change of the score",
    "Mean change of the score under each perturbation",
    "Score with the perturbation less that without, same serializer and example; dashed: no change",
)


def _impact_chart(key: str, of: Literal["model", "data set"], source: str) -> FigureChart:
    words = (
        "mean absolute change",
        f"Mean absolute change of the score under each perturbation, per {of}",
        "Absolute difference of the scores with and without the perturbation, same serializer and example",
    )
    return _chart(
        f"perturbation_impact_{key}",
        source,
        lambda result: result.absolute_impact and getattr(result.absolute_impact, key),
        of=of,
        words=words,
    )


class PerturbationsFigure(Figure[Perturbations]):
    """Scores by perturbation, and what perturbations change."""

    key = "perturbations"
    tables = (
        score_table("perturbation", "mean score of each model under each perturbation"),
        FigureTable(
            "perturbation_differences",
            ("dataset", "model", "perturbation", *CONTRAST),
            contrast_rows,
            "mean change of the score under each perturbation",
            lambda result: result.differences,
        ),
        FigureTable(
            "perturbation_differences_by_serializer",
            ("serializer", "dataset", "model", "perturbation", *CONTRAST),
            contrast_rows,
            "the same in each serializer alone",
            lambda result: result.differences_by_serializer,
        ),
        deviation_table(
            "perturbation", "how far each model's mean under a perturbation lies from its mean over all"
        ),
        FigureTable(
            "perturbation_impact",
            ("of", "name", "perturbation", *INTERVAL),
            about="mean absolute change of the score under each perturbation",
            part=lambda result: (
                result.absolute_impact
                and {"dataset": result.absolute_impact.datasets, "model": result.absolute_impact.models}
            ),
        ),
        win_rate_table("perturbation"),
        examples_table("perturbation"),
        pair_table("perturbation", lambda result: result.pairs),
    )
    charts = (
        _chart(
            "perturbation_differences",
            "Fig. 12",
            lambda result: result.differences.get(OVERALL),
            of="model",
            words=_CHANGE,
            reference=0.0,
        ),
        _impact_chart("datasets", "data set", "Fig. 13"),
        _impact_chart("models", "model", "Fig. 14"),
        win_rate_chart("perturbation", "Fig. 15"),
    )

    def compute(self, study: StudyScores) -> Perturbations | None:
        """Compute all of it, where the scores say the perturbation of every configuration."""
        options = study.options
        compared = factor_cubes(study.cubes, "perturbation")
        if compared is None:
            return None
        return Perturbations(
            scores=level_scores(compared, options),
            differences_by_serializer=impact_by_serializer(study.cubes, options),
            deviations=deviations(compared, options),
            win_rates=win_rates(compared, options),
            **perturbation_impact(study.cubes, options),
            **beside(compared, options),
        )

    def notes(self, study: StudyScores, result: Perturbations | None) -> list[str]:
        """What is left out, and why; of serializers, that the scores do not say them."""
        return factor_notes(study.cubes)


PERTURBATIONS = PerturbationsFigure()
