"""How a spreadsheet program shows a number or a date, by its cell's format (ECMA-376 part 1, 18.8.31).

Sections, literals, currencies, thousands, scaling, per cent, exponents, and dates are followed; fractions and
conditions are not, and the number then is shown as it is.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import TypeAlias

_Moment: TypeAlias = "datetime.datetime | datetime.date | datetime.time | datetime.timedelta"

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.'
    r"|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<elapsed>h+|m+|s+)\]"
    r"|\[(?P<condition>[<>=][^\]]*)\]|\[[^\]]*\]"
    r"|(?P<general>General)|(?P<noon>AM/PM|A/P)|(?P<exponent>E[+-]0+)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)"
    r"|(?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?,*|\.[0#?]+)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
# what stands for the reader's own format of dates, and what programs give to any date
_ANY_DATE = ("mm-dd-yy", "m/d/yy h:mm", "yyyy-mm-dd h:mm:ss", "yyyy-mm-dd hh:mm:ss")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

_DIGITS = 15
_EXACT = Context(prec=1000, rounding=ROUND_HALF_UP)  # a half is rounded away from 0, as programs do

FormatPart: TypeAlias = "tuple[str, str]"
"""Its kind (a group of the pattern) and its text."""


def shown_number(value: float, number_format: str) -> str:
    """A number as it is displayed; ``General`` has at most 15 significant digits."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    sections = _sections(number_format)
    section = sections[0]
    if len(sections) > 1 and value < 0:
        section, value = sections[1], -value
    elif len(sections) > 2 and value == 0:
        section = sections[2]
    return _filled(value, section)


def shown_moment(value: _Moment, number_format: str) -> str:
    """A date or time as it is displayed; in ISO 8601 where the format is no particular one."""
    tokens = _sections(number_format)[0]
    if number_format.lower() in _ANY_DATE or not any(kind in ("date", "elapsed") for kind, _ in tokens):
        return _iso(value)
    if isinstance(value, datetime.timedelta):
        return _elapsed(value, tokens)
    moment = value
    if isinstance(moment, datetime.time):
        moment = datetime.datetime.combine(datetime.date(1900, 1, 1), moment)
    elif not isinstance(moment, datetime.datetime):
        moment = datetime.datetime.combine(moment, datetime.time())
    return _dated(moment, tokens)


def _iso(value: _Moment) -> str:
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return str(value)


@lru_cache(maxsize=256)
def _sections(number_format: str) -> tuple[tuple[FormatPart, ...], ...]:
    """The tokens of each section, those that show nothing left out."""
    found: list[list[FormatPart]] = [[]]
    for match in _TOKEN.finditer(number_format[:255]):
        kind = match.lastgroup
        if kind == "other" and match[0] == ";":
            found.append([])
        elif kind:
            found[-1].append((kind, match[kind]))
    return tuple(map(tuple, found))


def _filled(value: float, tokens: Iterable[FormatPart]) -> str:
    """The number in a section's format."""
    tokens = list(tokens)
    kinds = [kind for kind, _ in tokens]
    signs = [text for kind, text in tokens if kind == "other"]
    if "condition" in kinds or "/" in signs or kinds.count("digits") > 1 or "date" in kinds:
        return _general(value)
    if "digits" not in kinds and "general" not in kinds:  # a section of words alone, or of none
        is_text = "@" in signs or not tokens
        return _general(value) if is_text else "".join(text for _, text in tokens).strip()
    value *= 100 ** signs.count("%")
    exponent = next((text for kind, text in tokens if kind == "exponent"), "")
    sign = "-" if value < 0 else ""
    out = ""
    for kind, text in tokens:
        if kind == "digits":
            out += _scientific(abs(value), text, exponent) if exponent else _digits(abs(value), text)
        elif kind == "general":
            out += _general(abs(value))
        elif kind != "exponent":
            out += text
    is_zero = not any(digit in "123456789" for digit in out)
    return (out if is_zero and "digits" in kinds else sign + out).strip()


def _general(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    rounded = float(f"{value:.15g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else str(rounded)


def _digits(value: float, pattern: str) -> str:
    scaled = pattern.rstrip(",")
    whole, _, decimals = scaled.partition(".")
    grouping = "," if "," in whole else ""
    number = _decimal(value, len(decimals)).scaleb(-3 * (len(pattern) - len(scaled)), _EXACT)
    text = f"{number.quantize(Decimal(1).scaleb(-len(decimals)), context=_EXACT):{grouping}f}"
    optional = len(decimals) - len(decimals.rstrip("#?"))
    for _ in range(optional):
        text = text.removesuffix("0")
    text = text.removesuffix(".") if optional else text
    places = whole.count("0")
    if (not places and text.startswith("0.")) or (text == "0" and not places):
        return text[1:]
    return text if grouping else _padded(text, places)


def _decimal(value: float, places: int) -> Decimal:
    """A number as programs round it: by its first 15 digits, unless more of them are shown."""
    exact = Decimal(repr(value))
    is_short = isinstance(value, float) and exact.adjusted() + 1 + places <= _DIGITS
    return Decimal(f"{value:.{_DIGITS}g}") if is_short else exact


def _padded(text: str, places: int) -> str:
    whole, point, rest = text.partition(".")
    return whole.zfill(places) + point + rest


def _scientific(value: float, pattern: str, exponent: str) -> str:
    decimals = len(pattern.partition(".")[2])
    mantissa, _, power = f"{value:.{decimals}e}".partition("e")
    sign = "-" if power[0] == "-" else "+" if exponent[1] == "+" else ""
    return f"{mantissa}E{sign}{power[1:].lstrip('0').zfill(len(exponent) - 2)}"


def _dated(moment: datetime.datetime, tokens: tuple[FormatPart, ...]) -> str:
    has_noon = any(kind == "noon" for kind, _ in tokens)
    out = ""
    last = ""
    for index, (kind, text) in enumerate(tokens):
        if kind == "date":
            letter = text[0].lower()
            later = next((each[0].lower() for name, each in tokens[index + 1 :] if name == "date"), "")
            is_minute = letter == "m" and len(text) < 3 and (last == "h" or later == "s")
            out += _part(moment, "n" if is_minute else letter, len(text), has_noon)
            last = letter
        elif kind == "noon":
            out += "AM" if moment.hour < 12 else "PM"
        elif kind not in ("general", "condition"):
            out += text
    return out.strip().removesuffix("@").removesuffix(";")


def _part(moment: datetime.datetime, letter: str, length: int, has_noon: bool) -> str:
    """A part of a date: year, month, day, hour, minute (n) or second."""
    if letter == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if letter == "m" and length > 2:
        name = _MONTHS[moment.month - 1]
        return name[:1] if length == 5 else name[:3] if length == 3 else name
    if letter == "d" and length > 2:
        name = _DAYS[moment.weekday()]
        return name[:3] if length == 3 else name
    hour = (moment.hour % 12 or 12) if has_noon else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute, "s": moment.second}[letter]
    return f"{number:02d}" if length > 1 else str(number)


def _elapsed(value: datetime.timedelta, tokens: tuple[FormatPart, ...]) -> str:
    """A duration, in the units that the format has; the first one counts on beyond its size."""
    seconds = round(value.total_seconds())
    sizes = {"h": 3600, "m": 60, "s": 1}
    out = "-" * (seconds < 0)
    left = abs(seconds)
    for kind, text in tokens:
        size = sizes.get(text[0].lower()) if kind in ("date", "elapsed") else None
        if size:
            count, left = divmod(left, size)
            out += str(count).zfill(len(text))
        elif kind in ("quoted", "escaped", "other"):
            out += text
    return out
