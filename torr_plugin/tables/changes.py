"""What differs between two tables, cell by cell: moved, new and lost rows and columns, other texts.

The same example is shown in many formats and under many perturbations; the cells say what a perturbation did.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from .table import Table

Lines = Sequence[Sequence[str]]
"""Texts of cells, row by row."""

_LEAST_ALIKE = 0.5


@dataclass(frozen=True)
class TableChanges:
    """How a table became another one.

    Attributes:
        turned: rows and columns were exchanged, so that ``rows`` below are places of the first one's columns.
        rows: for each row of the second table, the line of the first that it was; None: a new one.
        columns: for each column likewise.
        moved_rows: rows of the second whose place among the rows that both have is another than in the first.
        moved_columns: columns likewise.
        changed: (row, column) of the second's cells whose text is another, where both lines were there.
        lost_rows: lines of the first that the second's rows lack.
        lost_columns: lines of the first that the second's columns lack.
    """

    turned: bool
    rows: tuple[int | None, ...]
    columns: tuple[int | None, ...]
    moved_rows: tuple[int, ...]
    moved_columns: tuple[int, ...]
    changed: tuple[tuple[int, int], ...]
    lost_rows: tuple[int, ...]
    lost_columns: tuple[int, ...]

    @property
    def nothing(self) -> bool:
        """Whether every cell stands where it stood, with its text."""
        return not (self.turned or self.new_rows or self.new_columns or self.changed) and not any(
            (self.moved_rows, self.moved_columns, self.lost_rows, self.lost_columns)
        )

    @property
    def new_rows(self) -> tuple[int, ...]:
        """Rows that the first table lacks."""
        return tuple(place for place, source in enumerate(self.rows) if source is None)

    @property
    def new_columns(self) -> tuple[int, ...]:
        """Columns that the first table lacks."""
        return tuple(place for place, source in enumerate(self.columns) if source is None)


def texts_of(table: Table) -> list[list[str]]:
    """The text at every place without white space around it, that of a merged cell wherever it covers."""
    return [[cell.text.strip() for cell in row] for row in table.grid]


def table_changes(before: Table, after: Table) -> TableChanges:
    """What differs between two tables of one content.

    Rows, and columns, are matched by the texts that they hold: those with the same texts first, then those
    that share at least half, at last lines in order where as many are left in both. Of equal lines nobody can
    say which is which; they are matched in order. The time grows with the square of the number of lines
    without an equal, so large tables are for the caller to refuse.
    """
    old, new = texts_of(before), texts_of(after)
    if old == new:
        return _changes(old, new, list(range(len(new))), list(range(len(new[0]))), turned=False)
    found = _aligned(old, new, turned=False)
    if _explained(found) == len(new) * len(new[0]):
        return found
    return max(found, _aligned(list(zip(*old, strict=True)), new, turned=True), key=_explained)


def _aligned(old: Lines, new: Lines, *, turned: bool) -> TableChanges:
    """The alignment that leaves fewest cells changed, of a few."""
    old_columns, new_columns = (list(zip(*lines, strict=True)) for lines in (old, new))
    rows, columns = _matched(old, new), _matched(old_columns, new_columns)
    found = [_changes(old, new, rows, columns, turned=turned)]
    if found[0].changed:  # equal lines in another order: the other axis tells them apart
        rows = _rematched(old, new, rows, columns)
        again = _rematched(old_columns, new_columns, columns, rows)
        found += [_changes(old, new, rows, each, turned=turned) for each in (columns, again)]
    return max(found, key=_explained)


def _explained(found: TableChanges) -> int:
    """Cells of the second table that are those of the first."""
    there = [len(lines) - lines.count(None) for lines in (found.rows, found.columns)]
    return there[0] * there[1] - len(found.changed)


def _changes(
    old: Lines, new: Lines, rows: Sequence[int | None], columns: Sequence[int | None], *, turned: bool
) -> TableChanges:
    changed = tuple(
        (r, c)
        for r, row in enumerate(rows)
        if row is not None
        for c, column in enumerate(columns)
        if column is not None and old[row][column] != new[r][c]
    )
    return TableChanges(
        turned=turned,
        rows=tuple(rows),
        columns=tuple(columns),
        moved_rows=_moved(rows),
        moved_columns=_moved(columns),
        changed=changed,
        lost_rows=tuple(sorted(set(range(len(old))) - set(rows))),
        lost_columns=tuple(sorted(set(range(len(old[0]))) - set(columns))),
    )


def _matched(old: Lines, new: Lines) -> list[int | None]:
    """For each new line the old one that it was, or None."""
    before, after = ([_bag(line) for line in lines] for lines in (old, new))
    found = _match_equal(before, after)
    free, left = _unmatched(before, after, found)
    for bag, other in _alike(left, free):
        count = min(len(left[bag]), len(free[other]))
        for place, source in zip(left[bag][:count], free[other][:count], strict=True):
            found[place] = source
        del left[bag][:count], free[other][:count]
    places, sources = (sorted(n for bag, own in lines.items() if bag for n in own) for lines in (left, free))
    if len(places) == len(sources):
        for place, source in zip(places, sources, strict=True):
            found[place] = source
    return found


def _rematched(
    old: Lines, new: Lines, found: Sequence[int | None], across: Sequence[int | None]
) -> list[int | None]:
    """Lines matched again by their texts in order, now that the other axis is known; others as they were."""
    known = [(place, source) for place, source in enumerate(across) if source is not None]
    before = [tuple(line[source] for _, source in known) for line in old]
    again = _match_equal(before, [tuple(line[place] for place, _ in known) for line in new])
    taken = set(again)
    for place, source in enumerate(found):
        if again[place] is None and source is not None and source not in taken:
            again[place] = source
            taken.add(source)
    return again


def _match_equal(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[int | None]:
    """Match equal keys in order; where there are more of one, those of a longest common subsequence first."""
    found: list[int | None] = [None] * len(new)
    for source, place in _staying(old, new):
        found[place] = source
    free, left = _unmatched(old, new, found)
    for key, places in left.items():
        for place, source in zip(places, free.get(key, ()), strict=False):
            found[place] = source
    matched = defaultdict[Hashable, list[int]](list)
    for source in sorted(each for each in found if each is not None):
        matched[old[source]].append(source)
    in_order = {key: iter(sources) for key, sources in matched.items()}
    return [None if source is None else next(in_order[new[place]]) for place, source in enumerate(found)]


_Key = TypeVar("_Key", bound=Hashable)


def _unmatched(
    old: Sequence[_Key], new: Sequence[_Key], found: Sequence[int | None]
) -> tuple[dict[_Key, list[int]], dict[_Key, list[int]]]:
    """Key -> the places, in order, of old and of new lines that have no match."""
    taken, free, left = set(found), defaultdict[_Key, list[int]](list), defaultdict[_Key, list[int]](list)
    for source, key in enumerate(old):
        if source not in taken:
            free[key].append(source)
    for place, key in enumerate(new):
        if found[place] is None:
            left[key].append(place)
    return free, left


def _staying(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Places, old and new, of a longest common subsequence; of several the one that comes first.

    Lengths are kept as bits, a number a new key (Hyyrö, "Bit-Parallel LCS-Length Computation Revisited",
    2004): bit ``b`` of ``rows[n]`` is 0 where the last ``n`` new keys share more with the last ``b + 1`` old
    ones than with the last ``b``.
    """
    masks: dict[Hashable, int] = defaultdict(int)
    for bit, key in enumerate(reversed(old)):
        masks[key] |= 1 << bit
    every = (1 << len(old)) - 1
    rows = [every]
    for key in reversed(new):
        shared = rows[-1] & masks[key]
        rows.append(((rows[-1] + shared) | (rows[-1] - shared)) & every)
    source, place = 0, 0
    while source < len(old) and place < len(new):
        if old[source] == new[place]:
            yield source, place
            source, place = source + 1, place + 1
        elif rows[len(new) - place] >> (len(old) - source - 1) & 1:
            source += 1
        else:
            place += 1


_Bag = tuple[str, ...]
"""Texts of a line, wherever they stand in it; without empty ones."""


def _bag(line: Sequence[str]) -> _Bag:
    return tuple(sorted(filter(None, line)))


def _alike(new: Mapping[_Bag, list[int]], old: Mapping[_Bag, list[int]]) -> list[tuple[_Bag, _Bag]]:
    """Bags that share half of their texts or more: most alike first, then those whose lines are nearest."""
    if not new or not old:
        return []
    others = list(old)
    holding: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, other in enumerate(others):
        for text, count in Counter(other).items():
            holding[text].append((number, count))
    pairs = []
    for bag, places in new.items():
        common = Counter[int]()
        for text, count in Counter(bag).items():
            for number, there in holding.get(text, ()):
                common[number] += min(count, there)
        for number, shared in common.items():
            other, alike = others[number], 2 * shared / (len(bag) + len(others[number]))
            if alike >= _LEAST_ALIKE:
                first, last = places[0], old[other][0]
                pairs.append((-alike, abs(first - last), first, last, bag, other))
    return [pair[4:] for pair in sorted(pairs, key=lambda pair: pair[:4])]


def _moved(lines: Sequence[int | None]) -> tuple[int, ...]:
    """Places of lines whose rank among those with a source is not that source's."""
    there = [(place, source) for place, source in enumerate(lines) if source is not None]
    in_order = sorted(source for _, source in there)
    return tuple(place for (place, source), same in zip(there, in_order, strict=True) if source != same)
