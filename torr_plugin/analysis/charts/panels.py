"""What most charts are made of: dots with their intervals, curves and histograms, side by side in panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .vega import (
    BLUE,
    DATA,
    GREY,
    ORDERED,
    SERIES,
    SHAPES,
    ChartRow,
    Spec,
    faceted,
    heading,
    layer,
    nominal,
    quantitative,
    series_colours,
    specification,
)

_MARGIN = 190  # pixels of row names, for the width of headings
_BETWEEN = 14  # pixels between panels


@dataclass(frozen=True)
class DotLayout:
    """How a chart of dots is laid out.

    Attributes:
        rows: the rows' labels, top to bottom.
        x: the title of the axis.
        panels: the panels' labels, left to right; none: one panel without a label.
        series: the names of the series in a row, distinguished by colour and shape; empty: one series.
        width: of a panel, in pixels.
        columns: panels beside one another.
        step: pixels a row.
        domain: the axis' ends, else those of the figures.
        own_axes: each panel has an axis of its own.
        format: of the axis' numbers, as d3 writes them.
        ticks: where the axis has them, if it matters.
    """

    rows: Sequence[str]
    x: str
    panels: Sequence[str] = ()
    series: Sequence[str] = ()
    width: int = 420
    columns: int = 5
    step: int = 17
    domain: tuple[float, float] | None = None
    own_axes: bool = False
    format: str = "~r"
    ticks: Sequence[float] = ()


def dot_chart(rows: Sequence[ChartRow], layout: DotLayout, title: str, lines: Sequence[str]) -> Spec:
    """A chart of figures with intervals.

    Args:
        rows: ``row``, ``value``, ``low``, ``high``; ``panel`` and ``series`` where the layout has them, and
            ``reference`` for a dashed line, e.g. chance, one a panel.
        layout: see there.
        title: what is shown.
        lines: what it rests on.
    """
    spec: Spec = {
        "layer": _dot_layers(rows, layout),
        "width": layout.width,
        "height": {"step": layout.step},
    }
    chart = faceted(spec, layout.panels, layout.columns) if layout.panels else {"data": DATA, **spec}
    if layout.panels and layout.own_axes:
        chart["resolve"]["scale"] = {"x": "independent"}
    beside = min(layout.columns, len(layout.panels) or 1)
    width = _MARGIN + beside * (layout.width + 10)
    return specification(chart, rows, heading(title, lines, width))


def _dot_layers(rows: Sequence[ChartRow], layout: DotLayout) -> list[Spec]:
    base = {"y": nominal("row", title=None, scale={"domain": list(layout.rows)}), "color": _color(layout)}
    if layout.series:
        base["yOffset"] = nominal("series", sort=list(layout.series))
    x = quantitative("low", title=layout.x, scale=_scale(layout), axis=_axis(layout))
    bounds = {**base, "x": x, "x2": {"field": "high"}}
    layers = [layer("rule", bounds, strokeWidth=2, opacity=0.75)]
    points = {**base, "x": quantitative("value"), **_shape(layout)}
    layers.append(layer("point", points, filled=True, size=38, opacity=1))
    if any("reference" in row for row in rows):
        reference = {"x": quantitative("reference", aggregate="min")}
        layers.insert(0, layer("rule", reference, strokeDash=[4, 3], color=GREY))
    return layers


def panel_labels(width: int) -> int:
    """How many characters the label over a panel may have."""
    return max(8, width // 6)


def _axis(layout: DotLayout) -> Spec:
    # Vega would round an axis' own format to the digits that it deems enough
    where = {"values": list(layout.ticks), "tickCount": len(layout.ticks)} if layout.ticks else {}
    return {"labelExpr": f"format(datum.value, '{layout.format}')", **where}


def _scale(layout: DotLayout) -> Spec:
    return {"domain": list(layout.domain), "nice": False} if layout.domain else {"zero": False}


def _color(layout: DotLayout) -> Spec:
    return _of_series(layout, SERIES) if layout.series else {"value": BLUE}


def _shape(layout: DotLayout) -> dict[str, Spec]:
    return {"shape": _of_series(layout, SHAPES)} if layout.series else {}


def _of_series(layout: DotLayout, values: Sequence[str]) -> Spec:
    scale = series_colours(layout.series, values)
    return nominal("series", title=None, scale=scale, legend={"orient": "top"})


CURVE_WIDTH = 145
"""Of one panel of curves, in pixels."""

_CURVE_HEIGHT, _CURVE_COLUMNS = 110, 4

MOST_BANDS = 3
"""More in a panel cover one another."""


def curve_chart(
    rows: Sequence[ChartRow], panels: Sequence[str], axes: tuple[str, str], title: str, lines: Sequence[str]
) -> Spec:
    """A chart of Kendall's W, a panel a data set.

    Args:
        rows: ``panel``, ``x``, ``value``, ``low``, ``high``, ``chance``; ``series`` (a number) where several
            curves share a panel, of which the first and the last have bands if they are more than
            ``MOST_BANDS``.
        panels: their labels, in order.
        axes: the titles of the horizontal axis and of the legend; without the latter one curve a panel.
        title: what is shown.
        lines: what it rests on.
    """
    x, series = axes
    axis = {"tickCount": 4, "tickMinStep": 1}
    base = {
        "x": quantitative("x", title=x, scale={"zero": True}, axis=axis),
        "color": _curve_color(rows, series),
    }
    high = {"y2": {"field": "high"}}
    chance = {"x": quantitative("x"), "y": quantitative("chance", aggregate="mean")}
    band = {**base, "y": quantitative("low", title="Kendall's W"), **high}
    value = quantitative("value", title="Kendall's W", scale={"domain": [0, 1]})
    layers = [
        layer("line", chance, strokeDash=[4, 3], color=GREY, strokeWidth=1.5),
        layer("area", band, where="datum.band", opacity=0.22, line=False),
        layer("rule", {**base, "y": quantitative("low"), **high}, where="datum.band", opacity=0.35),
        layer("line", {**base, "y": value}, strokeWidth=2, point={"size": 14}),
    ]
    spec = {"layer": layers, "width": CURVE_WIDTH, "height": _CURVE_HEIGHT}
    title_ = heading(title, lines, _panels_width(len(panels), _CURVE_COLUMNS, CURVE_WIDTH))
    return specification(faceted(spec, panels, _CURVE_COLUMNS), _banded(rows), title_)


def _panels_width(panels: int, columns: int, width: int) -> int:
    """Of the whole chart, for its heading."""
    return max(min(panels, columns) * (width + _BETWEEN) + 60, 420)


def _banded(rows: Sequence[ChartRow]) -> list[ChartRow]:
    """The rows and whether their curve has a band: in a panel all of few, else the first and the last."""
    there: dict[str, set[int]] = {}
    for row in rows:
        there.setdefault(row["panel"], set()).add(row.get("series", 0))
    ends = {
        panel: series if len(series) <= MOST_BANDS else {min(series), max(series)}
        for panel, series in there.items()
    }
    return [{**row, "band": row.get("series", 0) in ends[row["panel"]]} for row in rows]


def _curve_color(rows: Sequence[ChartRow], series: str) -> Spec:
    if not series:
        return {"value": BLUE}
    domain = sorted({row["series"] for row in rows})
    colors = [ORDERED[round(i * (len(ORDERED) - 1) / max(1, len(domain) - 1))] for i in range(len(domain))]
    return {
        "field": "series",
        "type": "ordinal",
        "title": series,
        "scale": {"domain": domain, "range": colors},
        "legend": {"orient": "top"},
    }
