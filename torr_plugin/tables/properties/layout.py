"""A table as a reader sees it: real header depth, parsed numbers, labels of every line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from ..header_tree import HeaderTree, label_rows, walk
from .arithmetic import NumberLines
from .text import parse_number

if TYPE_CHECKING:
    from ..table import Table

MOST_LINES = 400
MOST_COLUMNS = 300
"""Further rows and columns are ignored: no property needs them, and the search for sums is quadratic."""


@dataclass(frozen=True, slots=True)
class LabelledLines:
    """The lines of one axis (rows or columns): the labels of each, outermost first, and its numbers."""

    paths: tuple[tuple[str, ...], ...]
    lines: NumberLines


@dataclass(frozen=True)
class Layout:
    """A table with its real header depth, and what all detectors need."""

    table: Table
    inferred: bool = False
    """Whether the header columns were inferred rather than given."""

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The rows that label a group of rows."""
        return label_rows(self.table)

    @cached_property
    def _lines(self) -> NumberLines:

        table = self.table
        rows = table.grid[table.header_rows : table.header_rows + MOST_LINES]
        width = slice(table.header_columns, table.header_columns + MOST_COLUMNS)
        numbers = [[parse_number(cell.text) for cell in row[width]] for row in rows]
        values = [[float("nan") if number is None else number.value for number in line] for line in numbers]
        rounding = [
            [0.5 if number is None else 0.5 * 10.0**-number.decimals for number in line] for line in numbers
        ]
        return NumberLines(np.array(values, dtype=float), np.array(rounding, dtype=float))

    @cached_property
    def rows(self) -> LabelledLines:
        """The body rows."""
        return LabelledLines(_paths(self.table.row_tree, MOST_LINES), self._lines)

    @cached_property
    def columns(self) -> LabelledLines:
        """The body columns."""
        lines = NumberLines(self._lines.values.T.copy(), self._lines.rounding.T.copy())
        return LabelledLines(_paths(self.table.column_tree, MOST_COLUMNS), lines)


def settled(table: Table) -> Layout:
    """The layout of a table, with header depth inferred from its cells where the source does not give it.

    A header goes on below a merged label that nothing follows, and the leading columns that hold words are
    header columns where none are given.
    """
    deeper = table.header_rows
    while deeper and deeper < table.n_rows - 1 and _goes_on(table, deeper):
        deeper += 1
    columns = table.header_columns or _word_columns(table, deeper)
    if (deeper, columns) == (table.header_rows, table.header_columns):
        return Layout(table)
    changed = table.replace(header_rows=deeper, header_columns=columns)
    return Layout(changed, inferred=columns != table.header_columns)


def _paths(tree: HeaderTree, most: int) -> tuple[tuple[str, ...], ...]:
    """The paths of the first lines; a merged leaf's is that of all its lines."""
    lines = (path for path, leaf in walk(tree.roots) for _ in range(leaf.start, leaf.stop))
    return tuple(islice(lines, most))


def _goes_on(table: Table, depth: int) -> bool:
    """Whether the row below a header of this depth still belongs to it."""
    labels, texts = _merged_labels(table, depth - 1), [cell.text.strip() for cell in table.grid[depth]]
    title = len(set(labels)) == 1
    wide = [c for c in range(1, len(labels)) if labels[c] == labels[c - 1] and (labels[c] or title)]
    reaches_down = any(table.origins[depth][c] == table.origins[depth - 1][c] for c in wide)
    if not wide or reaches_down or len(set(table.origins[depth])) < 2:
        return False
    full = [text for text in texts[1:] if text]
    words = [text for text in full if parse_number(text) is None]
    if title:
        return bool(full) and len(words) + (texts[0] == "") > len(full) // 2
    if 2 * len(full) < len(texts) - 1 - len(wide):
        return False
    return 2 * len(words) > len(full) or _repeats(labels, texts)


def _merged_labels(table: Table, row: int) -> list[int]:
    """For each place of a header row the column where its label begins; a blank goes on with its left."""
    begins: list[int] = []
    for c, ((top, left), cell) in enumerate(zip(table.origins[row], table.grid[row], strict=True)):
        blank = not cell.text.strip() and c > 0 and (top, left) == (row, c)
        begins.append(begins[-1] if blank and begins[-1] > 0 else left)
    return begins


def _repeats(labels: Sequence[int], texts: Sequence[str]) -> bool:
    """Whether two or more merged labels have the same texts below them."""
    below: dict[int, list[str]] = {}
    for label, text in zip(labels, texts, strict=True):
        below.setdefault(label, []).append(text)
    wide = [tuple(group) for label, group in below.items() if len(group) > 1 and label]
    return len(wide) > 1 and len(set(wide)) == 1 and len(set(wide[0])) == len(wide[0])


def _word_columns(table: Table, depth: int) -> int:
    """The number of leading columns with words rather than numbers, at least one."""
    count = min(1, table.n_columns - 1)
    while count and count < table.n_columns - 1 and _holds_words(table, depth, count):
        count += 1
    return count


def _holds_words(table: Table, depth: int, column: int) -> bool:
    texts = [row[column].text.strip() for row in table.grid[depth : depth + MOST_LINES]]
    full = [text for text in texts if any(map(str.isalnum, text))]
    words = [
        text for text in full if len(text) > 1 and any(map(str.isalpha, text)) and parse_number(text) is None
    ]
    return len(words) > 0.6 * len(full)
