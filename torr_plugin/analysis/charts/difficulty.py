"""How hard the examples are (ToRR, Fig. 17)."""

from __future__ import annotations

from .drawing import Drawing
from .histograms import histograms
from .study import Analysis, basis, needed


def build(analysis: Analysis) -> Drawing:
    """A panel a data set: each example's mean score over models and configurations."""
    found = needed(analysis, "difficulty")
    lines = [f"{basis(analysis)}. Low: hard for all; dashed: the data set's mean"]
    axes = ("mean score", "share of examples")
    return histograms(found, axes, "Difficulty of examples per data set", lines)
