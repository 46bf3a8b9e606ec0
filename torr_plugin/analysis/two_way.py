"""The two-way bootstrap: examples and configurations are both drawn with replacement."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .performance import mean_over_examples

if TYPE_CHECKING:
    import numpy as np

    from .types import Floats

Statistic = Callable[["Floats"], "Floats"]


def two_way_means(
    scores: Floats,
    statistics: Mapping[str, Statistic],
    rngs: tuple[np.random.Generator, np.random.Generator],
    resamples: int,
) -> dict[str, Floats]:
    """Figures over examples and configurations drawn with replacement, independently of each other.

    Args:
        scores: (models x configurations x examples); NaN is a hole.
        statistics: name -> a function of scores that gives (models x examples).
        rngs: draw the configurations and the examples. Data sets with the same configurations should be given
            equal first generators, so that overall figures draw a configuration in all of them.
        resamples: how many.

    Returns:
        For each statistic (models x resamples).
    """
    import numpy as np

    models, configurations, examples = scores.shape
    of_configurations, of_examples = rngs
    means = {name: np.empty((models, resamples)) for name in statistics}
    for k in range(resamples):
        chosen = of_configurations.integers(configurations, size=configurations)
        drawn = of_examples.integers(examples, size=examples)
        there = scores[:, chosen]
        for name, statistic in statistics.items():
            means[name][:, k] = mean_over_examples(statistic(there)[:, drawn])
    return means


def recentred(samples: Floats, values: Floats) -> Floats:
    """Move the samples of an extreme over configurations so that their mean is the figure, within [0, 1].

    A resample of n configurations holds about 0.63 n different ones, so that its minimum is higher and its
    maximum lower than the data's: a percentile interval would lie beside the figure.

    Args:
        samples: (models x resamples).
        values: the figures on the data, (models,).
    """
    import numpy as np

    return np.clip(samples - mean_over_examples(samples)[:, None] + values[:, None], 0.0, 1.0)
