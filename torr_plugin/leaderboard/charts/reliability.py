"""Charts of the reliability page: agreement curves, the budget frontier and variance components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import altair as alt

from ...analysis import format_interval
from ..agreement import WORDS
from ..schema import CurvePoint, Curves, Generalizability
from ..views import percent
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
    """W against the number of examples, one curve per number of configurations."""
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
    chart = _curves("configurations per ranking", "rankings", banded=True, logarithmic=False)
    return chart_of(
        "w-prompts",
        "Agreement of rankings by number of configurations",
        description,
        chart,
        rows=prompt_rows(curves),
        height=_CURVES_HEIGHT,
        download="reliability_prompts",
    )


def example_chart(curves: Curves, description: str) -> Chart:
    """Against examples."""
    chart = _curves("examples per ranking", "configurations", banded=False, logarithmic=True)
    return chart_of(
        "w-examples",
        "Agreement of rankings by number of examples and configurations",
        description,
        chart,
        rows=example_rows(curves),
        height=_CURVES_HEIGHT,
        download="reliability_examples",
    )


def _curves(x: str, series: str, *, banded: bool, logarithmic: bool) -> Any:

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
        tooltip=[alt.Tooltip("at:N", title="based on"), alt.Tooltip("said:N", title="W")],
    )
    return alt.layer(*([band] if banded else []), chance, line, point).properties(width="container")


_BUDGET_HEIGHT = 380
KINDS = ("reaches it", "fewest requests", "this study", "chosen")


def budget_chart(rows: Sequence[Mapping[str, Any]], description: str, *, several: bool) -> Chart:
    """The frontier with the cheapest point, the study and the chosen size.

    Args:
        rows: ``k``, ``n``, ``kind`` (of ``KINDS``), ``said``, ``requests``.
        description: in words.
        several: whether the examples are of each of several data sets.
    """
    base = alt.Chart(alt.NamedData("rows")).encode(
        x=alt.X(
            "k:Q",
            title="configurations",
            scale=alt.Scale(type="log", domain=[1, 100]),
            axis=alt.Axis(grid=False),
        ),
        y=alt.Y(
            "n:Q",
            title="examples of a data set" if several else "examples",
            scale=alt.Scale(type="log"),
            axis=alt.Axis(format="~s"),
        ),
    )
    line = base.transform_filter("datum.kind == 'reaches it' || datum.kind == 'fewest requests'").mark_line(
        strokeWidth=2, interpolate="step-after"
    )
    point = base.mark_point(filled=True, size=70, opacity=1).encode(
        shape=alt.Shape(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=list(KINDS), range=["circle", "diamond", "cross", "square"]),
        ),
        color=alt.Color(
            "kind:N",
            title=None,
            scale=alt.Scale(domain=list(KINDS)),
            legend=alt.Legend(orient="top", columns=2),
        ),
        size=alt.condition("datum.kind == 'reaches it'", alt.value(30), alt.value(130)),
        tooltip=[
            alt.Tooltip("kind:N", title="what"),
            alt.Tooltip("k:Q", title="configurations"),
            alt.Tooltip("n:Q", title="examples", format=","),
            alt.Tooltip("requests:N", title="requests"),
            alt.Tooltip("said:N", title="reliability"),
        ],
    )
    return chart_of(
        "budget",
        "What reaches the target reliability",
        description,
        alt.layer(line, point).properties(width="container"),
        rows=rows,
        height=_BUDGET_HEIGHT,
        download="reliability_frontier",
    )


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
            "said": percent(figure.share),
        }
        for name, one in found.items()
        for place, (component, figure) in enumerate(one.components.items())
        if figure.share is not None
    ]
    if not rows:
        return None
    domain = list(dict.fromkeys(str(row["source"]) for row in rows))
    bars = (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="share of a score's variance",
                stack="zero",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=170)),
            color=alt.Color(
                "source:N",
                title=None,
                sort=domain,
                scale=alt.Scale(domain=domain),
                legend=alt.Legend(orient="bottom", columns=1, symbolType="square", labelLimit=0),
            ),
            order=alt.Order("place:Q"),
            tooltip=[
                alt.Tooltip("row:N", title="data set"),
                alt.Tooltip("source:N", title="source"),
                alt.Tooltip("said:N", title="share"),
            ],
        )
    )
    places = list(dict.fromkeys(str(row["row"]) for row in rows))
    table = [
        ["Data set", *domain],
        *([place, *(str(row["said"]) for row in rows if row["row"] == place)] for place in places),
    ]
    return chart_of(
        "variance",
        "Where the variance of scores comes from",
        f"Stacked bars, one for each of {len(places)} rows: shares of the variance of a score by source; "
        "the table of numbers follows.",
        bars.properties(width="container"),
        rows=rows,
        height=len(places) * _STEP + 220,
        table=table,
        download="variance_components",
    )
