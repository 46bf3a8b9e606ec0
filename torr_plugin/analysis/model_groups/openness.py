"""Open against closed models (ToRR, appendix B.2; Fig. 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..figures import Estimate
from ..parts.weighted import weighted, weights
from .described import Description

COMPARED = ("performance", "robustness")
"""The figures that groups of models are compared by."""

Estimates = Mapping[str, Estimate]


def openness(
    models: Sequence[str], places: Mapping[str, Estimates], described: Mapping[str, Description], level: float
) -> dict[str, Any]:
    """Mean figures of open and of closed models, and closed minus open (Fig. 9).

    A group's figure is the unweighted mean over its models; models without a figure are left out of it.

    Returns:
        {"models": {"open": [...], "closed": [...]}, "performance": {data set or "overall": {"open": F,
        "closed": F, "difference": F}}, "robustness": same}, F = {"value", "low", "high"}, null for a group
        without a figure, ``"complete": False`` where a model of it has none.
    """
    groups = {
        name: [i for i, model in enumerate(models) if model in described and described[model].open is flag]
        for name, flag in (("open", True), ("closed", False))
    }
    found: dict[str, Any] = {"models": {name: [models[i] for i in rows] for name, rows in groups.items()}}
    for name in COMPARED:
        found[name] = {
            place: _compared(estimates[name], groups, level) for place, estimates in places.items()
        }
    return found


def _compared(estimate: Estimate, groups: Mapping[str, Sequence[int]], level: float) -> dict[str, Any]:
    import numpy as np

    rows = {
        name: [i for i in members if not np.isnan(estimate.values[i])] for name, members in groups.items()
    }
    whole = {name: len(rows[name]) == len(members) for name, members in groups.items()}
    shares = {name: weights(len(estimate.values), members) for name, members in rows.items()}
    figures = {name: weighted(estimate, share, level, complete=whole[name]) for name, share in shares.items()}
    closed_less_open = shares["closed"] - shares["open"]
    figures["difference"] = weighted(estimate, closed_less_open, level, complete=all(whole.values()))
    return figures
