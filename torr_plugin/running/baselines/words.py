"""Words and numbers of a text, so that ``Teams`` finds ``team`` and ``1,234`` is a number."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+")
_NUMBER = re.compile(
    r"[^\w.+-]{0,4}([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[+-]?\.\d+)\s*(?:%|[^\W\d_]{0,12}\.?)\s*[^\w]{0,3}"
)

# words that name no row, no column and no cell
_STOP = """
a an and any are as at be been by did do does each for from had has have he her his how i in is it
its me of on or s she t than that the their them then there these they this those to was were what
when where which who whom whose will with would according table following given listed name row
column
"""
STOP = frozenset(_STOP.split())


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The text's words in order: lower case, endings and thousands' commas cut, empty words left out."""
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP)


def stem(word: str) -> str:
    """A word without a plural's or a verb's ending; numbers without commas and zeros after the point."""
    if word[0].isdigit():
        word = word.replace(",", "")
        return word.rstrip("0").rstrip(".") if "." in word else word
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: len(word) - len(ending)] + instead
            break
    return word.rstrip("e") if len(word) > 3 else word


@lru_cache(maxsize=65536)
def number(text: str) -> float | None:
    """The number a cell holds, with a currency sign or a unit at most; None for any other text."""
    match = _NUMBER.fullmatch(text.strip())
    return float(match[1].replace(",", "")) if match else None


def written(value: float) -> str:
    """A number as an answer: without a point where it is whole, else with at most two places."""
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{round(value, 2):g}"
