"""Whether the number of an answer is the right one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from torr_plugin.scoring import Metric

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_NEAR = 0.01


class NumberInText(Metric):
    """1 where the last number of the answer is within one in a hundred of a reference's, else 0."""

    name = "number_in_text"
    main = "number_in_text"

    def scores(self, prediction: str, references: Sequence[str]) -> dict[str, float]:
        """One score, by its name."""
        found = _last_number(prediction)
        wanted = [number for number in map(_last_number, references) if number is not None]
        near = found is not None and any(abs(found - number) <= _NEAR * abs(number) for number in wanted)
        return {"number_in_text": float(near)}


def _last_number(text: str) -> float | None:
    numbers = _NUMBER.findall(text.replace(",", ""))
    return float(numbers[-1]) if numbers else None
