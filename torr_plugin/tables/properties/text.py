"""Texts of a table: printed numbers, and header words that name an aggregate."""

from __future__ import annotations

import re
from functools import lru_cache

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


@lru_cache(maxsize=65536)
def is_number(text: str) -> bool:
    """Whether a cell prints a number, and nothing but what scanners and authors leave around one."""
    if not text or len(text) > LONGEST:
        return False
    match = _NUMBER.fullmatch(_NOISE.sub("", text.translate(_TO_SPACE)).strip())
    return match is not None and bool(match["whole"] or match["decimals"])


_TO_SPACE = str.maketrans(dict.fromkeys(_SPACES, " "))


_TOTAL = r"(?:sub-?\s*|g\.?\s*|grand\s+)?totals?"
_ALONE = re.compile(
    rf"\W*(?:{_TOTAL}|averages?|avg|mean|sum|overall\s+(?:total|average))\W*\d?\W*", re.IGNORECASE
)
_OTHER_ALONE = re.compile(r"\W*(?:(?:max|min)(?:imum)?|all)\W*", re.IGNORECASE)
_EXPLICIT = re.compile(
    rf"""\b{_TOTAL}\b | \bsum\b | \baverages?\b | \bavg\b | \bmeans?\b | \bmedian\b | \boverall\b
    | \bmin(?:imum)?\b | \bmax(?:imum)?\b | % | \bper\s?cent(?:age)?s?\b | \bchanges?\b | \bgrowth\b
    | \bvariation\b | \bdifference\b | \bratio\b | \bshare\b
    | \w\s*\+\s*\w+\s*[+\-\u2212]\s*\w | \(\s*\w+\s*\+\s*\w+\s*\)""",
    re.IGNORECASE | re.VERBOSE,
)


def stands_alone(label: str) -> bool:
    """Whether a label is the name of an aggregate and nothing else."""
    return _ALONE.fullmatch(label) is not None or _OTHER_ALONE.fullmatch(label) is not None


def is_explicit(label: str) -> bool:
    """Whether the label of an aggregate names it as one (HCT-QA, A.1)."""
    return _EXPLICIT.search(label) is not None
