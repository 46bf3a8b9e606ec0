"""A figure of each model over the publications of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ...analysis import format_interval
from ..study import Study
from .chart import Chart, chart_of

if TYPE_CHECKING:
    from ..history import Snapshot

MOST_COLOURS = 8
_HEIGHT = 300
_A_MODEL = 20


def history_lines(study: Study, figure: Literal["performance", "robustness"]) -> Chart:
    """A line a model: its overall figure, with its interval, at each publication.

    The best eight models have colours of their own; the others are grey, named by the tooltip and the table.
    """
    import altair as alt

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
        f"A line a model: overall {figure} with its interval, from publication to publication; models after "
        f"the {MOST_COLOURS} best in grey. The same figures are in the table below.",
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
