"""Histograms, a panel a data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .drawing import Drawing, named_rows
from .names import labels
from .panels import panel, panel_labels
from .study import Row
from .style import BLUE, heading

_WIDTH, _HEIGHT, _COLUMNS = 120, 80, 5


def histograms(
    binned: Mapping[str, Mapping[str, Any]], axes: tuple[str, str], title: str, lines: Sequence[str]
) -> Drawing:
    """A chart of binned values.

    Args:
        binned: data set -> ``edges`` of the bins, ``counts`` in them, and where there is one ``mean``.
        axes: the titles of the horizontal and the vertical axis.
        title: what is shown.
        lines: what it rests on.
    """
    import altair as alt

    names = labels(binned, panel_labels(_WIDTH))
    rows = [row for dataset, bins in binned.items() for row in _rows(names[dataset], bins)]
    bars = (
        alt.Chart()
        .mark_bar(color=BLUE, stroke="white", strokeWidth=0.5)
        .encode(
            x=alt.X("start:Q", title=axes[0], bin="binned", axis=alt.Axis(values=[0, 0.5, 1])),
            x2="end:Q",
            y=alt.Y("share:Q", title=axes[1], axis=alt.Axis(format="%", tickCount=3)),
        )
    )
    mean = alt.Chart().mark_rule(strokeDash=[4, 3]).encode(x="min(mean):Q")
    chart = alt.layer(bars, mean, data=named_rows()).properties(width=_WIDTH, height=_HEIGHT)
    facet = panel(list(names.values()), _WIDTH)
    chart = chart.facet(facet=facet, columns=_COLUMNS, spacing={"row": 12, "column": 14})
    # an axis each: a shared one would also stand where there is no panel
    chart = chart.resolve_axis(x="independent")
    width = min(len(names), _COLUMNS) * (_WIDTH + 14) + 60
    return Drawing(chart.properties(title=heading(title, lines, max(width, 420))), rows)


def _rows(label: str, bins: Mapping[str, Any]) -> list[Row]:
    edges, counts = bins["edges"], bins["counts"]
    total = sum(counts) or 1
    places = [
        {"panel": label, "start": start, "end": end, "share": count / total}
        for start, end, count in zip(edges, edges[1:], counts, strict=False)
    ]
    mean = bins.get("mean")
    return [{**place, "mean": mean} for place in places] if mean is not None else places
