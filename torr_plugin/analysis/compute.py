"""All figures of a study: a scores frame in, the contents of ``analysis.json`` out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from .added import PLUGINS, added_figures
from .cube import Cube, cubes, label_keeping, label_keeping_notes
from .descriptions import Description, description_notes, descriptions
from .estimates import ConfigurationSamples, Estimate, Options, configuration_samples
from .example_figures import example_figures
from .examples import told_examples
from .figures.configurations import by_configuration, configuration_range
from .figures.distributions import difficulty, distributions
from .figures.factor_scores import METHOD as DEVIATIONS_METHOD
from .figures.generalizability import generalizability
from .figures.model_groups import model_groups
from .figures.model_scores import (
    all_estimates,
    dataset_rank_bounds,
    hole_notes,
    holes,
    model_figures,
    rank_bounds,
    told_apart,
)
from .figures.pairs import METHOD as PAIRS_METHOD
from .figures.pairs import model_pairs, pairs_notes
from .figures.serializer_choice import METHOD as CHOICE_METHOD
from .frame import OVERALL, main_scores
from .part_figures import part_figures, part_notes
from .rank_agreement import METHODS, rank_agreement, rank_agreement_notes
from .study_notes import study_notes, undefined_notes

if TYPE_CHECKING:
    import pandas as pd


def analyse(
    scores: pd.DataFrame,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    two_way: bool = False,
    seed: int = 0,
    rankings: int = 10,
    repeats: int = 100,
    keeps_labels: Mapping[str, Collection[str]] | None = None,
    models: Mapping[str, Mapping[str, Any]] | None = None,
    metric: str | None = None,
    examples: pd.DataFrame | None = None,
    lengths: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Compute performance, robustness and what is beside them, each with its interval.

    The definitions are ToRR's (sections 2.2, 4), made exact in the project's design. Intervals are
    percentile bootstrap intervals; examples are resampled within each data set, the same ones for all models.
    An overall figure is the unweighted mean over data sets; a model that lacks a data set has none. Where
    scores are missing, an example counts with the configurations that it has, an example without any is left
    out, and ``complete`` is false beside the figure.

    Args:
        scores: a row a score: ``model``, ``dataset``, ``config``, ``example``, ``metric``, ``score`` in
            [0, 1]; ``main`` (bool) unless each data set has one metric; ``serializer`` and ``perturbation``
            for the means per each. The order of rows does not matter.
        resamples: of the bootstrap.
        level: of the intervals and of the paired tests.
        two_way: resample configurations too (slower).
        seed: of the resamples.
        rankings: random ones that a W of ``reliability`` is over.
        repeats: of such a W.
        keeps_labels: data set -> the perturbations under which its references stay true. With it, and with
            the column ``perturbation``, the figures over these perturbations alone are given too.
        models: model -> what is known of it: ``family`` (text), ``size`` (billions of parameters), ``open``
            (bool), any of them absent. With it, groups of models are compared.
        metric: take this metric's scores rather than the main ones; data sets without it are left out.
        examples: what is known of examples, ``examples.parquet`` of a run (:mod:`.slices.told`). With it
            there are scores by group and property, and regressions on properties.
        lengths: how many values answers hold, ``lengths.parquet`` of a run (:mod:`.slices.verbosity`).

    Returns:
        Plain values, ready for JSON (null: no figure). ``performance``, ``robustness``, ``worst``, ``best``
        and ``robustness_solvable`` (model -> ``overall`` and ``datasets`` -> value, low, high),
        ``separability``, ``pairs``, ``rank_intervals``, ``configurations``, ``serializers``,
        ``perturbations`` and what else the design names; ``label_keeping`` (the same of these configurations
        alone, as if analysed by themselves), ``plugins`` (what added analyses found), ``holes``,
        ``settings``, ``notes``.

    Raises:
        AnalysisError: the scores or an option are not as they should be; one line.
    """
    options = Options(
        resamples=resamples, level=level, two_way=two_way, seed=seed, rankings=rankings, repeats=repeats
    )
    main = main_scores(scores, metric)
    described = descriptions(models or {})
    all_cubes = cubes(main)
    known = configuration_samples(all_cubes, options)
    told = told_examples(examples)

    def whole(chosen: Sequence[Cube]) -> dict[str, Any]:
        found = _whole(chosen, options, described, known)
        by_example, notes = example_figures(chosen, told, lengths, described, options)
        return {**found, **by_example, "notes": [*found["notes"], *notes]}

    result = whole(all_cubes)
    kept = label_keeping(all_cubes, keeps_labels or {})
    if kept:
        result["label_keeping"] = whole(kept)
    if keeps_labels:
        asked = [cube.dataset for cube in all_cubes if cube.dataset in keeps_labels]
        result["settings"]["keeps_labels"] = {name: sorted(keeps_labels[name]) for name in asked}
    added, failed = added_figures(main.rows, options)
    if added:
        result[PLUGINS] = added
    kept_notes = label_keeping_notes(all_cubes, keeps_labels or {})
    result["notes"] = [*main.notes, *result["notes"], *kept_notes, *failed]
    return result


def _whole(
    all_cubes: Sequence[Cube],
    options: Options,
    described: Mapping[str, Description],
    known: Mapping[str, ConfigurationSamples],
) -> dict[str, Any]:
    """Figures, holes, settings and notes."""
    result = _core(all_cubes, options, described, known)
    result["configurations"] = by_configuration(all_cubes)
    result["holes"] = found = holes(all_cubes)
    result["settings"] = _settings(all_cubes, options)
    notes = [hole_notes(all_cubes, found), undefined_notes(result, all_cubes), part_notes(all_cubes)]
    notes.append(pairs_notes(len(all_cubes[0].models)))
    notes.append(description_notes(all_cubes[0].models, described))
    notes.append(rank_agreement_notes(all_cubes, result))
    result["notes"] = [*chain(*notes), *study_notes(all_cubes, options)]
    return result


def _core(
    all_cubes: Sequence[Cube],
    options: Options,
    described: Mapping[str, Description],
    known: Mapping[str, ConfigurationSamples],
) -> dict[str, Any]:
    """The figures, and what is said of differences between models."""
    per_dataset, overall = all_estimates(all_cubes, options)
    ranks = rank_bounds(all_cubes[0].models, overall["performance"], options.level)
    return {
        **model_figures(all_cubes, per_dataset, overall, options.level),
        "separability": told_apart(all_cubes, per_dataset, overall["performance"], options.level),
        "pairs": model_pairs(all_cubes, per_dataset, overall, options.level),
        "rank_intervals": ranks,
        "rank_intervals_datasets": dataset_rank_bounds(all_cubes, per_dataset, options.level),
        "configuration_range": configuration_range(all_cubes, options, known),
        **part_figures(all_cubes, options),
        "distributions": distributions(all_cubes),
        "difficulty": difficulty(all_cubes, options),
        **_groups(all_cubes, per_dataset, overall, described, options.level),
        **rank_agreement(all_cubes, options, known),
        "generalizability": generalizability(all_cubes, options),
    }


def _groups(
    all_cubes: Sequence[Cube],
    per_dataset: Sequence[dict[str, Estimate]],
    overall: dict[str, Estimate],
    described: Mapping[str, Description],
    level: float,
) -> dict[str, Any]:
    """``groups``, where models are described."""
    names = [OVERALL, *(cube.dataset for cube in all_cubes)]
    places = dict(zip(names, [overall, *per_dataset], strict=True))
    found = model_groups(all_cubes[0].models, places, described, level)
    return {"groups": found} if found else {}


def _settings(all_cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    return {
        "resamples": options.resamples,
        "level": options.level,
        "two_way": options.two_way,
        "seed": options.seed,
        "rankings": options.rankings,
        "repeats": options.repeats,
        "methods": {
            **METHODS,
            "pairs": PAIRS_METHOD,
            "choice": CHOICE_METHOD,
            "deviations": DEVIATIONS_METHOD,
        },
        "models": len(all_cubes[0].models),
        "examples": {cube.dataset: len(cube.examples) for cube in all_cubes},
        "configurations": {cube.dataset: len(cube.configurations) for cube in all_cubes},
        "metrics": {cube.dataset: cube.metric for cube in all_cubes},
    }
