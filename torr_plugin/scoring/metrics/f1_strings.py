"""F1 over word tokens, as unitxt counts them for table question answering and as ToRR's figures have it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ...core.texts import as_seen
from ..processors import postprocess
from .base import Metric, shared_f1


class F1Strings(Metric):
    """F1 of words, against all references.

    Formula: ``2PR / (P + R)`` with ``P = |A & R| / |A|`` and ``R = |A & R| / |R|`` over multisets of
    lower-cased word tokens: A of the answer, R of the references joined by spaces. Reading: 1 where both have
    the same words, in any order; partly right answers get a part. Special cases: no shared token gives 0, and
    so does an empty answer, whatever the references; a stretch of more than 128 characters without a space is
    read in pieces; with several references, naming only one of them is not fully right.

    Tokens are those of spaCy's English tokenizer. It is made of rules alone and the same in a blank English
    pipeline as in ``en_core_web_sm``, so nothing is downloaded. Source: unitxt's ``metrics.f1_strings``,
    whose values per example it has; the main metric of WikiTableQuestions in ToRR (appendix A.2).
    """

    name = "f1_strings"
    main = "f1_strings"
    source = "unitxt"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"f1_strings": value}``."""
        return {"f1_strings": shared_f1((_tokens(prediction), _reference_tokens(" ".join(references))))}


@lru_cache(maxsize=1)
def _tokenizer() -> Any:
    import spacy

    return spacy.blank("en").tokenizer


# the tokenizer takes quadratic time for a text without spaces, which broken output can make long
_STRETCH = re.compile(r"\S{128}(?=\S)")


def _tokens(text: str) -> Counter[str]:
    # a lone surrogate, as broken output can hold, is no character: the tokenizer refuses it
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return Counter(token.text.lower() for token in _tokenizer()(_STRETCH.sub(r"\g<0> ", whole)))


# references recur in every configuration of an example
_reference_tokens = lru_cache(maxsize=16_384)(_tokens)


_STEPS = ("take_first_non_empty_line", "to_list_by_comma_space", "str_to_float_format")


class TorrF1Strings(Metric):
    """F1 with brackets: a wrong word gets 0.8.

    Formula: that of ``f1_strings``, of the answer and of every gold answer after the postprocessors of that
    card: the first line, cut at each comma and space, written as Python writes a list. Reading: only beside
    published figures of ToRR; brackets and quotes count as words, so ``Peru`` for ``Italy`` (``['Peru']`` for
    ``['Italy']``) gets about 0.8 and not 0. Special cases: as ``f1_strings``; without the fact ``answers``
    the reference is taken apart at each comma and space.

    Source: ``cards.wikitq`` of unitxt 1.26.10, the main metric of WikiTableQuestions in ToRR (appendix A.2).
    """

    name = "torr_f1_strings"
    main = "torr_f1_strings"
    needs = ("answers",)
    source = "unitxt"

    def scores(
        self, prediction: str, references: Sequence[str], facts: Mapping[str, str] | None = None
    ) -> dict[str, float]:
        """``{"torr_f1_strings": value}``.

        Args:
            prediction: an answer.
            references: the gold answers, joined to one by comma and space.
            facts: ``answers``, the gold answers as a JSON list.
        """
        answers = json.loads(facts["answers"]) if facts and "answers" in facts else references[0].split(", ")
        answered, gold = postprocess(prediction, list(map(as_seen, answers)), _STEPS)
        return {"torr_f1_strings": _F1.scores(answered, gold)["f1_strings"]}


_F1 = F1Strings()
