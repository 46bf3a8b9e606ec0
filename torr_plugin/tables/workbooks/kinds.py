# ruff: noqa: RUF001 (signs of other scripts)
"""What kind of thing the text of a cell is, as far as it helps to tell headers from values."""

from __future__ import annotations

import re
from enum import Enum


class Kind(Enum):
    """The kinds of cells."""

    BLANK = "blank"
    MARK = "mark"
    """A dash or the like, where a value is missing."""
    NUMBER = "number"
    PERIOD = "period"
    """A year, quarter, month, date, or a length of time: a header as well as a value."""
    TEXT = "text"


_MARK = re.compile(
    r"[-–—―/.·*…x]{1,4}|[-–—]?\s*[%％]|n[./]?[ad]\.?|nan|null|不适用|不適用|无|無|未知", re.IGNORECASE
)
_CENTURY, _QUARTER = "(?:19|20)", "(?:q[1-4]|h[12]|[1-4]q|[12]h)"
_MONTH = "(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?"
_PERIODS = (
    # FY2023, 2024E Q1
    rf"(?:fy|cy|{_QUARTER})?\s*['’]?{_CENTURY}\d\d\s*(?:[ae]|年度?|财年|財年)?(?:\s*{_QUARTER})?",
    rf"{_QUARTER}(?:\s*['’]?\d{{2,4}}[ae]?)?",  # 1Q24, H2
    rf"\d\d\s*(?:{_QUARTER}|[ae]|m\d\d?[ae]?|年)",  # 24Q1, 24E, 24M1
    rf"{_CENTURY}\d\d\s*[-–—~/.]\s*(?:{_CENTURY}\d\d|\d\d?)(?:\s*[-/.]\s*\d\d?)?"
    r"(?:\s+\d\d?:\d\d(?::\d\d)?)?年?",  # 2023-24, 2023/03, 2023-03-01 12:00
    rf"{_CENTURY}\d\d年.{{0,10}}(?:月|日|末|季度|半年)|第?[一二三四]季度|[上下]半年",
    r"\d\d?[/.]\d\d?[/.](?:19|20)?\d\d",  # 31.12.2023
    r"\d\d?:\d\d(?::\d\d)?(?:\s*[-–~]\s*\d\d?:\d\d(?::\d\d)?)?",  # 07:00-09:00
    r"\d{1,2}\s*(?:个?月|年期?|[日天周季]|[mydwq])",  # 3M, 1年期: lengths of time
    rf"{_MONTH}[\s-]*(?:\d\d?,?\s*)?(?:{_CENTURY}?\d\d)?|\d\d?\s+{_MONTH}(?:\s+{_CENTURY}?\d\d)?",  # Mar-19
)
_PERIOD = re.compile("|".join(_PERIODS), re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\s*[(（][^()（）]{1,12}[)）]$")  # a unit: 2023 (USD)
_YEAR = re.compile(r"(?:19|20)\d\d")
_AMOUNT = re.compile(
    r"[-+−–~≈<>≤≥(（\s$€£¥￥]*(?:us|hk|rmb)?\$?\s*(?P<digits>\d[\d,，]*(?:\.\d+)?|\.\d+)(?P<rest>.*)",
    re.IGNORECASE,
)
_CODE = re.compile(r"\.[A-Za-z]{1,3}\b|[-_/]?[A-Za-z]*\d{6,}")
_LONGEST_AMOUNT, _MOST_LETTERS = 40, 4  # 12.5 mg/L is an amount, "3D technology" is not


def kind_of(text: str, *, is_number: bool = False) -> Kind:
    """The kind of a cell's text; ``is_number`` where the cell holds a number and no text.

    A number with a short unit, a sign, brackets or stars is a number; a code such as ``0700.HK`` or
    ``000700`` is a text.
    """
    stripped = text.strip()
    if not stripped:
        return Kind.BLANK
    if is_number:
        return Kind.PERIOD if _YEAR.fullmatch(stripped) else Kind.NUMBER
    if len(stripped) > _LONGEST_AMOUNT:
        return Kind.TEXT
    if _MARK.fullmatch(stripped):
        return Kind.MARK
    if _PERIOD.fullmatch(_IN_BRACKETS.sub("", stripped)):
        return Kind.PERIOD
    return Kind.NUMBER if _is_amount(stripped) else Kind.TEXT


def _is_amount(text: str) -> bool:
    match: re.Match[str] | None = _AMOUNT.fullmatch(text)
    if not match:
        return False
    digits, rest = match["digits"], match["rest"]
    if (len(digits) > 1 and digits.isdigit() and digits[0] == "0") or _CODE.match(rest):
        return False
    return sum(map(str.isalpha, rest)) <= _MOST_LETTERS
