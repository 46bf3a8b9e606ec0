"""Several values in any order: the whole set or nothing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ...core.texts import normalize
from .base import Metric
from .spellings import parts_of, values_of

# what people and models write between values; a comma alone also parts the thousands of a number, and a value
# may hold an "and" of its own
_WITHIN_A_LINE = tuple(map(re.compile, (";", ", (?:and )?| and ", ", (?:and )?")))
_LINE_END = re.compile(r"\n(?:[-*•] )?")


class ValueSet(Metric):
    """1 for the right values in any order.

    Formula: ``[bag(prediction) = bag(r)]`` for some reference ``r``, whose values have ``|`` between them;
    each value is normalized as ``exact_match`` does. Reading: the share of questions with several right
    answers whose answer is complete, once averaged. Special cases: an answer without ``|`` is also read with
    semicolons, line ends, or commas and ``and`` between its values; a value counts as often as it is there;
    a reference of one value is compared as a whole.

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
        Counter(map(normalize, values)) == expected for values in readings(prediction, expected.total())
    )


@lru_cache(maxsize=16_384)
def _bag(reference: str) -> Counter[str]:
    return Counter(values_of(reference))


def readings(prediction: str, number: int) -> Iterator[list[str]]:
    """The ways to read an answer as so many values: parted by bars, or else by what else parts values."""
    parts = parts_of(prediction)
    if len(parts) == number:
        yield parts
    if len(parts) > 1:
        return
    # single spaces, as patterns for any number of them take hours for very many
    flat = " ".join(prediction.split())
    # a line end before the first value too, so that it loses its bullet as the others do
    lines = "".join(f"\n{' '.join(line.split())}" for line in prediction.split("\n"))
    for between, text in ((_LINE_END, lines), *((mark, flat) for mark in _WITHIN_A_LINE)):
        values = [value for value in between.split(text) if value.strip()]
        if len(values) == number > 1:
            yield [part for value in values for part in parts_of(value)]
