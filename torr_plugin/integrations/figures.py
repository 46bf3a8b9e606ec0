"""Performance, robustness, worst and best of one example from its scores under all configurations.

Each figure of a data set is a mean over its examples (ToRR, section 2.2), so a harness that averages over
documents and gives the mean's standard error gives ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

FIGURES = ("performance", "robustness", "worst", "best")


def figures_of_example(scores: Iterable[float]) -> dict[str, float]:
    """The four figures of one example.

    Args:
        scores: main scores in [0, 1], one a configuration, NaN where there is none. An example with a hole
            has no figures (NaN): a range over fewer configurations would look more robust than it is.
    """
    values = list(scores)
    if not values or any(math.isnan(value) for value in values):
        return dict.fromkeys(FIGURES, math.nan)
    low, high = min(values), max(values)
    return {
        "performance": math.fsum(values) / len(values),
        "robustness": 1.0 - (high - low),
        "worst": low,
        "best": high,
    }
