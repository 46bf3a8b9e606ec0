"""How far the two answers of a pair agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ...core.texts import normalize
from .base import Metric, shared_f1


class Consistency(Metric):
    """1 where two answers of a pair are equal.

    Formulas: with ``n`` the normalization of ``exact_match`` and A and B the words of both answers after it,
    as multisets, ``consistency = [n(a) = n(b)]`` and ``consistency_f1 = 2 |A & B| / (|A| + |B|)``. Reading:
    the share of questions that are answered alike before and after two parts of the table change places,
    right or wrong; read it with ``both_right``. Special cases: blank answers agree with nothing. Source:
    structure comprehending in RealHiTBench (Wu et al., 2025, sections 3.3 and 5.1), where an answer is
    compared with the model's own on the other table; the normalization is ours.
    """

    name = "consistency"
    main = "consistency"
    score_names = ("consistency", "consistency_f1")
    pairs = True
    source = "ours"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"consistency": 0.0 or 1.0, "consistency_f1": value}``; the other answer is the reference."""
        answer, others = normalize(prediction), [normalize(reference) for reference in references]
        words = Counter(answer.split())
        return {
            "consistency": float(bool(answer) and answer in others),
            "consistency_f1": max(shared_f1((words, Counter(other.split()))) for other in others),
        }
