"""Models compared two at a time, on the cells that both have: of each data set, and overall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.statistics import Booleans, ClusteredMeans, Floats, Integers, clustered_means
from .cube import Cube, numbered
from .estimates import STATISTICS, Estimate
from .options import Options
from .paired_tests import Differences, PairedTest, example_differences, paired_test, pairs_together
from .shared_cells import mean_differences, pair_differences, robustness_differences
from .studentized_bootstrap import PairValues, bootstrapped

COMPARED = ("performance", "robustness_5", "robustness")
"""The statistics by which models are compared."""

_OF_ALL_PAIRS = {"performance": mean_differences, "robustness": robustness_differences}
"""Those whose differences of all pairs there is a faster way to."""

_AT_ONCE = 4_000_000  # differences held in memory


@dataclass(frozen=True)
class PairedScores:
    """What two models are compared by, example by example, on one data set.

    Attributes:
        cube: all scores; those of cells that one of the two lacks do not count.
        statistic: one of ``COMPARED``.
    """

    cube: Cube
    statistic: str

    @cached_property
    def differences(self) -> Differences:
        """Of all pairs; of no table where one of the two has no score at all."""
        present = ~np.isnan(self.cube.scores)
        there: Booleans = np.asarray(present.any(axis=(1, 2)))
        scores, present = self.cube.scores[there], present[there]
        if (present == present[:1]).all():
            asked = present[:1].any(axis=(0, 1))
            means = STATISTICS[self.statistic](scores[:, :, asked])
            found = example_differences(means, numbered(self.cube.clusters[asked].tolist()))
        else:
            found = pairs_together(_clustered(self._all_values(scores), self.cube.clusters), len(scores))
        return found.spread(there)

    def _all_values(self, scores: Floats) -> Floats:
        if self.statistic in _OF_ALL_PAIRS:
            return _OF_ALL_PAIRS[self.statistic](scores)
        return pair_differences(scores, *np.triu_indices(len(scores), k=1), STATISTICS[self.statistic])

    def values(self, first: Integers, second: Integers) -> PairValues:
        """The differences of some pairs."""
        found = pair_differences(self.cube.scores, first, second, STATISTICS[self.statistic])
        return PairValues(self.cube.dataset, found, self.cube.clusters)


def _clustered(values: Floats, clusters: Integers) -> ClusteredMeans:
    """As :func:`clustered_means`, of some rows at a time."""
    step = max(1, _AT_ONCE // max(1, values.shape[1]))
    return ClusteredMeans.joined(
        [clustered_means(values[at : at + step], clusters) for at in range(0, max(1, len(values)), step)]
    )


@dataclass(frozen=True)
class ModelTests:
    """All pairs of models at one place.

    Attributes:
        known: which models have a figure there, (models,); the others are in no pair, nor count in Holm's.
        test: of those that have.
    """

    known: Booleans
    test: PairedTest


def model_tests(
    parts: Sequence[PairedScores], overall: Estimate, per_dataset: Sequence[Estimate], options: Options
) -> list[ModelTests]:
    """Tests of all pairs of models: overall, then of each data set.

    Args:
        parts: of the data sets.
        overall: the models' figures.
        per_dataset: likewise.
        options: level and seed are used.
    """
    each = [_tests([part], found, options) for part, found in zip(parts, per_dataset, strict=True)]
    return [each[0] if len(parts) == 1 else _tests(parts, overall, options), *each]


def _tests(parts: Sequence[PairedScores], figures: Estimate, options: Options) -> ModelTests:
    known = ~np.isnan(figures.values)
    models = np.flatnonzero(known)
    test = paired_test([part.differences.among(known) for part in parts], options.level)

    def values(first: Integers, second: Integers) -> list[PairValues]:
        return [part.values(models[first], models[second]) for part in parts]

    return ModelTests(known, bootstrapped(test, values, options.seed, of_pairs=True))
