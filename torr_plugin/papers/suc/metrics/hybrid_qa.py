"""HybridQA's exact match and F1, and the accuracy of "Table Meets LLM"."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from ....scoring.metrics.base import Metric, shared_f1

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ALIKE = 0.85


class HybridQa(Metric):
    """SQuAD's equality and F1 of words.

    Formula: ``exact_match`` is 1 where the two texts are equal once normalized, else 0; ``f1`` is ``2PR / (P
    + R)`` with ``P = |A & R| / |A|`` and ``R = |A & R| / |R|`` over multisets of words, A of the answer, R
    of the reference. Normalized: lower case; ASCII punctuation removed without a space in its place; the
    words a, an, the removed; runs of white space one space. ``suc_accuracy`` is 1 where the answer as it is
    contains the reference, or a part of it between commas has a similarity above 0.85 with the reference
    (difflib's quick ratio), else 0.

    Reading: exact match and F1 are HybridQA's own. ``suc_accuracy`` is lenient: ``not Rome`` contains
    ``Rome``. Special cases: F1 of a text without words is 1 where both have none; of several references each
    score takes its best.

    Source: the published evaluation of HybridQA (Chen et al., Findings of EMNLP 2020), which is SQuAD's;
    that of "Table Meets LLM" (Sui et al., WSDM 2024, Tables 4 and 8), where several similar parts of an
    answer may count more than 1.
    """

    name = "hybrid_qa"
    main = "exact_match"
    score_names = ("exact_match", "f1", "suc_accuracy")
    source = "HybridQA"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"exact_match": 0.0 or 1.0, "f1": value, "suc_accuracy": 0.0 or 1.0}``."""
        answer = _normalized(prediction)
        right = [_reference(reference) for reference in references]
        return {
            "exact_match": float(answer in right),
            "f1": max(_f1(answer.split(), reference.split()) for reference in right),
            "suc_accuracy": float(any(_contains(prediction, reference) for reference in references)),
        }


def _normalized(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split())


# references recur in every configuration of an example
_reference = lru_cache(maxsize=16_384)(_normalized)


def _f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    if not answer or not reference:
        return float(not answer and not reference)
    return shared_f1((Counter(answer), Counter(reference)))


def _contains(prediction: str, reference: str) -> bool:
    text, wanted = prediction.strip(), reference.strip()
    if wanted in text:
        return True
    for part in text.split(","):
        matcher = SequenceMatcher(None, wanted, part, autojunk=False)
        # the first looks at lengths alone, so that only parts about as long as the reference are compared
        if matcher.real_quick_ratio() > _ALIKE and matcher.quick_ratio() > _ALIKE:
            return True
    return False
