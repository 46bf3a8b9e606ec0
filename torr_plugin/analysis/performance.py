"""Performance: the mean score over configurations and examples (ToRR, section 2.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Floats


def example_means(scores: Floats) -> Floats:
    """The mean over configurations, an example each.

    Args:
        scores: (models x configurations x examples), in [0, 1]; NaN is a hole.

    Returns:
        (models x examples); the mean over the configurations that are there, NaN where none is.
    """
    import numpy as np

    totals: Floats = scores.sum(axis=1)
    if not np.isnan(totals).any() and scores.shape[1]:
        means: Floats = totals / scores.shape[1]
        return means
    present = ~np.isnan(scores)
    return divided(np.where(present, scores, 0.0).sum(axis=1), present.sum(axis=1))


def mean_over_examples(values: Floats) -> Floats:
    """(... x examples) -> (...): the mean over the examples that have a value; NaN where none has."""
    import numpy as np

    present = ~np.isnan(values)
    return divided(np.where(present, values, 0.0).sum(axis=-1), present.sum(axis=-1))


def performance(scores: Floats) -> Floats:
    """The mean score over configurations and examples, mean over c, e of s; (models,).

    With holes: the mean over examples of the mean over the configurations that are there, so that every
    example counts alike.
    """
    return mean_over_examples(example_means(scores))


def divided(sums: Floats, counts: Floats) -> Floats:
    """Quotients, NaN where the count is 0."""
    import numpy as np

    out = np.full(np.broadcast(sums, counts).shape, np.nan)
    result: Floats = np.divide(sums, counts, out=out, where=counts > 0)
    return result
