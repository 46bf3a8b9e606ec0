"""Which texts of a filing's cells are values, which are years, units or signs that belong to a value."""

from __future__ import annotations

import re

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?"
_VALUE = re.compile(
    r"\(?\s*[-\u2013\u2014\u2212+<>~]?\s*(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5\u20b9])?\s*\(?\s*"
    r"(?=[\d.])" + _NUMBER + r"\s*\)?\s*(?:%|x|bps|pts?\.?|\u00a2|[KMB])?\s*\)?"
    r"(?:\s*(?:\([a-z\d]{1,2}\)|\*{1,3}|\u2020|[\u00b9\u00b2\u00b3\u2070-\u2079]))*",
)
_NIL = re.compile(
    r"(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5\u20b9])?\s*(?:[-\u2013\u2014\u2212]{1,3}|N/?[AM]|n/?[am])\s*%?"
)
_YEAR = re.compile(r"(?:FY\s?)?(?:18|19|20|21)\d\d[AEPaep]?(?:\s*\([a-z\d]{1,2}\))*")
_RULE = re.compile(r"[_=\s\u2500\u2501]{2,}|[-\u2013\u2014]{4,}")

_LONGEST = 40

PREFIX = re.compile(r"[-\u2013\u2014+(]?\s*(?:[A-Z]{0,3}[$\u20ac\u00a3\u00a5\u20b9]|Rs\.?)\s*\(?|\(")
"""A currency sign, an opening parenthesis, or both, that stand before a number in a cell of their own."""

SUFFIX = re.compile(r"\)\s*(?:%|x|bps|pts?\.?|\u00a2)?|(?:%|x|bps|pts?\.?|\u00a2)\s*\)?")
"""A closing parenthesis, a unit, or both, that stand behind a number in a cell of their own."""


def is_value(text: str) -> bool:
    """Whether a cell holds a number as figures are written (``$ (1,204)``, ``12.5%``, a dash) and no year."""
    if len(text) > _LONGEST:
        return False
    return bool(_VALUE.fullmatch(text) or _NIL.fullmatch(text)) and not _YEAR.fullmatch(text)


def is_rule(text: str) -> bool:
    """Whether a text draws a line, as typed tables do: ``=====``."""
    return bool(_RULE.fullmatch(text))


def joins_after(text: str, following: str) -> bool:
    """Whether a text of a cell belongs before the text of the next: ``$`` before ``5,229``."""
    return (
        len(text) <= 5
        and bool(PREFIX.fullmatch(text))
        and following[:1] in "0123456789.($-\u2013\u2014\u2212"
    )


def joins_before(text: str, preceding: str) -> bool:
    """Whether a text of a cell belongs behind the text of the cell before it: ``)`` behind ``(41``."""
    return (
        len(text) <= 5
        and bool(SUFFIX.fullmatch(text))
        and is_value(preceding + (")" if "(" in preceding else ""))
    )
