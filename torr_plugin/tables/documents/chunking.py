"""Cut a document into chunks of bounded size that keep a table with the text that refers to it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, TypeAlias

from ...core.errors import TableError
from ..table import Table
from .document import Block, Document, TextBlock

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
    numbered: dict[str, int] = {}  # the number that a title begins with -> the first table with it
    for number, table in enumerate(document.tables):
        if match := _NUMBERED.match(table.title.lstrip()):
            numbered.setdefault(match[1].lower(), number)
    found = []
    for place, block in enumerate(document.blocks):
        if isinstance(block, TextBlock):
            hows: dict[int, How] = {}
            for number, how in _referred(document, place, block, numbered):
                hows.setdefault(number, how)
            found += [Reference(place, number, how) for number, how in hows.items()]
    return tuple(found)


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


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring blocks of a document.

    Attributes:
        document: the blocks, under the whole document's title.
        places: the place of each block in the whole document, increasing.
    """

    document: Document
    places: tuple[int, ...]


def chunks(document: Document, most: int, size: Callable[[Block], int]) -> list[Chunk]:
    """The blocks in order, in chunks of at most ``most`` in the sum of the blocks' sizes; each block in one.

    Each chunk takes as many blocks as fit, back to the last place where no table is parted from the text that
    refers to it (see :func:`references`), its notes among it, and no heading from what follows; of such
    places in its second half one before a heading is taken, the outer the better. A block larger than
    ``most`` stays whole, and a table that is has the text on it next to it in its chunk.

    Args:
        document: what to cut.
        most: of the sum of the sizes.
        size: of a block, such as its number of tokens; asked once a block.

    Raises:
        TableError: ``most`` is not positive.
    """
    if most < 1:
        raise TableError(f"chunks of at most {most}; expected 1 or more")
    blocks = document.blocks
    sizes = list(map(size, blocks))
    parted = _parted(document)
    found, start = [], 0
    while start < len(blocks):
        stop = _stop(blocks, sizes, parted, start, most)
        found.append(Chunk(Document(blocks[start:stop], document.title), tuple(range(start, stop))))
        start = stop
    return found


def _parted(document: Document) -> list[int]:
    """For a cut before each block the number of texts that it parts from the tables they are next to."""
    steps = [0] * (len(document.blocks) + 2)
    for each in references(document):
        if each.how != "number":
            first, last = sorted((each.block, document.table_places[each.table]))
            steps[first + 1] += 1
            steps[last + 1] -= 1
    return list(accumulate(steps))


def _stop(blocks: Sequence[Block], sizes: Sequence[int], parted: Sequence[int], start: int, most: int) -> int:
    """Where the chunk that begins at a block ends."""
    end, total, large = start, 0, None
    while end < len(blocks):
        if sizes[end] > most and isinstance(blocks[end], Table) and large is None:
            large = end  # it takes no room from the text on it
        elif total + sizes[end] > most:
            break
        else:
            total += sizes[end]
        end += 1
    end = max(end, start + 1)
    if large is not None:
        lead = large
        while lead > start and (parted[lead] or _level(blocks[lead - 1])):
            lead -= 1
        if lead > start:
            return lead
        return next((place for place in range(large + 1, end) if not parted[place]), end)
    if end == len(blocks):
        return end
    costs = {place: (parted[place], _level(blocks[place - 1]) > 0) for place in range(start + 1, end + 1)}
    least = min(costs.values())
    good = [place for place, cost in costs.items() if cost == least]
    late = [place for place in good if 2 * (place - start) >= end - start and _level(blocks[place])]
    return min(late, key=lambda place: (_level(blocks[place]), -place)) if late else good[-1]


def _level(block: Block) -> int:
    """The level of a heading, 0 of other blocks."""
    return max(block.level, 1) if isinstance(block, TextBlock) and block.kind == "heading" else 0
