"""A model's figures over data sets, against the range of all models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

from ..standing import DatasetStanding
from .chart import Chart, chart_of
from .intervals import interval_text, row_height, unit_axis

Kind = Literal["performance", "robustness"]


def profile_chart(model: str, kind: Kind, standings: Sequence[DatasetStanding], download: str = "") -> Chart:
    """A row a data set: a dot with its interval on a bar from the least to the greatest of all models."""
    rows = [
        {
            "label": each.dataset,
            "value": each.figure.value,
            "low": each.figure.low,
            "high": each.figure.high,
            "least": each.least,
            "middle": each.middle,
            "greatest": each.greatest,
            "text": interval_text(each.shown),
            "field": f"{_two(each.least)} to {_two(each.greatest)}, median {_two(each.middle)}",
            "place": _place(each),
        }
        for each in standings
    ]
    return chart_of(
        kind,
        f"{kind.capitalize()} on each data set",
        f"{kind.capitalize()} of {model} on each data set, from 0 to 1: a dot with its interval, on a bar "
        "from the least to the greatest of all models with a tick at their median. The numbers follow.",
        _profile_specification(kind),
        rows=rows,
        height=row_height(len(rows), 28),
        table=[
            ("Data set", kind.capitalize(), "Place", "Least", "Median", "Greatest"),
            *(
                (
                    each.dataset,
                    interval_text(each.shown),
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
    import altair as alt

    base = alt.Chart(alt.NamedData("rows")).encode(
        y=alt.Y("label:N", sort=None, title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=8)),
        tooltip=[
            alt.Tooltip("label:N", title="Data set"),
            alt.Tooltip("text:N", title=kind.capitalize()),
            alt.Tooltip("place:N", title="Place here"),
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
