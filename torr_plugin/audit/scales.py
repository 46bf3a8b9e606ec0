"""The scores of a metric between 0 and 1, the more the better, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import overload

import numpy as np
import pandas as pd

from ..analysis.number_format import ABSENT, decimals, rounded
from ..core.statistics import Floats
from ..integrations.logs.board import MetricScale


@dataclass(frozen=True)
class UnitScale:
    """How scores of a metric are turned into those that are compared, u = (s - low) / span.

    Attributes:
        low: the metric's score that is 0; of a metric without bounds, the least score there is.
        span: from it to the score that is 1.
        higher_is_better: otherwise u = 1 - (s - low) / span.
        bounded: no score can lie beyond 0 and 1.
    """

    low: float = 0.0
    span: float = 1.0
    higher_is_better: bool = True
    bounded: bool = True

    def unit(self, scores: Floats) -> Floats:
        """Scores as they are compared."""
        found: Floats = (scores - self.low) / self.span
        return found if self.higher_is_better else 1 - found

    @overload
    def own(self, unit: float) -> float: ...
    @overload
    def own(self, unit: Floats) -> Floats: ...
    def own(self, unit: float | Floats) -> float | Floats:
        """Compared scores as the metric gives them."""
        return self.low + self.span * (unit if self.higher_is_better else 1 - unit)

    def text(self, value: float | None, low: float | None, high: float | None) -> str:
        """A score, or a difference, in the metric's own units with as many decimals as its interval bears."""
        if value is None:
            return ABSENT
        return rounded(value, self._places(low, high))

    def interval(self, low: float | None, high: float | None) -> str:
        """``[0.389, 0.436]``; "" where there is none."""
        if low is None or high is None:
            return ""
        places = self._places(low, high)
        return f"[{rounded(low, places)}, {rounded(high, places)}]"

    def with_interval(self, value: float | None, low: float | None, high: float | None) -> str:
        """``0.412 [0.389, 0.436]``; a dash where there is no value."""
        return f"{self.text(value, low, high)} {self.interval(low, high)}".strip()

    def _places(self, low: float | None, high: float | None) -> int:
        ends = (None if end is None else end / self.span for end in (low, high))
        return max(0, decimals(*ends) - round(float(np.log10(self.span))))


def unit_scale(scale: MetricScale, scores: pd.Series[float]) -> UnitScale:
    """The scale of a metric.

    Args:
        scale: as its reader gives it.
        scores: all of it, by which those without bounds are scaled.
    """
    if scale.high is not None:
        return UnitScale(scale.low, scale.high - scale.low, scale.higher_is_better)
    low, high = float(scores.min()), float(scores.max())
    return UnitScale(low, high - low if high > low else 1.0, scale.higher_is_better, bounded=False)
