"""Groups of models: open against closed, and families by size (ToRR, Fig. 8 and 9, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..frame import OVERALL
from .described import Description
from .families import families
from .openness import Estimates, openness


def model_groups(
    models: Sequence[str],
    places: Mapping[str, Estimates],
    described: Mapping[str, Description],
    level: float,
) -> dict[str, Any]:
    """What the figures of groups of models are; models are taken as given, intervals are over examples.

    Args:
        models: labels of the estimates' rows.
        places: "overall" and every data set -> figure's name -> its estimate, (models,) with resamples.
        described: model -> description.
        level: of the intervals.

    Returns:
        "openness" where a model is said to be open or closed, "families" where one has a family; empty where
        neither is.
    """
    known = {model: described[model] for model in models if model in described}
    found: dict[str, Any] = {}
    if any(one.open is not None for one in known.values()):
        found["openness"] = openness(models, places, known, level)
    if any(one.family is not None for one in known.values()):
        found["families"] = families(models, places[OVERALL], known, level)
    return found
