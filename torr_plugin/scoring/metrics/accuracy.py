"""Accuracy: the answer is, letter for letter, one of the references."""

from __future__ import annotations

from collections.abc import Sequence

from .base import Metric


class Accuracy(Metric):
    """1 where the answer equals a reference, letter for letter; else 0.

    Formula: ``[prediction in references]``. Reading: the share of right labels, once averaged. Case, spaces
    and punctuation count; a card's postprocessors take care of them (a fact-checking card lowers the case and
    cuts at the first punctuation mark). Source: unitxt's ``metrics.accuracy``, whose values per example it
    has; the main metric of TabFact (Chen et al., ICLR 2020, section 5).
    """

    name = "accuracy"
    main = "accuracy"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"accuracy": 0.0 or 1.0}``."""
        return {"accuracy": float(prediction in references)}
