"""Score against the number of values that answers give (HCT-QA, Fig. 35)."""

from __future__ import annotations

from .drawing import Drawing, named_rows
from .names import labels
from .panels import panel
from .study import Analysis, Row, basis, known, model_labels, needed
from .style import BLUE, GREY, heading

_WIDTH, _HEIGHT, _COLUMNS = 300, 220, 3


def build(analysis: Analysis) -> Drawing:
    """A panel a data set, a point a model; a dashed line at the truth's number of values."""
    import altair as alt

    found = needed(analysis, "verbosity", why="nobody counted the values in answers")
    panels, models = labels(found, 40), model_labels(analysis)
    rows: list[Row] = [
        {
            "panel": panels[place],
            "model": models[model],
            "truth": own["truth"],
            **figure,
            "across": across["value"],
            "left": across["low"],
            "right": across["high"],
        }
        for place, own in found.items()
        for model, one in own["models"].items()
        if (figure := known(one["score"])) and (across := known(one["values"]))
    ]
    x = alt.X("across:Q", title="values an answer, mean", scale=alt.Scale(zero=False))
    base = alt.Chart().encode(x=x)
    low = alt.Y("low:Q", title="mean score, 0 to 1", scale=alt.Scale(zero=False))
    marks = [
        alt.Chart().mark_rule(strokeDash=[4, 3], color=GREY).encode(x="min(truth):Q"),
        base.mark_rule(strokeWidth=2, opacity=0.6, color=BLUE).encode(y=low, y2="high:Q"),
        alt.Chart()
        .mark_rule(strokeWidth=2, opacity=0.6, color=BLUE)
        .encode(x="left:Q", x2="right:Q", y="value:Q"),
        base.mark_point(filled=True, size=40, opacity=1, color=BLUE).encode(y="value:Q"),
        base.mark_text(align="left", dx=6, dy=-6, fontSize=9).encode(y="value:Q", text="model:N"),
    ]
    chart = alt.layer(*marks, data=named_rows()).properties(width=_WIDTH, height=_HEIGHT)
    chart = chart.facet(facet=panel(list(panels.values()), _WIDTH), columns=_COLUMNS)
    lines = [
        basis(analysis),
        "Dashed: the mean number of values in right answers. Lines: "
        f"{100 * analysis['settings']['level']:g} % intervals, whole tables resampled",
    ]
    title = heading(
        "Score against the number of values that a model gives", lines, max(420, _WIDTH * len(panels))
    )
    return Drawing(chart.properties(title=title), rows)
