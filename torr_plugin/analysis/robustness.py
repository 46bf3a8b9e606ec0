"""Robustness: one minus the mean range of an example's scores over configurations (ToRR, section 2.2).

The range grows with the number of configurations, and a model that is always wrong has none: hence ``worst``,
``best`` and ``robustness_solvable`` beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .performance import mean_over_examples

if TYPE_CHECKING:
    from .types import Floats


def example_worst(scores: Floats) -> Floats:
    """The least score over the configurations that are there, (models x examples); NaN where none is."""
    import numpy as np

    lowest = np.where(np.isnan(scores), np.inf, scores).min(axis=1)
    return np.where(np.isinf(lowest), np.nan, lowest)


def example_best(scores: Floats) -> Floats:
    """The best score over the configurations that are there, (models x examples); NaN where none is."""
    import numpy as np

    highest = np.where(np.isnan(scores), -np.inf, scores).max(axis=1)
    return np.where(np.isinf(highest), np.nan, highest)


def example_robustness(scores: Floats) -> Floats:
    """1 - (max over c of s - min over c of s), (models x examples)."""
    return 1.0 - (example_best(scores) - example_worst(scores))


def example_robustness_solvable(scores: Floats) -> Floats:
    """As :func:`example_robustness` on the examples with max over c of s > 0; NaN on the others."""
    import numpy as np

    return np.where(example_best(scores) > 0, example_robustness(scores), np.nan)


def robustness(scores: Floats) -> Floats:
    """One minus the mean range, 1 - mean over e of (max over c of s - min over c of s), (models,)."""
    return mean_over_examples(example_robustness(scores))


def worst(scores: Floats) -> Floats:
    """Mean over e of min over c of s, (models,)."""
    return mean_over_examples(example_worst(scores))


def best(scores: Floats) -> Floats:
    """Mean over e of max over c of s, (models,)."""
    return mean_over_examples(example_best(scores))


def robustness_solvable(scores: Floats) -> Floats:
    """Robustness over the examples with max over c of s > 0, (models,); NaN for a model that solves none."""
    return mean_over_examples(example_robustness_solvable(scores))
