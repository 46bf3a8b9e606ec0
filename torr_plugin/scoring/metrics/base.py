"""What a metric is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar


class Metric(ABC):
    """Rates one prediction against its references, by itself.

    ``name`` is the one that cards use, ``main`` the score (a key of what :meth:`scores` returns) that stands
    for the metric. A metric holds no state that changes its scores, loads what it needs when first used, and
    is offline.
    """

    name: ClassVar[str]
    main: ClassVar[str]

    @abstractmethod
    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """The scores by name, each in [0, 1]; always the same names, in the same order.

        Args:
            prediction: the answer, postprocessed.
            references: the right answers, postprocessed; at least one.
        """

    def __call__(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """The same as :meth:`scores`."""
        return self.scores(prediction, references)


def f_measure(precision: float, recall: float) -> float:
    """Harmonic mean of precision and recall, 2PR / (P + R); 0 where both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0
