"""ROUGE-1, ROUGE-2 and ROUGE-L: overlap of word sequences with a reference text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from .base import Metric, f_measure, shared_f1


class Rouge(Metric):
    """ROUGE-L, 1 and 2: F1 of shared words.

    Formula: an F1 each, ``2PR / (P + R)`` with ``P = hits / units of the prediction``, ``R = hits / units of
    the reference``. For ``rouge1`` and ``rouge2`` units are words and pairs of neighbours, a hit is one that
    both texts have (as often as the rarer has it); for ``rougeL``, the main score, units are words and
    hits the length of their longest common subsequence. With several references each score takes its best.
    Reading: wording, not truth; a right sentence in other words scores low. Special cases: a text without a
    unit (empty, in a script without a-z and 0-9, or of one word for ``rouge2``) scores 0.

    Words are the rouge-score library's: lower case, everything but a-z and 0-9 separates; no stemming.
    Source: Lin, "ROUGE: a package for automatic evaluation of summaries" (2004), sections 2 and 3, and
    unitxt's ``metrics.rouge``, whose values per example these are. Its ``rougeLsum`` is left out: it splits
    sentences with data that must be downloaded.
    """

    name = "rouge"
    main = "rougeL"
    score_names = ("rouge1", "rouge2", "rougeL")
    source = "rouge-score"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"rouge1": value, "rouge2": value, "rougeL": value}``."""
        answer = _Words(_tokens(prediction))
        texts = [_reference(reference) for reference in references]
        return {
            "rouge1": max(shared_f1((answer.words, text.words)) for text in texts),
            "rouge2": max(shared_f1((answer.pairs, text.pairs)) for text in texts),
            "rougeL": max(_longest(text.tokens, answer.tokens) for text in texts),
        }


@dataclass(frozen=True)
class _Words:
    """A text as ROUGE sees it; its counts are computed once."""

    tokens: tuple[str, ...]

    @cached_property
    def words(self) -> Counter[str]:
        return Counter(self.tokens)

    @cached_property
    def pairs(self) -> Counter[tuple[str, str]]:
        return Counter(zip(self.tokens, self.tokens[1:], strict=False))


def _tokens(text: str) -> tuple[str, ...]:
    from rouge_score.tokenize import tokenize

    return tuple(tokenize(text, None))


@lru_cache(maxsize=4_096)
def _reference(text: str) -> _Words:
    return _Words(_tokens(text))


def _longest(reference: tuple[str, ...], answer: tuple[str, ...]) -> float:
    hits = common_subsequence(reference, answer)
    return f_measure(hits / len(answer), hits / len(reference)) if hits else 0.0


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, one bit a token of ``one``.

    Bit-parallel (Hyyrö, "Bit-parallel LCS-length computation revisited", 2004): about 100 times faster than
    the textbook's table, which would dominate the scoring of generated texts.
    """
    places: dict[str, int] = {}
    for index, token in enumerate(one):
        places[token] = places.get(token, 0) | 1 << index
    full = (1 << len(one)) - 1
    row = full
    for token in other:
        matches = row & places.get(token, 0)
        row = ((row + matches) | (row - matches)) & full
    return len(one) - bin(row).count("1")
