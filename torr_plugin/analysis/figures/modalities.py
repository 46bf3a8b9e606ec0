"""Tables as pictures against tables as text (HCT-QA, appendix D.2, RQ9, Fig. 38; D.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...core.numbers import mean_over_examples
from ..charts.labels import ChartContext, bounds_row, unique_labels
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import ChartRow, Spec
from ..cube import Cube, lacking_models, selected
from ..descriptions import families
from ..estimates import Estimate, mean_of_estimates, mean_scores, resampled, weighted, weights
from ..figure import Figure, FigureChart, FigureTable
from ..options import Options
from ..result import INTERVAL, OVERALL, FigureResult, Interval
from ..shared_examples import comparable, factor_keys, factor_levels
from ..statistics import example_means
from ..study import StudyScores

IMAGE = "image"
"""The serializer whose output is a picture."""

KINDS = ("text", "image", "difference")


class TextAndImage(FigureResult):
    """The mean scores with tables as text and as pictures, and picture less text.

    All are over the perturbations, designs and examples that were answered both ways.
    """

    text: Interval
    image: Interval
    difference: Interval


class DatasetModalities(FigureResult):
    """Of each model; ``mean`` and ``families``: unweighted means over the models that have the figure."""

    models: dict[str, TextAndImage]
    mean: TextAndImage
    families: dict[str, TextAndImage]


class Modalities(FigureResult):
    """Data set or "overall" -> scores, of the data sets that were asked both ways."""

    datasets: dict[str, DatasetModalities]


def modalities(study: StudyScores) -> Modalities | None:
    """Compare tables as text and as pictures; None where no data set was asked both ways."""
    found = {cube.dataset: modes for cube in study.cubes if (modes := _dataset_modes(cube, study.options))}
    if not found:
        return None
    if len(found) > 1:
        together = {name: mean_of_estimates([modes[name] for modes in found.values()]) for name in KINDS}
        found = {OVERALL: together, **found}
    return Modalities(datasets={place: _named(study, modes) for place, modes in found.items()})


def _dataset_modes(cube: Cube, options: Options) -> dict[str, Estimate]:
    """The mean scores of text, of pictures, and their difference."""
    kinds_of = {
        config: "image" if name == IMAGE else "text"
        for config, name in factor_levels(cube, "serializer").items()
    }
    if len(set(kinds_of.values())) < 2:
        return {}
    alike = comparable(cube, kinds_of, factor_keys(cube, "serializer"))
    written, drawn = (
        selected(alike, [config for config in alike.configurations if kinds_of[config] == kind])
        for kind in ("text", "image")
    )
    if not written.configurations:
        return {}
    text, image = example_means(written.scores), example_means(drawn.scores)
    of_text, of_image = ~lacking_models(written), ~lacking_models(drawn)
    return {
        "text": mean_scores(text, cube, options, of_text),
        "image": mean_scores(image, cube, options, of_image),
        "difference": Estimate(
            mean_over_examples(image - text), resampled(image - text, cube, options), of_text & of_image
        ),
    }


def _named(study: StudyScores, found: Mapping[str, Estimate]) -> DatasetModalities:
    level, members = study.options.level, families(study.models, study.descriptions)
    return DatasetModalities(
        models={model: _means(found, [i], level) for i, model in enumerate(study.models)},
        mean=_means(found, range(len(study.models)), level),
        families={name: _means(found, rows, level) for name, rows in sorted(members.items())},
    )


def _means(found: Mapping[str, Estimate], rows: Sequence[int], level: float) -> TextAndImage:
    return TextAndImage(**{name: _mean(mode, rows, level) for name, mode in found.items()})


def _mean(mode: Estimate, rows: Sequence[int], level: float) -> Interval:
    known = [i for i in rows if not np.isnan(mode.values[i])]
    complete = bool(mode.complete[known].all())
    return weighted(mode, weights(len(mode.values), known), level, complete=complete)


def _tree(result: Modalities) -> dict[str, Any]:
    """Data set -> of a model, family or all -> its name -> text, image or their difference."""
    return {
        place: {
            of: {name: dict(own) for name, own in named.items()}
            for of, named in (
                ("model", found.models),
                ("family", found.families),
                ("mean", {None: found.mean}),
            )
        }
        for place, found in result.datasets.items()
    }


_WIDTH = 240


def _chart(result: Mapping[str, DatasetModalities], context: ChartContext) -> Spec:
    """A panel a data set, a row a model: its mean score with tables as text and as pictures."""
    series = {"text": "as text", "image": "as a picture"}
    models, panels = context.model_labels(), unique_labels(result, panel_labels(_WIDTH))
    rows: list[ChartRow] = [
        {"row": label, "series": name, "panel": panels[place], **figure}
        for place, own in result.items()
        for model, label in models.items()
        for key, name in series.items()
        if (figure := bounds_row(getattr(own.models[model], key)))
    ]
    layout = DotLayout(
        rows=list(models.values()),
        series=list(series.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="mean score, 0 to 1",
        width=_WIDTH,
        columns=3,
        step=11,
    )
    return dot_chart(rows, layout, "Tables as text and as pictures", [context.basis, context.score_intervals])


class ModalitiesFigure(Figure[Modalities]):
    """Scores with tables as text and as pictures."""

    key = "modalities"
    tables = (
        FigureTable(
            "modalities",
            ("dataset", "of", "name", "figure", *INTERVAL),
            about="scores with tables as text and as pictures",
            part=_tree,
        ),
    )
    charts = (
        FigureChart(
            "modalities",
            _chart,
            absent="no tables were shown both as text and as pictures",
            part=lambda result: result.datasets,
        ),
    )

    def compute(self, study: StudyScores) -> Modalities | None:
        """Compare the two."""
        return modalities(study)


MODALITIES = ModalitiesFigure()
