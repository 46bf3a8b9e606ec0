"""Kendall's tau-b between the data sets' rankings of the models (ToRR, Fig. 5)."""

from __future__ import annotations

from .drawing import Drawing
from .heat import Heat, heat
from .study import Analysis, basis, dataset_labels, endless, known, needed, several
from .style import DIVERGING


def build(analysis: Analysis) -> Drawing:
    """A row and a column a data set, each pair once."""
    found = needed(analysis, "dataset_agreement")
    several(found["datasets"], "data set")
    several(analysis["performance"], "model")
    names = dataset_labels(analysis)
    rows = [
        {"row": names[first], "column": names[second], **figure}
        for i, first in enumerate(found["datasets"])
        for j, second in enumerate(found["datasets"])
        if j < i and (figure := known({key: found[name][i][j] for key, name in _KEYS.items()}))
    ]
    labels = list(names.values())
    layout = Heat(labels[1:], labels[:-1], "Kendall's tau-b", DIVERGING, (-1, 1), (-0.75, 0.75))
    lines = [basis(analysis), f"Small figures: {endless(analysis, 'tau-b')}"]
    return heat(rows, layout, "Agreement of data sets on the ranking of models", lines)


_KEYS = {"value": "tau", "low": "low", "high": "high"}
