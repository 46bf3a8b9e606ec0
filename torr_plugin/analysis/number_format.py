"""How figures are written for people, the same in the terminal and on the site."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

ABSENT = DASH = "\N{EN DASH}"
NO_WIDTH = "[no width]"
"""Replaces bounds that are one number: every resample gave it, as with one example or many equal ones."""
_ALONE = 3
_LEAST_WIDTH = 1e-9
"""Two ends nearer than this are one number, computed twice."""


def has_width(low: float, high: float) -> bool:
    """Whether an interval's ends are two numbers."""
    return high - low > _LEAST_WIDTH


def decimals(low: float | None, high: float | None) -> int:
    """As many decimals as the interval bears: 3, but 2 from a half-width of 0.1 on and 4 below 0.002."""
    if low is None or high is None or not has_width(low, high):
        return _ALONE
    half = (high - low) / 2
    return 2 if half >= 0.1 else 3 if half >= 0.002 else 4


def format_value(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A figure with as many decimals as its interval bears; a dash where there is none."""
    return ABSENT if value is None else rounded(value, decimals(low, high))


def format_bounds(low: float | None, high: float | None) -> str:
    """``[0.389, 0.436]``; ``[no width]`` where both are one number, "" where there is no interval.

    One number twice would look like certainty, and is none: all resamples of one example are the same.
    """
    if low is None or high is None:
        return ""
    if not has_width(low, high):
        return NO_WIDTH
    places = decimals(low, high)
    return f"[{rounded(low, places)}, {rounded(high, places)}]"


def format_percent(share: float | None, low: float | None = None, high: float | None = None) -> str:
    """``74%``, with a decimal where the interval is narrower than a point; ``<1%``; a dash of none."""
    if share is None:
        return ABSENT
    places = _percent_places(low, high)
    text, least = f"{100 * share + 0.0:.{places}f}", 10.0**-places
    if share > 0 and not float(text):
        return f"<{least:g}%"
    return f">{100 - least:g}%" if share < 1 and float(text) == 100 else f"{text}%"


def format_percent_bounds(low: float | None, high: float | None) -> str:
    """``70\N{EN DASH}76``, in percent; "" where there is no interval, or one without a width."""
    if low is None or high is None or not has_width(low, high):
        return ""
    places = _percent_places(low, high)
    return DASH.join(f"{100 * end + 0.0:.{places}f}" for end in (low, high))


def format_points(value: float | None, low: float | None, high: float | None) -> tuple[str, str]:
    """A difference of shares and its interval, in points of percent with signs: ``-6``, ``-8 to -5``."""
    if value is None:
        return ABSENT, ""
    text, *bounds = _points(value, low, high, "+")
    return text, " to ".join(bounds)


def format_size(value: float, low: float | None, high: float | None) -> str:
    """How large a difference of shares is, with its interval: ``6 points [5 to 8]``."""
    text, *bounds = _points(value, low, high, "")
    size = f"{text} {'point' if text == '1' else 'points'}"
    return f"{size} [{' to '.join(bounds)}]" if bounds else size


def _points(value: float, low: float | None, high: float | None, sign: str) -> list[str]:
    """A difference and the ends of its interval; where that excludes 0, none of them reads as 0."""
    ends = [] if low is None or high is None or not has_width(low, high) else [low, high]
    differs = bool(ends) and min(ends) * max(ends) > 0
    places = _percent_places(low, high)
    return [_point(100 * each, places, sign, 4 if differs else places) for each in (value, *ends)]


def _point(points: float, places: int, sign: str, most: int) -> str:
    while not round(points, places) and places < most:
        places += 1
    number = round(points, places) + 0.0
    return f"{number:{sign if number else ''}.{places}f}"


def _percent_places(low: float | None, high: float | None) -> int:
    """Whole percents, unless the interval is narrower than a point."""
    if low is None or high is None or not has_width(low, high):
        return 0
    return 0 if high - low >= 0.01 else 1 if high - low >= 0.001 else 2


def format_interval(value: float | None, low: float | None, high: float | None) -> str:
    """``0.412 [0.389, 0.436]``; a dash where there is no figure."""
    if value is None or low is None or high is None:
        return format_value(value)
    return f"{format_value(value, low, high)} {format_bounds(low, high)}"


def format_share(share: float | None) -> str:
    """``12%``; ``<1%`` of little, ``>99%`` of what is not quite all; a dash where there is none."""
    if share is None:
        return ABSENT
    whole = round(100 * share)
    return "<1%" if not whole and share else ">99%" if whole == 100 and share < 1 else f"{whole}%"


def format_dollars(amount: float) -> str:
    """``12.34``, ``0.0123``; two digits of less: ``0.00012``."""
    if amount >= 1 or not amount:
        return f"{amount:,.2f}"
    return f"{amount:.{max(4, 1 - math.floor(math.log10(amount)))}f}"


def format_ranks(ranks: tuple[int, int] | list[int] | None) -> str:
    """``1``, or the first and the last place with a dash between; a dash for a model without a place."""
    if ranks is None:
        return ABSENT
    low, high = ranks
    return str(low) if low == high else f"{low}{DASH}{high}"


def format_range(counts: Collection[int], between: str = " to ") -> str:
    """``40 to 2,000``, the least and the most of some counts; one number where all are equal."""
    return between.join(f"{count:,}" for count in dict.fromkeys((min(counts), max(counts))))


def format_names(names: Sequence[str], most: int = 5) -> str:
    """``a, b, c``; after ``most`` of them ``and 3 more``."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def rounded(value: float, places: int) -> str:
    """The number with so many decimals; what rounds to 0 has no sign."""
    return f"{round(float(value), places) + 0.0:.{places}f}"
