"""Variance components of a crossed random design with holes, one score a cell at most.

Henderson's first method (Henderson, "Estimation of variance and covariance components", Biometrics 1953;
Searle, Casella and McCulloch, "Variance Components", 1992, section 5.3): the uncorrected sums of squares of
all groupings have expectations that are linear in the components, whatever is missing, as long as it is
missing at random. Without holes the solution is that of the analysis of variance.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .statistics import Floats
from .variance_components import COMPONENTS

_AXES = (0, 1, 2)
_GROUPINGS = tuple(axes for size in (1, 2, 3) for axes in combinations(_AXES, size))
"""Of models, configurations and examples, in the order of ``COMPONENTS``."""


def henderson_components(scores: Floats) -> dict[str, float]:
    """The seven components, unbiased, negative ones as they are.

    Args:
        scores: (models x configurations x examples), NaN is a hole; at least two of each.

    Returns:
        For each of ``COMPONENTS`` its estimate; NaN for all where what is there cannot tell them apart.
    """
    present = ~np.isnan(scores)
    filled = np.where(present, scores - scores[present].mean(), 0.0)  # squares of small numbers are exact
    groupings = ((), *_GROUPINGS)
    counts = {axes: _summed(present, axes) for axes in groupings}
    observed = np.array([_squares(_summed(filled, axes), counts[axes]) for axes in groupings])
    total = float(present.sum())
    expected = np.array(
        [[total, *(_coefficient(counts, axes, component) for component in _GROUPINGS)] for axes in groupings]
    )
    if np.linalg.matrix_rank(expected / total) < len(groupings):
        return dict.fromkeys(COMPONENTS, float("nan"))
    _, *components = np.linalg.solve(expected, observed)
    return dict(zip(COMPONENTS, map(float, components), strict=True))


def _summed(values: Floats, kept: tuple[int, ...]) -> Floats:
    others = tuple(axis for axis in _AXES if axis not in kept)
    summed: Floats = np.asarray(values.sum(axis=others, keepdims=True), dtype=float)
    return summed


def _squares(sums: Floats, counts: Floats) -> float:
    """The sum over groups of n times the squared mean."""
    return float(np.divide(sums**2, counts, out=np.zeros_like(sums), where=counts > 0).sum())


def _coefficient(
    counts: dict[tuple[int, ...], Floats], axes: tuple[int, ...], component: tuple[int, ...]
) -> float:
    """What a component of variance 1 adds to the expected sum of squares of a grouping."""
    both = tuple(sorted({*axes, *component}))
    within = np.broadcast_to(counts[axes], counts[both].shape)
    return float(np.divide(counts[both] ** 2, within, out=np.zeros_like(within), where=within > 0).sum())
