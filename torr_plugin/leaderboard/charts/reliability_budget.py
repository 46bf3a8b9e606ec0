"""What reaches a wished reliability: examples against configurations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .chart import Chart, chart_of

_BUDGET_HEIGHT = 380
KINDS = ("reaches it", "fewest requests", "this study", "chosen")


def budget_chart(rows: Sequence[Mapping[str, Any]], description: str, *, several: bool) -> Chart:
    """The frontier with the cheapest point, the study and the chosen size.

    Args:
        rows: ``k``, ``n``, ``kind`` (of ``KINDS``), ``said``, ``requests``.
        description: in words.
        several: whether the examples are of each of several data sets.
    """
    import altair as alt

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
        "What reaches the wished reliability",
        description,
        alt.layer(line, point).properties(width="container"),
        rows=rows,
        height=_BUDGET_HEIGHT,
        download="reliability_frontier",
    )
