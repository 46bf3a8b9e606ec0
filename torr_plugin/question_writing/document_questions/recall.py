"""Whether answers are in their evidence: recall of their tokens, by their length (TableQuest, Table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ...core.statistics import Floats, clustered_means, score_bounds
from ...tables.documents import sentence_ends

if TYPE_CHECKING:
    from .question import DocumentQuestion

LENGTHS = ("0-5", "5-10", "10-15", "15-20", "20+")
"""Numbers of tokens of an answer; the upper end belongs to the next."""

_STEP = 5
_CONFIDENCE = 0.95


def word_tokens(text: str) -> list[str]:
    """The tokens of a text as NLTK's ``word_tokenize`` has them, without its downloads.

    The tokenizer of a sentence is NLTK's. Where a sentence ends, which decides only whether a full stop is a
    token of its own, is found by rules instead of the trained model Punkt: after an abbreviation that one of
    them does not know, the stop may belong to the word before or not.
    """
    # a lone surrogate, as broken output can hold, is no character
    whole = text.encode("utf-8", "replace").decode("utf-8")
    ends = sentence_ends(whole)
    sentences = (whole[start:end] for start, end in zip((0, *ends), ends, strict=False))
    return [token for sentence in sentences for token in _tokenizer().tokenize(sentence)]


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


def recall(answer: Sequence[str], source: Iterable[str]) -> float:
    """The share of the answer's tokens that the source has, each as often as it is there; NaN without any."""
    wanted = Counter(answer)
    return (wanted & Counter(source)).total() / len(answer) if answer else float("nan")


def answer_recall(question: DocumentQuestion) -> float:
    """Recall of the answer's tokens in the quoted sentence, or else in the evidence; NaN without any."""
    return recall(word_tokens(question.answer), word_tokens(question.grounding or question.evidence))


def recall_by_length(questions: Sequence[DocumentQuestion]) -> list[dict[str, Any]]:
    """Mean recall of the answers' tokens: by the answers' length, by level, and of all.

    Intervals are Wilson's of 95 % with the effective number of examples by clusters of documents, as those of
    all scores.

    Args:
        questions: an answer without tokens has no recall and no part in the means.

    Returns:
        A row for each of :data:`LENGTHS`, for each level if there are several, and ``all``: ``answers``
        (which), ``count``, ``share`` (of all answers), and ``recall`` with ``low`` and ``high``, of tokens as
        they are written; None without answers.
    """
    tokens = np.array([len(word_tokens(question.answer)) for question in questions], dtype=int)
    lengths = np.minimum(tokens // _STEP, len(LENGTHS) - 1)
    levels = np.array([question.level for question in questions], dtype=str)
    documents = np.array([question.document for question in questions], dtype=str)
    values = np.array([answer_recall(question) for question in questions])
    parts = {name: lengths == index for index, name in enumerate(LENGTHS)}
    names = list(dict.fromkeys(levels.tolist()))
    parts |= {level: levels == level for level in names if len(names) > 1}
    parts["all"] = np.ones(len(questions), dtype=bool)
    rows = []
    for name, chosen in parts.items():
        share = float(chosen.mean()) if questions else 0.0
        recalled, low, high = _interval(values[chosen], documents[chosen])
        row = {"answers": name, "count": int(chosen.sum()), "share": share}
        rows.append({**row, "recall": recalled, "low": low, "high": high})
    return rows


def _interval(values: Floats, documents: Any) -> tuple[float | None, float | None, float | None]:
    """Mean and bounds."""
    there = ~np.isnan(values)
    if not there.any():
        return None, None, None
    _, clusters = np.unique(documents[there], return_inverse=True)
    means = clustered_means(values[there], clusters)
    low, high = score_bounds([means], _CONFIDENCE)
    return float(means.mean), float(low), float(high)
