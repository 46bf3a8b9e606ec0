"""Texts and numbers as workbooks hold them."""

from __future__ import annotations

import datetime
import re

from .number_formats import shown_moment, shown_number

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
