"""F1 over word tokens, as unitxt counts them for table question answering."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from .base import Metric, shared_f1
from .english_tokens import EnglishTokenizer


class F1Strings(Metric):
    """F1 of words, against all references.

    Formula: ``2PR / (P + R)`` with ``P = |A & R| / |A|`` and ``R = |A & R| / |R|`` over multisets of
    lower-cased word tokens: A of the answer, R of the references joined by spaces. Reading: 1 where both have
    the same words, in any order; partly right answers get a part. Special cases: no shared token gives 0, and
    so does an empty answer, whatever the references; a stretch of more than 128 characters without a space is
    read in pieces; with several references, naming only one of them is not fully right.

    Tokens are those of spaCy's English tokenizer, the same in ``en_core_web_sm`` as in a blank English
    pipeline, by its rules (:mod:`.english_tokens`). Source: unitxt's ``metrics.f1_strings``,
    whose values per example it has; the main metric of WikiTableQuestions in ToRR (appendix A.2).
    """

    name = "f1_strings"
    main = "f1_strings"
    source = "unitxt"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"f1_strings": value}``."""
        return {"f1_strings": shared_f1((_tokens(prediction), _reference_tokens(" ".join(references))))}


_tokenizer = lru_cache(maxsize=1)(EnglishTokenizer)


# the tokenizer takes quadratic time for a text without spaces, which broken output can make long
_STRETCH = re.compile(r"\S{128}(?=\S)")


def _tokens(text: str) -> Counter[str]:
    # a lone surrogate, as broken output can hold, is no character: spaCy refuses it
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return Counter(token.lower() for token in _tokenizer()(_STRETCH.sub(r"\g<0> ", whole)))


# references recur in every configuration of an example
_reference_tokens = lru_cache(maxsize=16_384)(_tokens)
