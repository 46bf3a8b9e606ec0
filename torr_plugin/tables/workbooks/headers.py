"""Where the header rows and the row labels of a table are that nobody marked: detected, with a confidence.

Each sign (frozen panes, merged cells, bold, kinds of values by column, periods as headings, a blank corner)
votes for numbers of rows or columns, with a weight in log odds; the confidence is the winner's share of the
softmax over the numbers. The weights were set on the first of the workbooks labelled by eye in
``tests/tables/workbooks``; the others, which that file calls held out, measure them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from .block_cells import BlockCells
from .kinds import Kind

_MOST_ROWS, _MOST_COLUMNS = 12, 6  # of headers, unless frozen panes say more
_SHARPNESS = 1.6  # of the softmax: the votes are not independent, but agree where they are right
_LAPSE = 0.015  # how often signs that all agree mislead
_VALUES = (Kind.NUMBER, Kind.MARK)
_HEADINGS = (Kind.TEXT, Kind.PERIOD)


@dataclass(frozen=True)
class Vote:
    """A sign that there are ``count`` header rows or columns, or ``at_least`` so many."""

    count: int
    weight: float
    reason: str = ""
    at_least: bool = False


@dataclass(frozen=True)
class HeaderGuess:
    """A number of header rows or columns, how sure it is (0 to 1), and the signs for it."""

    count: int
    confidence: float
    reasons: tuple[str, ...]


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
    reasons = [
        vote.reason
        for vote in cast
        if vote.reason and (vote.count == best or (vote.at_least and vote.count < best))
    ]
    return HeaderGuess(best, (1 - _LAPSE) / total, tuple(dict.fromkeys(reasons)))


# rows


def _row_votes(cells: BlockCells) -> Iterator[Vote]:
    yield from (Vote(0, -1.0), Vote(1, 2.0), Vote(3, -1.0))
    yield from (Vote(count, -2.0) for count in range(4, _MOST_ROWS + 1))
    if cells.frozen[0]:
        yield Vote(cells.frozen[0], 4.0, "frozen rows")
    if cells.has_filter:
        yield Vote(1, 4.0, "an automatic filter")
    yield from _votes_of_merged(cells)
    yield from _votes_of_looks(cells)
    yield from _votes_of_values(cells)
    corner = _leading(
        range(cells.height), lambda r: cells.kinds[r][0] is Kind.BLANK and cells.distinct(r) > 0
    )
    if corner and cells.width > 1:
        yield Vote(corner, 1.5, "a blank corner")
    period = _leading(range(cells.height), lambda r: not _is_period_row(cells, r))
    if period < min(3, cells.height) and _goes_on(cells, period):
        yield Vote(period + 1, 1.5, "periods as headings", at_least=True)


def _leading(places: Iterable[int], holds: Callable[[int], bool]) -> int:
    """How many of the first places hold."""
    count = 0
    for place in places:
        if not holds(place):
            break
        count += 1
    return count


def _votes_of_merged(cells: BlockCells) -> Iterator[Vote]:
    """The rows that the merged cells of the first row reach, with those of the rows they take in.

    A cell merged across has its parts in the row below, unless rows of the body are merged likewise. If only
    the first column is merged, downwards, the row labels begin in the first row.
    """
    first = [each for each in cells.merged if each.top == 0]
    if [each.right for each in first] == [0] and first[0].bottom:
        yield Vote(0, 3.0, "row labels from the first row on")
        return
    spans = Counter((each.left, each.right) for each in cells.merged if each.right > each.left)
    if any(spans[each.left, each.right] > 1 and each.right > each.left > 0 for each in first):
        yield Vote(0, 4.0, "groups of rows from the first row on")
    depth, is_across = 1, False
    for each in sorted(cells.merged, key=lambda area: area.top):
        is_whole = each.right - each.left + 1 >= cells.width
        if each.top >= depth or is_whole or spans[each.left, each.right] > 1:
            continue
        has_parts = each.right > each.left and (each.left > 0 or (len(first) > 1 and each.bottom == each.top))
        is_across |= has_parts
        depth = max(depth, each.bottom + 1 + has_parts)
    if depth > 1:
        yield Vote(depth, 5.0 if is_across else 3.0, "merged headings", at_least=True)


def _votes_of_looks(cells: BlockCells) -> Iterator[Vote]:
    """Leading rows that are bold, or filled, as the others are not."""
    for looks, reason in ((_is_bold, "bold headings"), (_is_filled, "filled headings")):
        marked = [looks(cells, r) and not (r and cells.is_section(r)) for r in range(cells.height)]
        depth = _leading(range(cells.height), marked.__getitem__)
        others = marked[depth:]
        if depth and others and sum(others) < 0.5 * len(others):
            yield Vote(depth, 2.5, reason)


def _is_bold(cells: BlockCells, r: int) -> bool:
    found = [cell for c in range(cells.width) if (cell := cells.at(r, c))]
    return bool(found) and sum(bool(cell.style and cell.style.bold) for cell in found) >= 0.8 * len(found)


def _is_filled(cells: BlockCells, r: int) -> bool:
    return sum(bool(cells.fill(r, c)) for c in range(cells.width)) >= 0.8 * cells.width


def _votes_of_values(cells: BlockCells) -> Iterator[Vote]:
    """The rows above the first one with numbers, where columns hold numbers below."""
    if not cells.numeric:
        return
    first = next((r for r in range(cells.height) if _is_data_row(cells, r)), None)
    if first is None:
        return
    while first > 1 and (cells.is_section(first - 1) or not _is_heading_row(cells, first - 1)):
        first -= 1
    strength = 2.5 if len(cells.numeric) > 1 else 1.5
    yield Vote(first, strength, "texts over numbers" if first else "numbers in the first row")


def _is_data_row(cells: BlockCells, r: int) -> bool:
    kinds = [cells.kinds[r][c] for c in cells.numeric]
    filled = [kind for kind in kinds if kind is not Kind.BLANK]
    return 2 * sum(kind in _VALUES for kind in filled) > len(filled)


def _is_heading_row(cells: BlockCells, r: int) -> bool:
    """Whether a row below the first goes on with the headings, over half of the columns of numbers."""
    kinds = [cells.kinds[r][c] for c in cells.numeric]
    return 2 * sum(kind in _HEADINGS for kind in kinds) >= len(kinds)


def _goes_on(cells: BlockCells, r: int) -> bool:
    """Whether a row may be one of headings: the first, or one without a label or values above it."""
    has_label = cells.kinds[r][0] is not Kind.BLANK and cells.origins[r][0][0] == r
    return r == 0 or not (has_label or any(_is_data_row(cells, above) for above in range(r)))


def _is_period_row(cells: BlockCells, r: int) -> bool:
    kinds = [kind for kind in cells.kinds[r][1:] if kind is not Kind.BLANK]
    periods = kinds.count(Kind.PERIOD)
    return periods > 1 and 3 * periods >= 2 * len(kinds)


# columns


def _column_votes(cells: BlockCells, header_rows: int) -> Iterator[Vote]:
    yield from (Vote(1, 1.5), Vote(3, -1.0))
    yield from (Vote(count, -3.0) for count in range(4, _MOST_COLUMNS + 1))
    body = range(min(header_rows, cells.height - 1), cells.height)
    if cells.frozen[1]:
        yield Vote(cells.frozen[1], 4.0, "frozen columns")
    nested = _nested_labels(cells, body)
    if nested > 1:
        yield Vote(nested, 4.5, "merged row labels")
    if _is_grouped(cells, body):
        yield Vote(2, 2.0, "row labels of groups")
    spanned = _spanned_labels(cells, header_rows)
    if spanned > 1:
        yield Vote(spanned, 2.0, "row labels merged across")
    blank = _leading(range(cells.width), lambda c: _is_blank_above(cells, c, header_rows))
    if blank:
        yield Vote(blank, 2.5, "a blank corner", at_least=True)
    yield from _votes_of_columns(cells, body)
    if any(cells.is_section(r) for r in body[:-1]) or _is_indented(cells, body):
        yield Vote(1, 2.0, "groups of rows", at_least=True)
    rows = [r for r in range(header_rows) if _is_period_row(cells, r)]
    before = (
        _leading(range(cells.width), lambda c: cells.kinds[rows[-1]][c] is not Kind.PERIOD) if rows else 0
    )
    if 0 < before < 3:
        yield Vote(before, 1.5, "periods as headings")


def _is_blank_above(cells: BlockCells, c: int, header_rows: int) -> bool:
    return header_rows > 0 and all(cells.kinds[r][c] is Kind.BLANK for r in range(header_rows))


def _nested_labels(cells: BlockCells, body: Sequence[int]) -> int:
    """How many leading columns nest, each merged in smaller parts than the one before, the last not."""
    limit = math.inf
    for c in range(cells.width - 1):
        runs = [
            each.bottom - each.top + 1
            for each in cells.merged
            if each.left <= c <= each.right and each.bottom > each.top >= body[0]
        ]
        if not runs:
            return c + (not _is_in_group(cells, c, body[0])) if c else 0
        if max(runs) >= limit and c:
            return c
        limit = max(runs)
    return 0


def _is_in_group(cells: BlockCells, c: int, header_rows: int) -> bool:
    """Whether a heading covers a column together with the next."""
    return any(each.top < header_rows and each.left <= c < each.right for each in cells.merged)


def _is_grouped(cells: BlockCells, body: Sequence[int]) -> bool:
    """Whether the second column tells apart the rows of groups that the first names, once or in each row."""
    if cells.width < 3 or any(each.left == 0 and each.bottom > each.top for each in cells.merged):
        return False
    groups: list[list[str]] = []
    last = ""
    for r in body:
        first, second = cells.at(r, 0), cells.at(r, 1)
        name = first.text.strip() if first else last
        if name != last or not groups:
            groups.append([])
        last = name
        groups[-1].append(second.text.strip() if second and second.kind is Kind.TEXT else "")
    large = [group for group in groups if len(group) > 1]
    named = all("" not in group[1:] and len(set(group)) == len(group) for group in large)
    return named and 2 * sum(map(len, large)) > len(body)


def _spanned_labels(cells: BlockCells, header_rows: int) -> int:
    """How many columns a cell that begins a row covers, if no headings stand under it."""
    found = [
        each.right + 1
        for each in cells.merged
        if each.left == 0 < each.right < cells.width - 1 and each.bottom >= header_rows - 1
    ]
    return min(found, default=0)


def _votes_of_columns(cells: BlockCells, body: Sequence[int]) -> Iterator[Vote]:
    """Columns of texts before columns of numbers."""
    texts = _leading(range(cells.width), lambda c: c not in cells.numeric)
    if not cells.numeric or texts == cells.width:
        return
    if texts == 0:
        yield Vote(0, 1.0, "numbers in the first column")
        return
    names = _leading(range(min(texts, 3)), lambda c: _is_naming(cells, c, body))
    if texts == 1:
        yield Vote(1, 2.5, "texts beside numbers")
    elif names:
        yield Vote(names, 2.2, "texts beside numbers")


def _is_naming(cells: BlockCells, c: int, body: Sequence[int]) -> bool:
    """Whether a column's texts tell the rows apart."""
    texts = [cell.text.strip() for r in body if (cell := cells.at(r, c)) and not cells.is_section(r)]
    return bool(texts) and len(texts) >= 0.7 * len(body) and len(set(texts)) >= 0.9 * len(texts)


def _is_indented(cells: BlockCells, body: Sequence[int]) -> bool:
    first = [cell for r in body if (cell := cells.at(r, 0))]
    depths = {cell.indent + len(cell.text) - len(cell.text.lstrip()) for cell in first}
    return len(depths) > 1
