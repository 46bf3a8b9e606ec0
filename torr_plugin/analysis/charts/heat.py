"""Heat maps whose cells say their figure and its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .labels import Row
from .vega import Drawing, heading, named_rows

_CELL = (66, 30)
_WITH_ESTIMATE = (84, 30)


@dataclass(frozen=True)
class Heat:
    """How a heat map is laid out.

    Attributes:
        rows: labels, top to bottom.
        columns: labels, left to right.
        legend: the title of the colours' legend.
        scheme: of the colours.
        domain: the figures at the colours' ends.
        dark: the figures beyond which a cell is dark, so that its text must be white: (below, above).
    """

    rows: Sequence[str]
    columns: Sequence[str]
    legend: str
    scheme: str
    domain: tuple[float, float]
    dark: tuple[float, float]


def heat(rows: Sequence[Row], layout: Heat, title: str, lines: Sequence[str]) -> Drawing:
    """A heat map.

    Args:
        rows: ``row``, ``column``, ``value``, ``low``, ``high``, and ``estimate`` where the interval belongs
            to another figure than the value.
        layout: see there.
        title: what is shown.
        lines: what it rests on.
    """
    import altair as alt

    cells = [_with_text(row, layout) for row in rows]
    base = alt.Chart().encode(
        x=alt.X(
            "column:N",
            title=None,
            scale=alt.Scale(domain=list(layout.columns)),
            axis=alt.Axis(orient="top", labelAngle=-35, labelAlign="left", labelLimit=200, ticks=False),
        ),
        y=alt.Y("row:N", title=None, scale=alt.Scale(domain=list(layout.rows)), axis=alt.Axis(ticks=False)),
    )
    color = alt.Color(
        "value:Q",
        title=layout.legend,
        scale=alt.Scale(scheme=layout.scheme, domain=list(layout.domain), clamp=True),
        legend=alt.Legend(gradientLength=120),
    )
    ink = alt.Color("ink:N", scale=None)
    marks = [
        base.mark_rect(stroke="white").encode(color=color),
        base.mark_text(fontSize=11, dy=-5).encode(text="figure:N", color=ink),
        base.mark_text(fontSize=8.5, dy=7).encode(text="interval:N", color=ink),
    ]
    cell = _WITH_ESTIMATE if any("estimate" in row for row in rows) else _CELL
    size = {"width": alt.Step(cell[0]), "height": alt.Step(cell[1])}
    chart = alt.layer(*marks, data=named_rows()).properties(view={"stroke": None}, **size)
    chart = chart.resolve_scale(color="independent")
    width = max(420, 190 + cell[0] * len(layout.columns))
    return Drawing(chart.properties(title=heading(title, lines, width)), cells)


def _with_text(row: Row, layout: Heat) -> Row:
    below, above = layout.dark
    interval = "" if row["low"] == row["high"] else f"[{row['low']:.2f}, {row['high']:.2f}]"
    if interval and "estimate" in row:
        interval = f"{row['estimate']:.2f}, {interval}"
    return {
        **row,
        "figure": f"{row['value']:.2f}".replace("-", "\N{MINUS SIGN}"),
        "interval": interval.replace("-", "\N{MINUS SIGN}"),
        "ink": "white" if row["value"] < below or row["value"] > above else "black",
    }
