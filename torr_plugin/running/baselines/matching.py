"""How well the words of a question match the rows and columns of a table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .grid import Grid
from .words import words


@dataclass(frozen=True, slots=True)
class Match:
    """What of a grid a question names.

    Attributes:
        rows: for each row, the weight of the question's words that its cells hold.
        columns: for each column, the weight of those that its name holds.
        named: for each row, the columns whose cells gave it its weight, the strongest first.
    """

    rows: tuple[float, ...]
    columns: tuple[float, ...]
    named: tuple[tuple[int, ...], ...]

    @property
    def best_row(self) -> int:
        """The first row with the highest weight."""
        return max(range(len(self.rows)), key=self.rows.__getitem__)


@dataclass(frozen=True, slots=True)
class Indexed:
    """A grid's words: a set a cell, a set a column name, and how rare each word is."""

    cells: tuple[tuple[frozenset[str], ...], ...]
    columns: tuple[frozenset[str], ...]
    weight: dict[str, float]


@lru_cache(maxsize=256)
def indexed(grid: Grid) -> Indexed:
    """The words of a grid; a word weighs more the fewer rows hold it."""
    cells = tuple(tuple(frozenset(words(cell)) for cell in row) for row in grid.rows)
    counts = Counter(word for row in cells for word in frozenset().union(*row))
    weight = {word: math.log(1 + len(cells) / count) for word, count in counts.items()}
    return Indexed(cells, tuple(frozenset(words(name)) for name in grid.columns), weight)


def match(grid: Grid, question: str) -> Match:
    """Match a question's words to a grid."""
    asked, index = frozenset(words(question)), indexed(grid)
    strengths = [[_cell_weight(cell, asked, index.weight) for cell in row] for row in index.cells]
    return Match(
        tuple(sum(row) for row in strengths),
        tuple(_share(name, asked) for name in index.columns),
        tuple(_ordered(row) for row in strengths),
    )


def _cell_weight(cell: frozenset[str], asked: frozenset[str], weight: dict[str, float]) -> float:
    """The weight of the words a cell shares with the question, more the larger part of the cell they are."""
    shared = cell & asked
    if not shared:
        return 0.0
    return sum(weight[word] for word in shared) * (0.25 + 0.75 * len(shared) / len(cell))


def _share(name: frozenset[str], asked: frozenset[str]) -> float:
    shared = len(name & asked)
    return shared * (0.25 + 0.75 * shared / len(name)) if shared else 0.0


def _ordered(row: Sequence[float]) -> tuple[int, ...]:
    return tuple(sorted((c for c, strength in enumerate(row) if strength > 0), key=lambda c: -row[c]))


def best(values: Iterable[tuple[float, int]]) -> int | None:
    """The index with the highest positive value, the first of equals; None where there is none."""
    strength, at = max(((value, -index) for value, index in values), default=(0.0, 0))
    return -at if strength > 0 else None
