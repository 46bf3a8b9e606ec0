"""All figures of a study: a scores frame in, the contents of ``analysis.json`` out."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec

import pandas as pd

from ..core.errors import PluginError
from .cube import label_keeping, label_keeping_notes
from .descriptions import descriptions
from .examples import known_examples
from .figure import Figure, figures, plugin_figures
from .figures.findings import FINDINGS, findings
from .frame import main_scores
from .options import Options
from .registered import own_figures
from .results import AnalysisResults
from .study import StudyScores, study_scores

P = ParamSpec("P")

_MOST_THREADS = 4  # each holds the resamples of a figure


def analysis_results(
    scores: pd.DataFrame,
    *,
    resamples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
    rankings: int = 10,
    repeats: int = 100,
    keeps_labels: Mapping[str, Collection[str]] | None = None,
    models: Mapping[str, Mapping[str, Any]] | None = None,
    metric: str | None = None,
    examples: pd.DataFrame | None = None,
    lengths: pd.DataFrame | None = None,
    design_bases: Mapping[str, str] | None = None,
) -> AnalysisResults:
    """Compute performance, robustness and what is beside them, each with its interval.

    The definitions are ToRR's (sections 2.2, 4), made exact in the project's design. An overall figure is the
    unweighted mean over data sets; a model that lacks a data set has none. Models are compared on the cells
    that all of them have: where scores are missing, an example counts with the configurations that are left,
    an example without any is left out, and ``complete`` is false beside the figure of a model that lacks
    some. Means of scores have score intervals, other figures percentile bootstrap intervals unless said
    otherwise; tables, where they are known, are the clusters of all of them.

    Args:
        scores: a row a score: ``model``, ``dataset``, ``config``, ``example``, ``metric``, ``score`` in
            [0, 1]; ``main`` (bool) unless each data set has one metric; ``serializer`` and ``perturbation``
            for the means per each. The order of rows does not matter.
        resamples: of the bootstrap.
        level: of the intervals and of the paired tests.
        seed: of the resamples.
        rankings: random ones that a W of ``reliability`` is over.
        repeats: of such a W.
        keeps_labels: data set -> the perturbations under which its references stay true. With it, and with
            the column ``perturbation``, the figures over these perturbations alone are given too.
        models: model -> what is known of it: ``family`` (text), ``size`` (billions of parameters), ``open``
            (bool), any of them absent. With it, groups of models are compared.
        metric: take this metric's scores rather than the main ones; data sets without it are left out.
        examples: what is known of examples, ``examples.parquet`` of a run
            (:func:`~.examples.known_examples`). With it there are scores by group and property, and
            regressions on properties.
        lengths: how many values answers hold, ``lengths.parquet`` of a run, for HCT-QA's
            figure ``verbosity``.
        design_bases: design -> the design that it is compared with, as ``study.yaml`` of a run has it; for
            others, and without it, names say so (:mod:`.base_designs`).

    Returns:
        The result of every figure that the study has, those of plugins too; the same for the label-keeping
        configurations, as if analysed alone; notes on what a reader must know.

    Raises:
        AnalysisError: the scores or an option are not as they should be; one line.
    """
    main = main_scores(scores, metric)
    options = Options(resamples=resamples, level=level, seed=seed, rankings=rankings, repeats=repeats)
    study = study_scores(
        main,
        options,
        descriptions=descriptions(models or {}),
        known_examples=known_examples(examples),
        lengths=lengths,
        design_bases=design_bases,
    )
    datasets = [cube.dataset for cube in study.cubes]
    kept_by = keeps_labels or {}
    keeps = {name: sorted(kept_by[name]) for name in datasets if name in kept_by}
    whole = _results(replace(study, keeps_labels=keeps) if keeps_labels else study)
    kept = label_keeping(study.cubes, kept_by)
    added, failed = _plugin_results(study)
    kept_notes = label_keeping_notes(study.cubes, kept_by)
    return replace(
        whole,
        notes=(*main.notes, *whole.notes, *kept_notes, *failed),
        label_keeping=_results(study.with_cubes(kept)) if kept else None,
        plugins=added,
    )


def _in_plain_values(function: Callable[P, AnalysisResults]) -> Callable[P, dict[str, Any]]:
    @wraps(function)
    def analyse(*args: P.args, **options: P.kwargs) -> dict[str, Any]:
        return function(*args, **options).to_json()

    analyse.__name__ = analyse.__qualname__ = "analyse"
    return analyse


analyse = _in_plain_values(analysis_results)
"""As :func:`analysis_results`, of the same arguments, as plain values: contents of ``analysis.json``."""


def _results(study: StudyScores) -> AnalysisResults:
    """The project's own figures of a study, or of its label-keeping part."""
    found: dict[str, Any] = {}
    own = own_figures()

    def compute(figure: Figure[Any]) -> None:
        result = figure.compute(study)
        if result is not None:
            found[figure.key] = result

    # numpy leaves Python's lock to others while it works
    with ThreadPoolExecutor(min(os.cpu_count() or 1, _MOST_THREADS)) as threads:
        list(threads.map(compute, sorted(own, key=lambda figure: figure.key not in _FIRST)))
    found[FINDINGS.key] = findings(AnalysisResults(found))
    results = {figure.key: found[figure.key] for figure in own if figure.key in found}
    notes = [note for figure in own for note in figure.notes(study, results.get(figure.key))]
    return AnalysisResults(results, tuple(notes))


_FIRST = ("settings", "holes", "model_scores", "reliability")
"""The figures that every chart needs, and the one that takes longest."""


def _plugin_results(study: StudyScores) -> tuple[dict[str, Any], list[str]]:
    """The results of plugins' figures by name, plain JSON, and a note for each that failed."""
    found: dict[str, Any] = {}
    notes: list[str] = []
    for figure in plugin_figures():
        try:
            with figures.blamed(figure.key):
                result = figure.compute(replace(study, rows=study.rows.copy()))
                if result is not None:
                    found[figure.key] = json.loads(json.dumps(figure.to_json(result), allow_nan=False))
                notes += figure.notes(study, result)
        except PluginError as error:
            notes.append(f"{error}; it was left out")
    return found, notes
