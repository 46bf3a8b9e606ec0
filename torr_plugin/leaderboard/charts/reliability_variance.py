"""Shares of the variance of scores, a bar a data set."""

from __future__ import annotations

from collections.abc import Mapping

from ..figures import percent
from ..schema import Generalizability
from ..variance import WORDS
from .chart import Chart, chart_of

_STEP = 26


def variance_chart(found: Mapping[str, Generalizability], title: str) -> Chart | None:
    """Stacked bars; None where no data set has components.

    Args:
        found: data set or "overall" -> its components.
        title: what "overall" is called.
    """
    import altair as alt

    rows = [
        {
            "row": title if name == "overall" else name,
            "source": WORDS.get(component, component),
            "place": place,
            "share": figure.share,
            "said": percent(figure.share),
        }
        for name, one in found.items()
        for place, (component, figure) in enumerate(one.components.items())
        if figure.share is not None
    ]
    if not rows:
        return None
    domain = list(dict.fromkeys(str(row["source"]) for row in rows))
    bars = (
        alt.Chart(alt.NamedData("rows"))
        .mark_bar()
        .encode(
            x=alt.X(
                "share:Q",
                title="share of a score's variance",
                stack="zero",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(format="%", tickCount=5),
            ),
            y=alt.Y("row:N", title=None, sort=None, axis=alt.Axis(labelLimit=170)),
            color=alt.Color(
                "source:N",
                title=None,
                sort=domain,
                scale=alt.Scale(domain=domain),
                legend=alt.Legend(orient="bottom", columns=1, symbolType="square", labelLimit=0),
            ),
            order=alt.Order("place:Q"),
            tooltip=[
                alt.Tooltip("row:N", title="data set"),
                alt.Tooltip("source:N", title="source"),
                alt.Tooltip("said:N", title="share"),
            ],
        )
    )
    places = list(dict.fromkeys(str(row["row"]) for row in rows))
    table = [
        ["Data set", *domain],
        *([place, *(str(row["said"]) for row in rows if row["row"] == place)] for place in places),
    ]
    return chart_of(
        "variance",
        "Where the variance of scores comes from",
        f"Stacked bars, one for each of {len(places)} rows: shares of the variance of a score by source; "
        "the table of numbers follows.",
        bars.properties(width="container"),
        rows=rows,
        height=len(places) * _STEP + 220,
        table=table,
        download="variance_components",
    )
