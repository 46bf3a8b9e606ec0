"""A chart on a page, and the basic kinds: intervals, histograms, and a model's profile over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import altair as alt

from .. import schema
from ..strengths import DatasetStanding
from ..views import FigureText

_NAME = "rows"
_STEP = 24
MOST_STEPS = 60
_COMPOSED = ("hconcat", "vconcat", "concat", "facet", "repeat")


@dataclass(frozen=True)
class Chart:
    """A chart, ready for ``macros/charts.html``.

    Attributes:
        name: its place on the page: small letters, digits and hyphens, unique on the page.
        title: what is shown, a line.
        description: the same for those who do not see it: what is on which axis, and what it says.
        specification: of Vega-Lite, rows within, without colours or fonts of text, which are the theme's.
        steps: the height kept free for it, in steps of 24 pixels, so that nothing moves when it is drawn.
        table: header and rows of the same figures as text, for those who read rather than look; may be empty.
        download: the stem of its SVG and PNG in the study's ``charts/``; "" where it has none.
    """

    name: str
    title: str
    description: str
    specification: Mapping[str, Any]
    steps: int
    table: tuple[tuple[str, ...], ...] = ()
    download: str = ""


def chart_of(
    name: str,
    title: str,
    description: str,
    chart: Any,
    *,
    rows: Sequence[Mapping[str, Any]],
    height: int,
    table: Sequence[Sequence[str]] = (),
    download: str = "",
) -> Chart:
    """A chart of an altair chart over ``alt.NamedData("rows")`` and these rows.

    Where the altair chart sets no height of its own, it fills the height kept for it, axes and legends
    included, so that nothing on the page moves.

    Args:
        name: as in :class:`Chart`, like the rest.
        title: see there.
        description: see there.
        chart: of altair, or its specification where one is made for several charts: altair takes its time.
        rows: plain values under field names of ours; names of models and the like are values, never fields.
        height: in pixels, axes and legends included.
        table: see there.
        download: see there.
    """
    steps = min(MOST_STEPS, -(-height // _STEP))
    drawn = chart if isinstance(chart, Mapping) else chart.to_dict(validate=False)
    specification = {**drawn, "datasets": {_NAME: list(rows)}}
    specification.pop("$schema", None)  # an address that nothing asks for
    if "height" not in specification and not any(part in specification for part in _COMPOSED):
        specification["height"] = steps * _STEP
        specification.setdefault("autosize", {"type": "fit", "contains": "padding"})
    return Chart(name, title, description, specification, steps, tuple(map(tuple, table)), download)


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
    """Dots with whiskers, a row per label.

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


_HEIGHT = 216


def histogram(
    name: str,
    title: str,
    description: str,
    edges: Sequence[float],
    counts: Sequence[int],
    *,
    axis: str,
    of: str,
    download: str = "",
) -> Chart:
    """Bars over bins.

    Args:
        name: as in :class:`~.chart.Chart`, like the next two.
        title: see there.
        description: see there.
        edges: of the bins, one more than there are counts; the last bin holds its upper edge too.
        counts: one per bin.
        axis: what the bins are of.
        of: what is counted, in the plural.
        download: see there.
    """
    total = sum(counts)
    rows = [
        {
            "from": low,
            "to": high,
            "count": count,
            "text": f"{count:,} of {total:,} ({100 * count / total:.1f}%)" if total else "0",
            "bin": f"{low:.2f} to {high:.2f}",
        }
        for low, high, count in zip(edges, edges[1:], counts, strict=False)
    ]
    return chart_of(
        name,
        title,
        description,
        _histogram_specification(axis, of.capitalize()),
        rows=rows,
        height=_HEIGHT,
        table=[(axis, of.capitalize()), *((str(row["bin"]), str(row["text"])) for row in rows)],
        download=download,
    )


@cache
def _histogram_specification(axis: str, of: str) -> Mapping[str, Any]:

    chart = (
        alt.Chart(alt.NamedData("rows"), width="container")
        .mark_bar(color="var(--performance)", stroke="var(--card)", strokeWidth=1)
        .encode(
            x=alt.X(
                "from:Q",
                bin="binned",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(values=[0, 0.2, 0.4, 0.6, 0.8, 1], format=".1f", grid=False),
                title=axis,
            ),
            x2="to:Q",
            y=alt.Y("count:Q", title=of, axis=alt.Axis(tickCount=4, tickMinStep=1, format=",d")),
            tooltip=[alt.Tooltip("bin:N", title=axis), alt.Tooltip("text:N", title=of)],
        )
    )
    found: dict[str, Any] = chart.to_dict(validate=False)
    return found


Kind = Literal["performance", "robustness"]


def profile_chart(model: str, kind: Kind, standings: Sequence[DatasetStanding], download: str = "") -> Chart:
    """A row per data set: a dot with its interval on a bar from the least to the greatest of all models."""
    rows = [
        {
            "label": each.dataset,
            "value": each.figure.value,
            "low": each.figure.low,
            "high": each.figure.high,
            "least": each.least,
            "middle": each.middle,
            "greatest": each.greatest,
            "text": interval_text(each.text),
            "field": f"{_two(each.least)} to {_two(each.greatest)}, median {_two(each.middle)}",
            "place": _place(each),
        }
        for each in standings
    ]
    return chart_of(
        kind,
        f"{kind.capitalize()} on each data set",
        f"{kind.capitalize()} of {model} on each data set, from 0 to 1: a dot with its interval, on a bar "
        "from the lowest to the highest of all models with a tick at their median. The numbers follow.",
        _profile_specification(kind),
        rows=rows,
        height=row_height(len(rows), 28),
        table=[
            ("Data set", kind.capitalize(), "Rank", "Lowest", "Median", "Highest"),
            *(
                (
                    each.dataset,
                    interval_text(each.text),
                    _place(each),
                    _two(each.least),
                    _two(each.middle),
                    _two(each.greatest),
                )
                for each in standings
            ),
        ],
        download=download,
    )


@cache
def _profile_specification(kind: Kind) -> Mapping[str, Any]:

    base = alt.Chart(alt.NamedData("rows")).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8)),
        tooltip=[
            alt.Tooltip("label:N", title="Data set"),
            alt.Tooltip("text:N", title=kind.capitalize()),
            alt.Tooltip("place:N", title="Rank here"),
            alt.Tooltip("field:N", title="All models"),
        ],
    )
    title = kind.capitalize()
    colour = f"var(--{kind})"
    chart = alt.layer(
        base.mark_bar(height=12, cornerRadius=6, color="var(--s2)").encode(
            x=unit_axis("least", title), x2="greatest:Q"
        ),
        base.mark_tick(thickness=2, size=14, color="var(--soft)").encode(x=unit_axis("middle", title)),
        base.mark_rule(strokeWidth=2.5, color=colour).encode(x=unit_axis("low", title), x2="high:Q"),
        base.mark_point(
            shape="circle" if kind == "performance" else "diamond",
            size=90,
            filled=True,
            opacity=1,
            color=colour,
        ).encode(x=unit_axis("value", title)),
        width="container",
    )
    found: dict[str, Any] = chart.to_dict(validate=False)
    return found


def _place(each: DatasetStanding) -> str:
    if each.rank is None:
        return "\N{EN DASH}"
    between = f" ({each.ranks})" if each.ranks and each.ranks != str(each.rank) else ""
    return f"{each.rank} of {each.models}{between}"


def _two(value: float | None) -> str:
    return "\N{EN DASH}" if value is None else f"{value:.2f}"
