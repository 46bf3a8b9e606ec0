"""What a page shows, in order: paragraphs with their looks, tables and page breaks; and without pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

from ..table import Table
from .document import TextBlock
from .filing_cells import BULLET


@dataclass(frozen=True, slots=True)
class FlowText:
    """A paragraph and its looks; ``level`` of a heading's tag, 0 without one."""

    text: str
    bold: bool = False
    emphasis: bool = False
    centred: bool = False
    level: int = 0
    is_note: bool = False
    in_table: bool = False


@dataclass(frozen=True, slots=True)
class FlowBreak:
    """The end of a printed page."""


Flow: TypeAlias = "FlowText | FlowBreak | Table"


_PART = re.compile(r"part\s+(?:[ivx]{1,4}|\d)\b.{0,40}", re.I)
_ITEM = re.compile(
    r"items?\s+\d{1,2}[a-c]?\s*(?:\([a-z]\))?\s*[.:|\u2013\u2014-]\s*\S.{0,150}|items?\s+\d{1,2}[a-c]?\.?",
    re.I,
)
_DATE = re.compile(
    r"(?:for\s+the\s+|as\s+of\s+|at\s+|years?\s+ended\s+)?[A-Z]\w+\s+\d{1,2},?\s*(?:\d{4})?[\s\w,]*"
)
_LONGEST_HEADING = 200


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
    if flow.in_table or len(text) > _LONGEST_HEADING or not any(map(str.isalpha, text)) or BULLET.match(text):
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


_NUMBER = re.compile(
    r"(?:page\s+)?[-\u2013\u2014]?\s*(?:[A-Z]{1,2}-?)?\d{1,4}\s*[-\u2013\u2014]?|[ivxl]{1,7}", re.I
)
_DIGITS = re.compile(r"\d+")
_CONTENTS = re.compile(
    r"(?:back to\s+)?(?:table of contents|index to (?:consolidated )?financial statements)", re.I
)
_LONGEST_RUNNING = 150
_OFTEN = 3
_UNFINISHED = re.compile(r"[\w,;\u2019)-]\Z")


def without_pages(flow: Sequence[Flow]) -> list[FlowText | Table]:
    """The texts and tables of a flow as if it had no pages.

    Beside a page break these go: a number alone, and a short text that stands beside three breaks or more,
    with whatever number in it (the first of one without a number stays, as it may be a heading). Numbers
    alone that count up in paragraphs of their own go too; nothing in ``h1`` to ``h6`` does. A paragraph that
    a break cuts in two is joined.
    """
    beside = _beside_breaks(flow)
    often = Counter(_masked(text) for text in beside.values())
    counted = _counting(flow)
    seen: set[str] = set()
    gone: set[int] = set(counted)
    for place, text in beside.items():
        key = _masked(text)
        is_running = often[key] >= _OFTEN and (key in seen or "#" in key)
        if _NUMBER.fullmatch(text) or is_running or (_CONTENTS.fullmatch(text) and often[key] > 1):
            gone.add(place)
        seen.add(key)
    return _mended([block for place, block in enumerate(flow) if place not in gone])


def _masked(text: str) -> str:
    return _DIGITS.sub("#", text).lower()


def _beside_breaks(flow: Sequence[Flow]) -> dict[int, str]:
    """The short texts next to a break, two on either side: place -> text."""
    found: dict[int, str] = {}
    for place, block in enumerate(flow):
        if isinstance(block, FlowBreak):
            for step in (-1, 1):
                for near in (place + step, place + 2 * step):
                    each = flow[near] if 0 <= near < len(flow) else None
                    if not isinstance(each, FlowText) or each.level or len(each.text) > _LONGEST_RUNNING:
                        break
                    found[near] = each.text
    return dict(sorted(found.items()))


def _counting(flow: Sequence[Flow]) -> Iterator[int]:
    """The places of paragraphs that are numbers alone, each next to its neighbour in counting."""
    alone = [
        (place, int(block.text))
        for place, block in enumerate(flow)
        if isinstance(block, FlowText)
        and block.text.isdecimal()
        and len(block.text) <= 4
        and not (block.in_table or block.level)
    ]
    for (place, number), (later, following) in pairwise(alone):
        if following == number + 1:
            yield from (place, later)


def _mended(blocks: Sequence[Flow]) -> list[FlowText | Table]:
    """Without breaks; a text that begins small after a break continues the unfinished one before it."""
    found: list[FlowText | Table] = []
    is_cut = False
    for block in blocks:
        if isinstance(block, FlowBreak):
            is_cut = bool(found)
            continue
        last = found[-1] if is_cut else None
        if isinstance(last, FlowText) and isinstance(block, FlowText) and _continues(last, block):
            found[-1] = replace(last, text=f"{last.text} {block.text}")
        else:
            found.append(block)
        is_cut = False
    return found


def _continues(text: FlowText, following: FlowText) -> bool:
    """Whether a page cut one paragraph into these."""
    if text.in_table or following.in_table or text.level or following.level or text.bold or following.bold:
        return False
    return following.text[:1].islower() and bool(_UNFINISHED.search(text.text))
