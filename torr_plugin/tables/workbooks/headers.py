"""Header rows and row labels of a table that nobody marked: by a few rules, with a confidence.

Each rule (frozen panes, an automatic filter, merged cells, bold or filled rows, texts over numbers, a blank
corner) gives a number of rows or columns a weight in log odds; the number with the most is taken, and its
share of the softmax over the numbers is the confidence. The weights were set on the first of the workbooks
labelled by eye in ``tests/tables/workbooks``; the others, which that file calls held out, measure them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from .sheets import VALUES, Kind, SheetCell, SheetGrid, SheetRange

_MOST_ROWS, _MOST_COLUMNS = 12, 6  # of headers, unless frozen panes say more
_LOOKED_AT = 400  # rows of a table, from which kinds and styles are told
_SHARPNESS = 1.6  # of the softmax: the rules are not independent, but agree where they are right
_LAPSE = 0.015  # how often rules that all agree mislead


@dataclass(frozen=True)
class Vote:
    """A rule's word for ``count`` header rows or columns, or for ``at_least`` so many."""

    count: int
    weight: float
    reason: str = ""
    at_least: bool = False


@dataclass(frozen=True)
class HeaderGuess:
    """A number of header rows or columns, how sure it is (0 to 1), and the reasons for it."""

    count: int
    confidence: float
    reasons: tuple[str, ...]


class BlockCells:
    """The cells of a table's block, each merged one in all of its places; rows and columns count from 0."""

    def __init__(self, grid: SheetGrid, area: SheetRange) -> None:
        self.height = min(area.bottom - area.top + 1, _LOOKED_AT)
        self.width = area.right - area.left + 1
        self.frozen = max(grid.frozen[0] - area.top + 1, 0), max(grid.frozen[1] - area.left + 1, 0)
        self.has_filter = any(each.top == area.top and each.meets(area) for each in grid.filters)
        top, left = area.top, area.left
        seen = SheetRange(top, left, top + self.height - 1, area.right)
        self.merged = [
            SheetRange(each.top - top, each.left - left, each.bottom - top, each.right - left)
            for each in grid.merged
            if each.meets(seen)
        ]
        self.cells: list[list[SheetCell | None]] = [
            [grid.cells.get((r, c)) for c in area.columns] for r in seen.rows
        ]
        self.origins = [[(r, c) for c in range(self.width)] for r in range(self.height)]
        for each in self.merged:
            for r in range(max(each.top, 0), min(each.bottom + 1, self.height)):
                for c in range(max(each.left, 0), min(each.right + 1, self.width)):
                    self.origins[r][c] = (each.top, each.left)
                    self.cells[r][c] = grid.cells.get((each.top + top, each.left + left))
        self.kinds = [[cell.kind if cell else Kind.BLANK for cell in line] for line in self.cells]
        self.fills = [
            [style.fill if (style := cell.style if cell else grid.styled.get((r, c))) else ""
             for c, cell in zip(area.columns, line, strict=True)]
            for r, line in zip(seen.rows, self.cells, strict=True)
        ]  # fmt: skip

    def is_section(self, r: int) -> bool:
        """Whether a row's only text is in its first place."""
        return self.kinds[r][0] is not Kind.BLANK and self.distinct(r) == 1

    def distinct(self, r: int) -> int:
        """How many cells of a row have a text; a merged one counts once."""
        return len({self.origins[r][c] for c in range(self.width) if self.kinds[r][c] is not Kind.BLANK})

    @cached_property
    def numeric(self) -> list[int]:
        """The columns that mostly hold numbers below the first row."""
        found = []
        for c in range(self.width):
            filled = [line[c] for line in self.kinds[1:] if line[c] is not Kind.BLANK]
            numbers = filled.count(Kind.NUMBER)
            if numbers and numbers + filled.count(Kind.MARK) >= 0.6 * len(filled):
                found.append(c)
        return found

    def is_data_row(self, r: int) -> bool:
        """Whether a row has values in the columns of numbers."""
        filled = [kind for c in self.numeric if (kind := self.kinds[r][c]) is not Kind.BLANK]
        return 2 * sum(kind in VALUES for kind in filled) > len(filled)

    def is_prominent(self, r: int) -> bool:
        """Whether a row is bold or filled, and no label of a group of rows."""
        cells = [cell for cell in self.cells[r] if cell]
        is_bold = bool(cells) and sum(bool(cell.style and cell.style.bold) for cell in cells) >= 0.8 * len(
            cells
        )
        is_filled = sum(map(bool, self.fills[r])) >= 0.8 * self.width
        return (is_bold or is_filled) and not (r and self.is_section(r))


def guess_header_rows(cells: BlockCells) -> HeaderGuess:
    """The number of header rows; a table keeps at least one row below them."""
    return _elected(_row_votes(cells), min(_MOST_ROWS, cells.height - 1))


def guess_header_columns(cells: BlockCells, header_rows: int) -> HeaderGuess:
    """The number of header columns, given the header rows; a table keeps at least one column beside them."""
    votes = _column_votes(cells, min(header_rows, cells.height))
    return _elected(votes, min(_MOST_COLUMNS, cells.width - 1))


def _elected(votes: Iterable[Vote], most: int) -> HeaderGuess:
    """The number with the most votes, of those up to ``most``."""
    scores = [0.0] * (max(most, 0) + 1)
    cast = list(votes)
    for vote in cast:
        for count in range(vote.count, len(scores) if vote.at_least else min(vote.count + 1, len(scores))):
            scores[count] += vote.weight
    best = max(range(len(scores)), key=scores.__getitem__)
    total = sum(math.exp(_SHARPNESS * (score - scores[best])) for score in scores)
    agreeing = [vote for vote in cast if vote.count == best or (vote.at_least and vote.count < best)]
    reasons = dict.fromkeys(vote.reason for vote in agreeing if vote.reason)
    return HeaderGuess(best, (1 - _LAPSE) / total, tuple(reasons))


def _leading(places: Iterable[int], holds: Callable[[int], bool]) -> int:
    """How many of the first places hold."""
    count = 0
    for place in places:
        if not holds(place):
            break
        count += 1
    return count


def _row_votes(cells: BlockCells) -> Iterator[Vote]:
    yield from (Vote(0, -1.0), Vote(1, 2.0), Vote(3, -1.0))
    yield from (Vote(count, -2.0) for count in range(4, _MOST_ROWS + 1))
    rows = range(cells.height)
    if cells.frozen[0]:
        yield Vote(cells.frozen[0], 4.0, "frozen rows")
    if cells.has_filter:
        yield Vote(1, 4.0, "an automatic filter")
    first = [each for each in cells.merged if each.top == 0]
    if [each.right for each in first] == [0] and first[0].bottom:
        yield Vote(0, 3.0, "row labels from the first row on")
    elif (depth := _merged_depth(cells)) > 1:
        yield Vote(depth, 4.5, "merged headings", at_least=True)
    prominent = list(map(cells.is_prominent, rows))
    depth = _leading(rows, prominent.__getitem__)
    if depth and depth < cells.height and 2 * sum(prominent[depth:]) < cells.height - depth:
        yield Vote(depth, 2.5, "bold or filled headings")
    data = next(filter(cells.is_data_row, rows), None) if cells.numeric else None
    if data is not None:
        while data > 1 and (cells.is_section(data - 1) or not _is_heading_row(cells, data - 1)):
            data -= 1
        strength = 2.5 if len(cells.numeric) > 1 else 1.5
        yield Vote(data, strength, "texts over numbers" if data else "numbers in the first row")
    corner = _leading(rows, lambda r: cells.kinds[r][0] is Kind.BLANK and cells.distinct(r) > 0)
    if corner and cells.width > 1:
        yield Vote(corner, 1.5, "a blank corner")


def _merged_depth(cells: BlockCells) -> int:
    """The rows that the merged cells of the first row reach, with those of the rows they take in.

    A cell merged across has its parts in the row below, unless rows of the body are merged likewise.
    """
    spans = [(each.left, each.right) for each in cells.merged if each.right > each.left]
    first = sum(each.top == 0 for each in cells.merged)
    depth = 1
    for each in sorted(cells.merged, key=lambda area: area.top):
        is_whole = each.right - each.left + 1 >= cells.width
        if each.top >= depth or is_whole or spans.count((each.left, each.right)) > 1:
            continue
        has_parts = each.right > each.left and (each.left > 0 or (first > 1 and each.bottom == each.top))
        depth = max(depth, each.bottom + 1 + has_parts)
    return depth


def _is_heading_row(cells: BlockCells, r: int) -> bool:
    """Whether a row below the first goes on with the headings, over half of the columns of numbers."""
    headings = sum(cells.kinds[r][c] in (Kind.TEXT, Kind.PERIOD) for c in cells.numeric)
    return 2 * headings >= len(cells.numeric)


def _column_votes(cells: BlockCells, header_rows: int) -> Iterator[Vote]:
    yield from (Vote(1, 1.5), Vote(3, -1.0))
    yield from (Vote(count, -3.0) for count in range(4, _MOST_COLUMNS + 1))
    body = range(min(header_rows, cells.height - 1), cells.height)
    if cells.frozen[1]:
        yield Vote(cells.frozen[1], 4.0, "frozen columns")
    if (nested := _nested_labels(cells, body[0])) > 1:
        yield Vote(nested, 4.5, "merged row labels")
    is_blank = [all(line[c] is Kind.BLANK for line in cells.kinds[:header_rows]) for c in range(cells.width)]
    if header_rows and (blank := _leading(range(cells.width), is_blank.__getitem__)):
        yield Vote(blank, 2.5, "a blank corner", at_least=True)
    texts = _leading(range(cells.width), lambda c: c not in cells.numeric)
    if 0 < texts < cells.width and (
        names := _leading(range(min(texts, 3)), lambda c: _is_naming(cells, c, body))
    ):
        yield Vote(names, 2.2, "texts beside numbers")


def _nested_labels(cells: BlockCells, top: int) -> int:
    """How many leading columns nest, each merged in smaller parts than the one before, the last not."""
    limit = math.inf
    for c in range(cells.width - 1):
        over = [each for each in cells.merged if each.left <= c <= each.right]
        runs = [each.bottom - each.top + 1 for each in over if each.bottom > each.top >= top]
        if not runs:
            is_in_group = any(each.top < top and c < each.right for each in over)
            return c + (not is_in_group) if c else 0
        if max(runs) >= limit and c:
            return c
        limit = max(runs)
    return 0


def _is_naming(cells: BlockCells, c: int, body: Sequence[int]) -> bool:
    """Whether a column's texts tell the rows apart."""
    texts = [cell.text.strip() for r in body if (cell := cells.cells[r][c]) and not cells.is_section(r)]
    return bool(texts) and len(texts) >= 0.7 * len(body) and len(set(texts)) >= 0.9 * len(texts)
