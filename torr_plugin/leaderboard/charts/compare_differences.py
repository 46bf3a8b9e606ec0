"""Two models' differences, by data set and by configuration, around zero."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..comparing import INTERVALS_APART, NOT_SEPARATED, SEPARATED, WORDS, FigureName, PairedDifference
from .chart import Chart, chart_of

_ROW = 26
_AXES = 60
_ANY = "each configuration"
_TITLES: dict[FigureName, str] = {
    "performance": "worse \N{MIDDLE DOT} difference \N{MIDDLE DOT} better",
    "robustness": "less robust \N{MIDDLE DOT} difference \N{MIDDLE DOT} more robust",
}


@dataclass(frozen=True)
class ChartConfiguration:
    """A configuration's id, and its serializer and perturbation, "" where the scores do not say."""

    name: str
    serializer: str
    perturbation: str

    def plain(self) -> list[str]:
        """For script data: the id, the row of the chart, the kind of its point."""
        return [self.name, self.serializer or _ANY, self.perturbation or "not stated"]


def difference_chart(what: FigureName, places: Sequence[str], sides: Sequence[PairedDifference]) -> Chart:
    """The difference of two models in one figure on each data set, with intervals; rows change by script."""
    import altair as alt

    rows = [_row(place, one) for place, one in zip(places, sides, strict=True)]
    base = alt.Chart(alt.NamedData("rows"))
    y = alt.Y("place:N", sort=list(places), title=None, axis=alt.Axis(labelLimit=130))
    zero = base.mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0))
    rule = base.mark_rule(strokeWidth=2).encode(
        y=y,
        x=alt.X("low:Q", title=_TITLES[what], axis=alt.Axis(tickCount=6)),
        x2="high:Q",
    )
    states = [WORDS[state] for state in (SEPARATED, INTERVALS_APART, NOT_SEPARATED)]
    # one legend of both, so that it shows filled what is filled
    legend = alt.Legend(orient="bottom", columns=1, title=None, labelLimit=260)
    shapes = alt.Scale(domain=states, range=["circle", "diamond", "cross"])
    fills = alt.Scale(domain=states, range=["var(--series-1)", "var(--card)", "var(--card)"])
    point = base.mark_point(size=70, opacity=1, strokeWidth=2, stroke="var(--series-1)").encode(
        y=y,
        x="difference:Q",
        shape=alt.Shape("state:N", scale=shapes, legend=legend),
        fill=alt.Fill("state:N", scale=fills, legend=legend),
        tooltip=[
            alt.Tooltip("place:N", title="Data set"),
            alt.Tooltip("text:N", title="Difference"),
            alt.Tooltip("said:N", title="Paired test"),
        ],
    )
    return chart_of(
        f"difference-{what}",
        f"Difference in {what}",
        f"The first model's {what} less the second's, with its interval, over all data sets and on each; "
        "the same figures are in the table.",
        alt.layer(zero, rule, point).properties(width="container"),
        rows=rows,
        height=_ROW * len(places) + _AXES + 70,
    )


def _row(place: str, one: PairedDifference) -> dict[str, Any]:
    return {
        "place": place,
        "difference": one.difference,
        "low": one.low,
        "high": one.high,
        "text": one.text,
        "state": one.words,
        "said": f"{one.words} ({one.p})" if one.p else one.words,
    }


def configuration_difference_chart(configurations: Sequence[ChartConfiguration]) -> Chart:
    """The difference of two models in each configuration: a row a serializer, a point a perturbation."""
    import altair as alt

    rows = list(dict.fromkeys(each.plain()[1] for each in configurations))
    kinds = list(dict.fromkeys(each.plain()[2] for each in configurations))
    base = alt.Chart(alt.NamedData("rows"))
    zero = base.mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0))
    legend = alt.Legend(orient="bottom", columns=1, title=None, labelLimit=260) if len(kinds) > 1 else None
    point = base.mark_point(size=60, opacity=0.9, strokeWidth=2).encode(
        y=alt.Y("row:N", sort=rows, scale=alt.Scale(domain=rows), title=None, axis=alt.Axis(grid=True)),
        x=alt.X(
            "difference:Q",
            axis=alt.Axis(tickCount=6),
            title=_TITLES["performance"],  # a longer one is cut off on a phone
        ),
        color=alt.Color("kind:N", sort=kinds, scale=alt.Scale(domain=kinds), legend=legend),
        shape=alt.Shape("kind:N", sort=kinds, scale=alt.Scale(domain=kinds), legend=legend),
        tooltip=[
            alt.Tooltip("config:N", title="ChartConfiguration"),
            alt.Tooltip("text:N", title="Difference"),
        ],
    )
    return chart_of(
        "difference-formats",
        "Difference in each configuration",
        "A row a serializer, a point a perturbation: the first model's mean score less the second's; the "
        "same figures are in the table.",
        alt.layer(zero, point).properties(width="container"),
        rows=[],
        height=34 * len(rows) + _AXES + 18 * len(kinds),
    )
