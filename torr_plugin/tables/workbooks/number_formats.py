"""Values of a workbook's cells as a spreadsheet program shows them, by the cell's format.

The formats are those of ECMA-376 part 1, 18.8.31: sections, also with conditions, literals, currencies,
thousands, scaling, per cent, exponents, fractions, dates, and names of months in English, German, French and
Spanish; dates with names in other languages are shown as in ISO 8601.
"""

from __future__ import annotations

import datetime
import math
import operator
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple, TypeAlias

_Moment: TypeAlias = "datetime.datetime | datetime.date | datetime.time | datetime.timedelta"
_Part: TypeAlias = "tuple[str, str]"  # its kind (a group of the pattern) and its text

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_.|\*.'
    r"|\[\$(?P<currency>[^\]-]*)(?:-[^\]]*)?\]|\[(?P<elapsed>h+|m+|s+)\]"
    r"|\[(?P<condition>(?:[<>]=?|=|<>)\s*-?[\d.]+)\]|\[[^\]]*\]"
    r"|(?P<general>General)|(?P<noon>AM/PM|A/P)|(?P<exponent>E[+-]0+)|(?P<date>y+|m+|d+|h+|s+(?:\.0+)?)"
    r"|(?P<fraction>[?#0]+\s*/\s*(?:[?#0]+|\d+))|(?P<digit>[0#?])|(?P<sign>[.,])|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_LANGUAGE = re.compile(r"\[\$[^\]-]*-([^\]]+)\]")
_CONDITION = re.compile(r"([<>=]+)\s*(.+)")
_HOLDS = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
    ">=": operator.ge,
    ">": operator.gt,
}
# what stands for the reader's own format of dates, and what programs give to any date
_ANY_DATE = ("mm-dd-yy", "m/d/yy h:mm", "yyyy-mm-dd h:mm:ss", "yyyy-mm-dd hh:mm:ss")
_CODES = {0x07: "de", 0x09: "en", 0x0A: "es", 0x0C: "fr"}
_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
}
_SHORT_MONTHS = {
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "de": "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "ene feb mar abr may jun jul ago sep oct nov dic",
}
_DAYS = {
    "en": "Monday Tuesday Wednesday Thursday Friday Saturday Sunday",
    "de": "Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag",
    "fr": "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "es": "lunes martes miércoles jueves viernes sábado domingo",
}
_SHORT_DAYS = {
    "en": "Mon Tue Wed Thu Fri Sat Sun",
    "de": "Mo Di Mi Do Fr Sa So",
    "fr": "lun. mar. mer. jeu. ven. sam. dim.",
    "es": "lun mar mié jue vie sáb dom",
}
_GROUPS = re.compile(r"(?<=\d)(?=(?:\d{3})+$)")
_DIGITS = 15
_EXACT = Context(prec=1000, rounding=ROUND_HALF_UP)  # a half is rounded away from 0, as programs do

# characters that XML forbids or changes become _xHHHH_, as in spreadsheet programs; so do texts that look so
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_CODED = re.compile("_x([0-9A-Fa-f]{4})_")


def escaped(text: str) -> str:
    """A text without the characters that XML forbids."""
    return _FORBIDDEN.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def unescaped(text: str) -> str:
    """The inverse of :func:`escaped`."""
    return _CODED.sub(_decoded, text) if "_x" in text else text


def _decoded(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return match[0] if 0xD800 <= code < 0xE000 else chr(code)


def shown(value: object, number_format: str) -> str:
    """A value as a person sees it."""
    if value is None:
        return ""
    if isinstance(value, str):
        return unescaped(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return shown_number(value, number_format or "General")
    if isinstance(value, datetime.date | datetime.time | datetime.timedelta):
        return shown_moment(value, number_format)
    return str(value)


def number_format(value: object, text: str) -> str | None:
    """The format in which a stored number shows as ``text``; None where it would not, or not exactly."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    if not abs(value) < 1e15 or len(text) > 40:
        return None
    digits = f"{value:.16g}"
    stored: float = float(digits) if re.search("[.en]", digits) else int(digits)
    decimals = len(text.partition(".")[2].rstrip("%"))
    fixed = "0." + "0" * decimals if decimals else "0"
    options = ("General", fixed, "#,##" + fixed, fixed + "%")
    return next((option for option in options if shown(stored, option) == text), None)


class _Section(NamedTuple):
    """A part of a format: what it shows, and the numbers that it is for."""

    tokens: tuple[_Part, ...]
    condition: str = ""

    def text(self, kind: str) -> str:
        """The first token of a kind, empty without."""
        return next((text for name, text in self.tokens if name == kind), "")


@lru_cache(maxsize=256)
def _sections(number_format: str) -> tuple[_Section, ...]:
    """The sections of a format; what shows nothing is left out."""
    found: list[list[_Part]] = [[]]
    for match in _TOKEN.finditer(number_format[:255]):
        kind = match.lastgroup
        if kind == "other" and match[0] == ";":
            found.append([])
        elif kind:
            found[-1].append((kind, match[kind]))
    return tuple(
        [
            _Section(
                tuple(token for token in tokens if token[0] != "condition"), dict(tokens).get("condition", "")
            )
            for tokens in found
        ]
    )


def shown_number(value: float, number_format: str) -> str:
    """A number as it is displayed; ``General`` has at most 15 significant digits."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    sections = _sections(number_format)[:3]
    if any(section.condition for section in sections):
        fitting = [each for each in sections if not each.condition or _meets(value, each.condition)]
        section = fitting[0] if fitting else _Section((("general", ""),))
    elif len(sections) > 1 and value < 0:
        section, value = sections[1], -value
    else:
        section = sections[2 if len(sections) > 2 and value == 0 else 0]
    return _filled(value, section)


def _meets(value: float, condition: str) -> bool:
    match = _CONDITION.fullmatch(condition)
    try:
        return match is not None and bool(_HOLDS[match[1]](value, float(match[2])))
    except ValueError:
        return False


def _filled(value: float, section: _Section) -> str:
    """The number in a section's format."""
    kinds = [kind for kind, _ in section.tokens]
    others = [text for kind, text in section.tokens if kind == "other"]
    if "date" in kinds or "elapsed" in kinds:
        return _general(value)
    value *= 100 ** others.count("%")
    sign = "-" if value < 0 else ""
    if "fraction" in kinds:
        return sign + _fraction(abs(value), section)
    if "digit" not in kinds:  # words alone, or nothing
        if "general" in kinds:
            text = "".join(
                [_general(abs(value)) if kind == "general" else text for kind, text in section.tokens]
            )
            return (sign + text).strip()
        is_text = "@" in others or not section.tokens
        return _general(value) if is_text else "".join(text for _, text in section.tokens).strip()
    exponent = section.text("exponent")
    out = _scientific(abs(value), section, exponent) if exponent else _fixed(abs(value), section.tokens)
    is_zero = not any(digit in "123456789" for digit in out)
    return (out if is_zero else sign + out).strip()


def _general(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    rounded = float(f"{value:.15g}")
    return str(int(rounded)) if rounded.is_integer() and abs(rounded) < 1e15 else str(rounded)


def _fixed(value: float, tokens: Sequence[_Part]) -> str:
    """The digits of a number in their places, from the point outwards, with what stands between them."""
    last = max(place for place, (kind, _) in enumerate(tokens) if kind == "digit")
    point = next((place for place, token in enumerate(tokens) if token == ("sign", ".")), len(tokens))
    whole = [place for place, (kind, _) in enumerate(tokens[:point]) if kind == "digit"]
    parts = [place for place, (kind, _) in enumerate(tokens) if kind == "digit" and place > point]
    commas = [place for place, token in enumerate(tokens) if token == ("sign", ",")]
    # a comma behind the last digit of a part divides by a thousand
    scale = sum(place > last or bool(whole and whole[-1] < place < point) for place in commas)
    number = _decimal(value, len(parts)).scaleb(-3 * scale, _EXACT)
    text = f"{number.quantize(Decimal(1).scaleb(-len(parts)), context=_EXACT):f}"
    digits, _, decimals = text.partition(".")
    optional = len(parts) - max(
        (n + 1 for n, place in enumerate(parts) if tokens[place][1] == "0"), default=0
    )
    while optional and decimals.endswith("0"):
        decimals, optional = decimals[:-1], optional - 1
    least = sum(tokens[place][1] == "0" for place in whole)
    digits = digits.lstrip("0").zfill(least) if digits.strip("0") else "0" * least
    if whole and any(whole[0] < place < whole[-1] for place in commas):
        digits = _GROUPS.sub(",", digits)
    # each place shows one digit, the first all that are left over
    out, shown_digits = "", digits
    for place in reversed(range(len(tokens))):
        kind, each = tokens[place]
        if place in parts:
            out = decimals[parts.index(place) : parts.index(place) + 1] + out
        elif place in whole:
            count = len(shown_digits) if place == whole[0] else min(1, len(shown_digits))
            if "," in shown_digits[-2:] and place != whole[0]:
                count = 1 + (shown_digits[-1] == ",")
            out = shown_digits[len(shown_digits) - count :] + out
            shown_digits = shown_digits[: len(shown_digits) - count]
        elif place == point:
            out = (digits if not whole else "") + ("." if decimals else "") + out
        elif kind not in ("sign", "exponent"):
            out = each + out
    return out


def _decimal(value: float, places: int) -> Decimal:
    """A number as programs round it: by its first 15 digits, unless more of them are shown."""
    exact = Decimal(repr(value))
    is_short = isinstance(value, float) and exact.adjusted() + 1 + places <= _DIGITS
    return Decimal(f"{value:.{_DIGITS}g}") if is_short else exact


def _scientific(value: float, section: _Section, exponent: str) -> str:
    before, _, after = "".join(
        [text for kind, text in section.tokens if kind in ("digit", "sign")]
    ).partition(".")
    mantissa, _, power = f"{value:.{len(after) if before else 0}e}".partition("e")
    sign = "-" if power[0] == "-" else "+" if exponent[1] == "+" else ""
    return f"{mantissa}E{sign}{power[1:].lstrip('0').zfill(len(exponent) - 2)}"


def _fraction(value: float, section: _Section) -> str:
    """A whole number, where the format has a place for it, and a fraction."""
    below = section.text("fraction").partition("/")[2].strip()
    exact = Fraction(value)
    if below.strip("?#0"):
        bottom = int(below)
        top = round(exact * bottom)
    else:
        top, bottom = exact.limit_denominator(10 ** len(below) - 1).as_integer_ratio()
    if not section.text("digit"):
        return f"{top}/{bottom}"
    whole, top = divmod(top, bottom)
    is_whole = whole or not top or section.text("digit") == "0"
    return " ".join([*([str(whole)] if is_whole else []), *([f"{top}/{bottom}"] if top else [])])


def shown_moment(value: _Moment, number_format: str) -> str:
    """A date or time as it is displayed; in ISO 8601 where the format is no particular one."""
    tokens = _sections(number_format)[0].tokens
    language = _language(number_format)
    has_names = any(kind == "date" and text[0] in "mMdD" and len(text) > 2 for kind, text in tokens)
    is_plain = number_format.lower() in _ANY_DATE or not {"date", "elapsed"} & {kind for kind, _ in tokens}
    if is_plain or (has_names and language not in _MONTHS):
        if isinstance(value, datetime.datetime) and value.time() == datetime.time():
            value = value.date()
        return str(value)
    if isinstance(value, datetime.timedelta):
        return _elapsed(value, tokens)
    moment = value
    if isinstance(moment, datetime.time):
        moment = datetime.datetime.combine(datetime.date(1900, 1, 1), moment)
    elif not isinstance(moment, datetime.datetime):
        moment = datetime.datetime.combine(moment, datetime.time())
    return _dated(moment, tokens, language)


def _language(number_format: str) -> str:
    """The language of ``[$-407]`` or ``[$-de-DE]``; English where none is named."""
    found = _LANGUAGE.search(number_format)
    if not found or found[1].lower() in ("f800", "f400", "x-sysdate", "x-systime"):
        return "en"
    try:
        return _CODES.get(int(found[1].split(",")[0], 16) & 0x3FF, "")
    except ValueError:
        return found[1][:2].lower()


def _dated(moment: datetime.datetime, tokens: Sequence[_Part], language: str) -> str:
    has_noon = any(kind == "noon" for kind, _ in tokens)
    out = ""
    last = ""
    for index, (kind, text) in enumerate(tokens):
        if kind == "date":
            letter = text[0].lower()
            later = next((each[0].lower() for name, each in tokens[index + 1 :] if name == "date"), "")
            is_minute = letter == "m" and len(text) < 3 and (last == "h" or later == "s")
            out += _part(moment, "n" if is_minute else letter, len(text), has_noon, language)
            last = letter
        elif kind == "noon":
            out += "AM" if moment.hour < 12 else "PM"
        elif kind != "general":
            out += text
    return out.strip().removesuffix("@").removesuffix(";")


def _part(moment: datetime.datetime, letter: str, length: int, has_noon: bool, language: str) -> str:
    """A part of a date: year, month, day, hour, minute (n) or second."""
    if letter == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if letter == "m" and length > 2:
        names = _SHORT_MONTHS if length == 3 else _MONTHS
        name = names[language].split()[moment.month - 1]
        return name[:1] if length == 5 else name
    if letter == "d" and length > 2:
        names = _SHORT_DAYS if length == 3 else _DAYS
        return names[language].split()[moment.weekday()]
    hour = (moment.hour % 12 or 12) if has_noon else moment.hour
    number = {"m": moment.month, "d": moment.day, "h": hour, "n": moment.minute, "s": moment.second}[letter]
    return f"{number:02d}" if length > 1 else str(number)


def _elapsed(value: datetime.timedelta, tokens: Sequence[_Part]) -> str:
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
