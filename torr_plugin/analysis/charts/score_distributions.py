"""How scores are distributed on every data set (ToRR, Fig. 16)."""

from __future__ import annotations

from .drawing import Drawing
from .histograms import histograms
from .study import Analysis, basis, needed


def build(analysis: Analysis) -> Drawing:
    """A panel a data set: the scores of all models, configurations and examples."""
    found = needed(analysis, "distributions")
    lines = [f"{basis(analysis)}. Dashed: the mean"]
    return histograms(found, ("score", "share of scores"), "Distribution of scores per data set", lines)
