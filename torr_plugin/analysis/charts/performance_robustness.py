"""Performance and robustness of every model (ToRR, Table 2)."""

from __future__ import annotations

from .drawing import Drawing
from .panels import Layout, dots
from .study import Analysis, basis, intervals, known, model_labels

_PANELS = {"performance": "performance", "robustness": "robustness", "worst": "worst", "best": "best"}


def build(analysis: Analysis) -> Drawing:
    """A row a model; beside performance and robustness the worst and best configuration of each example."""
    models = model_labels(analysis)
    rows = [
        {"row": label, "panel": panel, **figure}
        for name, panel in _PANELS.items()
        for model, label in models.items()
        if (figure := known(analysis[name][model]["overall"]))
    ]
    layout = Layout(
        rows=list(models.values()),
        panels=list(_PANELS.values()),
        x="score, 0 to 1",
        width=135,
        columns=4,
        apart=True,
    )
    lines = [
        f"{basis(analysis)}. Robustness: 1 less the mean range of an example's scores over configurations; "
        "worst and best: the mean of its least and its highest score.",
        intervals(analysis),
    ]
    return dots(rows, layout, "Performance and robustness of each model", lines)
