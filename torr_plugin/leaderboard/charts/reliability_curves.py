"""Kendall's W against what each ranking rests on: configurations, or examples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...analysis import format_interval
from ..schema import CurvePoint, Curves
from .chart import Chart, chart_of

_CURVES_HEIGHT = 340
ALL, NONE = "drawn from all", "sharing none"


def prompt_rows(curves: Curves) -> list[dict[str, Any]]:
    """W against the number of configurations, two curves."""
    return [*_rows(curves.prompts, ALL), *_rows(curves.disjoint, NONE)]


def _rows(points: Iterable[CurvePoint], series: str) -> list[dict[str, Any]]:
    return [
        {**_row(point), "x": point.k, "series": series, "at": f"{point.k} configurations, {series}"}
        for point in points
        if point.w is not None
    ]


def example_rows(curves: Curves) -> list[dict[str, Any]]:
    """W against the number of examples, a curve a number of configurations."""
    return [
        {
            **_row(point),
            "x": point.n,
            "series": f"{point.k:,}",
            "at": f"{point.n:,} examples, {point.k} configurations",
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
        "said": format_interval(point.w, point.low, point.high),
    }


def prompt_chart(curves: Curves, description: str) -> Chart:
    """Against configurations."""
    chart = _curves("configurations a ranking rests on", "rankings", banded=True, logarithmic=False)
    return chart_of(
        "w-prompts",
        "Agreement of rankings against the configurations that each rests on",
        description,
        chart,
        rows=prompt_rows(curves),
        height=_CURVES_HEIGHT,
        download="reliability_prompts",
    )


def example_chart(curves: Curves, description: str) -> Chart:
    """Against examples."""
    chart = _curves("examples a ranking rests on", "configurations", banded=False, logarithmic=True)
    return chart_of(
        "w-examples",
        "Agreement of rankings against the examples and configurations that each rests on",
        description,
        chart,
        rows=example_rows(curves),
        height=_CURVES_HEIGHT,
        download="reliability_examples",
    )


def _curves(x: str, series: str, *, banded: bool, logarithmic: bool) -> Any:
    import altair as alt

    scale = alt.Scale(type="log", nice=False) if logarithmic else alt.Scale(nice=False, zero=False)
    unit = alt.Scale(domain=[0, 1])
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(grid=False, format="~s"))
    )
    # lines and bands have channels of their own: with colour in all layers, Vega-Lite makes two legends
    stroke = alt.Stroke("series:N", sort=None, legend=None)
    line = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("w:Q", title="Kendall's W", scale=unit), stroke=stroke
    )
    chance = base.mark_line(strokeDash=[4, 3], strokeWidth=1.2, opacity=0.7).encode(
        y="chance:Q", stroke=stroke
    )
    band = base.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", scale=unit), y2="high:Q", fill=alt.Fill("series:N", sort=None, legend=None)
    )
    legend = alt.Legend(orient="top")
    point = base.mark_point(filled=True, size=45, opacity=1).encode(
        y=alt.Y("w:Q", scale=unit),
        color=alt.Color("series:N", title=series, sort=None, legend=legend),
        shape=alt.Shape("series:N", title=series, sort=None, legend=legend),
        tooltip=[alt.Tooltip("at:N", title="rests on"), alt.Tooltip("said:N", title="W")],
    )
    return alt.layer(*([band] if banded else []), chance, line, point).properties(width="container")
