"""Texts and numbers as workbooks hold them."""

from __future__ import annotations

import datetime
import re

# characters that XML forbids or changes become _xHHHH_, as in spreadsheet programs; so do texts that look so
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
_CODED = re.compile("_x([0-9A-Fa-f]{4})_")
_FIXED = re.compile(r"(#,##)?0(?:\.(0{1,20}))?(%)?")


def escaped(text: str) -> str:
    """A text without the characters that XML forbids."""
    return _FORBIDDEN.sub(lambda match: f"_x{ord(match[0]):04X}_", text)


def unescaped(text: str) -> str:
    """The inverse of :func:`escaped`."""
    return _CODED.sub(_decoded, text)


def _decoded(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    return match[0] if 0xD800 <= code < 0xE000 else chr(code)


def shown(value: object, number_format: str) -> str:
    """A value as a person sees it, in the formats that are plain: decimals, thousands, per cent, dates."""
    if value is None:
        return ""
    if isinstance(value, str):
        return unescaped(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, number_format)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat().replace("T", " ")
    return str(value)


def _number(value: float, number_format: str) -> str:
    fixed = _FIXED.fullmatch(number_format.partition(";")[0])
    if not fixed:
        return str(value)
    grouping, decimals, per_cent = fixed.groups()
    text = f"{value * 100 if per_cent else value:{',' if grouping else ''}.{len(decimals or '')}f}"
    return text + (per_cent or "")


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
