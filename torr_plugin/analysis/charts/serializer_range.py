"""Highest minus lowest serializer score per model and data set (ToRR, Table 5)."""

from __future__ import annotations

from collections.abc import Sequence

from .drawing import Drawing
from .heat import Heat, heat
from .names import labels
from .panels import Layout, dots, panel_labels
from .study import (
    Analysis,
    Lacking,
    Row,
    basis,
    dataset_labels,
    intervals,
    known,
    model_labels,
    needed,
    unnamed,
)
from .style import SEQUENTIAL

MOST_CELLS = 300
"""Of a heat map; texts take long to draw, and more of them nobody reads."""

_WIDTH = 105
_TITLE = "Best less worst serializer, per model and data set"


def build(analysis: Analysis) -> Drawing:
    """A row a model, a column a data set."""
    found = needed(analysis, "serializers", "range", why=unnamed("serializers"))
    models, datasets = model_labels(analysis), dataset_labels(analysis)
    rows = [
        {"row": label, "column": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, entry in found.get(model, {}).items()
        if dataset in datasets and (figure := known(entry))
    ]
    if not rows:
        raise Lacking("there is one serializer only")
    if len(rows) > MOST_CELLS:
        return _panels(analysis, rows)
    top = max(row["value"] for row in rows) or 1.0
    layout = Heat(
        list(models.values()),
        list(datasets.values()),
        "range of scores",
        SEQUENTIAL,
        (0.0, top),
        (0.55 * top, 2.0),
    )
    lines = [_meaning(analysis), intervals(analysis).replace("Lines", "Small figures")]
    return heat(rows, layout, _TITLE, lines)


def _panels(analysis: Analysis, rows: Sequence[Row]) -> Drawing:
    """The same for many models: a panel a data set, a row a model."""
    names = labels(analysis["settings"]["examples"], panel_labels(_WIDTH))
    shorter = dict(zip(dataset_labels(analysis).values(), names.values(), strict=True))
    layout = Layout(
        rows=list(model_labels(analysis).values()),
        panels=list(names.values()),
        x="range of scores",
        width=_WIDTH,
    )
    placed = [{**row, "panel": shorter[row["column"]]} for row in rows]
    return dots(placed, layout, _TITLE, [_meaning(analysis), intervals(analysis)])


def _meaning(analysis: Analysis) -> str:
    picked = "The mean score with the best serializer less that with the worst, both picked on these scores"
    return f"{basis(analysis)}. {picked}"
