"""RealHiTBench's F1, exact match and ROUGE-L: words of answers without punctuation, decimals rounded."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import ClassVar

from ...scoring.metrics.base import Metric, shared_f1
from ...scoring.metrics.rouge import Rouge

_DECIMAL = re.compile(r"\b\d+\.\d+\b")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_BLANK = "\0"  # a blank answer: one word, which no reference has


class RealHiTBench(Metric):
    """F1 of words, decimals rounded.

    Formula: ``2PR / (P + R)`` with ``P = |A & R| / |A|`` and ``R = |A & R| / |R|`` over multisets of words, A
    of the answer, R of the reference; ``exact_match`` is 1 where the two texts are equal. Both texts are
    normalized before, in this order:

    1. a number with digits on both sides of a point is rounded to one decimal, as Python's ``round`` does:
       ``55.12%`` is ``55.1%``, ``2.50`` is ``2.5``;
    2. lower case; ASCII punctuation is removed without a space in its place, points, commas and signs of
       numbers too: ``1,234.56`` is ``12346``, and ``-5`` is ``5``;
    3. the articles a, an, the are removed, runs of white space become one space.

    Reading: F1, the main score, gives partly right lists a part; exact match is the share of right answers.
    Signs and the place of the point are gone, so ``5.8`` is right where ``58`` or ``-5.8`` is. Special
    cases: a blank answer is never right, not even where the reference is blank; a text of articles or marks
    alone keeps its articles, or its marks, so that the published answer ``A`` can be right (the publisher's
    scorer removes it, and no answer is); of several references each score takes its best.

    The publisher's scorer averages these values over questions. Given many questions at once it pools their
    words instead, which :func:`corpus_scores` does. Source: Wu et al., "RealHiTBench" (2025, section 5.1),
    and the published scorer, whose figures these are before it rounds each to two decimals of a percent.
    """

    name = "realhitbench"
    main = "f1"
    score_names = ("f1", "exact_match")
    source = "RealHiTBench"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"f1": value, "exact_match": 0.0 or 1.0}``."""
        answer = normalized(prediction) or _BLANK
        right = [_reference(reference) for reference in references]
        return {
            "f1": max(_f1([(answer, reference)]) for reference in right),
            "exact_match": float(answer in right),
        }


class RealHiTBenchConsistency(Metric):
    """F1 and equality of a pair's answers.

    Formula: those of :class:`RealHiTBench`, of the answer about one version of a table against the model's
    own answer about the other. Reading: how far a model answers alike where parts of a table changed places,
    be it right or wrong. Special cases: two blank answers do not agree, as the publisher counts them.
    Source: Wu et al., "RealHiTBench" (2025, section 3.3), whose published scorer takes the first answer as
    the reference of the second.
    """

    name = "realhitbench_consistency"
    main = "consistency_f1"
    score_names = ("consistency_f1", "consistency")
    source = "RealHiTBench"
    pairs: ClassVar[bool] = True

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"consistency_f1": value, "consistency": 0.0 or 1.0}``; the reference is the other answer."""
        rated = _ANSWERS.scores(prediction, references)
        return {"consistency_f1": rated["f1"], "consistency": rated["exact_match"]}


class RealHiTBenchRouge(Metric):
    """ROUGE-L of words, decimals rounded.

    Formula: ROUGE-L of :class:`~torr_plugin.scoring.metrics.rouge.Rouge`, of texts that are normalized as for
    :class:`RealHiTBench`. Reading and special cases: as there. Source: Wu et al., "RealHiTBench" (2025,
    section 5.1: the score of data analysis), and the published scorer, which normalizes before it counts.
    """

    name = "realhitbench_rouge"
    main = "rougeL"
    score_names = ("rougeL",)
    source = "RealHiTBench"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"rougeL": value}``."""
        rated = _ROUGE.scores(normalized(prediction), [_reference(each) for each in references])
        return {"rougeL": rated["rougeL"]}


_ANSWERS, _ROUGE = RealHiTBench(), Rouge()


def corpus_scores(pairs: Iterable[tuple[str, str]]) -> dict[str, float]:
    """The scores of many answers at once, as the publisher's scorer gives them for lists of answers.

    F1 is of all words together, so that long answers count more; exact match is the share of equal ones.

    Args:
        pairs: of each question the answer and the reference; at least one.
    """
    texts = [(normalized(answer) or _BLANK, _reference(reference)) for answer, reference in pairs]
    return {"f1": _f1(texts), "exact_match": sum(answer == right for answer, right in texts) / len(texts)}


def normalized(text: str) -> str:
    """A text as both scores compare it."""
    rounded = _DECIMAL.sub(_rounded, text).lower()
    words = rounded.translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", words).split() or words.split() or rounded.split())


def _rounded(number: re.Match[str]) -> str:
    return str(round(float(number[0]), 1))


# references recur in every configuration of an example
_reference = lru_cache(maxsize=16_384)(normalized)


def _f1(pairs: Sequence[tuple[str, str]]) -> float:
    """F1 of the words of all answers against those of all references."""
    words = ((Counter(answer.split()), Counter(reference.split())) for answer, reference in pairs)
    return shared_f1(*words)
