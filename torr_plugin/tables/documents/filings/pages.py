"""Take page numbers, running headers and footers out of the flow, and mend paragraphs that a page cut."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from ...table import Table
from .flow import Flow, FlowBreak, FlowText

_NUMBER = re.compile(
    r"(?:page\s+)?[-\u2013\u2014]?\s*(?:[A-Z]{1,2}-?)?\d{1,4}\s*[-\u2013\u2014]?|[ivxl]{1,7}", re.I
)
_DIGITS = re.compile(r"\d+")
_CONTENTS = re.compile(
    r"(?:back to\s+)?(?:table of contents|index to (?:consolidated )?financial statements)", re.I
)
_LONGEST = 150
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
    return list(_mended([block for place, block in enumerate(flow) if place not in gone]))


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
                    if not isinstance(each, FlowText) or each.level or len(each.text) > _LONGEST:
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


def _mended(blocks: Sequence[Flow]) -> Iterator[FlowText | Table]:
    """Without breaks; a text that begins small after a break continues the unfinished one before it."""
    held: FlowText | None = None
    is_cut = False
    for block in blocks:
        if isinstance(block, FlowBreak):
            is_cut = held is not None
            continue
        if isinstance(block, FlowText):
            if held is not None and is_cut and _continues(held, block):
                held = replace(held, text=f"{held.text} {block.text}")
                is_cut = False
                continue
            if held is not None:
                yield held
            held = block
        else:
            if held is not None:
                yield held
            held = None
            yield block
        is_cut = False
    if held is not None:
        yield held


def _continues(text: FlowText, following: FlowText) -> bool:
    """Whether a page cut one paragraph into these."""
    if text.in_table or following.in_table or text.level or following.level or text.bold or following.bold:
        return False
    return following.text[:1].islower() and bool(_UNFINISHED.search(text.text))
