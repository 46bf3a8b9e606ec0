"""HCT-QA's canonical CSV: each label once, at its leftmost column or topmost row, the rest empty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...core.errors import TableError, counted
from ..table import Cell, Table
from .flat import csv_records

Texts = Sequence[Sequence[str]]
Area = tuple[int, int, int, int]
"""First row, first column, rows, columns."""

_NUMBER = re.compile(r"[-+(]*\d[\d,. ]*[%)]*")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


def canonical_csv(
    text: str,
    header_rows: int | None = None,
    header_columns: int | None = None,
    *,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A table with merged headers from the canonical CSV of HCT-QA (section 3.1 and E.1).

    A header label covers the empty places on its right up to the next label or its parent's edge, and the
    places below it if they are all empty; a label in the last header row covers one column. A row label
    covers the empty places below it up to the next label or its parent's last row; if no other label is
    beside it, it also covers the other header columns. A body row with only a first text is the label of a
    row group, one cell over the whole row: so is ``Total,,``, a row whose values are missing. Other empty
    places are empty cells, and an empty corner is one cell.

    Args:
        text: the CSV.
        header_rows: by default inferred: rows that begin with an empty place, and those above them.
        header_columns: by default inferred: the empty places that the header rows begin with; below a
            labelled corner the columns of nested row labels.
        title: the table's title.
        notes: remarks below it.

    Raises:
        TableError: no text, no rows, rows of different lengths, headers that leave no body.
    """
    if not isinstance(text, str):
        raise TableError(f"the table is {type(text).__name__}; expected a CSV text")
    grid = [list(record) for record in csv_records(text, "canonical_csv")]
    _check(grid)
    depth = _header_rows(grid) if header_rows is None else header_rows
    side = _header_columns(grid, depth) if header_columns is None else header_columns
    return with_spans(grid, depth, side).replace(title=title, notes=tuple(notes))


def with_spans(grid: Texts, header_rows: int, header_columns: int) -> Table:
    """Infer the spans of a grid of texts whose header depth is known.

    Raises:
        TableError: headers that leave no body.
    """
    flat = Table.of_texts(grid, header_rows=header_rows, header_columns=header_columns)
    rows: list[list[Cell]] = [[] for _ in grid]
    for r, c, height, width in _areas(grid, header_rows, header_columns):
        rows[r].append(Cell(grid[r][c], height, width))
    return flat.replace(rows=tuple(map(tuple, rows)))


def _check(grid: Texts) -> None:
    if len(grid) < 2:
        raise TableError(f"the table has {len(grid)} row(s); expected a header and at least one body row")
    for index, row in enumerate(grid):
        if len(row) != len(grid[0]):
            raise TableError(
                f"row {index} of the table has {counted(len(row), 'cell')}, expected "
                f"{len(grid[0])} as in row 0"
            )


def _header_rows(grid: Texts) -> int:
    depth = 0 if not grid[0][0] else 1
    while depth < len(grid) and not grid[depth][0] and (not grid[0][0] or _has_labels(grid[depth])):
        depth += 1
    return depth if depth < len(grid) else 1


def _has_labels(row: Sequence[str]) -> bool:
    return any(text and (_YEAR.fullmatch(text) or not _NUMBER.fullmatch(text)) for text in row)


def _header_columns(grid: Texts, depth: int) -> int:
    if not depth or not grid[0][0]:
        leading = (next((c for c, text in enumerate(row) if text), len(row)) for row in grid[:depth])
        return min(len(grid[0]) - 1, *leading) if depth else 0
    marked = [[text or MARK for text in row] for row in grid]
    return inferred_columns(marked, depth, nested_columns(marked, depth)) or int(depth > 1)


def _areas(grid: Texts, height: int, width: int) -> list[Area]:
    """The area of every cell, in reading order."""
    found = list(_corner(grid, height, width)) if height and width else []
    found += _heads(grid, height, width)
    for r in range(height, len(grid)):
        if _is_group(grid[r]):
            found.append((r, 0, 1, len(grid[r])))
        else:
            found += [(r, c, 1, 1) for c in range(width, len(grid[r]))]
    found += _sides(grid, height, width)
    return sorted(found)


def _is_group(row: Sequence[str]) -> bool:
    return len(row) > 1 and bool(row[0]) and not any(row[1:])


def _corner(grid: Texts, height: int, width: int) -> Iterator[Area]:
    if not any(grid[r][c] for r in range(height) for c in range(width) if r or c):
        yield 0, 0, height, width
        return
    for c in range(width):
        r = 0
        while r < height:
            stop = r + 1
            while stop < height and grid[r][c] and not grid[stop][c]:
                stop += 1
            yield r, c, stop - r, 1
            r = stop


def _heads(grid: Texts, height: int, left: int) -> Iterator[Area]:
    """The labels over the columns from ``left`` on, parents before children."""
    below = _next_labels(grid, height)
    open_ranges = [(0, left, len(grid[0]))] if height else []
    while open_ranges:
        r, c, right = open_ranges.pop()
        if not grid[r][c]:
            stop, last = c + 1, r + 1
        else:
            stop = next((i for i in range(c + 1, right) if grid[r][i]), right)
            # columns after one with nothing below it have no parent here: they do not begin under the label
            if below[r][c] > min(below[r][c:stop]):
                stop = next(i for i in range(c, stop) if below[r][i] < below[r][c])
            last = below[r][c]
            stop = stop if last < height else c + 1
        yield r, c, last - r, stop - c
        if stop < right:
            open_ranges.append((r, stop, right))
        if last < height:
            open_ranges.append((last, c, stop))


def _next_labels(grid: Texts, height: int) -> list[list[int]]:
    """For every header place the row of the next label below it; the header's height if there is none."""
    below = [height] * len(grid[0])
    found = [below]
    for r in range(height - 1, 0, -1):
        below = [r if text else row for text, row in zip(grid[r], below, strict=True)]
        found.append(below)
    return found[::-1]


def _sides(grid: Texts, top: int, width: int) -> Iterator[Area]:
    """The labels beside the rows from ``top`` on, parents before children."""
    groups = [r for r in range(top, len(grid)) if _is_group(grid[r])]
    edges = [top - 1, *groups, len(grid)]
    ranges = [(0, a + 1, b) for a, b in pairwise(edges) if a + 1 < b]
    open_ranges = ranges if width else []
    while open_ranges:
        c, r, bottom = open_ranges.pop()
        across, stop = 1, r + 1
        if grid[r][c] and not any(grid[r][c + 1 : width]):
            across = width - c
        elif grid[r][c]:
            while stop < bottom and not grid[stop][c] and any(grid[stop][c + 1 : width]):
                stop += 1
        yield r, c, stop - r, across
        if stop < bottom:
            open_ranges.append((c, stop, bottom))
        if c + across < width:
            open_ranges.append((c + across, r, stop))


MARK = "__"


def is_label(row: Sequence[str]) -> bool:
    """Whether a body row has nothing but a first text: the label of a row group.

    Beside a single other column, an empty text may as well be a value that is missing.
    """
    rest = set(row[1:])
    return row[0] not in ("", MARK) and (rest == {MARK} or (len(row) > 2 and rest <= {"", MARK}))


def nested_columns(grid: Sequence[Sequence[str]], depth: int) -> int:
    """How many leading columns hold labels that go on over several rows, with other labels beside them."""
    width, count = len(grid[0]), 0
    while count < width - 2 and _goes_on(grid[depth:], count) and _holds_labels(grid[depth:], count + 1):
        count += 1
    return count


def _goes_on(body: Sequence[Sequence[str]], column: int) -> bool:
    """Whether in some row the labels of all columns up to this one continue those above."""
    return any(
        set(row[: column + 1]) == {MARK} and not set(row[column + 1 :]) <= {"", MARK} and not is_label(above)
        for above, row in pairwise(body)
    )


def _holds_labels(body: Sequence[Sequence[str]], column: int) -> bool:
    """Whether a column beside one whose labels go on has some too: words, or the same in every group."""
    rows = [row for row in body if not is_label(row)]
    texts = [row[column] for row in rows if row[column] not in ("", MARK)]
    if sum(any(map(str.isalpha, text)) for text in texts) * 2 > len(texts):
        return True
    groups: list[list[str]] = []
    for row in rows:
        if row[column - 1] != MARK or not groups:
            groups.append([])
        groups[-1].append(row[column])
    differ = all(len(set(group)) == len(group) for group in groups)
    return differ and len(groups) > 1 and len(set(texts)) * 2 <= len(texts)


def inferred_columns(grid: Sequence[Sequence[str]], depth: int, nested: int) -> int:
    """The columns of nested labels and of their innermost children; one where rows are in labelled groups."""
    return nested + 1 if nested else int(any(map(is_label, grid[depth:])))
