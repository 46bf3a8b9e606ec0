"""Heat maps whose cells show a figure and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .vega import DATA, ChartRow, Spec, heading, layer, nominal, quantitative, specification

_CELL = (66, 30)


@dataclass(frozen=True)
class HeatLayout:
    """How a heat map is laid out.

    Attributes:
        rows: labels, top to bottom.
        columns: labels, left to right.
        legend: the title of the colours' legend.
        scheme: of the colours.
        domain: the figures at the colours' ends.
        dark: the figures beyond which a cell is dark, so that its text must be white: (below, above).
    """

    rows: Sequence[str]
    columns: Sequence[str]
    legend: str
    scheme: str
    domain: tuple[float, float]
    dark: tuple[float, float]


def heat_map(rows: Sequence[ChartRow], layout: HeatLayout, title: str, lines: Sequence[str]) -> Spec:
    """A heat map.

    Args:
        rows: ``row``, ``column``, ``value``, ``low``, ``high``.
        layout: see there.
        title: what is shown.
        lines: what it rests on.
    """
    ink = nominal("ink", scale=None)
    places = _places(layout)
    width, height = _CELL
    chart: Spec = {
        "data": DATA,
        "layer": [
            layer("rect", {**places, "color": _color(layout)}, stroke="white"),
            layer("text", {**places, "text": nominal("figure"), "color": ink}, fontSize=11, dy=-5),
            layer("text", {**places, "text": nominal("interval"), "color": ink}, fontSize=8.5, dy=7),
        ],
        "width": {"step": width},
        "height": {"step": height},
        "view": {"stroke": None},
        "resolve": {"scale": {"color": "independent"}},
    }
    cells = [_with_text(row, layout) for row in rows]
    whole = max(420, 190 + width * len(layout.columns))
    return specification(chart, cells, heading(title, lines, whole))


def _places(layout: HeatLayout) -> dict[str, Spec]:
    above = {"orient": "top", "labelAngle": -35, "labelAlign": "left", "labelLimit": 200, "ticks": False}
    return {
        "x": nominal("column", title=None, scale={"domain": list(layout.columns)}, axis=above),
        "y": nominal("row", title=None, scale={"domain": list(layout.rows)}, axis={"ticks": False}),
    }


def _color(layout: HeatLayout) -> Spec:
    scale = {"scheme": layout.scheme, "domain": list(layout.domain), "clamp": True}
    return quantitative("value", title=layout.legend, scale=scale, legend={"gradientLength": 120})


def _with_text(row: ChartRow, layout: HeatLayout) -> ChartRow:
    below, above = layout.dark
    interval = "" if row["low"] == row["high"] else f"[{row['low']:.2f}, {row['high']:.2f}]"
    return {
        **row,
        "figure": f"{row['value']:.2f}".replace("-", "\N{MINUS SIGN}"),
        "interval": interval.replace("-", "\N{MINUS SIGN}"),
        "ink": "white" if row["value"] < below or row["value"] > above else "black",
    }
