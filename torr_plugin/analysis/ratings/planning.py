"""How many questions a wished separability takes, predicted from battles about fewer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy.special import ndtr

from ...core.statistics import Booleans, Floats
from ..figures.pairs import separable
from ..result import FigureResult
from .resampling import PairDifferences, Rated

SHARES = (0.8, 0.9, 0.95)
MOST_TIMES = 1000
"""More than so many times the questions are not predicted."""


class Needed(FigureResult):
    """Questions, and battles, for a share of the pairs of models with intervals that do not overlap.

    None where more than ``MOST_TIMES`` times as many are needed, or no number is enough.
    """

    separability: float
    questions: int | None
    battles: int | None


@dataclass(frozen=True)
class ModelPairs:
    """Pairs of models, (pairs,) each; those of a model without finite bounds are as they are.

    Attributes:
        difference: of ratings, where finite.
        error: its standard error.
        reach: the sum of the two half-widths of the ratings' intervals.
        apart: of all pairs, whether the two intervals do not overlap.
        endless: of all pairs, whether one has no finite bounds.
    """

    difference: Floats
    error: Floats
    reach: Floats
    apart: Booleans
    endless: Booleans

    @classmethod
    def of(cls, rated: Rated, differences: PairDifferences) -> ModelPairs:
        """The pairs of rated models."""
        upper = np.triu_indices(len(rated.values), k=1)
        with np.errstate(invalid="ignore"):
            half = (rated.high - rated.low) / 2
        reach = (half[:, None] + half)[upper]
        difference, error = differences.difference[upper], differences.error[upper]
        known = np.isfinite(reach) & np.isfinite(error) & np.isfinite(difference)
        apart = separable(rated.low, rated.high)[upper]
        return cls(difference[known], error[known], reach[known], apart, ~known)

    @property
    def apart_share(self) -> float:
        """The share of pairs that are separated now."""
        return float(self.apart.mean())

    def expected_share(self, times: float) -> float:
        """The share of pairs expected to be separated by so many times the questions.

        Variances fall with the number of questions, clusters that they are. True differences are taken for
        normal around 0, with the variance that observed ones have beyond their errors (the moment estimate of
        DerSimonian and Laird 1986), so that those observed, which errors have drawn apart, are shrunk.
        """
        spread = self._true_variance
        kept = spread / np.maximum(spread + self.error**2, 1e-12)
        centre, left = kept * self.difference, kept * self.error**2
        scale = np.maximum(np.sqrt(left + self.error**2 / times), 1e-9)
        reach = self.reach / np.sqrt(times)
        separated = ndtr((centre - reach) / scale) + ndtr((-centre - reach) / scale)
        return float((separated.sum() + self.apart[self.endless].sum()) / len(self.apart))

    @property
    def _true_variance(self) -> float:
        return max(float((self.difference**2 - self.error**2).mean()), 0.0)

    @property
    def is_told_apart(self) -> bool:
        """Whether the ratings differ by more than their errors."""
        return bool(len(self.error)) and self._true_variance > 0


def needed(pairs: ModelPairs, questions: int, battles: int, shares: Iterable[float]) -> list[Needed]:
    """Predict how many questions, with as many battles each, separate these shares of the pairs.

    Args:
        pairs: of models.
        questions: that the ratings rest on.
        battles: that the ratings rest on.
        shares: wished, in (0, 1).
    """
    found = []
    for share in sorted(set(shares)):
        times = _times(pairs, share)
        wished = None if times is None else ceil(times * questions)
        found.append(
            Needed(
                separability=share,
                questions=wished,
                battles=None if wished is None else ceil(wished * battles / questions),
            )
        )
    return found


def _times(pairs: ModelPairs, share: float) -> float | None:
    """How many times the questions, by halving an interval of its logarithm."""
    if not pairs.is_told_apart or pairs.expected_share(MOST_TIMES) < share:
        return None
    low, high = -np.log(MOST_TIMES), np.log(MOST_TIMES)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if pairs.expected_share(float(np.exp(middle))) < share else (low, middle)
    return float(np.exp(high))
