"""HCT-QA's scorer: the answer and the reference as sets of values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ...scoring.metrics.base import Metric, f_measure

# marks of text that models write after the answer; the answer ends where the first of these begins
_JUNK = re.compile(r"<eos_token>|# ?input|# solution:|#solution|# explanation:|#explanation|note:|table:")
_GROUPING_COMMA = re.compile(r"(?<=\d),(?=\d)")
# a fraction of zeros goes with its point, zeros after other decimals go alone; the look-behind keeps a
# hostile run of digits from being tried from every digit
_ZERO_FRACTION = re.compile(r"(?<!\d)(\d+)\.0+\b")
_ZERO_TAIL = re.compile(r"(\.\d*?[1-9])0+\b")


class HctQa(Metric):
    """Recall, precision, F1 of sets of values.

    Formula: with A the set of the answer's values and R that of the reference, ``precision = |A & R| / |A|``,
    ``recall = |A & R| / |R|``, ``f1 = 2PR / (P + R)`` (0 where both are 0; F1 of each answer, later
    averaged), ``complete_containment`` = 1 where recall is 1, else 0. Reading: recall, the main score, says
    how much of the truth was found; precision also falls with every other word of the answer, and the paper
    compares models by recall for that reason.

    The reference ``{a | b} || {c | d}`` is read so: commas between digits are removed, lower case, braces
    removed, split at ``|`` and ``||``, each value stripped, numbers trimmed. The answer so: lower case,
    stripped; cut where one of ``<eos_token>``, ``# input``, ``# solution:``, ``# explanation:``, ``note:`` or
    ``table:`` begins (those with ``#`` also without the space, ``#solution`` and ``#explanation`` then also
    without the colon), then at the first blank line; backticks and newlines removed (lines are joined without
    a space); commas between digits removed; numbers trimmed; split at ``||`` and each value stripped.
    Trimming removes a fraction of zeros (``26.0`` is ``26``) and zeros at the end of a fraction (``2.50`` is
    ``2.5``).

    Special cases: an empty value counts as a value, so ``950 ||`` has two and a precision of at most 1/2; a
    value given twice counts once; an answer keeps its braces and single ``|``, so ``{a | b}`` is one value;
    with several references the one with the best F1 is used. Source: Ahmad et al., "HCT-QA" (section 4.1:
    precision, recall, complete containment; "our analysis focuses primarily on Recall scores"), and the
    published scorer, whose figures it gives.
    """

    name = "hctqa"
    alike = ("hctqa_vision",)
    main = "recall"
    score_names = ("precision", "recall", "f1", "complete_containment")
    source = "HCT-QA"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"precision": .., "recall": .., "f1": .., "complete_containment": ..}``."""
        answer = answer_values(prediction)
        rated = [_rate(answer, reference_values(reference)) for reference in references]
        return max(rated, key=lambda scores: scores["f1"])

    def values_in(self, prediction: str, references: Sequence[str]) -> tuple[int, int]:
        """How many values an answer holds, and how many the first of the right ones."""
        return len(answer_values(prediction)), len(reference_values(references[0]))


class HctQaVision(Metric):
    """Recall of values anywhere in a text.

    For models that are shown pictures. Formula: with R the set of the reference's values and t the answer's
    text, ``recall`` is the share of R that t holds as a substring, ``complete_containment`` is 1 where all of
    R is held, else 0. Reading: such answers are often sentences that contain the values; precision is
    meaningless there and not computed. A value is also found inside another (``5`` in ``1950``), so this
    recall is never below that of :class:`HctQa` on the same answer but for the reference's empty values, and
    is not comparable with it.

    Reference and answer are read as for :class:`HctQa`, but the answer is not split at ``||``.

    Special cases: an empty value of the reference is held by every answer; with several references the one
    with the best recall is used. Source: Ahmad et al., "HCT-QA" (Table 1, and appendix D.7, Tables 17 and 18,
    which give recall and complete containment alone), and the published scorer's own function for vision
    models.
    """

    name = "hctqa_vision"
    main = "recall"
    score_names = ("recall", "complete_containment")
    source = "HCT-QA"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"recall": .., "complete_containment": ..}``."""
        text = answer_text(prediction)
        recall = max(_held(text, reference_values(reference)) for reference in references)
        return {"recall": recall, "complete_containment": float(recall == 1)}


def _held(text: str, values: frozenset[str]) -> float:
    return sum(value in text for value in values) / len(values)


def _rate(answer: frozenset[str], reference: frozenset[str]) -> dict[str, float]:
    shared = len(answer & reference)
    precision, recall = shared / len(answer), shared / len(reference)
    return {
        "precision": precision,
        "recall": recall,
        "f1": f_measure(precision, recall),
        "complete_containment": float(shared == len(reference)),
    }


def answer_values(text: str) -> frozenset[str]:
    """The values of a model's answer."""
    return frozenset(value.strip() for value in answer_text(text).split("||"))


def answer_text(text: str) -> str:
    """A model's answer without the text after it, in lower case, with plain numbers."""
    answer = text.lower().strip()
    junk = _JUNK.search(answer)
    answer = answer[: junk.start()] if junk else answer
    answer = answer.split("\n\n")[0].replace("`", "").replace("\n", "")
    return _trim_numbers(_GROUPING_COMMA.sub("", answer)).strip()


@lru_cache(maxsize=16_384)
def reference_values(text: str) -> frozenset[str]:
    """The values of a reference in the benchmark's notation."""
    plain = _GROUPING_COMMA.sub("", text).lower().replace("{", "").replace("}", "")
    # commas again: without its braces, a reference may bring two digits together
    values = (_GROUPING_COMMA.sub("", value.strip()) for value in plain.replace("||", "|").split("|"))
    return frozenset(_trim_numbers(value) for value in values)


def _trim_numbers(text: str) -> str:
    return _ZERO_TAIL.sub(r"\1", _ZERO_FRACTION.sub(r"\1", text))
