"""How charts look: colours that colour-blind readers tell apart, one font, sizes that survive print.

MERGED: A chart and its data, apart: altair is slow at walking through rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from .labels import Row

FONT = "Liberation Sans, Arial, Helvetica, DejaVu Sans Condensed, sans-serif"
"""vl-convert brings Liberation Sans along, so that a PNG is the same on any machine. An SVG is read with the
fonts of its reader; of those that a plain Linux has, DejaVu Sans is a sixth wider than the room that was
measured, and its condensed cut about as wide."""

BLUE, ORANGE, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
SKY, AMBER, YELLOW, BLACK = "#56B4E9", "#E69F00", "#F0E442", "#000000"
GREY = "#767676"
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


_NAME = "rows"


@dataclass(frozen=True)
class Drawing:
    """An altair chart over :func:`named_rows`, and these rows: plain values under field names of ours."""

    chart: Any
    rows: Sequence[Row]

    def specification(self) -> dict[str, Any]:
        """The Vega-Lite specification with the rows in it, as plain values."""
        return {**self.chart.to_dict(validate=False), "datasets": {_NAME: list(self.rows)}, "config": CONFIG}


def named_rows() -> Any:
    """The data of a drawing's chart, whose rows come with the specification."""
    import altair as alt

    return alt.NamedData(name=_NAME)
