"""Tables as text, as pictures, and as both (HCT-QA, appendix D.2, RQ9, Fig. 38; RealHiTBench, Table 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from ...core.statistics import mean_over_examples
from ..bootstrap import percentile_bounds
from ..charts.labels import ChartContext, bounds_row, unique_labels
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import ChartRow, Spec
from ..cube import Cube, lacking_models, selected
from ..descriptions import families
from ..estimates import Estimate, mean_of_estimates, mean_scores, resampled, weighted, weights
from ..figure import Figure, FigureChart, FigureTable
from ..options import Options
from ..result import INTERVAL, OVERALL, FigureResult, Interval, interval_of
from ..shared_examples import comparable, factor_keys, factor_levels
from ..statistics import example_means
from ..study import StudyScores
from .factor_cubes import Places
from .level_verdicts import Average, Differences, changes

IMAGE = "image"
"""How names of serializers that draw begin; those with a ``+`` show a text format beside the pictures."""

MODES = ("text", "image", "both")

COMPARED: Mapping[str, tuple[str, str]] = {
    "picture": ("image", "text"),
    "text and picture": ("both", "text"),
    "text beside the picture": ("both", "image"),
}
"""What is shown -> its mode, and the one that it is compared with: a question of its own."""

DIFFERENCES: Mapping[str, tuple[str, str]] = {
    "difference": ("image", "text"),
    "both_less_text": ("both", "text"),
    "both_less_image": ("both", "image"),
}


class ModeScores(FigureResult):
    """The mean scores with tables as text, as pictures, and as both in one prompt, and their differences.

    ``difference`` is image less text. All are over the perturbations, designs and examples that were answered
    in every way of asking that the data set has; a way that it lacks has no figure. Where text formats were
    asked alone and beside pictures, text and both are over these formats.
    """

    text: Interval | None = None
    image: Interval | None = None
    both: Interval | None = None
    difference: Interval | None = None
    both_less_text: Interval | None = None
    both_less_image: Interval | None = None


class DatasetModalities(FigureResult):
    """Of each model; ``mean`` and ``families``: unweighted means over the models that have the figure."""

    models: dict[str, ModeScores]
    mean: ModeScores
    families: dict[str, ModeScores]


class Modalities(FigureResult):
    """Data set or "overall" -> scores, of the data sets that were asked in two or three ways.

    ``average`` and ``differences``: as of layout changes, of what ``COMPARED`` names.
    """

    datasets: dict[str, DatasetModalities]
    average: Average = {}
    differences: Differences = {}


def modalities(study: StudyScores) -> Modalities | None:
    """Compare tables as text, as pictures and as both; None where no data set was asked in two ways."""
    cubes = study.at_one_design("serializer")
    alike = [own for cube in cubes if (own := _asked_alike(cube)) is not None]
    found = {cube.dataset: _dataset_modes(cube, modes_of, study.options) for cube, modes_of in alike}
    if not found:
        return None
    pairs = [_pairs(cube, modes_of) for cube, modes_of in alike]
    verdicts = changes([cube for cube, _ in alike], pairs, study.options)
    if len(found) > 1:
        shared = [name for name in (*MODES, *DIFFERENCES) if all(name in modes for modes in found.values())]
        together = {name: mean_of_estimates([modes[name] for modes in found.values()]) for name in shared}
        found = {OVERALL: together, **found} if together else found
    named = {place: _named(study, modes) for place, modes in found.items()}
    return Modalities(datasets=named, **verdicts)


def _asked_alike(cube: Cube) -> tuple[Cube, Mapping[str, str]] | None:
    """What was asked in every mode, and the modes of configurations; None of one mode."""
    modes_of = _modes_of(factor_levels(cube, "serializer"))
    if len({*modes_of.values()}) < 2:
        return None
    alike = comparable(cube, modes_of, factor_keys(cube, "serializer"))
    return (alike, modes_of) if alike.configurations else None


def _pairs(cube: Cube, modes_of: Mapping[str, str]) -> dict[str, Places]:
    """Of what is compared, every configuration of one mode with every one of the other."""
    places: dict[str, list[int]] = {}
    for place, config in enumerate(cube.configurations):
        places.setdefault(modes_of[config], []).append(place)
    every = {
        name: list(product(places[one], places[other]))
        for name, (one, other) in COMPARED.items()
        if one in places and other in places
    }
    return {name: ([a for a, _ in pairs], [b for _, b in pairs]) for name, pairs in every.items()}


def _dataset_modes(cube: Cube, modes_of: Mapping[str, str], options: Options) -> dict[str, Estimate]:
    """The mean scores of each mode that was asked, and their differences."""
    asked = [mode for mode in MODES if mode in modes_of.values()]
    parts = {
        mode: selected(cube, [config for config in cube.configurations if modes_of[config] == mode])
        for mode in asked
    }
    means = {mode: example_means(part.scores) for mode, part in parts.items()}
    complete = {mode: ~lacking_models(part) for mode, part in parts.items()}
    scores = {mode: mean_scores(means[mode], cube, options, complete[mode]) for mode in asked}
    return scores | {
        name: Estimate(
            mean_over_examples(means[one] - means[other]),
            resampled(means[one] - means[other], cube, options),
            complete[one] & complete[other],
        )
        for name, (one, other) in DIFFERENCES.items()
        if one in means and other in means
    }


def _modes_of(serializers: Mapping[str, str]) -> dict[str, str]:
    """Configuration -> its mode; text and both are of the formats asked in both ways, if there are any."""
    parts = {config: name.partition("+") for config, name in serializers.items()}
    modes = {
        config: "text" if not name.startswith(IMAGE) else "both" if joined else "image"
        for config, (name, joined, _) in parts.items()
    }
    formats = {
        mode: {parts[config][0 if mode == "text" else 2] for config in modes if modes[config] == mode}
        for mode in ("text", "both")
    }
    paired = formats["text"] & formats["both"]
    return {
        config: mode
        for config, mode in modes.items()
        if mode == "image" or not paired or parts[config][0 if mode == "text" else 2] in paired
    }


def _named(study: StudyScores, found: Mapping[str, Estimate]) -> DatasetModalities:
    level, members = study.options.level, families(study.models, study.descriptions)
    return DatasetModalities(
        models={model: _means(found, [i], level) for i, model in enumerate(study.models)},
        mean=_means(found, range(len(study.models)), level),
        families={name: _means(found, rows, level) for name, rows in sorted(members.items())},
    )


def _means(found: Mapping[str, Estimate], rows: Sequence[int], level: float) -> ModeScores:
    return ModeScores(
        **{
            name: (_difference if name in DIFFERENCES else _mean)(mode, rows, level)
            for name, mode in found.items()
        }
    )


def _mean(mode: Estimate, rows: Sequence[int], level: float) -> Interval:
    known = _known(mode, rows)
    complete = bool(mode.complete[known].all())
    return weighted(mode, weights(len(mode.values), known), level, complete=complete)


def _difference(mode: Estimate, rows: Sequence[int], level: float) -> Interval:
    """As :func:`_mean`, of differences, whose bounds may be below 0."""
    known = _known(mode, rows)
    if not known:
        return interval_of(np.nan, np.nan, np.nan)
    low, high = percentile_bounds(mode.samples[known].mean(axis=0), level)
    complete = bool(mode.complete[known].all())
    return interval_of(float(mode.values[known].mean()), float(low), float(high), complete=complete)


def _known(mode: Estimate, rows: Sequence[int]) -> list[int]:
    return [i for i in rows if not np.isnan(mode.values[i])]


def _tree(result: Modalities) -> dict[str, Any]:
    """Data set -> of a model, family or all -> its name -> text, image, both or a difference."""
    return {
        place: {
            of: {name: {key: each for key, each in own if each} for name, own in named.items()}
            for of, named in (
                ("model", found.models),
                ("family", found.families),
                ("mean", {None: found.mean}),
            )
        }
        for place, found in result.datasets.items()
    }


_WIDTH = 240


_SERIES = {"text": "as text", "image": "as a picture", "both": "as both"}


def _chart(result: Mapping[str, DatasetModalities], context: ChartContext) -> Spec:
    """A panel a data set, a row a model: its mean score with tables as text, as pictures and as both."""
    models, panels = context.model_labels(), unique_labels(result, panel_labels(_WIDTH))
    rows: list[ChartRow] = [
        {"row": label, "series": name, "panel": panels[place], **figure}
        for place, own in result.items()
        for model, label in models.items()
        for key, name in _SERIES.items()
        if (interval := getattr(own.models[model], key)) and (figure := bounds_row(interval))
    ]
    shown = {row["series"] for row in rows}
    layout = DotLayout(
        rows=list(models.values()),
        series=[name for name in _SERIES.values() if name in shown],
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="mean score, 0 to 1",
        width=_WIDTH,
        columns=3,
        step=11,
    )
    return dot_chart(rows, layout, "Tables as text and as pictures", [context.basis, context.score_intervals])


class ModalitiesFigure(Figure[Modalities]):
    """Scores with tables as text, as pictures and as both."""

    key = "modalities"
    tables = (
        FigureTable(
            "modalities",
            ("dataset", "of", "name", "figure", *INTERVAL),
            about="scores with tables as text, as pictures and as both, and their differences",
            part=_tree,
        ),
    )
    charts = (
        FigureChart(
            "modalities",
            _chart,
            absent="no tables were shown in two of the ways text, picture, and both",
            part=lambda result: result.datasets,
        ),
    )

    def compute(self, study: StudyScores) -> Modalities | None:
        """Compare the ways of asking."""
        return modalities(study)


MODALITIES = ModalitiesFigure()
