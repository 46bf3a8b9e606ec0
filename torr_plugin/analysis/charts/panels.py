"""Dots with their intervals, a row a name, side by side in panels: what most charts are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .drawing import Drawing, named_rows
from .study import Row
from .style import BLUE, GREY, SERIES, SHAPES, heading

_MARGIN = 190  # pixels of row names, for the width of headings


@dataclass(frozen=True)
class Layout:
    """How a chart of dots is laid out.

    Attributes:
        rows: the rows' labels, top to bottom.
        x: the title of the axis.
        panels: the panels' labels, left to right; none: one panel without a label.
        series: the names of what share a row, told apart by colour and shape; none: one.
        width: of a panel, in pixels.
        columns: panels beside one another.
        step: pixels a row.
        domain: the axis' ends, else those of the figures.
        apart: each panel has an axis of its own.
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
    apart: bool = False
    format: str = "~r"
    ticks: Sequence[float] = ()

    @property
    def whole_width(self) -> int:
        """Of the chart, in pixels, about."""
        beside = min(self.columns, len(self.panels) or 1)
        return _MARGIN + beside * (self.width + 10)


def dots(rows: Sequence[Row], layout: Layout, title: str, lines: Sequence[str]) -> Drawing:
    """A chart of figures with intervals.

    Args:
        rows: ``row``, ``value``, ``low``, ``high``; ``panel`` and ``series`` where the layout has them, and
            ``reference`` for a dashed line, e.g. chance, one a panel, ``seen`` for a hollow point beside it.
        layout: see there.
        title: what is shown.
        lines: what it rests on.
    """
    import altair as alt

    y = alt.Y("row:N", title=None, scale=alt.Scale(domain=list(layout.rows)))
    offset = {"yOffset": alt.YOffset("series:N", sort=list(layout.series))} if layout.series else {}
    base = alt.Chart().encode(y=y, color=_color(layout), **offset)
    low = alt.X("low:Q", title=layout.x, scale=_scale(layout), axis=_axis(layout))
    points = base.mark_point(filled=True, size=38, opacity=1).encode(x="value:Q", **_shape(layout))
    marks = [base.mark_rule(strokeWidth=2, opacity=0.75).encode(x=low, x2="high:Q"), points]
    if any("seen" in row for row in rows):
        marks.insert(1, base.mark_point(filled=False, size=38, opacity=1).encode(x="seen:Q"))
    if any("reference" in row for row in rows):
        line = alt.Chart().mark_rule(strokeDash=[4, 3], color=GREY)
        marks.insert(0, line.encode(x=alt.X("min(reference):Q")))
    size = {"width": layout.width, "height": alt.Step(layout.step)}
    chart = alt.layer(*marks, data=named_rows()).properties(**size)
    if layout.panels:
        chart = chart.facet(
            facet=panel(layout.panels, layout.width),
            columns=layout.columns,
            spacing={"row": 12, "column": 14},
        )
        # an axis each: a shared one would also stand where there is no panel
        chart = chart.resolve_axis(x="independent")
        chart = chart.resolve_scale(x="independent") if layout.apart else chart
    return Drawing(chart.properties(title=heading(title, lines, layout.whole_width)), rows)


def panel(names: Sequence[str], width: int) -> Any:
    """The facet of a chart in panels: its field is ``panel``."""
    import altair as alt

    header = alt.Header(labelLimit=width + 10, labelPadding=4)
    return alt.Facet("panel:N", title=None, sort=list(names), header=header)


def panel_labels(width: int) -> int:
    """How many characters the label over a panel may have."""
    return max(8, width // 6)


def _axis(layout: Layout) -> Any:
    import altair as alt

    # Vega would round an axis' own format to the digits that it deems enough
    where = {"values": list(layout.ticks), "tickCount": len(layout.ticks)} if layout.ticks else {}
    return alt.Axis(labelExpr=f"format(datum.value, '{layout.format}')", **where)


def _scale(layout: Layout) -> Any:
    import altair as alt

    if layout.domain:
        return alt.Scale(domain=list(layout.domain), nice=False)
    return alt.Scale(zero=False)


def _color(layout: Layout) -> Any:
    import altair as alt

    if not layout.series:
        return alt.value(BLUE)
    domain = list(layout.series)
    scale = alt.Scale(domain=domain, range=[SERIES[i % len(SERIES)] for i in range(len(domain))])
    return alt.Color("series:N", title=None, scale=scale, legend=alt.Legend(orient="top"))


def _shape(layout: Layout) -> dict[str, Any]:
    import altair as alt

    if not layout.series:
        return {}
    domain = list(layout.series)
    scale = alt.Scale(domain=domain, range=[SHAPES[i % len(SHAPES)] for i in range(len(domain))])
    return {"shape": alt.Shape("series:N", title=None, scale=scale, legend=alt.Legend(orient="top"))}
