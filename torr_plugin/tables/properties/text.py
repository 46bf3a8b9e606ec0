"""Read texts of a table: printed numbers, and header words that name an aggregate."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .arithmetic import Function

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


_TOTAL = r"(?:sub-?\s*|g\.?\s*|grand\s+)?totals?"
_ALONE = re.compile(
    rf"\W*(?:{_TOTAL}|averages?|avg|mean|sum|overall\s+(?:total|average))\W*\d?\W*", re.IGNORECASE
)
_OTHER_ALONE = re.compile(r"\W*(?:(?:max|min)(?:imum)?|all)\W*", re.IGNORECASE)
_TOTALS = re.compile(rf"\b{_TOTAL}\b", re.IGNORECASE)
_FUNCTIONS: tuple[tuple[Function, re.Pattern[str]], ...] = (
    ("sum", _TOTALS),
    ("mean", re.compile(r"\b(?:averages?|avg|means?)\b", re.IGNORECASE)),
    ("max", re.compile(r"\bmax(?:imum)?\b", re.IGNORECASE)),
    ("min", re.compile(r"\bmin(?:imum)?\b", re.IGNORECASE)),
)
_SHARE = re.compile(r"%|\bper\s?cent|\bshare\b", re.IGNORECASE)
_CHANGE = re.compile(
    r"(?:%|\bper\s?cent\w*)\W*(?:change|variation)\b|\b(?:change|variation)\W*(?:%|\bper\s?cent|$)",
    re.IGNORECASE,
)
_WHOLE = re.compile(r"\W*(?:gross domestic product|gdp)(?:\s*\([^)]*\))?\W*\d?\W*", re.IGNORECASE)
_YEAR = re.compile(r"\W*year\b[\W\d]*", re.IGNORECASE)
_QUARTER = re.compile(r"\bquarters?\b|\W*Q\s?[1-4]\W*$", re.IGNORECASE)
_EXPLICIT = re.compile(
    rf"""\b{_TOTAL}\b | \bsum\b | \baverages?\b | \bavg\b | \bmeans?\b | \bmedian\b | \boverall\b
    | \bmin(?:imum)?\b | \bmax(?:imum)?\b | % | \bper\s?cent(?:age)?s?\b | \bchanges?\b | \bgrowth\b
    | \bvariation\b | \bdifference\b | \bratio\b | \bshare\b
    | \w\s*\+\s*\w+\s*[+\-\u2212]\s*\w | \(\s*\w+\s*\+\s*\w+\s*\)""",
    re.IGNORECASE | re.VERBOSE,
)


def names_column(label: str) -> bool:
    """Whether a column's label by itself makes the column an aggregate: ``Total``, ``Average``.

    Longer labels that hold the word are quantities more often (``Total expenditure``).
    """
    return _ALONE.fullmatch(label) is not None


def names_row(label: str) -> bool:
    """Whether a row's label by itself makes the row an aggregate: the total of anything, an average."""
    if _ALONE.fullmatch(label) is not None:
        return True
    return _TOTALS.search(label) is not None and _SHARE.search(label) is None


def names_whole(label: str) -> bool:
    """Whether a row's label names a whole by common knowledge (GDP), without a word such as total."""
    return _WHOLE.fullmatch(label) is not None


def is_year(label: str) -> bool:
    """Whether a label says ``Year``, alone or with its number."""
    return _YEAR.fullmatch(label) is not None


def is_quarter(label: str) -> bool:
    """Whether a label names quarters of a year."""
    return _QUARTER.search(label) is not None


def names_change(label: str) -> bool:
    """Whether a label names the change between two others."""
    return _CHANGE.search(label) is not None


def functions(label: str) -> tuple[Function, ...]:
    """The functions that a label names."""
    return tuple([function for function, words in _FUNCTIONS if words.search(label)])


def stands_alone(label: str) -> bool:
    """Whether a label is the name of an aggregate and nothing else."""
    return _ALONE.fullmatch(label) is not None or _OTHER_ALONE.fullmatch(label) is not None


def is_explicit(label: str) -> bool:
    """Whether the label of an aggregate names it as one (HCT-QA, A.1)."""
    return _EXPLICIT.search(label) is not None
