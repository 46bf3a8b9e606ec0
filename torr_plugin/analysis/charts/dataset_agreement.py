"""Kendall's tau-b between the data sets' rankings of the models (ToRR, Fig. 5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from .drawing import Drawing
from .heat import Heat, heat
from .study import Analysis, Row, basis, dataset_labels, endless, needed, several, without_noise
from .style import DIVERGING


def build(analysis: Analysis) -> Drawing:
    """A row and a column a data set, each pair once."""
    found = needed(analysis, "dataset_agreement")
    several(found["datasets"], "data set")
    several(analysis["performance"], "model")
    names = dataset_labels(analysis)
    rows = [
        {"row": names[first], "column": names[second], **figure}
        for first, second in _pairs(names)
        if (figure := _figure(found, first, second))
    ]
    labels = list(names.values())
    layout = Heat(labels[1:], labels[:-1], "Kendall's tau-b", DIVERGING, (-1, 1), (-0.75, 0.75))
    lines = [
        f"{basis(analysis)}. Large figures and colours: tau-b of these scores",
        f"Small figures: {endless(analysis, 'tau-b')}",
    ]
    return heat(rows, layout, "Agreement of data sets on the ranking of models", lines)


def _pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Each pair once, the later one first, as the rows and columns stand."""
    return [(later, earlier) for earlier, later in combinations(names, 2)]


def _figure(found: Mapping[str, Any], first: str, second: str) -> Row | None:
    """Tau-b of two data sets, which stand sorted in the analysis, with the estimate and its interval."""
    i, j = (found["datasets"].index(name) for name in (first, second))
    row = without_noise({key: found[name][i][j] for key, name in _KEYS.items()})
    return {**row, "value": row["seen"], "estimate": row["value"]} if row else None


_KEYS = {"value": "tau", "estimate": "estimate", "low": "low", "high": "high"}
