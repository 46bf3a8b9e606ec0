"""Which tables the text of a document refers to."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from .document import Document, TextBlock

How: TypeAlias = Literal["number", "following", "preceding", "note"]

_NUMBERED = re.compile(r"\bTables?\s+((?:\d+|[IVXL]+)(?:\.\d+)*[a-z]?)\b", re.I)
_FOLLOWING = re.compile(
    r"\b(?:following|next)\s+(?:\w+\s+)?tables?\b|\btables?\s+(?:set\s+forth\s+)?below\b", re.I
)
_INTRODUCTION = re.compile(
    r"\b(?:as\s+follows|the\s+following)\b[^.:]{0,60}:\s*\Z|\b(?:below|following)\s*:\s*\Z", re.I
)
_NEXT = 2  # blocks from an introduction to what it introduces: a line of units may stand between
_PRECEDING = re.compile(
    r"\b(?:preceding|foregoing|previous)\s+(?:\w+\s+)?tables?\b|\btables?\s+(?:set\s+forth\s+)?above\b|"
    r"\bthe\s+above\s+tables?\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a block refers to a table: ``block`` counts blocks, ``table`` tables, both from 0."""

    block: int
    table: int
    how: How


def introduces(text: str) -> bool:
    """Whether a text is on what comes next: the following table, the table below, "were as follows:"."""
    return bool(_FOLLOWING.search(text) or _INTRODUCTION.search(text))


def references(document: Document) -> tuple[Reference, ...]:
    """The tables that blocks of text refer to, in the order of the blocks; each pair once.

    By the number in a table's title ("Table 3"), as the following table or the table below (the next one), by
    a colon right above it ("were as follows:"), as the table above (the last one), or as a note after it.
    Time is linear.
    """
    numbered = _numbers(document)
    found = []
    for place, block in enumerate(document.blocks):
        if isinstance(block, TextBlock):
            seen = dict.fromkeys(table for table, _ in _referred(document, place, block, numbered))
            hows = dict(reversed(list(_referred(document, place, block, numbered))))
            found += [Reference(place, table, hows[table]) for table in seen]
    return tuple(found)


def _numbers(document: Document) -> dict[str, int]:
    """The number that a title begins with, lower case, to the table; the first of several."""
    numbers: dict[str, int] = {}
    for number, table in enumerate(document.tables):
        if match := _NUMBERED.match(table.title.lstrip()):
            numbers.setdefault(match[1].lower(), number)
    return numbers


def _referred(
    document: Document, place: int, block: TextBlock, numbered: dict[str, int]
) -> Iterator[tuple[int, How]]:
    places = document.table_places
    after = bisect_left(places, place)
    if block.kind == "note" and after:
        yield after - 1, "note"
    for match in _NUMBERED.finditer(block.text):
        if (number := numbered.get(match[1].lower())) is not None:
            yield number, "number"
    if after < len(places) and (
        _FOLLOWING.search(block.text) or (places[after] <= place + _NEXT and _INTRODUCTION.search(block.text))
    ):
        yield after, "following"
    if after and _PRECEDING.search(block.text):
        yield after - 1, "preceding"
