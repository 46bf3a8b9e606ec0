"""HCT-QA's published CSV, in which ``__`` marks an empty or merged cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ...core.errors import TableError, counted
from ...tables.table import Cell, Table

Place = tuple[int, int]


def hctqa_csv(
    text: str, *, header_columns: int | None = None, title: str = "", notes: Sequence[str] = ()
) -> Table:
    """A table with merged headers from HCT-QA's ``table_csv``.

    The text's first line (``,0,1,2``) and first column (0, 1, 2...) number the cells and are dropped. The
    header is the first row and those directly below it that begin with ``__``. There, ``__`` continues the
    label on its left in the first row and below such a continuation, else the label above. In the body, a row
    with nothing but its first text is the label of a row group: one cell over the whole row. In the first
    column, and in the next ones as far as rows are nested, ``__`` continues the row label above. Any other
    ``__`` is an empty cell, and so is one whose merged cell would be no rectangle.

    Header columns are given or inferred: where row labels are nested, the columns of parents and the one of
    their children; else the first column of a table with row group labels; else none.

    Raises:
        TableError: no text, no rows, or rows of different lengths.
    """
    grid = _grid(text)
    depth = _header_depth(grid)
    nested = nested_columns(grid, depth)
    side = inferred_columns(grid, depth, nested) if header_columns is None else header_columns
    origins = _rectangles(_origins(grid, depth, max(nested, side - 1, 1)))
    rows = _cells(grid, origins)
    side = min(side, len(grid[0]) - 1)
    return Table(rows, header_rows=depth, header_columns=side, title=title, notes=tuple(notes))


def _grid(text: str) -> list[list[str]]:
    if not isinstance(text, str):
        raise TableError(f"the table is {type(text).__name__}; expected HCT-QA's CSV text")
    try:
        records = [record for record in csv.reader(io.StringIO(text, newline="")) if record]
    except csv.Error as error:
        raise TableError(f"the table is not CSV: {error}") from None
    if len(records) < 2 or len(records[0]) < 2:
        raise TableError(f"the table is {text[:40]!r}; expected a line ',0,1,...' and numbered rows below it")
    width = len(records[0])
    if records[0] != ["", *map(str, range(width - 1))]:
        raise TableError(f"the table's first line is {','.join(records[0])[:40]!r}; expected ',0,1,...'")
    for index, record in enumerate(records[1:]):
        if len(record) != width:
            found = counted(len(record) - 1, "cell")
            raise TableError(f"row {index} of the table has {found}, expected {width - 1}")
    return [record[1:] for record in records[1:]]


def _header_depth(grid: Sequence[Sequence[str]]) -> int:
    depth = 1
    while depth < len(grid) and grid[depth][0] == MARK:
        depth += 1
    return min(depth, len(grid) - 1)


def _origins(grid: Sequence[Sequence[str]], depth: int, nested: int) -> list[list[Place]]:
    """For each place the one whose label it continues, its own where it continues none."""
    origins: list[list[Place]] = []
    merged: set[Place] = set()
    for r, row in enumerate(grid):
        if r < depth:
            origins.append(_head_origins(r, row, origins, merged))
        elif is_label(row):
            origins.append([(r, 0)] * len(row))
        else:
            above = origins[r - 1] if r > depth and not is_label(grid[r - 1]) else None
            origins.append(_side_origins(r, row, above, nested))
    return origins


def _head_origins(
    r: int, row: Sequence[str], above: Sequence[Sequence[Place]], merged: set[Place]
) -> list[Place]:
    """A header row's; ``merged`` gathers the places that continue the one on their left."""
    origins: list[Place] = []
    for c, text in enumerate(row):
        origin = (r, c)
        if text == MARK:
            if c and (not r or (r - 1, c) in merged):
                merged.add(origin)
                origin = origins[c - 1]
            elif r:
                origin = above[r - 1][c]
        origins.append(origin)
    return origins


def _side_origins(r: int, row: Sequence[str], above: Sequence[Place] | None, nested: int) -> list[Place]:
    """A body row's: as far as its leading labels continue those above."""
    origins = [(r, c) for c in range(len(row))]
    c = 0
    while above is not None and c < nested and row[c] == MARK:
        origins[c] = above[c]
        c += 1
    return origins


def _rectangles(origins: list[list[Place]]) -> list[list[Place]]:
    """The same with every shape that is no rectangle taken apart into single cells."""
    places: dict[Place, list[Place]] = {}
    for r, line in enumerate(origins):
        for c, origin in enumerate(line):
            if origin != (r, c):
                places.setdefault(origin, [origin]).append((r, c))
    kept = [list(line) for line in origins]
    for origin, members in places.items():
        bottom, right = members[-1][0], max(c for _, c in members)
        left = min(c for _, c in members)
        if (left, len(members)) != (origin[1], (bottom - origin[0] + 1) * (right - left + 1)):
            for r, c in members:
                kept[r][c] = (r, c)
    return kept


def _cells(grid: Sequence[Sequence[str]], origins: Sequence[Sequence[Place]]) -> tuple[tuple[Cell, ...], ...]:
    ends = {
        origin: (r, c) for r, line in enumerate(origins) for c, origin in enumerate(line) if origin != (r, c)
    }
    return tuple(
        tuple(
            Cell(text, *_span((r, c), ends))
            for c, (origin, text) in enumerate(zip(line, _texts(grid[r]), strict=True))
            if origin == (r, c)
        )
        for r, line in enumerate(origins)
    )


def _texts(row: Sequence[str]) -> list[str]:
    return ["" if text == MARK else text for text in row]


def _span(place: Place, ends: Mapping[Place, Place]) -> tuple[int, int]:
    end = ends.get(place, place)
    return end[0] - place[0] + 1, end[1] - place[1] + 1


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
