"""A chart on a page, how hard examples are, and a model's profile over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Literal

from ...analysis import FigureChart, format_ranks
from ...analysis.charts.labels import ChartContext, NoChart
from ...analysis.charts.vega import DATA, Spec, layer, nominal, quantitative
from ...analysis.result import Everywhere, Interval
from ..text import slug
from ..verdicts import Ranks
from ..views import FigureText, figure_text

DASH = "\N{EN DASH}"
_HIGHEST = 1440
_COMPOSED = ("hconcat", "vconcat", "concat", "facet", "repeat")


@dataclass(frozen=True)
class Chart:
    """A chart, ready for ``macros/charts.html``.

    Attributes:
        name: its place on the page: small letters, digits and hyphens, unique on the page.
        title: what is shown, a line.
        description: the same for those who do not see it: what is on which axis, and what it says.
        specification: of Vega-Lite, rows within, without colours or fonts of text, which are the theme's.
        table: header and rows of the same figures as text, for those who read rather than look; may be empty.
        download: the stem of its files in the study's ``charts/``; "" where it has none.
        narrow: the same for a phone, where a smaller drawing could not be read.
        note: a line below it.
    """

    name: str
    title: str
    description: str
    specification: Mapping[str, Any]
    table: tuple[tuple[str, ...], ...] = ()
    download: str = ""
    narrow: Mapping[str, Any] | None = None
    note: str = ""


def chart_of(
    name: str,
    title: str,
    description: str,
    chart: Spec,
    *,
    rows: Sequence[Mapping[str, Any]],
    height: int,
    table: Sequence[Sequence[str]] = (),
    download: str = "",
) -> Chart:
    """A chart on the page with its rows.

    Where the specification, Vega-Lite without its data, sets no height, it has this one in pixels, axes and
    legends included, and is as wide as its place. ``rows`` are plain values under field names of ours; names
    of models and the like are values, never fields.
    """
    specification = {"data": DATA, **chart, "datasets": {"rows": list(rows)}}
    if "height" not in specification and not any(part in specification for part in _COMPOSED):
        specification.setdefault("width", "container")
        specification["height"] = min(_HIGHEST, height)
        specification.setdefault("autosize", {"type": "fit", "contains": "padding"})
    return Chart(name, title, description, specification, tuple(map(tuple, table)), download)


def figure_chart(chart: FigureChart, result: Any, context: ChartContext, download: str = "") -> Chart | None:
    """A chart that ``torr analyse`` writes too; None where the study has no such chart."""
    if not chart.part(result):
        return None
    try:
        drawn = dict(chart.drawn(result, context))
    except NoChart:
        return None
    heading = drawn.get("title", {})
    title = heading if isinstance(heading, str) else heading.get("text", chart.name)
    subtitle = () if isinstance(heading, str) else heading.get("subtitle", ())
    description = " ".join((f"{title}.", *subtitle))
    return Chart(slug(f"figure-{chart.name}"), title, description, drawn, download=download)


_AROUND = 64
"""Pixels for the axis and its title."""


def row_height(rows: int, each: int = 26) -> int:
    """Pixels of a chart with so many rows."""
    return max(2, rows) * each + _AROUND


def marked_text(figure: FigureText) -> str:
    """``0.71 [0.66, 0.75]``, as everywhere; an incomplete figure is marked."""
    mark = "" if figure.complete else "*"
    return f"{figure.value}{mark} {figure.bounds}".rstrip()


def unit_axis(field: str, title: str) -> Spec:
    """A field on the axis of scores, from 0 to 1."""
    axis = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f"}
    return quantitative(field, scale={"domain": [0, 1]}, axis=axis, title=title)


def label_axis() -> Spec:
    """The labels of rows, in the order of the data."""
    return nominal("label", sort=None, title=None, axis={"ticks": False, "domain": False, "labelPadding": 8})


def difficulty_chart(dataset: str, edges: Sequence[float], counts: Sequence[int]) -> Chart:
    """How many of a data set's examples are how hard: bars over bins, the last with its upper edge."""
    total, axis = sum(counts), "Mean score of an example"
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
    ticks = {"values": [0, 0.2, 0.4, 0.6, 0.8, 1], "format": ".1f", "grid": False}
    encoding: Spec = {
        "x": quantitative("from", bin="binned", scale={"domain": [0, 1]}, axis=ticks, title=axis),
        "x2": {"field": "to"},
        "y": quantitative("count", title="Examples", axis={"tickCount": 4, "tickMinStep": 1, "format": ",d"}),
        "tooltip": [nominal("bin", title=axis), nominal("text", title="Examples")],
    }
    return chart_of(
        "difficulty",
        "Difficulty of its examples",
        f"Examples of {dataset} by mean score over models and configurations, from 0 (hardest) to 1.",
        layer("bar", encoding, color="var(--performance)", binSpacing=1),
        rows=rows,
        height=216,
        table=[(axis, "Examples"), *((str(row["bin"]), str(row["text"])) for row in rows)],
    )


Kind = Literal["performance", "robustness"]


def profile_chart(
    model: str, kind: Kind, figures: Mapping[str, Everywhere], ranks: Mapping[str, Ranks]
) -> Chart:
    """A row per data set: a dot with its interval on a bar from the least to the greatest of all models.

    ``figures``: of all models; ``ranks``: data set -> those that models may have.
    """
    known = {
        dataset: [value for each in figures.values() if (value := each.datasets[dataset].value) is not None]
        for dataset in figures[model].datasets
    }
    rows = [
        _profile_row(dataset, figures[model].datasets[dataset], values, ranks.get(dataset, {}).get(model))
        for dataset, values in known.items()
    ]
    several = any(len(values) > 1 for values in known.values())
    ranked = any(row["place"] != DASH for row in rows)
    among = {"Rank": "place"} if ranked else {}
    among |= {"Lowest": "least", "Median": "middle", "Highest": "greatest"} if several else {}
    return chart_of(
        kind,
        f"{kind.capitalize()} on each data set",
        f"{kind.capitalize()} of {model} on each data set, from 0 to 1: a dot with its interval, on a bar "
        "from the lowest to the highest of all models with a tick at their median. The numbers follow.",
        _profile_specification(kind, several=several, ranked=ranked),
        rows=rows,
        height=row_height(len(rows), 28),
        table=[
            ("Data set", kind.capitalize(), *among),
            *((row["label"], row["text"], *(_two(row[each]) for each in among.values())) for row in rows),
        ],
    )


def _profile_row(
    dataset: str, figure: Interval, values: Sequence[float], ranks: tuple[int, int] | None
) -> dict[str, Any]:
    """A model's figure on a data set among the values of all, and the ranks that it may have."""
    least, middle, greatest = (of(values) if values else None for of in (min, median, max))
    return {
        "label": dataset,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "least": least,
        "middle": middle,
        "greatest": greatest,
        "text": marked_text(figure_text(figure)),
        "field": f"{_two(least)} to {_two(greatest)}, median {_two(middle)}",
        "place": format_ranks(ranks) if ranks else DASH,
    }


def _profile_specification(kind: Kind, *, several: bool, ranked: bool) -> Spec:
    title, colour = kind.capitalize(), f"var(--{kind})"
    shared: Spec = {
        "y": label_axis(),
        "tooltip": [
            nominal("label", title="Data set"),
            nominal("text", title=title),
            *((nominal("place", title="Rank here"),) if ranked else ()),
            *((nominal("field", title="All models"),) if several else ()),
        ],
    }

    def on(field: str, end: str = "") -> dict[str, Any]:
        return {**shared, "x": unit_axis(field, title), **({"x2": {"field": end}} if end else {})}

    shape = "circle" if kind == "performance" else "diamond"
    return {
        "layer": [
            layer("bar", on("least", "greatest"), height=12, cornerRadius=6, color="var(--s2)"),
            layer("tick", on("middle"), thickness=2, size=14, color="var(--soft)"),
            layer("rule", on("low", "high"), strokeWidth=2.5, color=colour),
            layer("point", on("value"), shape=shape, size=90, filled=True, opacity=1, color=colour),
        ]
    }


def _two(value: float | str | None) -> str:
    """A number with two decimals; a text as it is."""
    return value if isinstance(value, str) else DASH if value is None else f"{value:.2f}"
