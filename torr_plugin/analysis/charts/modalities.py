"""Tables as pictures against tables as text (HCT-QA, Fig. 38)."""

from __future__ import annotations

from .drawing import Drawing
from .names import labels
from .panels import Layout, dots, panel_labels
from .study import Analysis, Row, basis, intervals, known, model_labels, needed

_SERIES = {"text": "as text", "image": "as a picture"}
_WIDTH = 240


def build(analysis: Analysis) -> Drawing:
    """A panel a data set, a row a model: its mean score with tables as text and as pictures."""
    found = needed(
        analysis, "modalities", "datasets", why="no tables were shown both as text and as pictures"
    )
    models, panels = model_labels(analysis), labels(found, panel_labels(_WIDTH))
    rows: list[Row] = [
        {"row": label, "series": series, "panel": panels[place], **figure}
        for place, own in found.items()
        for model, label in models.items()
        for key, series in _SERIES.items()
        if (figure := known(own["models"][model][key]))
    ]
    layout = Layout(
        rows=list(models.values()),
        series=list(_SERIES.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="mean score, 0 to 1",
        width=_WIDTH,
        columns=3,
        step=11,
    )
    return dots(rows, layout, "Tables as text and as pictures", [basis(analysis), intervals(analysis)])
