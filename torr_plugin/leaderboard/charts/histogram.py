"""How many scores or examples there are in each bin from 0 to 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from .chart import Chart, chart_of

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
        counts: a bin each.
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
    import altair as alt

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
