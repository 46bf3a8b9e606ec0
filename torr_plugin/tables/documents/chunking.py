"""Cut a document into chunks of bounded size that keep a table with the text that refers to it.

A cut between two blocks has a cost, which grows with what it parts: a table and the text on it above all,
then a heading and what follows. Of all ways to cut, one with the least sum is taken, by a minimum over a
sliding window, in linear time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from ...core.errors import TableError
from ..table import Table
from .document import Block, Document, TextBlock
from .referring import Reference, references

_TEXT_ON_TABLE, _HEADING, _NUMBER, _CHUNK = 10**15, 10**12, 10**4, 100
_BEFORE_TABLE, _BEFORE_TEXT, _BEFORE_NOTE = 15, 10, 20
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Chunk:
    """Neighbouring blocks of a document.

    Attributes:
        document: the blocks, under the whole document's title.
        first: the place of the first block in the whole document.
        places: the place of each block in the whole document, increasing.
        why: why the chunk ends where it does.
    """

    document: Document
    first: int
    places: tuple[int, ...]
    why: str = ""


def chunks(document: Document, most: int, size: Callable[[Block], int]) -> list[Chunk]:
    """The blocks in order, in chunks of at most ``most`` in the sum of the blocks' sizes; each block in one.

    A table stays in a chunk with the text that refers to it (see :func:`references`), its notes, and the
    heading above, where both fit; then a heading stays with what follows, then chunks are few, and a cut is
    before a heading, the outer the better, rather than in a section. A block larger than ``most`` stays
    whole, and a table that is has the text on it next to it in its chunk.

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
    if not blocks:
        return []
    ends = list(accumulate(map(size, blocks), initial=0))
    plan = _Plan(document, ends, most)
    cuts = plan.cuts()
    return [
        Chunk(
            Document(blocks[start:stop], document.title),
            start,
            tuple(range(start, stop)),
            plan.why(start, stop),
        )
        for start, stop in pairwise(cuts)
    ]


class _Plan:
    """What a cut before each block costs, and the cuts that cost least."""

    def __init__(self, document: Document, ends: Sequence[int], most: int) -> None:
        self._blocks, self._places = document.blocks, document.table_places
        self._ends, self._most = ends, most
        found = references(document)
        self._parted = self._crossed([r for r in found if r.how != "number" and self._fits(r)])
        self._numbers = self._crossed([r for r in found if r.how == "number" and self._fits(r)])
        self._hopeless = self._crossed([r for r in found if not self._fits(r)])

    def _fits(self, reference: Reference) -> bool:
        """Whether a chunk can hold a table, the text on it and all between; the table aside if large."""
        place = self._places[reference.table]
        first, last = sorted((reference.block, place))
        whole, table = self._ends[last + 1] - self._ends[first], self._size(place)
        return whole - (table if table > self._most else 0) <= self._most

    def _size(self, place: int) -> int:
        return self._ends[place + 1] - self._ends[place]

    def _crossed(self, found: Sequence[Reference]) -> list[int]:
        """For a cut before each block the number of references that it parts from their tables."""
        steps = [0] * (len(self._blocks) + 2)
        for each in found:
            first, last = sorted((each.block, self._places[each.table]))
            steps[first + 1] += 1
            steps[last + 1] -= 1
        return list(accumulate(steps))

    def cuts(self) -> list[int]:
        """Where chunks begin, in order, and the number of blocks."""
        count = len(self._blocks)
        large = self._large_groups()
        costs, before = [0], [0]
        window: deque[int] = deque()
        first = 0
        for stop in range(1, count + 1):
            while window and costs[window[-1]] >= costs[stop - 1]:
                window.pop()
            window.append(stop - 1)
            while first < stop - 1 and self._ends[stop] - self._ends[first] > self._most:
                first += 1
            while window[0] < first:
                window.popleft()
            start = min([window[0], *large.get(stop, ())], key=costs.__getitem__)
            costs.append(costs[start] + _CHUNK + (self._cost(stop) if stop < count else 0))
            before.append(start)
        found = [count]
        while found[-1]:
            found.append(before[found[-1]])
        return found[::-1]

    def _cost(self, place: int) -> int:
        """The cost of a cut before a block."""
        block, above = self._blocks[place], self._blocks[place - 1]
        cost = _TEXT_ON_TABLE * self._parted[place] + _NUMBER * self._numbers[place]
        if _is_heading(above):
            cost += _HEADING
        if isinstance(block, Table):
            return cost + _BEFORE_TABLE
        if block.kind == "heading":
            return cost + block.level
        return cost + (_BEFORE_NOTE if block.kind == "note" else _BEFORE_TEXT)

    def _large_groups(self) -> dict[int, list[int]]:
        """Chunks that are too large by one table, with the text on it next to it: end -> beginnings."""
        groups: dict[int, list[int]] = {}
        for place in self._places:
            if self._size(place) > self._most:
                start, stop = self._around(place)
                groups.setdefault(place + 1, []).append(start)
                groups.setdefault(stop, []).extend((start, place))
        return groups

    def _around(self, place: int) -> tuple[int, int]:
        """From where to where the text next to a table is on it, as much as fits beside the table."""
        start, stop, room = place, place + 1, self._most
        while stop < len(self._blocks) and self._parted[stop] and self._is_text(stop, room):
            room -= self._size(stop)
            stop += 1
        while start and (self._parted[start] or _is_heading(self._blocks[start - 1])):
            if not self._is_text(start - 1, room):
                break
            start -= 1
            room -= self._size(start)
        return start, stop

    def _is_text(self, place: int, room: int) -> bool:
        return isinstance(self._blocks[place], TextBlock) and self._size(place) <= room

    def why(self, start: int, stop: int) -> str:
        """Why a chunk ends before a block."""
        if stop == len(self._blocks):
            return "the document ends"
        if self._parted[stop] or self._hopeless[stop]:
            return "a table and text that refers to it do not fit into one chunk"
        following = self._blocks[stop]
        if isinstance(following, TextBlock) and _is_heading(following):
            return f"a section begins: {following.text[:_LONGEST]}"
        if self._ends[stop + 1] - self._ends[start] > self._most:
            return f"the next {'table' if isinstance(following, Table) else following.kind} does not fit"
        return "the next blocks belong together and do not fit"


def _is_heading(block: Block) -> bool:
    return isinstance(block, TextBlock) and block.kind == "heading"
