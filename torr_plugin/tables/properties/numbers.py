"""Numbers as tables print them: thousands separators, per cent, currency, parentheses, footnote marks."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_SPACES = "\u00a0\u2007\u2009\u202f"
# what scanners and authors leave around a number: form marks, footnotes, currency, approximation
_NOISE = re.compile(r":\w+:|[$€£¥₹*†‡§#~≈^_|'\"`\\/]|\[[^\]]{0,3}\]|\((?:[a-zA-Z]|\d{1,2})\)$")
_NUMBER = re.compile(
    r"""(?P<open>\()?\s*(?P<sign>[+\-\u2212\u2013])?\s*
    (?P<whole>\d{1,3}(?:[, ]\d{3})+|\d+)?(?:(?P<point>[.,])(?P<decimals>\d+))?
    \s*(?P<percent>%)?\s*\)?\s*[a-zA-Z%]?\s*[.,]?""",
    re.VERBOSE,
)
LONGEST = 40


class Number(NamedTuple):
    """A printed number: its value and how many decimals it was rounded to."""

    value: float
    decimals: int


@lru_cache(maxsize=65536)
def parse_number(text: str) -> Number | None:
    """The number that a cell prints; None where it prints none (words, a dash, nothing).

    A comma before three digits separates thousands and is a decimal point otherwise; parentheses around the
    whole make it negative, as in accounts. A letter or a mark behind the number is a footnote.
    """
    if not text or len(text) > LONGEST:
        return None
    cleaned = _NOISE.sub("", text.translate(_TO_SPACE)).strip()
    match = _NUMBER.fullmatch(cleaned)
    if match is None or not (match["whole"] or match["decimals"]):
        return None
    whole = (match["whole"] or "0").replace(",", "").replace(" ", "")
    decimals = match["decimals"] or ""
    value = float(f"{whole}.{decimals or 0}")
    negative = match["sign"] in ("-", "\u2212", "\u2013") or match["open"] is not None
    return Number(-value if negative else value, len(decimals))


_TO_SPACE = str.maketrans(dict.fromkeys(_SPACES, " "))
