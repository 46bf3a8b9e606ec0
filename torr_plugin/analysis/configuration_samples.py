"""Resampled mean scores of all models in all configurations: made once, used by several figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .cube import Cube
from .figures import Options
from .labelling import resampled

if TYPE_CHECKING:
    from .types import Floats


@dataclass(frozen=True)
class ConfigurationSamples:
    """Of one data set.

    Attributes:
        models: labels of the first axis.
        configurations: labels of the second axis.
        samples: mean scores of resamples, (models x configurations x resamples), of the resamples that all
            figures of the data set share; NaN where a resample holds no score.
    """

    models: tuple[str, ...]
    configurations: tuple[str, ...]
    samples: Floats

    def among(self, models: Sequence[str], configurations: Sequence[str]) -> Floats:
        """Those of some models and configurations, in this order; no copy where it is all of them."""
        import numpy as np

        if (tuple(models), tuple(configurations)) == (self.models, self.configurations):
            return self.samples
        rows = [self.models.index(name) for name in models]
        columns = [self.configurations.index(name) for name in configurations]
        chosen: Floats = self.samples[np.ix_(rows, columns)]
        return chosen


def configuration_samples(cubes: Sequence[Cube], options: Options) -> dict[str, ConfigurationSamples]:
    """Data set -> resampled means of its cells; resamples and seed of the options are used."""
    return {
        cube.dataset: ConfigurationSamples(
            cube.models, cube.configurations, resampled(cube.scores, cube.dataset, options)
        )
        for cube in cubes
    }
