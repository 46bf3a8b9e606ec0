"""Draws of the largest studentized difference between several means, for comparisons of all pairs at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..core.seeds import generator
from ..core.statistics import Floats

DRAWS = 9_999
"""Of the largest difference: p-values are multiples of 1 in 10,000."""

_MANY = 30.0
"""Degrees of freedom from which on Wilson and Hilferty's quantiles are within 1 % of chi-squared's."""


@dataclass(frozen=True)
class LargestDifferences:
    """What the draws of several models have in common, so that the numbers are drawn once.

    A model's draws depend on its own scores and on the seed alone, not on which other models there are.

    Attributes:
        seed: of the draws.
        names: of what they are for.
        normal: standard normal numbers, (draws x things that are compared).
    """

    seed: int
    names: tuple[str, ...]
    normal: Floats
    _scales: dict[bytes, Floats] = field(default_factory=dict)
    _normals: dict[tuple[int, int], Floats] = field(default_factory=dict)

    @classmethod
    def of(cls, things: int, seed: int, *names: str) -> LargestDifferences:
        """The draws for comparisons of at most so many things."""
        return cls(seed, names, generator(seed, *names).standard_normal((DRAWS, things)))

    def draw(self, root: Floats, error: Floats, freedom: Floats) -> Floats:
        """The largest studentized difference of errors, (draws,).

        Args:
            root: R with R'R the covariance of the means, (things x things).
            error: standard errors of their differences, in the order of ``numpy.triu_indices``; 0: the two do
                not vary, and take no part.
            freedom: degrees of freedom of the differences.
        """
        varying = error > 0
        largest = np.zeros(DRAWS)
        if not varying.any():
            return largest
        shares = np.divide(1.0, error, out=np.zeros(len(error)), where=varying)[:, None]
        # every pair is divided by an error of its own: with one draw for all, of 8 examples and 7 serializers
        # 10 studies in 100 would claim a difference that is not there, not 5
        scales = self._studentizers(np.where(varying, freedom, freedom[varying].max()))
        errors = np.ascontiguousarray((self.normal[:, : len(root)] @ root).T)
        start = 0
        for place in range(len(errors) - 1):
            end = start + len(errors) - 1 - place
            differences = np.abs(errors[place] - errors[place + 1 :])
            differences *= scales[start:end]
            differences *= shares[start:end]
            np.maximum(largest, differences.max(axis=0), out=largest)
            start = end
        return largest

    def _studentizers(self, freedom: Floats) -> Floats:
        """One over the root of chi-squared over its degrees of freedom, (pairs x draws).

        Of few degrees of freedom exactly; of many by cubes of normal numbers (Wilson and Hilferty 1931).
        """
        key = np.round(freedom, 6).tobytes()
        if key not in self._scales:
            self._scales.clear()  # models without holes have the same; of others no two may
            many = freedom.min() >= _MANY
            self._scales[key] = self._approximate(freedom[:, None]) if many else self._exact(freedom[:, None])
        return self._scales[key]

    def _exact(self, freedom: Floats) -> Floats:
        found: Floats = np.sqrt(freedom / self._rng().chisquare(freedom, (len(freedom), DRAWS)))
        return found

    def _approximate(self, freedom: Floats) -> Floats:
        shape = len(freedom), DRAWS
        if shape not in self._normals:
            self._normals.clear()
            self._normals[shape] = self._rng().standard_normal(shape)
        variance = 2 / (9 * freedom)
        cubic = self._normals[shape] * np.sqrt(variance)
        cubic += 1 - variance
        cubic *= np.sqrt(cubic)
        found: Floats = np.reciprocal(cubic, out=cubic)
        return found

    def _rng(self) -> np.random.Generator:
        return generator(self.seed, *self.names, "errors")
