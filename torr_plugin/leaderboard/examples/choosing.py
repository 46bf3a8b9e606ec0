"""Which examples are published with their texts, where all would make the site too large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def most_telling(flipped: Sequence[float | None], costs: Sequence[float], budget: float) -> NDArray[np.bool_]:
    """The examples to keep: those that configurations flip most, as many as the budget bears.

    Args:
        flipped: how far configurations move each example's scores; None counts as not at all.
        costs: bytes of each on the site.
        budget: bytes in all.
    """
    import numpy as np

    cost = np.asarray(costs, float)
    keep: NDArray[np.bool_] = np.ones(len(cost), bool)
    if cost.sum() <= budget:
        return keep
    order = np.argsort([-(each or 0.0) for each in flipped], kind="stable")
    keep[order] = np.cumsum(cost[order]) <= budget
    return keep
