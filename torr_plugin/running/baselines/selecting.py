"""The cells that a question selects by the headers it names: lists of them, on both axes of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from .grid import Grid
from .words import number, words

PATH = " / "
_AGGREGATE = re.compile(r"total|sum|average|mean|minimum|maximum|lowest|highest|all", re.IGNORECASE)


def selected(grid: Grid, question: str) -> list[float]:
    """The numbers where the rows and columns that a question names meet.

    On either side, and at each level of it, the headers that stand whole in the question are chosen; a level
    of which it names none is not chosen by. Rows and columns that are called an aggregate are left out.
    """
    asked = frozenset(words(question))
    labels = label_columns(grid)
    paths = [name.split(PATH) for name in grid.columns]
    columns = [c for c in _chosen(paths, asked) if c not in labels]
    rows = _chosen([[row[c] for c in labels] for row in grid.rows], asked)
    found = (number(grid.rows[r][c]) for r in rows for c in columns)
    return [value for value in found if value is not None]


def is_nested(grid: Grid) -> bool:
    """Whether columns have names of several levels."""
    return any(PATH in name for name in grid.columns)


def label_columns(grid: Grid) -> list[int]:
    """The leading columns that name the rows: those before the first that is mostly numbers."""
    depth = 0
    while depth < len(grid.columns) - 1 and not _is_numeric(grid, depth):
        depth += 1
    return list(range(depth))


def _is_numeric(grid: Grid, column: int) -> bool:
    return sum(number(row[column]) is not None for row in grid.rows) * 2 > len(grid.rows)


def _chosen(paths: Sequence[Sequence[str]], asked: frozenset[str]) -> list[int]:
    """The places of the paths that hold a named value at every level where any value is named."""
    depth = max(map(len, paths), default=0)
    named = [
        {path[at] for path in paths if at < len(path) and _named(path[at], asked)} for at in range(depth)
    ]
    return [
        place
        for place, path in enumerate(paths)
        if not any(_AGGREGATE.fullmatch(label.strip()) for label in path)
        and all(not values or path[at] in values for at, values in enumerate(named) if at < len(path))
    ]


def _named(label: str, asked: frozenset[str]) -> bool:
    said = frozenset(words(label))
    return bool(said) and said <= asked and not _AGGREGATE.fullmatch(label.strip())
