"""Several values in any order: the whole set or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ...core.texts import normalize
from ..listed_values import value_readings, values_of
from .base import Metric


class ValueSet(Metric):
    """1 for the right values in any order.

    Formula: ``[bag(prediction) = bag(r)]`` for some reference ``r``, whose values have ``|`` between them;
    each value is normalized as ``exact_match`` does. Reading: the share of questions with several right
    answers whose answer is complete, once averaged. Special cases: an answer without ``|`` is also read as a
    JSON list, a Markdown table of one column or row, and with line ends (with bullets or numbers), tabs,
    semicolons, commas, ``and``, ``&``, slashes, dashes or arrows between its values, in brackets or
    not; a value counts as often as it is there; a reference of one value is compared as a whole.

    Source: the project's own definition, after ``value_list``, for which order counts.
    """

    name = "value_set"
    main = "value_set"
    source = "ours"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """``{"value_set": 0.0 or 1.0}``."""
        return {"value_set": float(any(_is_right(prediction, reference) for reference in references))}


def _is_right(prediction: str, reference: str) -> bool:
    expected = _bag(reference)
    return any(
        Counter(map(normalize, values)) == expected for values in value_readings(prediction, expected.total())
    )


@lru_cache(maxsize=16_384)
def _bag(reference: str) -> Counter[str]:
    return Counter(values_of(reference))
