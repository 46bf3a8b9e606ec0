"""Each model's worst and best configuration (ToRR, Fig. 3)."""

from __future__ import annotations

from .drawing import Drawing
from .panels import Layout, dots
from .study import Analysis, basis, intervals, known, model_labels, needed

_SERIES = {"worst": "worst configuration", "best": "best configuration"}


def build(analysis: Analysis) -> Drawing:
    """A row a model: its mean score in the configurations that suit it least and best."""
    found = needed(analysis, "configuration_range")
    models = model_labels(analysis)
    rows = [
        {"row": label, "series": series, **figure}
        for model, label in models.items()
        for end, series in _SERIES.items()
        if (figure := known((found[model]["overall"] or {}).get(end)))
    ]
    layout = Layout(
        rows=list(models.values()),
        series=list(_SERIES.values()),
        x="mean score over data sets, 0 to 1",
        step=11,
    )
    title = "The worst and the best configuration of each model"
    return dots(rows, layout, title, [basis(analysis), intervals(analysis)])
