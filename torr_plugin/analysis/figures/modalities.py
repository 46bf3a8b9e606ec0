"""Tables as text, as pictures, and as both (HCT-QA, appendix D.2, RQ9, Fig. 38; RealHiTBench, Table 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from ..charts.labels import ChartContext, bounds_row, unique_labels
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import ChartRow, Spec
from ..cube import Cube, lacking_models, selected
from ..estimates import Estimate, mean_of_estimates, mean_scores
from ..figure import Figure, FigureChart, FigureTable, Row
from ..result import INTERVAL, OVERALL, VERDICT, FigureResult, Interval, interval_cells
from ..shared_examples import comparable, factor_keys, factor_levels
from ..statistics import example_means
from ..study import StudyScores
from .factor_cubes import Places
from .level_verdicts import Average, Differences, change_rows, changes

IMAGE = "image"
"""How names of serializers that draw begin; those with a ``+`` show a text format beside the pictures."""

MODES = ("text", "image", "both")

COMPARED: Mapping[str, tuple[str, str]] = {
    "picture": ("image", "text"),
    "text and picture": ("both", "text"),
    "text beside the picture": ("both", "image"),
}
"""What is shown -> its mode, and the one that it is compared with: a question of its own."""


class ModeScores(FigureResult):
    """The mean scores with tables as text, as pictures, and as both in one prompt.

    All are over the perturbations, designs and examples that were answered in every way of asking that the
    data set has; a way that it lacks has no figure. Where text formats were asked alone and beside pictures,
    text and both are over these formats.
    """

    text: Interval | None = None
    image: Interval | None = None
    both: Interval | None = None


class Modalities(FigureResult):
    """Figures of the data sets that were asked in two or three of the ways text, picture and both.

    ``scores``: data set or "overall" -> model -> mean scores; ``average`` and ``differences``: as of layout
    changes, of what ``COMPARED`` names.
    """

    scores: dict[str, dict[str, ModeScores]]
    average: Average = {}
    differences: Differences = {}

    @property
    def bases(self) -> dict[str, str]:
        """What is shown -> the mode that it is compared with."""
        return {name: base for name, (_, base) in COMPARED.items()}


def modalities(study: StudyScores) -> Modalities | None:
    """Compare tables as text, as pictures and as both; None where no data set was asked in two ways."""
    alike = [own for cube in study.at_one_design("serializer") if (own := _asked_alike(cube)) is not None]
    if not alike:
        return None
    found = {cube.dataset: _means(cube, modes_of) for cube, modes_of in alike}
    if len(found) > 1:
        parts = list(found.values())
        shared = [mode for mode in MODES if all(mode in part for part in parts)]
        together = {mode: mean_of_estimates([part[mode] for part in parts]) for mode in shared}
        found = {OVERALL: together, **found} if together else found
    level = study.options.level
    named = {
        place: {mode: own.intervals(level, study.models) for mode, own in means.items()}
        for place, means in found.items()
    }
    return Modalities(
        scores={
            place: {
                model: ModeScores(**{mode: own[model] for mode, own in means.items()})
                for model in study.models
            }
            for place, means in named.items()
        },
        **changes([cube for cube, _ in alike], [_pairs(*own) for own in alike], study.options),
    )


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


def _means(cube: Cube, modes_of: Mapping[str, str]) -> dict[str, Estimate]:
    """The mean scores of each mode that was asked."""
    parts = {
        mode: selected(cube, [config for config in cube.configurations if modes_of[config] == mode])
        for mode in MODES
        if mode in modes_of.values()
    }
    return {
        mode: mean_scores(example_means(part.scores), cube.clusters, ~lacking_models(part))
        for mode, part in parts.items()
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


def _score_rows(result: Mapping[str, Mapping[str, ModeScores]]) -> Iterator[Row]:
    for place, models in result.items():
        for model, own in models.items():
            yield from ((place, model, mode, *interval_cells(each)) for mode, each in own if each)


_WIDTH = 240


_SERIES = {"text": "as text", "image": "as a picture", "both": "as both"}


def _chart(result: Mapping[str, Mapping[str, ModeScores]], context: ChartContext) -> Spec:
    """A panel a data set, a row a model: its mean score with tables as text, as pictures and as both."""
    models, panels = context.model_labels(), unique_labels(result, panel_labels(_WIDTH))
    rows: list[ChartRow] = [
        {"row": label, "series": name, "panel": panels[place], **figure}
        for place, own in result.items()
        for model, label in models.items()
        for key, name in _SERIES.items()
        if (interval := getattr(own[model], key)) and (figure := bounds_row(interval))
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
            ("dataset", "model", "figure", *INTERVAL),
            _score_rows,
            "mean scores with tables as text, as pictures and as both",
            lambda result: result.scores,
        ),
        FigureTable(
            "modality_differences",
            ("dataset", "model", "shown", *VERDICT),
            change_rows,
            "what pictures change against text, and both against either, on average over models and of each",
            lambda result: (result.average, result.differences) if result.differences else None,
        ),
    )
    charts = (
        FigureChart(
            "modalities",
            _chart,
            absent="no tables were shown in two of the ways text, picture, and both",
            part=lambda result: result.scores,
        ),
    )

    def compute(self, study: StudyScores) -> Modalities | None:
        """Compare the ways of asking."""
        return modalities(study)


MODALITIES = ModalitiesFigure()
