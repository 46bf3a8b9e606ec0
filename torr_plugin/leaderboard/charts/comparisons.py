"""Charts that compare the publications of a study."""

from __future__ import annotations

from typing import Any, Literal

from ...analysis.charts.vega import Spec, layer, nominal, quantitative
from ..history import Snapshot
from ..study import Study
from ..views import interval_text
from .chart import Chart, chart_of

MOST_COLOURS = 8
_HEIGHT = 300
_A_MODEL = 20


def history_lines(study: Study, figure: Literal["performance", "robustness"]) -> Chart:
    """A line per model: its overall figure, with its interval, at each publication.

    The best eight models have a colour each; the others are grey, named by the tooltip and the table.
    """
    own = study.models[:MOST_COLOURS]
    days = _days(study.history)
    x = nominal("day", sort=days, title="Published", axis={"labelAngle": 0}, scale={"padding": 0.2})
    y = quantitative("value", title=figure.capitalize(), scale={"zero": False})
    legend = {"orient": "bottom", "columns": 2, "symbolOpacity": 1, "labelLimit": 130}
    model = nominal("model", sort=list(own), scale={"domain": list(own)}, title=None, legend=legend)
    tooltip = [
        nominal("model", title="Model"),
        nominal("day", title="Published"),
        nominal("text", title=figure.capitalize()),
    ]
    grey: Spec = {"x": x, "y": y, "detail": nominal("model"), "tooltip": tooltip}
    interval: Spec = {"x": x, "y": quantitative("low"), "y2": {"field": "high"}, "color": model}
    point: Spec = {"x": x, "y": y, "color": model, "shape": model, "tooltip": tooltip}
    layers = [
        layer(
            "line",
            grey,
            where="!datum.own",
            point={"size": 25, "color": "gray"},
            color="gray",
            strokeWidth=1,
            opacity=0.6,
        ),
        layer("rule", interval, where="datum.own", opacity=0.4),
        layer("line", {"x": x, "y": y, "color": model}, where="datum.own", strokeWidth=2),
        layer("point", point, where="datum.own", filled=True, size=60, opacity=1),
    ]
    return chart_of(
        f"history-{figure}",
        f"{figure.capitalize()} over all data sets, at each publication",
        f"A line per model: overall {figure} with its interval, from publication to publication; models "
        f"after the {MOST_COLOURS} best in grey. The same figures are in the table below.",
        {"layer": layers},
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
                        "text": interval_text(kept),
                    }
                )
    return rows


def _table(study: Study, figure: str, days: list[str]) -> list[list[str]]:
    table = [["Model", *days]]
    for model in study.models:
        kept = [getattr(each.models.get(model), figure, None) for each in study.history]
        table.append([model, *(interval_text(k) if k else "\u2013" for k in kept)])
    return table
