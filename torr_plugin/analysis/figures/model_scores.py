"""Performance and robustness of each model, and what stands beside them (ToRR, Table 2 and Fig. 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.statistics import Booleans
from ..charts.labels import ChartContext, bounds_row
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import Spec
from ..cube import Cube, missing_counts
from ..estimates import Estimate, examples_counted, too_few_scores
from ..figure import Figure, FigureChart, FigureTable
from ..result import INTERVAL, Everywhere, FigureResult, by_model
from ..shared_examples import SharedExamples
from ..statistics import HEADLINE, OF_ALL_CONFIGURATIONS, STATISTICS
from ..study import StudyScores
from .compared_over import over_figures
from .performance_robustness import headline, model_picture

METHOD: dict[str, str] = {
    "performance": (
        "mean over examples of their mean over configurations, on the cells that all models have; this, "
        "robustness, worst and best have Wilson's score interval with an effective number of examples and a "
        "quantile of t, tables as clusters; overall the wider of that of the mean over data sets and of the "
        "stratified one (Yan and Su 2010); where configurations are resampled too, percentiles of resamples"
    ),
    "robustness_5": (
        f"robustness in the mean over all draws of {HEADLINE} of an example's configurations, computed "
        "exactly, so that studies of other configurations can be compared"
    ),
}


class ModelScores(FigureResult):
    """Model -> its figures, each the mean over examples of one of ``STATISTICS``.

    ``figure_examples``: over how many examples of all data sets a figure is, where that is not all.
    """

    performance: dict[str, Everywhere]
    robustness_5: dict[str, Everywhere] = {}
    robustness: dict[str, Everywhere]
    worst: dict[str, Everywhere]
    best: dict[str, Everywhere]
    robustness_solvable: dict[str, Everywhere]
    figure_examples: dict[str, SharedExamples] = {}

    def statistics(self) -> dict[str, dict[str, Everywhere]]:
        """Name of each -> model -> its figures."""
        return {name: found for name in STATISTICS if (found := getattr(self, name))}

    def ranked(self) -> list[str]:
        """The models, best overall performance first, then in the study's order; those without one last."""
        values = {model: figure.overall.value for model, figure in self.performance.items()}
        return sorted(values, key=lambda model: -1.0 if (value := values[model]) is None else -value - 2.0)


def model_scores(
    cubes: Sequence[Cube],
    per_dataset: Sequence[Mapping[str, Estimate]],
    overall: Mapping[str, Estimate],
    level: float,
) -> ModelScores:
    """The figures of every model over all data sets and on each, marked where scores are missing.

    Args:
        cubes: of all data sets.
        per_dataset: statistic -> estimate, of each data set.
        overall: likewise, of all.
        level: of the intervals.
    """
    models, found = cubes[0].models, dict[str, Any]()
    for name in STATISTICS:
        together = overall[name].intervals(level, models)
        parts = [own[name].intervals(level, models) for own in per_dataset]
        datasets = {cube.dataset: part.values() for cube, part in zip(cubes, parts, strict=True)}
        found[name] = by_model(models, together.values(), datasets)
    return ModelScores(**found)


def _figure_examples(study: StudyScores) -> dict[str, SharedExamples]:
    """Of the figures that are over some of the examples; the solvable ones are some in any study."""
    of = sum(len(cube.examples) for cube in study.cubes)
    counts = [examples_counted(own) for own in study.example_statistics]
    found = {name: sum(own[name] for own in counts) for name in counts[0] if name != "robustness_solvable"}
    return {name: SharedExamples(shared=count, of=of) for name, count in found.items() if 0 < count < of}


_PANELS = {"performance": "performance", "robustness": "ToRR's robustness", "worst": "worst", "best": "best"}


def _overview(result: ModelScores, context: ChartContext) -> Spec:
    """A row a model; beside performance and robustness the worst and best configuration of each example."""
    models = context.model_labels()
    statistics = result.statistics()
    rows = [
        {"row": label, "panel": panel, **figure}
        for name, panel in _PANELS.items()
        for model, label in models.items()
        if (figure := bounds_row(statistics[name][model].overall))
    ]
    layout = DotLayout(
        rows=list(models.values()),
        panels=list(_PANELS.values()),
        x="score, 0 to 1",
        width=135,
        columns=4,
        own_axes=True,
    )
    lines = [
        f"{context.basis}. ToRR's robustness: 1 less the mean range of an example's scores over "
        "configurations; worst and best: the mean of its least and its highest score.",
        context.score_intervals,
    ]
    return dot_chart(rows, layout, "Performance and ToRR's robustness of each model", lines)


_WIDTH = 105


def _by_dataset(result: ModelScores, context: ChartContext) -> Spec:
    """A panel a data set, a row a model."""
    models = context.model_labels()
    datasets = context.dataset_labels(panel_labels(_WIDTH))
    rows = [
        {"row": label, "panel": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, own in result.performance[model].datasets.items()
        if (figure := bounds_row(own))
    ]
    layout = DotLayout(
        rows=list(models.values()),
        panels=list(datasets.values()),
        x="performance, 0 to 1",
        width=_WIDTH,
        own_axes=True,
    )
    lines = [f"{context.basis}. Every panel has an axis of its own", context.score_intervals]
    return dot_chart(rows, layout, "Performance of each model per data set", lines)


def _pictured(result: ModelScores) -> list[str]:
    return ["performance", "robustness_5" if headline(result) is result.robustness_5 else "robustness"]


def _unsolved_notes(study: StudyScores, result: ModelScores) -> list[str]:
    """Models that solve nothing on a data set, and so have no overall ``robustness_solvable``."""
    notes = []
    for model, figure in result.robustness_solvable.items():
        best = result.best[model].datasets
        unsolved = [
            name
            for name, own in figure.datasets.items()
            if own.value is None and best[name].value is not None
        ]
        if unsolved:
            notes.append(
                f"{model} scores 0 on every example of {', '.join(unsolved)} in every configuration, "
                f"so it has no robustness_solvable there{' or overall' if len(study.cubes) > 1 else ''}"
            )
    return notes


def _failed_notes(study: StudyScores) -> list[str]:
    """What failed scores mean for the figures."""
    failed = sum(int(missing_counts(cube).sum()) for cube in study.cubes)
    if not failed:
        return []
    expected = sum(len(cube.models) * int(cube.asked.sum()) for cube in study.cubes)
    notes = [
        f"{failed:,} of {expected:,} scores are missing (requests without an answer, absent rows): models "
        "are compared over the cells that all of them have, and a model that lacks some says complete: false"
    ]
    for cube in study.cubes:
        for model, lacks in zip(cube.models, _unscored(cube), strict=True):
            if lacks:
                notes.append(f"{model} has no score on {cube.dataset}, so it has no overall figure")
    return [*notes, *(note for cube in study.shared_cubes for note in _unshared_notes(cube))]


def _unshared_notes(shared: Cube) -> list[str]:
    """Say so where no cell is shared by all models, which are then shown over their own."""
    present = ~np.isnan(shared.scores[~_unscored(shared)])
    if (present == present[:1]).all():
        return []
    return [
        f"no cell of {shared.dataset} is shared by all models: their figures there are over different cells, "
        "and only pairs of models are compared like with like"
    ]


def _unscored(cube: Cube) -> Booleans:
    """Which models have no score at all, (models,)."""
    return np.asarray(np.isnan(cube.scores).all(axis=(1, 2)))


def _design_notes(study: StudyScores) -> list[str]:
    """What was not asked, by design, and what few configurations mean for the figures."""
    notes = []
    names = ", ".join(OF_ALL_CONFIGURATIONS)
    for cube in study.cubes:
        whole, examples = int(cube.asked.all(axis=0).sum()), len(cube.examples)
        if whole == examples:
            continue
        over = f"the {whole:,} of {examples:,} that were (over all of them: own_cells)"
        notes.append(
            f"on {cube.dataset} not every example was asked in every configuration: {names} are over "
            f"{over if whole else 'each with those that it was asked in'}"
        )
    few = [cube.dataset for cube in study.cubes if len(cube.configurations) < HEADLINE]
    if few:
        where = ", ".join(few) if len(few) < len(study.cubes) else "any data set"
        notes.append(f"no robustness_5 on {where}: it takes {HEADLINE} configurations")
    return [*notes, *_rarefied_notes(study)]


def _rarefied_notes(study: StudyScores) -> list[str]:
    """Over how many examples ``robustness_5`` is, where some have too few scores for it."""
    notes = []
    for cube, found in zip(study.shared_cubes, study.example_statistics, strict=True):
        few: Booleans = np.asarray(too_few_scores(found).any(axis=0))
        if few.any():
            over = int((~np.isnan(found["robustness_5"])).any(axis=0).sum())
            notes.append(
                f"robustness_5 on {cube.dataset} is over {over:,} of {len(few):,} examples: on the others "
                f"fewer than {HEADLINE} configurations have a score of every model"
            )
    return notes


class ModelScoresFigure(Figure[ModelScores]):
    """Performance and robustness of each model, and what stands beside them: each of ``STATISTICS``."""

    key = "model_scores"
    spread = ModelScores
    required = True
    tables = (
        FigureTable(
            "figures",
            ("figure", "model", "dataset", *INTERVAL),
            about="performance, robustness (robustness_5), ToRR's robustness (robustness), worst and best of "
            "each model, overall and per data set",
            part=ModelScores.statistics,
            over=over_figures(lambda result: list(STATISTICS)),
        ),
    )
    charts = (
        FigureChart("performance_robustness", model_picture, "Table 2", over=over_figures(_pictured)),
        FigureChart("model_scores", _overview, "Table 2", over=over_figures(lambda result: list(_PANELS))),
        FigureChart(
            "performance_datasets", _by_dataset, "Fig. 8", over=over_figures(lambda result: ["performance"])
        ),
    )

    def compute(self, study: StudyScores) -> ModelScores:
        """Compute them."""
        per_dataset, overall = study.estimates
        found = model_scores(study.cubes, per_dataset, overall, study.options.level)
        fewer = _figure_examples(study)
        return found.model_copy(update={"figure_examples": fewer}) if fewer else found

    def notes(self, study: StudyScores, result: ModelScores | None) -> list[str]:
        """Failed scores, those not asked, few configurations, and models that solve nothing."""
        return [
            *_failed_notes(study),
            *_design_notes(study),
            *(_unsolved_notes(study, result) if result else []),
        ]


MODEL_SCORES = ModelScoresFigure()
