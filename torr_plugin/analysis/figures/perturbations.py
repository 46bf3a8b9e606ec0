"""Perturbations: what they do to scores (ToRR, appendix C.2, Fig. 12 to 15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from pydantic import TypeAdapter

from ..charts.labels import ChartContext
from ..charts.vega import Spec
from ..cube import Cube, by_factor
from ..estimates import Estimate, mean_over_datasets, resampled
from ..figure import Figure, FigureChart, FigureTable
from ..options import Options
from ..result import INTERVAL, OVERALL, FigureResult, Interval
from ..statistics import Booleans, Floats, example_means, mean_over_examples
from ..study import StudyScores
from .factor_scores import (
    Deviations,
    Factor,
    LevelScores,
    WinRates,
    deviation_table,
    deviations,
    level_scores,
    panel_chart,
    score_table,
    unnamed,
    win_rate_chart,
    win_rate_table,
    win_rates,
)


class AbsoluteImpact(FigureResult):
    """Mean absolute impact of perturbations: data set or model -> perturbation."""

    datasets: dict[str, dict[str, Interval]] = {}
    models: dict[str, dict[str, Interval]] = {}


class Perturbations(FigureResult):
    """Figures of perturbations.

    ``differences``: data set or "overall" -> model -> perturbation -> score with it less that without;
    ``differences_by_serializer``: serializer -> the same; ``deviations``: data set or "overall" -> how far
    each lies from the mean over them.
    """

    scores: LevelScores
    differences: LevelScores = {}
    absolute_impact: AbsoluteImpact | None = None
    differences_by_serializer: dict[str, LevelScores] = {}
    deviations: dict[str, Deviations] = {}
    win_rates: WinRates | None = None


@dataclass(frozen=True)
class PerturbationImpact:
    """Differences and absolute impact, as :class:`Perturbations` has them."""

    differences: LevelScores
    absolute_impact: AbsoluteImpact


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


def example_differences(scores: Floats, perturbed: Sequence[int], unperturbed: Sequence[int]) -> Floats:
    """s(perturbed) - s(unperturbed), the mean over pairs of configurations.

    Args:
        scores: (models x configurations x examples); NaN is a hole.
        perturbed: the first of each pair, places along the second axis.
        unperturbed: the second of each pair.

    Returns:
        (models x examples), in [-1, 1]; the mean over the pairs that have both scores, NaN where none has.
    """
    return example_means(scores[:, perturbed] - scores[:, unperturbed])


def example_absolute_impact(scores: Floats, perturbed: Sequence[int], unperturbed: Sequence[int]) -> Floats:
    """The absolute value of s(perturbed) - s(unperturbed), taken before any mean; (models x examples).

    Arguments and holes as in :func:`example_differences`.
    """
    return example_means(np.abs(scores[:, perturbed] - scores[:, unperturbed]))


def perturbation_impact(cubes: Sequence[Cube], options: Options) -> PerturbationImpact | None:
    """Mean differences and mean absolute impact of perturbations, with intervals over examples.

    A perturbed configuration is compared with the unperturbed one of the same serializer and design, example
    by example. "overall", and a model's over all, are unweighted means over the data sets, of the
    perturbations that all of them have pairs of; a data set's over all models is the unweighted mean over the
    models that have scores there.

    Args:
        cubes: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        None where no data set has a pair.
    """
    pairs = [unperturbed_pairs(cube) for cube in cubes]
    if not any(pairs):
        return None
    shared = [name for name in pairs[0] if all(name in found for found in pairs)]
    models, level = cubes[0].models, options.level
    differences: LevelScores = {OVERALL: {}}
    of_datasets, all_changes, all_impacts = {}, [], []
    for cube, found in zip(cubes, pairs, strict=True):
        names = list(found)
        changes, impacts = _figures(cube, found, options)
        differences[cube.dataset] = changes.intervals(level, models, names)
        of_datasets[cube.dataset] = _over_models(impacts).intervals(level, names)
        index = [names.index(name) for name in shared]
        all_changes.append(_columns(changes, index))
        all_impacts.append(_columns(impacts, index))
    differences[OVERALL] = mean_over_datasets(all_changes).intervals(level, models, shared)
    of_models = mean_over_datasets(all_impacts).intervals(level, models, shared)
    return PerturbationImpact(differences, AbsoluteImpact(datasets=of_datasets, models=of_models))


def impact_by_serializer(cubes: Sequence[Cube], options: Options) -> dict[str, LevelScores]:
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
    found: dict[str, LevelScores] = {}
    for name in names if len(names) > 1 else ():
        asked = [group[name] for group in groups if name in group]
        impact = perturbation_impact(asked, options)
        differences = impact.differences if impact else {}
        if len(asked) < len(cubes):
            differences.pop(OVERALL, None)
        if differences:
            found[name] = differences
    return found


def _figures(cube: Cube, pairs: Mapping[str, Pairs], options: Options) -> tuple[Estimate, Estimate]:
    """Differences and absolute impact, (models x perturbations)."""
    shape = len(cube.models), len(pairs), len(cube.examples)
    changes, impacts = np.empty(shape), np.empty(shape)
    complete = np.ones(shape[:2], dtype=bool)
    for i, (perturbed, unperturbed) in enumerate(pairs.values()):
        changes[:, i] = example_differences(cube.scores, perturbed, unperturbed)
        impacts[:, i] = example_absolute_impact(cube.scores, perturbed, unperturbed)
        used = cube.scores[:, [*perturbed, *unperturbed]]
        complete[:, i] = ~np.isnan(used).any(axis=(1, 2))
    samples = resampled(np.concatenate([changes, impacts]), cube.dataset, options)
    absent: Booleans = np.asarray(np.isnan(cube.scores).all(axis=(1, 2)))
    half = len(changes)
    return (
        Estimate(mean_over_examples(changes), samples[:half], complete, absent),
        Estimate(mean_over_examples(impacts), samples[half:], complete, absent),
    )


def _over_models(impacts: Estimate) -> Estimate:
    """The mean over the models that have a figure, (perturbations,)."""
    known = ~np.isnan(impacts.values)
    samples = np.where(known[..., None], impacts.samples, 0.0).sum(axis=0)
    values = np.where(known, impacts.values, 0.0).sum(axis=0)
    count = np.where(known.any(axis=0), known.sum(axis=0), np.nan)
    return Estimate(values / count, samples / count[..., None], np.all(impacts.complete, axis=0))


def _columns(figures: Estimate, index: Sequence[int]) -> Estimate:
    at = np.s_[:, list(index)]
    return Estimate(figures.values[at], figures.samples[at], figures.complete[at], figures.absent)


def factor_notes(cubes: Sequence[Cube]) -> list[str]:
    """What a reader must know of figures per serializer and perturbation, a line each."""
    factors: tuple[Factor, ...] = ("serializer", "perturbation")
    notes = [note for factor in factors for note in _unnamed_notes(cubes, factor)]
    return [*notes, *pair_notes(cubes), *_uneven_notes(cubes)]


def _unnamed_notes(cubes: Sequence[Cube], factor: Factor) -> list[str]:
    """Of a column that is there, but not for all configurations; an absent one is named with the scores."""
    lacking = [cube.dataset for cube in cubes if not by_factor(cube, factor)]
    if not lacking or not any(cube.parts.get(factor) for cube in cubes):
        return []
    return [
        f"not all configurations of {', '.join(lacking)} say their {factor}, "
        f"so figures per {factor} are left out"
    ]


def _uneven_notes(cubes: Sequence[Cube]) -> list[str]:
    """Serializers under different perturbations: their means are over different things."""
    notes = []
    for cube in cubes:
        names, kinds = cube.parts.get("perturbation", {}), by_factor(cube, "serializer").values()
        under = {tuple(sorted(names.get(config, "") for config in kind.configurations)) for kind in kinds}
        if len(under) > 1:
            notes.append(
                f"{cube.dataset}: not all serializers were asked with the same perturbations, so their "
                "scores and win rates are not quite of the same thing"
            )
    return notes


_UNPAIRED = "no perturbed configuration has an unperturbed one beside it"


@dataclass(frozen=True)
class _ChartWords:
    """The title of the axis, that of the chart, and what its figures mean."""

    x: str
    title: str
    meaning: str


def _chart(
    name: str,
    source: str,
    of: str,
    words: _ChartWords,
    *,
    part: Callable[[Any], Any],
    reference: float | None = None,
) -> FigureChart:
    """A row a model or data set, a panel a perturbation."""

    def build(found: Mapping[str, Mapping[str, Interval]], context: ChartContext) -> Spec:
        return panel_chart(
            found,
            context.model_labels() if of == "model" else context.dataset_labels(),
            words.title,
            [f"{context.basis}. {words.meaning}", context.intervals],
            reference=reference,
            x=words.x,
            width=110,
            columns=4 if len({name for own in found.values() for name in own}) == 4 else 5,
        )

    return FigureChart(name, build, source, unnamed("perturbation"), part, _UNPAIRED)


_CHANGE = _ChartWords(
    "change of the score",
    "Mean change of the score under each perturbation",
    "Score with the perturbation less that without, same serializer and example; dashed: no change",
)


def _impact_words(row: str) -> _ChartWords:
    return _ChartWords(
        "mean absolute change",
        f"Mean absolute change of the score under each perturbation, per {row}",
        "Absolute difference of the scores with and without the perturbation, same serializer and example",
    )


class PerturbationsFigure(Figure[Perturbations]):
    """Scores by perturbation, and what perturbations change."""

    key = "perturbations"
    adapter = TypeAdapter(Perturbations)
    tables = (
        score_table("perturbation", "mean score of each model under each perturbation"),
        FigureTable(
            "perturbation_differences",
            ("dataset", "model", "perturbation", *INTERVAL),
            about="mean change of the score under each perturbation",
            part=lambda result: result.differences,
        ),
        FigureTable(
            "perturbation_differences_by_serializer",
            ("serializer", "dataset", "model", "perturbation", *INTERVAL),
            about="the same in each serializer alone",
            part=lambda result: result.differences_by_serializer,
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
    )
    charts = (
        _chart(
            "perturbation_differences",
            "Fig. 12",
            "model",
            _CHANGE,
            part=lambda result: result.differences.get(OVERALL),
            reference=0.0,
        ),
        _chart(
            "perturbation_impact_datasets",
            "Fig. 13",
            "data set",
            _impact_words("data set"),
            part=lambda result: result.absolute_impact and result.absolute_impact.datasets,
        ),
        _chart(
            "perturbation_impact_models",
            "Fig. 14",
            "model",
            _impact_words("model"),
            part=lambda result: result.absolute_impact and result.absolute_impact.models,
        ),
        win_rate_chart("perturbation", "Fig. 15"),
    )

    def compute(self, study: StudyScores) -> Perturbations | None:
        """Compute all of it, where the scores say the perturbation of every configuration."""
        cubes, options = study.cubes, study.options
        scores = level_scores(cubes, "perturbation", options)
        if not scores:
            return None
        impact = perturbation_impact(cubes, options)
        compared: dict[str, Any] = (
            {"differences": impact.differences, "absolute_impact": impact.absolute_impact} if impact else {}
        )
        return Perturbations(
            scores=scores,
            differences_by_serializer=impact_by_serializer(cubes, options),
            deviations=deviations(cubes, "perturbation", options),
            win_rates=win_rates(cubes, "perturbation", options),
            **compared,
        )

    def notes(self, study: StudyScores, result: Perturbations | None) -> list[str]:
        """What is left out, of serializers too, and why."""
        return factor_notes(study.cubes)


PERTURBATIONS = PerturbationsFigure()
