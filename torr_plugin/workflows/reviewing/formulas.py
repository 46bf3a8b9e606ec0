"""Texts of models in spreadsheet programs, which must not take any for a formula."""

from __future__ import annotations

import re

# what begins a formula, also behind a separator of other countries' CSV files or in a new line
_FORMULA = re.compile(r"(^|[;\t\r\n])([^\S\t\r\n]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"[+-]?[\d.,\s]*\d\s?%?")


def neutralized(text: str) -> str:
    """A text that no spreadsheet program takes for a formula: an apostrophe stands before what could be one.

    Numbers stay as they are.
    """
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1\2'", text)


def without_apostrophe(text: str) -> str:
    """A text as its writer meant it: without the apostrophe that keeps it from being a formula."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text[1:]) else text
