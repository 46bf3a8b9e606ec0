"""The tasks on one table; each question is drawn by chance, each answer is read off the table.

Rows and columns are counted from 0 (Sui et al. 2024, Table 1: "starts from 0"), rows below the header.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from ...tables import Table

SEPARATOR = " | "
NOTHING = "None"
MOST_PLACES = 3
"""A value that stands more often than this is not looked up: the answer would be a list of half a column."""


@dataclass(frozen=True)
class Asked:
    """A question, its answer, and the columns of merged cells (first and last of each) where they matter."""

    question: str
    answer: str
    merged: tuple[tuple[int, int], ...] = ()

    @property
    def merged_text(self) -> str:
        """``merged`` as JSON, as a metric reads it."""
        return json.dumps([list(span) for span in self.merged])


Task: TypeAlias = "Callable[[Table, Random], Asked | None]"
"""None where the table cannot be asked about so."""


def partition(table: Table, random: Random) -> Asked:
    """Where a table begins and ends between other text: its first and its last cell."""
    grid = table.grid
    question = (
        "The text has a table in it. What does the table's first cell say, and what its last one? "
        "Put | between the two."
    )
    return Asked(question, _joined([grid[0][0].text, grid[-1][-1].text]))


def size(table: Table, random: Random) -> Asked:
    """How many rows below the header, and how many columns."""
    question = (
        "How many rows has the table, its header not counted, and how many columns? "
        "Put | between the two numbers."
    )
    return Asked(question, _joined([str(len(table.body)), str(table.n_columns)]))


def merged_cells(table: Table, random: Random) -> Asked:
    """In which columns cells reach over several rows or columns; any column of such a cell stands for it."""
    spans = {
        (column, column + cell.colspan - 1)
        for r, line in enumerate(table.grid)
        for column, cell in enumerate(line)
        if table.origins[r][column] == (r, column) and (cell.rowspan, cell.colspan) != (1, 1)
    }
    question = (
        "Which cells of the table are merged, so that one cell reaches over several rows or columns? For "
        "each of them name the index of a column in which it stands, counted from 0 at the left. Write each "
        f"index once, the smaller ones first, with | between them. Where no cell is merged, write {NOTHING}."
    )
    first = sorted({start for start, _ in spans})
    return Asked(question, _joined(map(str, first)) or NOTHING, tuple(sorted(spans)))


def cell_lookup(table: Table, random: Random) -> Asked | None:
    """At which places a value stands."""
    places = _places(table)
    values = [text for text, count in Counter(text for _, _, text in places).items() if count <= MOST_PLACES]
    if not values:
        return None
    value = random.choice(values)
    found = [f"({row}, {column})" for row, column, text in places if text == value]
    question = (
        f'Where in the table does a cell say "{value}"? Write the place as (row, column); rows are counted '
        "from 0 below the header, columns from 0 at the left. Where there are several such cells, name them "
        "all, with | between them."
    )
    return Asked(question, _joined(found))


def reverse_lookup(table: Table, random: Random) -> Asked | None:
    """What stands at a place."""
    places = _places(table)
    if not places:
        return None
    row, column, text = random.choice(places)
    question = (
        f"What does the cell in row {row}, column {column} of the table say? Rows are counted from 0 below "
        "the header, columns from 0 at the left."
    )
    return Asked(question, text)


def column_name(table: Table, random: Random) -> Asked | None:
    """What a column is called (the task's prompt in the paper's Table 1)."""
    names = [cell.text for cell in table.grid[0]]
    column = random.randrange(len(names))
    question = f"What is the name of column {column} of the table? Columns are counted from 0 at the left."
    return Asked(question, names[column]) if names[column] else None


def column_values(table: Table, random: Random) -> Asked | None:
    """What stands in a column, from the top down (the task as the paper's section 3.2 describes it)."""
    names = [cell.text for cell in table.grid[0]]
    told = [column for column, name in enumerate(names) if name and names.count(name) == 1]
    if not told or not table.body:
        return None
    column = random.choice(told)
    question = (
        f'What do the cells of the column "{names[column]}" say, from the top down? Leave the header out, '
        "name a value as often as it stands there, and put | between the values."
    )
    return Asked(question, _joined(line[column].text for line in table.body))


def row_values(table: Table, random: Random) -> Asked | None:
    """What stands in a row, from left to right."""
    if not table.body:
        return None
    row = random.randrange(len(table.body))
    question = (
        f"What do the cells of row {row} of the table say, from left to right? Rows are counted from 0 below "
        "the header. Put | between the values."
    )
    return Asked(question, _joined(cell.text for cell in table.body[row]))


TASKS: dict[str, Task] = {
    "table_partition": partition,
    "size_detection": size,
    "merged_cell_detection": merged_cells,
    "cell_lookup": cell_lookup,
    "reverse_lookup": reverse_lookup,
    "column_retrieval": column_name,
    "column_values": column_values,
    "row_retrieval": row_values,
}


def can_be_asked(table: Table) -> bool:
    """Whether answers say what they mean: no cell holds the separator, and none in the body is empty."""
    texts = [cell.text for line in table.grid for cell in line]
    return not any("|" in text or "\n" in text for text in texts) and all(text.strip() for text in texts)


def _places(table: Table) -> Sequence[tuple[int, int, str]]:
    """Row, column and text of all cells below the header, in reading order."""
    return [(r, c, cell.text) for r, line in enumerate(table.body) for c, cell in enumerate(line)]


def _joined(parts: Iterable[str]) -> str:
    return SEPARATOR.join(parts)
