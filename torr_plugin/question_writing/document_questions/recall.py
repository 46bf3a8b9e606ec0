"""Whether answers are in their evidence: recall of their tokens, by their length (TableQuest, Table 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ...core.statistics import Floats, Integers, clustered_means, score_bounds
from ...tables.documents import sentence_ends
from ...tables.quantities import quantity

if TYPE_CHECKING:
    from .question import DocumentQuestion

LENGTHS = ("0-5", "5-10", "10-15", "15-20", "20+")
"""Numbers of tokens of an answer; the upper end belongs to the next."""

_STEP = 5
_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class RecallRow:
    """Mean recall of some answers, with intervals that take the answers about a document for a cluster.

    Attributes:
        answers: which: a number of tokens such as ``5-10`` (from 5 to 9), a level, or ``all``.
        count: how many.
        share: of all answers.
        recall: of all tokens as they are written, as the paper has it; None without answers, as are bounds.
        low: the lower bound; ``high`` the upper.
        words: recall of words and numbers alone; None where no answer has any.
        words_low: the lower bound; ``words_high`` the upper.
    """

    answers: str
    count: int
    share: float
    recall: float | None
    low: float | None
    high: float | None
    words: float | None
    words_low: float | None
    words_high: float | None


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
    return [token for each in sentences for token in _tokenizer().tokenize(each)]


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    from nltk.tokenize.destructive import NLTKWordTokenizer

    return NLTKWordTokenizer()


def words_of(tokens: Iterable[str]) -> list[str]:
    """Words in lower case, and numbers by their size: ``$1,234`` and ``(1234.0)`` have the same one.

    Tokens without a letter or digit are left out, among them the signs of currencies, percentages and
    negative numbers; so are signs in a number, as a text may say that something fell by 20 where a table has
    -20.
    """
    return [_plain(token) for token in tokens if any(map(str.isalnum, token))]


def _plain(token: str) -> str:
    number = quantity(token) if any(map(str.isdigit, token)) else None
    return token.lower() if number is None or number.unit else str(abs(number.value))


def recall(answer: Sequence[str], source: Iterable[str]) -> float:
    """The share of the answer's tokens that the source has, each as often as it is there; NaN without any."""
    wanted = Counter(answer)
    return (wanted & Counter(source)).total() / len(answer) if answer else float("nan")


def answer_recall(question: DocumentQuestion) -> tuple[float, float]:
    """Recall of the answer's tokens in the quoted sentence, or else in the evidence; NaN without any.

    Returns:
        Of all tokens, and of words and numbers alone.
    """
    answer, source = word_tokens(question.answer), word_tokens(question.grounding or question.evidence)
    return recall(answer, source), recall(words_of(answer), words_of(source))


def recall_by_length(questions: Sequence[DocumentQuestion]) -> list[RecallRow]:
    """Mean recall of the answers' tokens: by the answers' length, by level, and of all.

    Intervals are Wilson's of 95 % with the effective number of examples by clusters of documents, as those of
    all scores.

    Args:
        questions: an answer without tokens has no recall and no part in the means.

    Returns:
        A row for each of :data:`LENGTHS`, for each level if there are several, and ``all``.
    """
    given = [word_tokens(each.answer) for each in questions]
    values = np.array([answer_recall(each) for each in questions]).reshape(-1, 2)
    _, clusters = np.unique(np.array([each.document for each in questions], dtype=str), return_inverse=True)
    lengths = np.array([min(len(tokens) // _STEP, len(LENGTHS) - 1) for tokens in given])
    levels = list(dict.fromkeys(each.level for each in questions))
    parts = [(name, lengths == place) for place, name in enumerate(LENGTHS)]
    if len(levels) > 1:
        parts += [(level, np.array([each.level == level for each in questions])) for level in levels]
    parts.append(("all", np.ones(len(questions), dtype=bool)))
    return [_row(name, values[chosen], clusters[chosen], len(questions)) for name, chosen in parts]


def _row(name: str, values: Floats, clusters: Integers, of: int) -> RecallRow:
    """The row of some answers, (answers x 2)."""
    share = len(values) / of if of else 0.0
    exact, words = (_interval(values[:, place], clusters) for place in (0, 1))
    return RecallRow(name, len(values), share, *exact, *words)


_Interval: TypeAlias = "tuple[float | None, float | None, float | None]"


def _interval(values: Floats, clusters: Integers) -> _Interval:
    """Mean and bounds."""
    there = ~np.isnan(values)
    if not there.any():
        return None, None, None
    _, numbers = np.unique(clusters[there], return_inverse=True)
    means = clustered_means(values[there], numbers)
    low, high = score_bounds([means], _CONFIDENCE)
    return float(means.mean), float(low), float(high)
