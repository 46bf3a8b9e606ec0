"""Open against closed models (ToRR, Fig. 9)."""

from __future__ import annotations

from .drawing import Drawing
from .panels import Layout, dots
from .study import Analysis, Lacking, basis, dataset_labels, intervals, known, needed

UNDESCRIBED = "models are not described as open or closed"
_SERIES = ("open", "closed")


def build(analysis: Analysis) -> Drawing:
    """A row a data set and one overall: the mean performance of the open and of the closed models."""
    found = needed(analysis, "groups", "openness", why=UNDESCRIBED)
    sizes = [len(found["models"][name]) for name in _SERIES]
    if not all(sizes):
        raise Lacking("all described models are open, or all closed")
    datasets = {"overall": "overall", **dataset_labels(analysis)}
    rows = [
        {"row": label, "series": name, **figure}
        for dataset, label in datasets.items()
        for name in _SERIES
        if (figure := known(found["performance"][dataset][name]))
    ]
    layout = Layout(
        rows=list(datasets.values()), series=_SERIES, x="mean performance of the models, 0 to 1", step=11
    )
    lines = [f"{basis(analysis)}; {sizes[0]} open, {sizes[1]} closed", intervals(analysis)]
    return dots(rows, layout, "Performance of open and of closed models", lines)
