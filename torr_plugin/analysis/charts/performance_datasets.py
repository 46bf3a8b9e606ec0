"""Performance of every model on every data set (ToRR, Fig. 8)."""

from __future__ import annotations

from .drawing import Drawing
from .names import labels
from .panels import Layout, dots, panel_labels
from .study import Analysis, basis, intervals, known, model_labels

_WIDTH = 105


def build(analysis: Analysis) -> Drawing:
    """A panel a data set, a row a model."""
    models = model_labels(analysis)
    datasets = labels(analysis["settings"]["examples"], panel_labels(_WIDTH))
    rows = [
        {"row": label, "panel": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, found in analysis["performance"][model]["datasets"].items()
        if (figure := known(found))
    ]
    layout = Layout(
        rows=list(models.values()),
        panels=list(datasets.values()),
        x="performance, 0 to 1",
        width=_WIDTH,
        apart=True,
    )
    lines = [f"{basis(analysis)}. Every panel has an axis of its own", intervals(analysis)]
    return dots(rows, layout, "Performance of each model per data set", lines)
