"""Where the variance of scores comes from: models, configurations, examples and how they combine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .drawing import Drawing, named_rows
from .names import labels
from .panels import Layout, dots, panel_labels
from .study import Analysis, Lacking, basis, dataset_labels, known, needed
from .style import GREY, SERIES, heading

_WIDTH = 100
_SHARES = 430  # pixels of the stacked bars


def build(analysis: Analysis) -> Drawing:
    """Above, shares of the whole variance, a bar a data set; below, each component with its interval."""
    import altair as alt

    found = needed(analysis, "generalizability")
    datasets = {"overall": "overall", **dataset_labels(analysis)}
    names = labels(next(iter(found.values()))["components"], panel_labels(_WIDTH) + 6)
    rows = [
        {"row": label, "panel": names[component], "place": place, "share": entry["share"], **figure}
        for dataset, label in datasets.items()
        for place, (component, entry) in enumerate(found[dataset]["components"].items())
        if (figure := known(entry))
    ]
    if not rows:
        raise Lacking("there are no two models, configurations and examples")
    shown = list(dict.fromkeys(row["row"] for row in rows))
    layout = Layout(
        rows=shown,
        panels=list(names.values()),
        x="variance",
        width=_WIDTH,
        columns=4,
        apart=True,
    )
    lines = [
        f"{basis(analysis)}. A colon: what two together add; residual: all three, and chance. "
        "Overall: of the mean over data sets, one example each.",
        f"Lines: {100 * analysis['settings']['level']:g} % generalized confidence intervals",
    ]
    chart = alt.vconcat(_shares(shown, names), dots(rows, layout, "", []).chart, spacing=24)
    chart = chart.resolve_scale(color="independent")  # a shared legend would stand right of everything
    return Drawing(
        chart.properties(title=heading("Variance components of scores", lines, layout.whole_width)), rows
    )


def _shares(shown: list[str], names: Mapping[str, str]) -> Any:
    import altair as alt

    domain = list(names.values())
    scale = alt.Scale(domain=domain, range=[*SERIES[: len(domain) - 1], GREY])
    chart = alt.Chart(named_rows()).mark_bar(stroke="white", strokeWidth=0.5)
    return chart.encode(
        x=alt.X(
            "share:Q",
            title="share of the variance",
            stack="zero",
            scale=alt.Scale(domain=[0, 1]),
            axis=alt.Axis(format="%"),
        ),
        y=alt.Y("row:N", title=None, scale=alt.Scale(domain=shown)),
        color=alt.Color("panel:N", title=None, scale=scale, legend=alt.Legend(orient="right")),
        order=alt.Order("place:Q"),
    ).properties(width=_SHARES, height=alt.Step(17))
