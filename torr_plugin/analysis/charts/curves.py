"""Curves with bands, in panels: agreement of rankings against what they rest on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .drawing import Drawing, named_rows
from .panels import panel
from .study import Row
from .style import BLUE, GREY, ORDERED, heading

_WIDTH, _HEIGHT, _COLUMNS = 145, 110, 4

MOST_BANDS = 3
"""More in a panel cover one another."""


def panel_width() -> int:
    """Of one panel, in pixels."""
    return _WIDTH


def curves(
    rows: Sequence[Row], panels: Sequence[str], axes: tuple[str, str], title: str, lines: Sequence[str]
) -> Drawing:
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
    import altair as alt

    x, series = axes
    rows = _banded(rows)
    base = alt.Chart().encode(
        x=alt.X("x:Q", title=x, scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=4, tickMinStep=1)),
        color=_color(rows, series),
    )
    y = alt.Y("value:Q", title="Kendall's W", scale=alt.Scale(domain=[0, 1]))
    bands = base.transform_filter("datum.band")
    low = alt.Y("low:Q", title="Kendall's W")
    band = bands.mark_area(opacity=0.22, line=False).encode(y=low, y2="high:Q")
    bounds = bands.mark_rule(opacity=0.35).encode(y="low:Q", y2="high:Q")
    line = base.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=14)).encode(y=y)
    chance = (
        alt.Chart()
        .mark_line(strokeDash=[4, 3], color=GREY, strokeWidth=1.5)
        .encode(x="x:Q", y="mean(chance):Q")
    )
    chart = alt.layer(chance, band, bounds, line, data=named_rows())
    chart = chart.properties(width=_WIDTH, height=_HEIGHT).facet(
        facet=panel(panels, _WIDTH), columns=_COLUMNS, spacing={"row": 12, "column": 14}
    )
    # an axis each: a shared one would also stand where there is no panel
    chart = chart.resolve_axis(x="independent")
    width = min(len(panels), _COLUMNS) * (_WIDTH + 14) + 60
    return Drawing(chart.properties(title=heading(title, lines, max(width, 420))), rows)


def _banded(rows: Sequence[Row]) -> list[Row]:
    """The rows and whether their curve has a band: in a panel all of few, else the first and the last."""
    there: dict[str, set[int]] = {}
    for row in rows:
        there.setdefault(row["panel"], set()).add(row.get("series", 0))
    ends = {
        panel: series if len(series) <= MOST_BANDS else {min(series), max(series)}
        for panel, series in there.items()
    }
    return [{**row, "band": row.get("series", 0) in ends[row["panel"]]} for row in rows]


def _color(rows: Sequence[Row], series: str) -> Any:
    import altair as alt

    if not series:
        return alt.value(BLUE)
    domain = sorted({row["series"] for row in rows})
    colors = [ORDERED[round(i * (len(ORDERED) - 1) / max(1, len(domain) - 1))] for i in range(len(domain))]
    scale = alt.Scale(domain=domain, range=colors)
    return alt.Color("series:O", title=series, scale=scale, legend=alt.Legend(orient="top"))
