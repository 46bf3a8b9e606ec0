"""Tell headings from paragraphs by their words and looks."""

from __future__ import annotations

import re

from ..document import TextBlock
from .flow import FlowText
from .layout import BULLET

_PART = re.compile(r"part\s+(?:[ivx]{1,4}|\d)\b.{0,40}", re.I)
_ITEM = re.compile(
    r"items?\s+\d{1,2}[a-c]?\s*(?:\([a-z]\))?\s*[.:|\u2013\u2014-]\s*\S.{0,150}|items?\s+\d{1,2}[a-c]?\.?",
    re.I,
)
_DATE = re.compile(
    r"(?:for\s+the\s+|as\s+of\s+|at\s+|years?\s+ended\s+)?[A-Z]\w+\s+\d{1,2},?\s*(?:\d{4})?[\s\w,]*"
)
_LONGEST = 200


def text_block(flow: FlowText) -> TextBlock:
    """The block of a paragraph: a heading with its level, a note, or running text.

    Levels: that of ``h1`` to ``h6``; 1 for ``PART II``, 2 for ``Item 7.``; of other short texts 3 for bold
    ones that are centred or in capitals and for centred ones in capitals, 4 for other bold ones, and 5 for
    those in italics or underlined.
    """
    if flow.is_note:
        return TextBlock(flow.text, "note")
    level = _level(flow)
    if level:
        return TextBlock(" ".join(flow.text.split("\n")), "heading", level)
    return TextBlock(flow.text)


def _level(flow: FlowText) -> int:
    text = flow.text.replace("\n", " ")
    if flow.level:
        return flow.level
    if flow.in_table or len(text) > _LONGEST or not any(map(str.isalpha, text)) or BULLET.match(text):
        return 0
    is_marked = flow.bold or flow.centred or flow.emphasis or text.isupper()
    if _PART.fullmatch(text) and is_marked:
        return 1
    if _ITEM.fullmatch(text) and (is_marked or not text.endswith((".", ";", ","))):
        return 2
    return _level_by_looks(flow, text)


def _level_by_looks(flow: FlowText, text: str) -> int:
    if text.startswith("(") or text.endswith((",", ";", ":")) or (text.endswith(".") and len(text) > 80):
        return 0
    if flow.bold:
        return 3 if flow.centred or text.isupper() else 4
    if text.endswith(".") or _DATE.fullmatch(text):
        return 0
    if flow.centred:
        return 3 if text.isupper() else 0
    return 5 if flow.emphasis and len(text) <= 100 else 0
