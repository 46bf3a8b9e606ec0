"""Charts of the reliability page: agreement curves and variance components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...analysis import format_interval
from ...analysis.charts.vega import Spec, layer, nominal, quantitative, whole_ticks
from ...analysis.figures.generalizability import Generalizability
from ...analysis.figures.reliability import CurvePoint, Curves
from ...core.errors import counted
from ..agreement import WORDS, sameness, share_text
from .chart import Chart, chart_of

_CURVES_HEIGHT = 340
ALL, NONE = "drawn from all", "sharing none"
_SEEN = 0.02
"""A band that is nowhere so wide lies under its line."""


def prompt_rows(curves: Curves) -> list[dict[str, Any]]:
    """W against the number of configurations, two curves."""
    return [*_rows(curves.prompts, ALL), *_rows(curves.disjoint, NONE)]


def _rows(points: Iterable[CurvePoint], series: str) -> list[dict[str, Any]]:
    return [
        {
            **_row(point),
            "x": point.k,
            "series": series,
            "at": f"{counted(point.k, 'configuration')}, {series}",
        }
        for point in points
        if point.w is not None
    ]


def example_rows(curves: Curves) -> list[dict[str, Any]]:
    """W against the number of examples, one curve per number of configurations."""
    return [
        {
            **_row(point),
            "x": point.n,
            "series": f"{point.k:,}",
            "at": f"{counted(point.n, 'example')}, {counted(point.k, 'configuration')}",
        }
        for point in sorted(curves.examples, key=lambda point: point.k)
        if point.w is not None and point.n is not None
    ]


def _row(point: CurvePoint) -> dict[str, Any]:
    return {
        "w": point.w,
        "low": point.low,
        "high": point.high,
        "chance": point.chance,
        "text": sameness(point) or format_interval(point.w, point.low, point.high),
    }


def prompt_chart(curves: Curves, place: str, description: str, number: int, level: str) -> Chart | None:
    """Against configurations; None where nothing could be drawn from.

    Args:
        curves: of the place.
        place: as the page calls it.
        description: in words.
        number: of the place on the page.
        level: of the bands.
    """
    rows = prompt_rows(curves)
    banded = any(row["high"] - row["low"] >= _SEEN for row in rows if None not in (row["low"], row["high"]))
    axis = {"tickMinStep": 1, "format": "d"}
    chart = _curves("configurations per ranking", "rankings", {"zero": False}, axis, banded=banded)
    title = f"Agreement of rankings by number of configurations, {place}"
    found = _curves_chart(f"prompts-{number}", title, description, chart, rows)
    if found is None or not banded:
        return found
    return replace(found, note=f"Shaded: where {level} of the single draws lie.")


def example_chart(curves: Curves, place: str, description: str, number: int, pooled: bool) -> Chart | None:
    """Likewise against examples; ``pooled``: of each of several data sets."""
    x = "examples of each data set per ranking" if pooled else "examples per ranking"
    rows = example_rows(curves)
    counts = [row["x"] for row in rows] or [1]
    axis = {"values": whole_ticks(min(counts), max(counts)), "format": "~s"}
    chart = _curves(x, "configurations", {"type": "log"}, axis, banded=False)
    title = f"Agreement of rankings by number of examples and configurations, {place}"
    return _curves_chart(f"examples-{number}", title, description, chart, rows)


def _curves_chart(
    name: str, title: str, description: str, chart: Spec, rows: Sequence[dict[str, Any]]
) -> Chart | None:
    if len({row["x"] for row in rows}) < 2:
        return None
    return chart_of(f"w-{name}", title, description, chart, rows=rows, height=_CURVES_HEIGHT)


def _curves(x: str, series: str, scale: Spec, axis: Spec, *, banded: bool) -> Spec:
    unit = {"scale": {"domain": [0, 1]}}
    across = {"scale": {"nice": False, **scale}, "axis": {"grid": False, **axis}}
    base: Spec = {"x": quantitative("x", title=x, **across)}
    # lines and bands use channels that points do not: with colour in all layers, Vega-Lite makes two legends
    stroke = nominal("series", sort=None, legend=None)
    named = nominal("series", title=series, sort=None, legend={"orient": "top"})
    band: Spec = {**base, "y": quantitative("low", **unit), "y2": {"field": "high"}, "fill": stroke}
    line: Spec = {
        **base,
        "y": quantitative("w", title="Kendall\N{RIGHT SINGLE QUOTATION MARK}s W", **unit),
        "stroke": stroke,
    }
    point: Spec = {
        **base,
        "y": quantitative("w", **unit),
        "color": named,
        "shape": named,
        "tooltip": [nominal("at", title="based on"), nominal("text", title="W")],
    }
    chance: Spec = {**base, "y": quantitative("chance"), "stroke": stroke}
    return {
        "layer": [
            *([layer("area", band, opacity=0.25)] if banded else []),
            layer("line", chance, strokeDash=[4, 3], strokeWidth=1.5, opacity=1),
            layer("line", line, strokeWidth=2),
            layer("point", point, filled=True, size=45, opacity=1),
        ]
    }


_STEP = 26


def variance_chart(found: Mapping[str, Generalizability], title: str) -> Chart | None:
    """Stacked bars; None where no data set has components.

    Args:
        found: data set or "overall" -> its components.
        title: what "overall" is called.
    """
    rows = [
        {
            "row": title if name == "overall" else name,
            "source": WORDS.get(component, component),
            "place": place,
            "share": figure.share,
            "text": share_text(figure.share),
        }
        for name, one in found.items()
        for place, (component, figure) in enumerate(one.components.items())
        if figure.share is not None
    ]
    if not rows:
        return None
    domain = list(dict.fromkeys(str(row["source"]) for row in rows))
    legend = {"orient": "bottom", "columns": 1, "symbolType": "square", "labelLimit": 0}
    encoding: Spec = {
        "x": quantitative(
            "share",
            title="share of a score\N{RIGHT SINGLE QUOTATION MARK}s variance",
            stack="zero",
            scale={"domain": [0, 1]},
            axis={"format": "%", "tickCount": 5},
        ),
        "y": nominal("row", title=None, sort=None, axis={"labelLimit": 170}),
        "color": nominal("source", title=None, sort=domain, scale={"domain": domain}, legend=legend),
        "order": quantitative("place"),
        "tooltip": [
            nominal("row", title="data set"),
            nominal("source", title="source"),
            nominal("text", title="share"),
        ],
    }
    places = list(dict.fromkeys(str(row["row"]) for row in rows))
    table = [
        ["Data set", *domain],
        *([place, *(str(row["text"]) for row in rows if row["row"] == place)] for place in places),
    ]
    return chart_of(
        "variance",
        "Where the variance of scores comes from",
        f"Stacked bars in {counted(len(places), 'row')}: shares of the variance of a score by source; "
        "the table of numbers follows.",
        layer("bar", encoding),
        rows=rows,
        height=len(places) * _STEP + 220,
        table=table,
    )
