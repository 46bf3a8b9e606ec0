"""Kendall's W over the rankings that single configurations give (ToRR, Fig. 6a)."""

from __future__ import annotations

from .drawing import Drawing
from .panels import Layout, dots
from .study import Analysis, Lacking, basis, dataset_labels, endless, needed, without_noise


def build(analysis: Analysis) -> Drawing:
    """A row a data set and one overall, with the agreement that random rankings would show."""
    found = needed(analysis, "configuration_agreement_intervals")
    names = {"overall": "overall", **dataset_labels(analysis)}
    rows = [
        {"row": label, "reference": found[name]["chance"], **figure}
        for name, label in names.items()
        if (figure := without_noise(found.get(name)))
    ]
    if not rows:
        raise Lacking("there is one model or one configuration only")
    layout = Layout(rows=list(names.values()), x="Kendall's W over single configurations", domain=(0, 1))
    lines = [
        f"{basis(analysis)}. 1: every configuration ranks the models alike; dashed: random rankings",
        f"Hollow: W of these scores. Filled, with lines: {endless(analysis, 'W')}",
    ]
    return dots(rows, layout, "Agreement of single configurations on the ranking of models", lines)
