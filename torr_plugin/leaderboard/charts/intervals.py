"""Figures with their intervals, a row each, on an axis of shares or scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..figures import FigureText
from .chart import Chart, chart_of

if TYPE_CHECKING:
    from .. import schema

_AROUND = 64
"""Pixels for the axis and its title."""


@dataclass(frozen=True)
class IntervalRow:
    """A figure under a name; ``series`` tells apart several of one name."""

    label: str
    figure: schema.Figure
    shown: FigureText
    series: str = ""


def row_height(rows: int, each: int = 26) -> int:
    """Pixels of a chart with so many rows."""
    return max(2, rows) * each + _AROUND


def interval_text(figure: FigureText) -> str:
    """``0.71 [0.66, 0.75]``, as everywhere; an incomplete figure is marked."""
    mark = "" if figure.complete else "*"
    return f"{figure.value}{mark} {figure.bounds}".rstrip()


def unit_axis(field: str, title: str) -> Any:
    """A field on the axis of scores, from 0 to 1."""
    import altair as alt

    return alt.X(
        f"{field}:Q",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f"),
        title=title,
    )


def interval_chart(
    name: str,
    title: str,
    description: str,
    rows: Sequence[IntervalRow],
    *,
    first: str,
    axis: str,
    series: Sequence[tuple[str, str]] = (),
    mark_at: float | None = None,
    unit: bool = True,
    download: str = "",
) -> Chart:
    """Dots with whiskers, a row a label.

    Args:
        name: as in :class:`~.chart.Chart`, like the next two.
        title: see there.
        description: see there.
        rows: in the order shown.
        first: what the labels are, for the table's header.
        axis: the title of the axis.
        series: names of the series and the colour of each; the second and later have marks of other shapes.
        mark_at: a number marked by a line.
        unit: whether the axis is from 0 to 1; else as far as the figures reach, and 0.
        download: see there.
    """
    values = [
        {
            "label": row.label,
            "series": row.series,
            "value": row.figure.value,
            "low": row.figure.low,
            "high": row.figure.high,
            "text": interval_text(row.shown),
        }
        for row in rows
    ]
    count = len(dict.fromkeys(row.label for row in rows))
    return chart_of(
        name,
        title,
        description,
        _interval_specification(first, axis, tuple(series), mark_at, unit),
        rows=values,
        height=row_height(count, 34 if series else 26) + (28 if series else 0),
        table=_table(rows, first, axis, [each[0] for each in series]),
        download=download,
    )


def _table(
    rows: Sequence[IntervalRow], first: str, axis: str, series: Sequence[str]
) -> list[tuple[str, ...]]:
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        found.setdefault(row.label, {})[row.series] = interval_text(row.shown)
    names = list(series) or [""]
    header = (first, *(name or axis for name in names))
    return [header, *((label, *(own.get(name, "") for name in names)) for label, own in found.items())]


@cache
def _interval_specification(
    first: str, axis: str, series: tuple[tuple[str, str], ...], mark_at: float | None, unit: bool
) -> Mapping[str, Any]:
    import altair as alt

    def x(field: str) -> Any:
        if unit:
            return unit_axis(field, axis)
        return alt.X(f"{field}:Q", scale=alt.Scale(zero=True, nice=True), title=axis)

    tooltip = [
        alt.Tooltip("label:N", title=first),
        *([alt.Tooltip("series:N", title="Figure")] if series else []),
        alt.Tooltip("text:N", title=axis),
    ]
    y = alt.Y("label:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8))
    base = alt.Chart(alt.NamedData("rows")).encode(y=y, tooltip=tooltip)
    blue = "var(--performance)"
    rule = base.mark_rule(strokeWidth=2.5, color=blue).encode(x=x("low"), x2="high:Q")
    point = base.mark_point(size=80, filled=True, opacity=1, color=blue).encode(x=x("value"))
    if series:
        names, colours = [each[0] for each in series], [each[1] for each in series]
        colour = alt.Color(
            "series:N",
            scale=alt.Scale(domain=names, range=colours),
            legend=alt.Legend(title=None, orient="top", symbolOpacity=1),
        )
        shape = alt.Shape("series:N", scale=alt.Scale(domain=names, range=["circle", "diamond", "square"]))
        offset = alt.YOffset("series:N", scale=alt.Scale(domain=names))
        rule = rule.encode(color=colour, yOffset=offset)
        point = point.encode(color=colour, shape=shape, yOffset=offset)
    layers = [rule, point]
    if mark_at is not None:
        line = alt.Chart(alt.NamedData("rows")).mark_rule(strokeDash=[4, 4], color="var(--soft)")
        layers.insert(0, line.encode(x=alt.XDatum(mark_at, title=axis)))
    found: dict[str, Any] = alt.layer(*layers, width="container").to_dict(validate=False)
    return found
