"""Win rates of serializers or perturbations as dots with intervals, beside the level of chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...analysis import format_interval
from ..figures import percent
from ..schema import Figure
from .chart import Chart, chart_of

_STEP = 24


def win_chart(part: str, figures: Mapping[str, Figure], most: int, largest: float) -> Chart:
    """The chart with the default's rows; :func:`win_rows` makes others of the same kind.

    Args:
        part: "serializer" or "perturbation".
        figures: name -> win rate.
        most: names that any choice has.
        largest: bound of any choice, so that the axis stays when another is chosen.
    """
    import altair as alt

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
