"""The numbers that a table's cells are drawn from: integers or reals between two bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ....core.validation import shown
from ..instance import NUM_DECIMAL_DIGITS_REAL_FORMAT

_LARGEST = 10**12


@dataclass(frozen=True, slots=True)
class ValueRange:
    """Bounds in units of the last decimal, both included: 0.0 to 1.0 with two decimals is 0 to 100.

    Attributes:
        decimals: 0 for integers.
    """

    low: int
    high: int
    decimals: int

    @property
    def size(self) -> int:
        """How many different numbers there are."""
        return self.high - self.low + 1

    @property
    def bounds(self) -> tuple[int | float, int | float]:
        """As the parameter files write them: with a decimal point for reals."""
        if not self.decimals:
            return self.low, self.high
        return self.low / 10**self.decimals, self.high / 10**self.decimals


def value_range(found: Any) -> ValueRange:
    """``[m, M]``: reals where either is written with a decimal point, else integers (Appendix C.2).

    Raises:
        ValueError: no two finite numbers, the first larger than the second, or too large.
    """
    if not isinstance(found, list) or len(found) != 2 or not all(map(_number, found)):
        raise ValueError(f"found {shown(found)}; expected two numbers [m, M]")
    if found[0] > found[1]:
        raise ValueError(
            f"found {shown(found)}, whose first number is the larger; expected [m, M] with m <= M"
        )
    decimals = NUM_DECIMAL_DIGITS_REAL_FORMAT if any(isinstance(bound, float) for bound in found) else 0
    low, high = (bound * 10**decimals for bound in found)
    # rounded first, for 0.07 * 100 is a little more than 7
    made = ValueRange(math.ceil(round(low, 6)), math.floor(round(high, 6)), decimals)
    if made.size < 1:
        raise ValueError(f"found {shown(found)}, between which is no number of {decimals} decimals")
    return made


def _number(found: Any) -> bool:
    plain = isinstance(found, int | float) and not isinstance(found, bool)
    return plain and math.isfinite(found) and abs(found) <= _LARGEST
