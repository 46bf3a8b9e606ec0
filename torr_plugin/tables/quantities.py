# ruff: noqa: RUF001 (signs and marks that look like others are read as these)
"""Numbers as people write them: ``1,205``, ``$1.2 million``, ``(3.5 %)``, ``412 km``.

In: a text. Out: its number, exact, with its unit; or None where it is anything else than one number.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..core.texts import as_seen, without_latex

LONGEST = 100
"""The most characters of a text that can be a number."""

MARKS = (".", ",")
"""The decimal marks."""


@dataclass(frozen=True)
class Quantity:
    """A number with its unit.

    Attributes:
        value: the number; of ``1.2 million`` 1,200,000, of ``12.5 %`` 12.5.
        written: the number without its word of scale: 1.2 of ``1.2 million``.
        unit: its words in lower case, ``%`` and currencies in one spelling; empty without one.
        bare_fraction: ``1/2`` where that is how it is written; empty for ``0.5``, ``2 1/2`` and LaTeX's.
    """

    value: Fraction
    written: Fraction
    unit: tuple[str, ...]
    bare_fraction: str = ""


_CURRENCIES = {
    **dict.fromkeys(("$", "us$", "usd", "dollar"), "$"),
    **dict.fromkeys(("€", "eur", "euro"), "€"),
    **dict.fromkeys(("£", "gbp", "pound"), "£"),
    **dict.fromkeys(("¥", "jpy", "yen"), "¥"),
    **dict.fromkeys(("₹", "inr", "rs", "rupee"), "₹"),
    **dict.fromkeys(("cn¥", "cny", "rmb", "yuan"), "cn¥"),
    **dict.fromkeys(("r$", "brl", "real", "reai"), "r$"),
    **dict.fromkeys(("zł", "pln"), "zł"),
    **dict.fromkeys(("₩", "krw", "won"), "₩"),
    **dict.fromkeys(("a$", "aud"), "a$"),
    **dict.fromkeys(("c$", "cad"), "c$"),
    **{code: code for code in ("hk$", "chf", "sek", "nok", "dkk", "mxn", "sgd", "zar")},
}
_PERCENT = dict.fromkeys(("%", "percent", "pct"), "%")
_SPELLINGS = {**_CURRENCIES, **_PERCENT}
_SCALES = {
    "hundred": 100,
    **dict.fromkeys(("thousand", "k", "K"), 10**3),
    "lakh": 10**5,
    **dict.fromkeys(("million", "mln", "mio", "mn", "M"), 10**6),
    "crore": 10**7,
    **dict.fromkeys(("billion", "bln", "bn", "mrd", "B"), 10**9),
    **dict.fromkeys(("trillion", "trn", "tn", "T"), 10**12),
}
_ABOUT = r"(?i:about|approximately|approx\.?|around|roughly|circa|ca\.|[~≈=])"
_CODES = "|".join(code for code in _CURRENCIES if len(code) == 3 and code.isalpha())
_BEFORE = rf"(?i:(?:us|cn|hk|nt|nz|mx|a|c|r|s)?[$¥]|[€£₹₩₽₺₪₫₴₦₱฿]|rs\.?|kr\.?|zł|{_CODES})"
_WORDS = "hundred|thousand|lakh|million|crore|billion|trillion"
_SCALE = rf"(?:(?i:({_WORDS})s?|(mln|mio|mn|bln|bn|mrd|trn|tn)\.?)|([kKMBT]))"
_NUMBER = re.compile(
    rf"(?:{_ABOUT}\s*)?([+-]?|(?i:minus|negative)(?=\s))\s*({_BEFORE})?\s*([+-]?)"
    rf"([0-9](?:[0-9., ']*[0-9])?|[.,][0-9]+)"
    r"(?:[eE]([+-]?[0-9]{1,3})(?![0-9])|\s*[x×*·⋅]\s*10(?:\^|\*\*)([+-]?[0-9]{1,3})(?![0-9]))?"
    rf"(?:\s*{_SCALE}(?![^\W\d_]))?"
)
_SYMBOLS = "%‰°$€£¥₹₩₽₺₪₫₴₦₱฿"
_UNIT = re.compile(rf"(?:[^\W\d]|[{_SYMBOLS}·/^. -]|(?<=[^\W\d_]|\^)-?[1-3](?![0-9]))*")
_VULGAR = re.compile(r"([0-9]*) ?([¼-¾⅐-⅞])")
# 1/2 and 2 1/2, but no date
_FRACTION = re.compile(r"(?<![0-9./])(?:([0-9]+) )?([0-9]{1,3}) ?[/⁄∕] ?([1-9][0-9]{0,2})(?![0-9./,-])")
# of a fraction with no whole number before it; 8/20, 12/12 and 98/99 are scores, seasons or counts of a total
_DENOMINATORS = frozenset((*range(2, 11), 12, 16, 32, 64, 100))
_EXPONENT = re.compile(r"(?<=10)(?:\^\{([+-]?[0-9]{1,3})\}|([⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_POWERS = str.maketrans({"²": "2", "³": "3", "^": None})
_PARENTHESES = re.compile(r"([^()0-9]{0,8})\(([^()]*)\)([^()0-9]{0,20})")
# words after a number that say another thing than what it counts
_OTHER = re.compile(r"\b(?:or|and|to|but|not|more|less|fewer|plus|minus|than|out|st|nd|rd|th)\b")
_ASCII = str.maketrans(
    dict.fromkeys("−–—﹣－", "-")
    | {"\\": None, "％": "%", "٫": ".", "٬": ",", "’": "'"}
    | dict.fromkeys("\u00a0\u2009\u202f", " ")
)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:(.)[0-9]{3})(?:\1[0-9]{3})*|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}")


def quantity(text: str, mark: str = ".") -> Quantity | None:
    """The number that a text is, with its unit; None for any other text, and for one that is too long.

    Args:
        text: e.g. ``1,205 km``; a sign, brackets for a negative number, a currency before it or a unit after
            it, and a word like ``about`` are part of a number. A sentence, a range and a date are none.
        mark: the decimal mark, ``.`` or ``,``, which decides where both readings are possible:
            ``1,205`` is 1205 or 1.205. ``1.205,50`` and ``1,205.50`` are clear.
    """
    return _quantity(text, mark) if len(text) <= LONGEST else None  # long texts are not kept in the cache


@lru_cache(maxsize=16_384)
def _quantity(text: str, mark: str) -> Quantity | None:
    plain, bare_fraction = _in_decimals(_plain(text), is_latex="frac" in text)
    bracketed = _PARENTHESES.fullmatch(plain)
    if bracketed:
        plain = "".join(bracketed.groups()).strip()
    found = _NUMBER.match(plain)
    digits = _decimal(found[4], mark) if found else None
    if not found or digits is None or (found[1] and found[3]):
        return None
    unit = _unit(found[2] or "", plain[found.end() :].strip())
    if unit is None or not _SCALES.keys().isdisjoint(unit[:1]):  # two scales
        return None
    negative = (found[1] or found[3]) not in ("", "+") or bool(bracketed and not found[1] + found[3])
    written = Fraction(digits) * Fraction(10) ** int(found[5] or found[6] or 0) * (-1 if negative else 1)
    word = (found[7] or found[8] or "").lower() or found[9]
    return Quantity(written * (_SCALES[word] if word else 1), written, unit, bare_fraction)


def scaled(number: str, scale: str) -> str:
    """A number with its scale behind it: ``1344 million``; with ``none`` the number alone.

    Raises:
        ValueError: the scale is no such word.
    """
    word = scale.strip().lower()
    if word == "none":
        return number
    found = quantity(f"2 {word}")
    if found is None or not (found.unit == ("%",) or (found.value != found.written and not found.unit)):
        raise ValueError(f"found {scale[:40]!r}; expected none, percent, thousand, million or billion")
    return f"{number} {word}"


def share(text: str) -> Fraction:
    """A tolerance: a number of at least 0, or a percentage (``1%`` is 0.01).

    Raises:
        ValueError: anything else.
    """
    found = quantity(text.strip())
    if found is None or found.value < 0 or found.unit not in ((), ("%",)):
        raise ValueError(f"found {text[:40]!r}; expected a number such as 0.5 or 1%")
    return found.value / 100 if found.unit else found.value


def _plain(text: str) -> str:
    """ASCII digits and signs, without LaTeX, Markdown's marks around a number, or one at a sentence's end."""
    plain = without_latex(as_seen(text)).translate(_ASCII)
    plain = re.sub(r"(?<=[^.!:])[.!:]$", "", plain.strip(' \t\r\n*_`"“”')).strip(' *_`"“”')
    if plain[:1] == "[" and plain[-1:] == "]":
        plain = plain[1:-1].strip(" '\"")
    plain = _EXPONENT.sub(lambda power: f"^{power[1] or power[2].translate(_RAISED)}", plain)
    if plain.isascii():
        return plain
    plain = _VULGAR.sub(lambda part: _decimal_of(part[1], Fraction(unicodedata.numeric(part[2]))), plain)
    return "".join(str(unicodedata.decimal(each, each)) for each in plain)


def _in_decimals(plain: str, *, is_latex: bool) -> tuple[str, str]:
    """The text with decimals for a fraction that is a number, and that fraction where it is a bare one."""
    part = _FRACTION.search(plain)
    if not part:
        return plain, ""
    above, below = int(part[2]), int(part[3])
    is_bare = not (part[1] or is_latex)
    if is_bare and (above >= below or below not in _DENOMINATORS):
        return plain, ""
    decimal = _decimal_of(part[1], Fraction(above, below))
    return plain[: part.start()] + decimal + plain[part.end() :], f"{above}/{below}" if is_bare else ""


def _decimal_of(whole: str | None, fraction: Fraction) -> str:
    """``2.500000000000`` for 2½: twelve digits, also of thirds, which no decimal mark makes thousands."""
    digits = round((int(whole or 0) + fraction) * 10**12)
    return f"{digits // 10**12}.{digits % 10**12:012d}"


def _decimal(digits: str, mark: str) -> str | None:
    """The number with a point for its decimals and no other mark; None where its groups are no thousands."""
    marks = re.sub("[0-9]", "", digits)
    kinds = list(dict.fromkeys(marks))
    if not kinds:
        return digits
    last = kinds[-1]
    head, _, tail = digits.rpartition(last)
    is_single = marks.count(last) == 1 and last in MARKS
    if len(kinds) == 1:
        is_grouped = _GROUPED.fullmatch(digits) and not (is_single and last == mark)
        if is_grouped:
            return digits.replace(last, "")
        return f"{head or 0}.{tail}" if is_single else None
    if len(kinds) > 2 or not is_single or not _GROUPED.fullmatch(head):
        return None
    return f"{head.replace(kinds[0], '')}.{tail}"


def _unit(before: str, after: str) -> tuple[str, ...] | None:
    """The words of a unit in one spelling; None for words that are no unit."""
    if after and not (_UNIT.fullmatch(after) and (after[0].isalpha() or after[0] in _SYMBOLS)):
        return None
    lowered = f"{before} {after}".lower().translate(_POWERS).replace("per cent", "percent")
    words = [word.strip(".") for word in lowered.split()]
    if len(words) > 5 or _OTHER.search(lowered):
        return None
    singular = [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words]
    return tuple(_SPELLINGS.get(word, word) for word in singular if word)


def json_as_written(text: str) -> Any:
    """A JSON text's value, numbers as they are written: 0.00001 as a float would be the answer "1e-05"."""
    return json.loads(text, parse_int=str, parse_float=str)
