"""SQA's accuracy: the right set of cells, compared by their texts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ....core.texts import normalize
from ....scoring.listed_values import parts_of, value_readings, values_of
from ....scoring.metrics.base import Metric


class Sqa(Metric):
    """1 for the right set of cells.

    Formula: ``[set(prediction) = set(r)]`` for some reference ``r``, whose texts have ``|`` between them;
    each is normalized as ``exact_match`` does. ``suc_accuracy`` is the share of the reference's texts that
    the answer contains as they are written.

    Reading: the share of questions answered right, once averaged. SQA's own script compares the coordinates
    of cells, which an answer in words does not name: two cells with one text are one here, so an answer is
    right here wherever it is right there, and also where it means another cell with the same text. Special
    cases: an answer without ``|`` is also read with semicolons, line ends, or commas and ``and`` between
    its texts. A sequence is right where all of its questions are: docs/suc.md has the lines that compute
    it.

    Source: Iyyer, Yih and Chang, "Search-based neural structured learning for sequential question answering"
    (ACL 2017, section 5); ``suc_accuracy``: the published evaluation of "Table Meets LLM" (WSDM 2024).
    """

    name = "sqa"
    main = "denotation_accuracy"
    score_names = ("denotation_accuracy", "suc_accuracy")
    source = "SQA"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"denotation_accuracy": 0.0 or 1.0, "suc_accuracy": value}``."""
        return {
            "denotation_accuracy": float(any(_is_right(prediction, each) for each in references)),
            "suc_accuracy": max(_share_contained(prediction, each) for each in references),
        }


def _is_right(prediction: str, reference: str) -> bool:
    listed, expected = _expected(reference)
    if {normalize(part) for part in parts_of(prediction)} == expected:
        return True
    # with each text once, or as often as there are cells
    return any(
        {normalize(part) for part in parts} == expected
        for number in sorted({len(expected), listed})
        for parts in value_readings(prediction, number)
    )


@lru_cache(maxsize=16_384)
def _expected(reference: str) -> tuple[int, frozenset[str]]:
    values = values_of(reference)
    return len(values), frozenset(values)


def _share_contained(prediction: str, reference: str) -> float:
    values = [value.strip() for value in reference.split("|")]
    return sum(value in prediction for value in values) / len(values)
