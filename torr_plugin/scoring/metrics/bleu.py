"""BLEU-1 to BLEU-4 by sacreBLEU: of one answer, and over many as ToTTo's publishers have it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from .base import Metric

ORDERS = (1, 2, 3, 4)
_MOST = 20_000  # characters of an answer; a reference has some hundred, and more than this only costs time
_NULL = "<null>"
_LEAST_REFERENCES = 3


class Bleu(Metric):
    """BLEU of one answer, up to 1 to 4 words.

    Formula: BLEU-N is ``BP exp(sum over n <= N of ln(p_n) / N)``, with ``p_n`` the share of the answer's
    n-grams that a reference has (each as often as in the reference that has it most), and ``BP = exp(1 -
    r / c)`` where the answer's ``c`` tokens are fewer than the ``r`` of the reference nearest in length, else
    1. Texts are lower-cased; tokens are sacreBLEU's ``13a``, mteval's. An ``n`` that finds nothing counts as
    1 / (2 hits possible), the next as 1 / 4 and so on (smoothing ``exp``); orders that the answer is too
    short for are left out.

    Reading: wording, not truth. The mean over answers is what the published evaluation of "Table Meets LLM"
    reports; ToTTo's own figure pools the counts of all answers, which is not that mean: :func:`corpus_bleu`.
    Special cases: an answer without a word of the references, or empty, scores 0; of an answer longer than
    20,000 characters its beginning counts.

    Source: Papineni et al., "BLEU" (ACL 2002), as sacreBLEU's ``sentence_bleu`` (Post, WMT 2018); Parikh et
    al., "ToTTo" (EMNLP 2020, section 6), and Sui et al. (WSDM 2024, Tables 4 and 8), cumulative as there.
    """

    name = "bleu"
    main = "bleu4"
    score_names = tuple(f"bleu{order}" for order in ORDERS)
    source = "sacreBLEU"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"bleu1": value, ..., "bleu4": value}``."""
        answer = prediction[:_MOST].lower()
        texts = [reference.lower() for reference in references]
        if not answer.strip():
            return dict.fromkeys(self.score_names, 0.0)
        return {
            name: _share(_scorer(order, effective=True).sentence_score(answer, texts).score)
            for name, order in zip(self.score_names, ORDERS, strict=True)
        }


def corpus_bleu(pairs: Iterable[tuple[str, Sequence[str]]], *, padded: bool = True) -> dict[str, float]:
    """BLEU over many answers at once, as the published evaluation of ToTTo computes it (there BLEU-4).

    The counts of n-grams and the lengths of all answers are added up before anything is divided.

    Args:
        pairs: of each example the answer and its references; at least one pair.
        padded: make up three references with ``<null>``, and write this for an empty answer, as the published
            script does. It shortens the nearest reference of very short answers.

    Returns:
        ``{"bleu1": value, ..., "bleu4": value}``, in [0, 1].
    """
    answers, references = [], []
    for answer, texts in pairs:
        listed = [text.lower() for text in texts]
        answers.append(answer[:_MOST].lower() or (_NULL if padded else ""))
        references.append(listed + [_NULL] * (_LEAST_REFERENCES - len(listed)) if padded else listed)
    streams = [
        [texts[number] if number < len(texts) else None for texts in references]
        for number in range(max(map(len, references)))
    ]
    return {
        f"bleu{order}": _share(_scorer(order, effective=False).corpus_score(answers, streams).score)
        for order in ORDERS
    }


def _share(score: float) -> float:
    return min(max(score / 100, 0.0), 1.0)  # rounding takes sacreBLEU to 100.00000000000004


@lru_cache(maxsize=2 * len(ORDERS))
def _scorer(order: int, *, effective: bool) -> Any:
    from sacrebleu.metrics.bleu import BLEU  # takes a fifth of a second

    return BLEU(max_ngram_order=order, effective_order=effective)
