"""Charts that compare: two models, serializers or perturbations, and publications of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import altair as alt

from ...analysis import format_interval
from ..history import Snapshot
from ..pairwise import INTERVALS_APART, NOT_SEPARATED, SEPARATED, WORDS, FigureName, PairedDifference
from ..schema import Figure
from ..study import Study
from ..views import percent
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
        f"The first model's {what} minus the second's, with its interval, over all data sets and on each; "
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
    """The difference of two models in each configuration: a row per serializer, a point a perturbation."""
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
            alt.Tooltip("config:N", title="Configuration"),
            alt.Tooltip("text:N", title="Difference"),
        ],
    )
    return chart_of(
        "difference-formats",
        "Difference in each configuration",
        "A row per serializer, a point per perturbation: the first model's mean score minus the second's; "
        "the same figures are in the table.",
        alt.layer(zero, point).properties(width="container"),
        rows=[],
        height=34 * len(rows) + _AXES + 18 * len(kinds),
    )


_STEP = 24


def win_chart(part: str, figures: Mapping[str, Figure], most: int, largest: float) -> Chart:
    """The chart with the default's rows; :func:`win_rows` makes others of the same kind.

    Args:
        part: "serializer" or "perturbation".
        figures: name -> win rate.
        most: names that any choice has.
        largest: bound of any choice, so that the axis stays when another is chosen.
    """
    x = alt.Scale(domain=[0, largest], nice=True)
    axis = alt.Axis(tickCount=5, labelOverlap=True)
    base = alt.Chart(alt.NamedData("rows")).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=190)),
        tooltip=[alt.Tooltip("name:N", title=part), alt.Tooltip("said:N", title="win rate")],
    )
    chance = alt.Chart(alt.NamedData("rows")).mark_rule(strokeDash=[4, 3], opacity=0.7)
    rule = base.mark_rule(strokeWidth=2, opacity=0.7).encode(
        x=alt.X("low:Q", title="share of the wins", scale=x, axis=axis), x2="high:Q"
    )
    point = base.mark_point(filled=True, size=60, opacity=1).encode(x=alt.X("value:Q", scale=x))
    chart = alt.layer(chance.encode(x=alt.X("mean(chance):Q", scale=x)), rule, point)
    return chart_of(
        f"wins-{part}",
        f"Win rate of each {part}",
        description(part, figures),
        chart.properties(width="container"),
        rows=win_rows(figures),
        height=most * _STEP + 60,
    )


def description(part: str, figures: Mapping[str, Figure]) -> str:
    """What the chart says, for those who do not see it."""
    rows = win_rows(figures)
    if not rows:
        return f"No win rate of a {part}."
    said = ", ".join(f"{row['name']} {row['said']}" for row in rows)
    return f"Share of the wins of each {part}, highest first: {said}. Chance is {percent(1 / len(rows))}."


def win_rows(figures: Mapping[str, Figure]) -> list[dict[str, Any]]:
    """Rows, highest first."""
    known = _sorted(figures)
    return [
        {
            "name": name,
            "value": figures[name].value,
            "low": figures[name].low,
            "high": figures[name].high,
            "said": _said(figures[name]),
            "chance": 1 / len(known),
        }
        for name in known
    ]


def _sorted(figures: Mapping[str, Figure]) -> Sequence[str]:
    known = [name for name, one in figures.items() if one.value is not None]
    return sorted(known, key=lambda name: -(figures[name].value or 0.0))


def _said(figure: Figure) -> str:
    return format_interval(figure.value, figure.low, figure.high)


MOST_COLOURS = 8
_HEIGHT = 300
_A_MODEL = 20


def history_lines(study: Study, figure: Literal["performance", "robustness"]) -> Chart:
    """A line per model: its overall figure, with its interval, at each publication.

    The best eight models have colours of their own; the others are grey, named by the tooltip and the table.
    """
    own = study.models[:MOST_COLOURS]
    days = _days(study.history)
    base = alt.Chart(alt.NamedData("rows"))
    x = alt.X(
        "day:N", sort=days, title="Published", axis=alt.Axis(labelAngle=0), scale=alt.Scale(padding=0.2)
    )
    y = alt.Y("value:Q", title=figure.capitalize(), scale=alt.Scale(zero=False))
    colour = {"sort": list(own), "scale": alt.Scale(domain=list(own)), "title": None}
    legend = alt.Legend(orient="bottom", columns=2, symbolOpacity=1, labelLimit=130)
    tips = [
        alt.Tooltip("model:N", title="Model"),
        alt.Tooltip("day:N", title="Published"),
        alt.Tooltip("text:N", title=figure.capitalize()),
    ]
    among = base.transform_filter("datum.own")
    layers = [
        base.transform_filter("!datum.own")
        .mark_line(point={"size": 25, "color": "gray"}, color="gray", strokeWidth=1, opacity=0.6)
        .encode(x=x, y=y, detail="model:N", tooltip=tips),
        among.mark_rule(opacity=0.4).encode(
            x=x, y="low:Q", y2="high:Q", color=alt.Color("model:N", legend=legend, **colour)
        ),
        among.mark_line(strokeWidth=2).encode(x=x, y=y, color=alt.Color("model:N", legend=legend, **colour)),
        among.mark_point(filled=True, size=60, opacity=1).encode(
            x=x,
            y=y,
            color=alt.Color("model:N", legend=legend, **colour),
            shape=alt.Shape("model:N", legend=legend, **colour),
            tooltip=tips,
        ),
    ]
    chart = alt.layer(*layers).properties(width="container")
    return chart_of(
        f"history-{figure}",
        f"{figure.capitalize()} over all data sets, at each publication",
        f"A line per model: overall {figure} with its interval, from publication to publication; models "
        f"after the {MOST_COLOURS} best in grey. The same figures are in the table below.",
        chart,
        rows=_rows(study, figure, days, own),
        height=_HEIGHT + 60 + _A_MODEL * -(-len(own) // 2),
        table=_table(study, figure, days),
    )


def _days(history: tuple[Snapshot, ...]) -> list[str]:
    """The day of each publication; with the time where two have one day."""
    days = [each.day for each in history]
    return [
        day if days.count(day) == 1 else f"{day} {each.published[11:19]}"
        for day, each in zip(days, history, strict=True)
    ]


def _rows(study: Study, figure: str, days: list[str], own: tuple[str, ...]) -> list[dict[str, Any]]:
    rows = []
    for day, snapshot in zip(days, study.history, strict=True):
        for model in study.models:
            kept = getattr(snapshot.models.get(model), figure, None)
            if kept is not None and kept.value is not None:
                rows.append(
                    {
                        "day": day,
                        "model": model,
                        "own": model in own,
                        "value": kept.value,
                        "low": kept.low,
                        "high": kept.high,
                        "text": format_interval(kept.value, kept.low, kept.high),
                    }
                )
    return rows


def _table(study: Study, figure: str, days: list[str]) -> list[list[str]]:
    table = [["Model", *days]]
    for model in study.models:
        kept = [getattr(each.models.get(model), figure, None) for each in study.history]
        table.append([model, *(format_interval(k.value, k.low, k.high) if k else "\u2013" for k in kept)])
    return table
