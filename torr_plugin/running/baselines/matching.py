"""Words and numbers of a text, and how a question's words match a table's rows, columns and headers."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .reading import Grid

_WORD = re.compile(r"\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[^\W\d_]+")
_NUMBER = re.compile(
    r"[^\w.+-]{0,4}([+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|[+-]?\.\d+)\s*(?:%|[^\W\d_]{0,12}\.?)\s*[^\w]{0,3}"
)

# words that name no row, no column and no cell
_STOP = """
a an and any are as at be been by did do does each for from had has have he her his how i in is it
its me of on or s she t than that the their them then there these they this those to was were what
when where which who whom whose will with would according table following given listed name row
column
"""
STOP = frozenset(_STOP.split())


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The text's words in order: lower case, endings and thousands' commas cut, empty words left out."""
    return tuple(stem(word) for word in _WORD.findall(text.lower()) if word not in STOP)


def stem(word: str) -> str:
    """A word without a plural's or a verb's ending; numbers without commas and zeros after the point."""
    if word[0].isdigit():
        word = word.replace(",", "")
        return word.rstrip("0").rstrip(".") if "." in word else word
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: len(word) - len(ending)] + instead
            break
    return word.rstrip("e") if len(word) > 3 else word


@lru_cache(maxsize=65536)
def number(text: str) -> float | None:
    """The number a cell holds, with a currency sign or a unit at most; None for any other text."""
    match = _NUMBER.fullmatch(text.strip())
    return float(match[1].replace(",", "")) if match else None


def format_number(value: float) -> str:
    """A number as an answer: without a point where it is whole, else with at most two places."""
    return str(round(value)) if abs(value - round(value)) < 1e-9 else f"{round(value, 2):g}"


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
    """The weight of the words a cell shares with the question, scaled by their share of the cell."""
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


PATH = " / "
_AGGREGATE = re.compile(r"total|sum|average|mean|minimum|maximum|lowest|highest|all", re.IGNORECASE)


def selected(grid: Grid, question: str) -> list[float]:
    """The numbers where the rows and columns that a question names meet.

    On either side, and at each level of it, the headers that stand whole in the question are chosen; a level
    without any such header is ignored. Rows and columns that are called an aggregate are left out.
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
    while depth < len(grid.columns) - 1 and not is_numeric(grid, depth):
        depth += 1
    return list(range(depth))


def numbers_of(grid: Grid, column: int) -> dict[int, float]:
    """The numbers of a column by row."""
    cells = ((r, number(row[column])) for r, row in enumerate(grid.rows))
    return {r: value for r, value in cells if value is not None}


def is_numeric(grid: Grid, column: int) -> bool:
    """Whether most cells of a column are numbers."""
    return len(numbers_of(grid, column)) * 2 > len(grid.rows)


def _chosen(paths: Sequence[Sequence[str]], asked: frozenset[str]) -> list[int]:
    """The positions of the paths with a named value at every level where any value is named."""
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
    label_words = frozenset(words(label))
    return bool(label_words) and label_words <= asked and not _AGGREGATE.fullmatch(label.strip())
