"""Merged cells that a grid of texts shows by blanks: a label covers the empty places beside and below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .table import Cell, Table

Texts = Sequence[Sequence[str]]
Area = tuple[int, int, int, int]
"""First row, first column, rows, columns."""


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
