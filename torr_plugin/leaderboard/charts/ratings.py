"""The chart of ratings: Bradley-Terry and Elo of each model, with intervals."""

from __future__ import annotations

from typing import Any

from ...analysis.charts.vega import PAPER, Spec, layer, nominal, quantitative
from ...analysis.ratings import Ratings
from ..battles.views import rating_text
from .chart import Chart, chart_of, label_axis, row_height

MOST_ROWS = 40
"""Models of the chart, the best; the table has all."""

_A_MODEL = 36
_LEGEND = 28
_PADDING = {"left": 2, "top": 2, "right": 40, "bottom": 2}
"""Room for the number beside the last interval."""
_HALOS: tuple[Spec, ...] = ({"stroke": PAPER, "strokeWidth": 4}, {})
"""First what is below a number, so that it is read on the line of 1000."""
_SERIES = ("Bradley-Terry", "Elo")
_COLOURS = ["var(--performance)", "var(--robustness)"]


def rating_chart(name: str, found: Ratings, questions: str) -> Chart:
    """Ratings with their intervals and numbers, a row a model, best first.

    Args:
        name: of the chart on its page.
        found: of all questions, or those of a level.
        questions: which.
    """
    scale = {"zero": False, "nice": True, "padding": 12}
    shared: Spec = {
        "y": label_axis(),
        "yOffset": nominal("series", scale={"domain": list(_SERIES)}),
        "color": nominal(
            "series",
            scale={"domain": list(_SERIES), "range": _COLOURS},
            legend={"title": None, "orient": "top", "symbolOpacity": 1},
        ),
        "tooltip": [
            nominal("label", title="Model"),
            nominal("series", title="Figure"),
            nominal("text", title="Rating"),
        ],
    }
    shapes = nominal("series", scale={"domain": list(_SERIES), "range": ["circle", "diamond"]})
    axis = {"tickCount": 4, "format": "d", "labelOverlap": True}
    value = quantitative("value", title="Rating", scale=scale, axis=axis)
    end = {**quantitative("high", title="Rating", scale=scale, axis=axis)}
    layers = [
        layer("rule", {"x": {"datum": 1000, "title": "Rating"}}, strokeDash=[4, 4], color="var(--soft)"),
        layer(
            "rule",
            {**shared, "x": quantitative("low", title="Rating"), "x2": {"field": "high"}},
            strokeWidth=2.5,
        ),
        layer("point", {**shared, "shape": shapes, "x": value}, size=70, filled=True, opacity=1),
        *(
            layer(
                "text",
                {**shared, "x": end, "text": nominal("number")},
                align="left",
                baseline="middle",
                dx=7,
                fontSize=13.5,
                **halo,
            )
            for halo in _HALOS
        ),
    ]
    rows = rating_rows(found)
    return chart_of(
        name,
        f"Ratings with their intervals, {questions}",
        rating_description(found),
        {"layer": layers, "padding": _PADDING},
        rows=rows,
        height=row_height(min(len(found.bradley_terry), MOST_ROWS), _A_MODEL) + _LEGEND,
    )


def rating_rows(found: Ratings) -> list[dict[str, Any]]:
    """A row for each finite rating of the best models."""
    rows = []
    for model in list(found.bradley_terry)[:MOST_ROWS]:
        for series, figures in zip(_SERIES, (found.bradley_terry, found.elo), strict=True):
            figure = figures[model]
            if figure.value is None:
                continue
            number, bounds = rating_text(figure)
            rows.append(
                {
                    "label": model,
                    "series": series,
                    "value": figure.value,
                    "low": figure.value if figure.low is None else figure.low,
                    "high": figure.value if figure.high is None else figure.high,
                    "number": number,
                    "text": f"{number} {bounds}".rstrip(),
                }
            )
    return rows


def rating_description(found: Ratings) -> str:
    """What the chart says, for those who do not see it."""
    named = (f"{row['label']} {row['text']}" for row in rating_rows(found) if row["series"] == _SERIES[0])
    return (
        f"Ratings of each model with intervals, Bradley-Terry and Elo; by Bradley-Terry: {', '.join(named)}."
    )
