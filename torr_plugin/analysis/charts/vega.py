"""Vega-Lite specifications as plain dicts, and how charts look: colours for colour-blind readers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, TypeAlias

ChartRow: TypeAlias = dict[str, Any]
"""A row of a chart's data: plain values under field names of our own."""

Spec: TypeAlias = dict[str, Any]
"""A Vega-Lite specification, or a part of one."""

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"

DATA = {"name": "rows"}
"""The data of every chart, which :func:`specification` puts beside it."""

FONT = "Liberation Sans, Arial, Helvetica, DejaVu Sans Condensed, sans-serif"
"""vl-convert brings Liberation Sans along, so that a PNG is the same on any machine. An SVG is read with the
fonts of its reader; of those that a plain Linux has, DejaVu Sans is a sixth wider than the room that was
measured, and its condensed cut about as wide."""

BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, AMBER, YELLOW, BLACK = "#56B4E9", "#E69F00", "#F0E442", "#000000"
GREY = "#767676"
INK, PAPER = "#111111", "#ffffff"
"""Of letters, and of what lies behind them: on a page of the site these are its theme's."""
SERIES = (BLUE, ORANGE, GREEN, PINK, SKY, AMBER, BLACK, YELLOW)
"""Okabe and Ito's palette, "Color universal design", 2008; those that are dark enough on white first."""

SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "triangle-right")
ORDERED = ("#440154", "#443983", "#31688e", "#21918c", "#35b779", "#78a030", "#b5a81b")
"""Steps of viridis, its yellow end darkened so that lines in it can be seen on white."""

SEQUENTIAL, DIVERGING = "cividis", "blueorange"

_CHARACTERS_PER_PIXEL = 1 / 6.2  # of the subtitle's font, and of a little wider ones

CONFIG: dict[str, Any] = {
    "background": "white",
    "font": FONT,
    "padding": 8,
    "view": {"stroke": "#d0d0d0"},
    "title": {
        "anchor": "start",
        "fontSize": 14,
        "subtitleFontSize": 11,
        "subtitleColor": "#444",
        "offset": 10,
    },
    "axis": {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "gridColor": "#e8e8e8",
        "domainColor": "#888",
        "tickColor": "#888",
        "labelLimit": 220,
        "labelFlush": False,
    },
    "axisY": {"grid": False},
    "axisX": {"labelSeparation": 6},
    "axisQuantitative": {"tickCount": 4},
    "header": {"labelFontSize": 11, "titleFontSize": 11, "labelLimit": 200},
    "legend": {
        "labelFontSize": 11,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "labelLimit": 220,
        "symbolOpacity": 1,
    },
    "range": {"category": list(SERIES)},
}


def heading(title: str, lines: Sequence[str], width: int) -> dict[str, Any]:
    """A chart's title: what is shown, and beneath it what it rests on, wrapped to the chart's width."""
    most = max(50, int(width * _CHARACTERS_PER_PIXEL))
    return {"text": title, "subtitle": [part for line in lines for part in wrap(line, most)]}


def quantitative(field: str, **properties: object) -> Spec:
    """A channel that shows a number."""
    return {"field": field, "type": "quantitative", **properties}


def nominal(field: str, **properties: object) -> Spec:
    """A channel that shows a name."""
    return {"field": field, "type": "nominal", **properties}


def layer(mark: str, encoding: Mapping[str, Spec], *, where: str = "", **style: object) -> Spec:
    """Marks of one kind; ``where`` is an expression that rows must fulfil."""
    found: Spec = {"mark": {"type": mark, **style}, "encoding": dict(encoding)}
    return {**found, "transform": [{"filter": where}]} if where else found


def series_colours(names: Sequence[str], colours: Sequence[str]) -> Spec:
    """A scale that gives each name a colour (or shape), again from the first where they do not suffice."""
    return {"domain": list(names), "range": [colours[i % len(colours)] for i in range(len(names))]}


def faceted(spec: Spec, panels: Sequence[str], columns: int, **properties: object) -> Spec:
    """The chart once a panel, a panel a value of the field ``panel``; an x axis each.

    A shared axis would also stand where there is no panel.
    """
    header = {"labelLimit": spec["width"] + 10, "labelPadding": 4}
    return {
        "data": DATA,
        "facet": nominal("panel", title=None, sort=list(panels), header=header),
        "columns": columns,
        "spacing": {"row": 12, "column": 14},
        "resolve": {"axis": {"x": "independent"}},
        "spec": spec,
        **properties,
    }


def specification(chart: Spec, rows: Sequence[ChartRow], title: Spec) -> Spec:
    """The whole specification, with the data in it."""
    return {
        "$schema": SCHEMA,
        **chart,
        "title": title,
        "datasets": {"rows": list(rows)},
        "config": CONFIG,
    }
