"""Which share of model pairs each data set tells apart (ToRR, Fig. 4)."""

from __future__ import annotations

from .drawing import Drawing
from .panels import Layout, dots
from .study import Analysis, Lacking, basis, dataset_labels, known, needed

_SERIES = {"value": "intervals apart", "paired": "paired test, Holm-corrected"}


def build(analysis: Analysis) -> Drawing:
    """A row a data set and one for all together, by both criteria."""
    found = needed(analysis, "separability")
    datasets = {"overall": "overall", **dataset_labels(analysis)}
    rows = [
        {"row": label, "series": series, **figure}
        for dataset, label in datasets.items()
        for key, series in _SERIES.items()
        if (figure := known({"value": (found["datasets"].get(dataset) or found["overall"])[key]}))
    ]
    if not rows:
        raise Lacking("there is one model only")
    layout = Layout(
        rows=list(datasets.values()),
        series=list(_SERIES.values()),
        x="share of model pairs told apart",
        domain=(0, 1),
        format="~%",
        step=11,
    )
    pairs = found["overall"]["pairs"]
    lines = [
        f"{basis(analysis)}; {pairs:,} pairs. Intervals apart: the "
        f"{100 * analysis['settings']['level']:g} % intervals of performance do not overlap."
    ]
    return dots(rows, layout, "Separability: the share of model pairs that a data set tells apart", lines)
