"""Dots with their intervals, a row a name, side by side in panels: what most charts are made of.

MERGED: Curves with bands, in panels: agreement of rankings against what they rest on.
MERGED: Histograms, a panel a data set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .labels import Row, labels
from .vega import BLUE, GREY, ORDERED, SERIES, SHAPES, Drawing, heading, named_rows

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
        color=_color_curves(rows, series),
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


def _color_curves(rows: Sequence[Row], series: str) -> Any:
    import altair as alt

    if not series:
        return alt.value(BLUE)
    domain = sorted({row["series"] for row in rows})
    colors = [ORDERED[round(i * (len(ORDERED) - 1) / max(1, len(domain) - 1))] for i in range(len(domain))]
    scale = alt.Scale(domain=domain, range=colors)
    return alt.Color("series:O", title=series, scale=scale, legend=alt.Legend(orient="top"))


_WIDTH_HISTOGRAMS, _HEIGHT_HISTOGRAMS, _COLUMNS_HISTOGRAMS = 120, 80, 5


def histograms(
    binned: Mapping[str, Mapping[str, Any]], axes: tuple[str, str], title: str, lines: Sequence[str]
) -> Drawing:
    """A chart of binned values.

    Args:
        binned: data set -> ``edges`` of the bins, ``counts`` in them, and where there is one ``mean``.
        axes: the titles of the horizontal and the vertical axis.
        title: what is shown.
        lines: what it rests on.
    """
    import altair as alt

    names = labels(binned, panel_labels(_WIDTH_HISTOGRAMS))
    rows = [row for dataset, bins in binned.items() for row in _rows(names[dataset], bins)]
    bars = (
        alt.Chart()
        .mark_bar(color=BLUE, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("start:Q", title=axes[0], bin="binned", axis=alt.Axis(values=[0, 0.5, 1])),
            x2="end:Q",
            y=alt.Y("share:Q", title=axes[1], axis=alt.Axis(format="%", tickCount=3)),
        )
    )
    mean = alt.Chart().mark_rule(strokeDash=[4, 3]).encode(x="min(mean):Q")
    chart = alt.layer(bars, mean, data=named_rows()).properties(
        width=_WIDTH_HISTOGRAMS, height=_HEIGHT_HISTOGRAMS
    )
    facet = panel(list(names.values()), _WIDTH_HISTOGRAMS)
    chart = chart.facet(facet=facet, columns=_COLUMNS_HISTOGRAMS, spacing={"row": 12, "column": 14})
    # an axis each: a shared one would also stand where there is no panel
    chart = chart.resolve_axis(x="independent")
    width = min(len(names), _COLUMNS_HISTOGRAMS) * (_WIDTH_HISTOGRAMS + 14) + 60
    return Drawing(chart.properties(title=heading(title, lines, max(width, 420))), rows)


def _rows(label: str, bins: Mapping[str, Any]) -> list[Row]:
    edges, counts = bins["edges"], bins["counts"]
    total = sum(counts) or 1
    places = [
        {"panel": label, "start": start, "end": end, "share": count / total}
        for start, end, count in zip(edges, edges[1:], counts, strict=False)
    ]
    mean = bins.get("mean")
    return [{**place, "mean": mean} for place in places] if mean is not None else places
