"""Generalizability theory: where the variance of scores comes from, and how far a ranking can be trusted.

Cronbach, Gleser, Nanda and Rajaratnam, "The dependability of behavioral measurements", 1972; Brennan,
"Generalizability Theory", 2001. Models are the objects of measurement and those of the study, all there are;
configurations and examples are samples of all there could be; data sets are a fixed facet.

Intervals are a parametric bootstrap of the mean squares, not resamples of the scores: resampling a facet of n
levels with replacement makes its component too small by (n - 1) / n and mixes it with others (Brennan 2001,
chapter 6), and for the three or five configurations that many studies have no correction gives an interval
that covers. Instead every mean square is drawn from its scaled chi-square distribution with degrees of
freedom that the data may lower (:class:`variance_components.MeanSquare`), and the model variance from the
means with their errors: generalized confidence intervals (Weerahandi 1993; Burdick, Borror and Montgomery
2005). Simulations with known truth are in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np

from ..charts import vega
from ..charts.labels import ChartContext, NoChart, bounds_row, unique_labels
from ..charts.panels import DotLayout, dots, panel_labels
from ..charts.vega import ChartRow, Spec
from ..complete import CrossedCubes, crossed
from ..cube import Cube
from ..decision import Parts, least_examples, ratio
from ..figure import Figure, FigureChart, FigureTable, Row
from ..number_format import format_interval
from ..options import Options
from ..result import OVERALL, FigureResult, Interval, number
from ..study import StudyScores
from ..study_components import (
    lacking,
    left_out_notes,
    negative_notes,
    not_negative,
    study_components,
    table_notes,
)
from ..variance_components import COMPONENTS, MODEL, Components


class VarianceComponent(Interval):
    """A variance component; ``share`` of the sum of all."""

    share: float | None


class Generalizability(FigureResult):
    """Variance components, and the coefficient and relative error variance of the study's own numbers.

    ``models``, ``configurations``, ``examples`` (a data set's mean, overall) were used, ``left_out`` was not.
    Figures are None where there are not two models, configurations and examples to estimate components from.
    """

    components: dict[str, VarianceComponent]
    coefficient: Interval
    relative_error: Interval | None = None
    models: int
    configurations: int
    examples: float
    left_out: dict[str, int] = {}
    notes: list[str] = []


def generalizability(cubes: Sequence[Cube], options: Options) -> dict[str, Generalizability]:
    """Variance components and the generalizability coefficient, per data set and overall.

    Negative estimates of a component stay as they are where other components are computed from mean squares
    (Brennan's rule), and are reported as 0, with a note; they count as 0 in the error variance, the
    coefficient and the shares. Where scores are missing, the largest part without holes is used
    (:func:`.complete.crossed`).

    Args:
        cubes: of all data sets.
        options: resamples (draws here), level and seed are used.

    Returns:
        data set or "overall", which is of the models' mean over data sets, with one example a data set
        (:func:`~.variance_components.composite_components`) -> components and coefficient.
    """
    parts = {OVERALL: crossed(cubes), **{cube.dataset: crossed([cube]) for cube in cubes}}
    return {place: _labelled(study_components(part, options), part, options) for place, part in parts.items()}


def _labelled(found: Components | None, part: CrossedCubes, options: Options) -> Generalizability:
    coefficient = relative_error = Interval(value=None, low=None, high=None)
    components = {name: VarianceComponent(value=None, low=None, high=None, share=None) for name in COMPONENTS}
    if found is None:
        notes = [*left_out_notes(part), _unidentified(part)]
    else:
        drawn = ratio(found.draws[MODEL], found.error_draws)
        value = ratio(found.estimates[MODEL], found.error)
        coefficient = not_negative(value, drawn, options.level)
        relative_error = not_negative(found.error, found.error_draws, options.level)
        components = _components(found, options.level)
        notes = [*left_out_notes(part), *table_notes(part), *negative_notes(found)]
    return Generalizability(
        components=components,
        coefficient=coefficient,
        relative_error=relative_error,
        models=len(part.cubes[0].models),
        configurations=len(part.cubes[0].configurations),
        examples=sum(len(cube.examples) for cube in part.cubes) / len(part.cubes),
        left_out=part.left_out,
        notes=notes,
    )


def _components(found: Components, level: float) -> dict[str, VarianceComponent]:
    total = sum(max(float(found.estimates[name]), 0.0) for name in COMPONENTS)
    components = {}
    for name in COMPONENTS:
        own = not_negative(found.estimates[name], found.draws[name], level)
        share = number(max(float(found.estimates[name]), 0.0) / total) if total > 0 else None
        components[name] = VarianceComponent(value=own.value, low=own.low, high=own.high, share=share)
    return components


def _unidentified(part: CrossedCubes) -> str:
    names = " and ".join(f"one {name}" if _some(part) else f"no {name}" for name in lacking(part))
    return f"{names} only: components cannot be estimated"


def _some(part: CrossedCubes) -> bool:
    return all(cube.scores.size for cube in part.cubes)


def _rows(result: Mapping[str, Generalizability]) -> Iterator[Row]:
    for dataset, found in result.items():
        for name, own in found.components.items():
            yield dataset, name, own.value, own.low, own.high, own.share
        own_coefficient = found.coefficient
        bounds = own_coefficient.value, own_coefficient.low, own_coefficient.high
        yield dataset, "coefficient", *bounds, None


_COMPONENT_WIDTH = 100
_SHARES = 430  # pixels of the stacked bars


def _components_chart(result: Mapping[str, Generalizability], context: ChartContext) -> Spec:
    """Above, shares of the whole variance, a bar a data set; below, each component with its interval."""
    datasets = context.place_labels()
    names = unique_labels(next(iter(result.values())).components, panel_labels(_COMPONENT_WIDTH) + 6)
    rows = [
        {"row": label, "panel": names[component], "place": place, "share": entry.share, **figure}
        for dataset, label in datasets.items()
        for place, (component, entry) in enumerate(result[dataset].components.items())
        if (figure := bounds_row(entry))
    ]
    if not rows:
        raise NoChart("there are no two models, configurations and examples")
    shown = list(dict.fromkeys(row["row"] for row in rows))
    layout = DotLayout(
        rows=shown,
        panels=list(names.values()),
        x="variance",
        width=_COMPONENT_WIDTH,
        columns=4,
        own_axes=True,
    )
    lines = [
        f"{context.basis}. A colon: what two together add; residual: all three, and chance. "
        "Overall: of the mean over data sets, one example each.",
        f"Lines: {context.level} generalized confidence intervals",
    ]
    chart: Spec = {
        "vconcat": [_shares(shown, names), {**dots(rows, layout), "title": vega.heading("", [], 0)}],
        "spacing": 24,
        # a shared legend would stand right of everything
        "resolve": {"scale": {"color": "independent"}},
    }
    return vega.specification(
        chart, rows, vega.heading("Variance components of scores", lines, layout.whole_width)
    )


def _shares(shown: Sequence[str], names: Mapping[str, str]) -> Spec:
    domain = list(names.values())
    colours = {"domain": domain, "range": [*vega.SERIES[: len(domain) - 1], vega.GREY]}
    share = vega.quantitative(
        "share",
        title="share of the variance",
        stack="zero",
        scale={"domain": [0, 1]},
        axis={"format": "%"},
    )
    encoding = {
        "x": share,
        "y": vega.nominal("row", title=None, scale={"domain": list(shown)}),
        "color": vega.nominal("panel", title=None, scale=colours, legend={"orient": "right"}),
        "order": vega.quantitative("place"),
    }
    bars = vega.layer("bar", encoding, stroke="white", strokeWidth=0.5)
    return {"data": vega.DATA, **bars, "width": _SHARES, "height": {"step": 17}}


TARGETS = (0.8, 0.9, 0.95, 0.99)
"""Generalizability coefficients that a line is drawn for."""

_CONFIGURATIONS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 35, 40, 50)
_MOST = 100_000  # examples
_WIDTH, _HEIGHT = 380, 250


def _frontier_chart(result: Mapping[str, Generalizability], context: ChartContext) -> Spec:
    """The least number of examples a data set against the number of configurations, a line a reliability."""
    overall = result[OVERALL]
    several = len(context.settings.examples) > 1
    rows = [_study_row(context), *_frontiers(overall.components)]
    if not any(row["kind"] == "line" for row in rows):
        raise NoChart("no number of configurations and examples gives a reliable ranking")
    scale = {"domain": [f"{target:g}" for target in TARGETS], "range": list(vega.ORDERED[::2])}
    ticks = {"values": vega.whole_ticks(1, _MOST), "format": ",d"}
    base = {
        "x": vega.quantitative("k", title="configurations", scale={"zero": True}),
        "y": vega.quantitative(
            "n", title=f"examples{' of each data set' * several}", scale={"type": "log"}, axis=ticks
        ),
    }
    legend = {"orient": "top"}
    lines_of = {**base, "color": vega.nominal("target", title="reliability", scale=scale, legend=legend)}
    cross = {"shape": "cross", "filled": True, "color": vega.INK, "size": 90, "opacity": 1}
    layers = [
        vega.layer("line", lines_of, where="datum.kind == 'line'", point={"size": 20}),
        vega.layer("point", base, where="datum.kind == 'study'", **cross),
    ]
    own = overall.coefficient
    lines = [
        f"{context.basis}. Reliability: the generalizability coefficient, predicted from the variance "
        f"components{' of the mean over data sets' * several}",
        f"Cross: this study, {format_interval(own.value, own.low, own.high)}",
    ]
    chart = {"data": vega.DATA, "layer": layers, "width": _WIDTH, "height": _HEIGHT}
    title = "Examples and configurations that a reliable ranking needs"
    return vega.specification(chart, rows, vega.heading(title, lines, _WIDTH + 100))


def _study_row(context: ChartContext) -> ChartRow:
    """The mean numbers of the study."""
    configurations, examples = context.settings.configurations, context.settings.examples
    k, n = (sum(counts.values()) / len(counts) for counts in (configurations, examples))
    return {"kind": "study", "k": k, "n": n}


def _frontiers(components: Mapping[str, VarianceComponent]) -> list[ChartRow]:
    parts = {name: entry.value for name, entry in components.items() if entry.value is not None}
    if len(parts) < len(components):
        raise NoChart("there are no two models, configurations and examples")
    # the coefficient reaches t where the relative error variance is at most (1 - t) / t of the models'
    needed = {
        target: least_examples(
            cast("Parts", parts), np.array(_CONFIGURATIONS, float), parts[MODEL] * (1 - target) / target
        )
        for target in TARGETS
    }
    return [
        {"kind": "line", "target": f"{target:g}", "k": k, "n": int(n)}
        for target, counts in needed.items()
        for k, n in zip(_CONFIGURATIONS, counts.tolist(), strict=True)
        if n <= _MOST
    ]


class GeneralizabilityFigure(Figure[dict[str, Generalizability]]):
    """Variance components and the generalizability coefficient."""

    key = "generalizability"
    tables = (
        FigureTable(
            "generalizability",
            ("dataset", "component", "value", "low", "high", "share"),
            _rows,
            "variance components, and the reliability of this study",
        ),
    )
    charts = (
        FigureChart("variance_components", _components_chart),
        FigureChart("reliability_frontier", _frontier_chart),
    )

    def compute(self, study: StudyScores) -> dict[str, Generalizability]:
        """Estimate the components."""
        return generalizability(study.cubes, study.options)

    def lines(self, result: dict[str, Generalizability]) -> list[str]:
        """The coefficient over all data sets."""
        found = result[OVERALL].coefficient
        if found.value is None:
            return []
        bounds = format_interval(found.value, found.low, found.high)
        return [f"reliability of the ranking (generalizability): {bounds}"]


GENERALIZABILITY = GeneralizabilityFigure()
