"""Exact matches: letter for letter, and after light normalization."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ...core.texts import normalize
from .base import Metric


class ExactMatch(Metric):
    """1 where equal once normalized, else 0.

    Formula: ``[n(prediction) in {n(r) for r in references}]``, where ``n`` does, in this order:

    1. characters are composed (Unicode's NFC), those of no width left out, a Unicode minus is a hyphen; case
       is folded, runs of white space become one space, the ends are stripped;
    2. one full stop at the end is removed, with the space before it;
    3. thousands commas are removed from numbers with groups of three digits: ``1,234,567`` is ``1234567``,
       but ``1,23`` and ``1,2345`` stay as they are;
    4. zeros at the end of a decimal fraction are removed, and a bare point with them: ``2.50`` is ``2.5``,
       ``26.0`` is ``26``; digits with several points (``1.10.0``, dates, versions) stay as they are.

    Reading: the share of right answers, once averaged. Special cases: an empty answer equals an empty
    reference; signs, units, articles and the order of several values count. Source: the project's own
    definition, in the manner of WikiTableQuestions' evaluator (Pasupat and Liang, ACL 2015), which normalizes
    strings and compares numbers.
    """

    name = "exact_match"
    alike = ("number_match",)
    main = "exact_match"
    source = "ours"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"exact_match": 0.0 or 1.0}``."""
        answer = normalize(prediction)
        return {"exact_match": float(any(answer == _reference(reference) for reference in references))}


# references recur in every configuration of an example
_reference = lru_cache(maxsize=16_384)(normalize)


class Accuracy(Metric):
    """1 where equal to a reference, else 0.

    Formula: ``[prediction in references]``. Reading: the share of right labels, once averaged. Case, spaces
    and punctuation count; a card's postprocessors take care of them (a fact-checking card lowers the case and
    cuts at the first punctuation mark). Source: unitxt's ``metrics.accuracy``, whose values per example it
    has; the main metric of TabFact (Chen et al., ICLR 2020, section 5).
    """

    name = "accuracy"
    main = "accuracy"
    source = "unitxt"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"accuracy": 0.0 or 1.0}``."""
        return {"accuracy": float(prediction in references)}
