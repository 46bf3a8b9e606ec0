"""The numbers of a table's body: none twice, integers or reals with two decimals (Appendix C.2)."""

from __future__ import annotations

from decimal import Decimal
from random import Random

from ..parameters.json_file import ParameterError
from ..parameters.value_range import ValueRange


def distinct_values(
    span: ValueRange, count: int, random: Random, *, where: str, overflow: bool = True
) -> list[Decimal]:
    """``count`` different numbers, drawn uniformly from the range without replacement.

    Where the range holds fewer, its upper bound gives way, as in the benchmark; without ``overflow`` that
    is refused.

    Args:
        span: the range.
        count: how many.
        random: the chance.
        overflow: whether the upper bound may give way.
        where: file and template, for the message.

    Raises:
        ParameterError: too few numbers in the range, and no overflow allowed.
    """
    high = span.high
    if count > span.size:
        if not overflow:
            raise ParameterError(
                f"{where}: values: {list(span.bounds)} holds {span.size} different numbers; "
                f"a table needs {count}: expected a wider range, or overflow allowed"
            )
        high = span.low + count - 1
    drawn = random.sample(range(span.low, high + 1), count)
    return [Decimal(number).scaleb(-span.decimals) for number in drawn]
