"""Structural questions about any table, after SUC (Sui et al., "Table Meets LLM", WSDM 2024, section 3).

In: a table, one of the tasks, a random generator. Out: a question and its answer, read off the table's own
grid and so right by construction. No question is ambiguous: texts that differ only by what metrics overlook
(case, white space, commas of thousands) count as one, and what could be read in two ways is not asked. The
wording of the questions is the project's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias, TypeVar

from ...core.texts import normalize
from ...tables import Cell, Table

SEPARATOR = " | "
NOTHING = "None"
PARTITION = "table_partition"
"""The task that needs text around the table."""
MOST_PLACES = 3
"""Questions do not look up values that occur more often: the answer would list half a column."""
LONGEST = 1500
"""So many characters has the longest list of values that is asked for."""


@dataclass(frozen=True)
class StructuralQuestion:
    """A question, its answer, and the columns of merged cells (first and last of each) where they matter."""

    question: str
    answer: str
    merged: tuple[tuple[int, int], ...] = ()

    @property
    def merged_text(self) -> str:
        """``merged`` as JSON, as a metric reads it."""
        return json.dumps([list(span) for span in self.merged])

    @property
    def columns(self) -> dict[str, str]:
        """The columns that a row of a data set has of it."""
        return {"question": self.question, "answer": self.answer, "merged": self.merged_text}


_Item = TypeVar("_Item")

Task: TypeAlias = "Callable[[Table, Random], StructuralQuestion | None]"
"""Makes a question about a table; None if the table does not allow it."""


def ask(task: str, table: Table, random: Random) -> StructuralQuestion | None:
    """A question of one of :data:`TASKS`; None where the table allows none that is unambiguous."""
    if _divides_answers(table) or (task not in WITHOUT_HEADER and _header_has_no_edge(table)):
        return None
    return TASKS[task](table, random)


def _divides_answers(table: Table) -> bool:
    """Whether a cell has a bar or a line break in it."""
    text = "\0".join([cell.text for row in table.rows for cell in row])
    return "|" in text or len(f"{text}.".splitlines()) > 1


def _header_has_no_edge(table: Table) -> bool:
    """Whether a merged cell reaches from the header into the body: where that begins is unclear then."""
    depth = table.header_rows
    return table.has_spans and any(row < depth for row, _ in table.origins[depth])


def partition(table: Table, random: Random) -> StructuralQuestion | None:
    """The first and the last cell of a table between other text.

    None where that depends on whether a merged cell stands where it begins or everywhere it reaches.
    """
    begin = [cell for line in table.placed_rows for _, cell in line if said(cell)]
    reach = [cell for line in table.grid for cell in line if said(cell)]
    ends = [(said(cells[0]), said(cells[-1])) for cells in (begin, reach) if cells]
    if not ends or len(set(ends)) > 1 or not all(map(key, ends[0])):
        return None
    question = (
        "The text has a table in it. What does the table's first cell say, and what its last one? "
        f"{_blanks(table)}Put | between the two."
    )
    return StructuralQuestion(question, _joined(ends[0]))


def size(table: Table, random: Random) -> StructuralQuestion:
    """The numbers of rows below the header and of columns."""
    header = ("", ", its header not counted", ", its header rows not counted")[min(table.header_rows, 2)]
    comma = "," if header else ""
    labels = ", those of row labels included" if table.header_columns else ""
    question = (
        f"How many rows has the table{header}{comma} and how many columns{labels}? "
        "Put | between the two numbers."
    )
    return StructuralQuestion(question, _joined([str(len(table.body)), str(table.n_columns)]))


def merged_cells(table: Table, random: Random) -> StructuralQuestion:
    """The columns of the cells that cover several rows or columns; any column of such a cell will do."""
    spans = {
        (column, column + cell.colspan - 1)
        for line in table.placed_rows
        for column, cell in line
        if not _is_single(cell)
    }
    question = (
        "Which cells of the table are merged, so that one cell reaches over several rows or columns? For "
        "each of them name the index of a column in which it stands, counted from 0 at the left. Write each "
        f"index once, the smaller ones first, with | between them. Where no cell is merged, write {NOTHING}."
    )
    first = sorted({start for start, _ in spans})
    return StructuralQuestion(question, _joined(map(str, first)) or NOTHING, tuple(sorted(spans)))


def cell_lookup(table: Table, random: Random) -> StructuralQuestion | None:
    """The places of a value: of one that no header has, nor in other spelling any cell."""
    header = {key(cell.text) for line in table.grid[: table.header_rows] for cell in line}
    places: dict[str, list[tuple[int, int, Cell]]] = {}
    for place in _places(table):
        places.setdefault(key(place[2].text), []).append(place)
    found = [
        cells
        for normal, cells in places.items()
        if normal not in header and len(cells) <= MOST_PLACES and _is_one_value([cell for *_, cell in cells])
    ]
    if not found:
        return None
    cells = random.choice(found)
    question = (
        f'Where in the table does a cell say "{said(cells[0][2])}"? Write the place as (row, column); '
        f"{_counting(table)}. Where there are several such cells, name them all, with | between "
        f"them.{_merged(table)}"
    )
    return StructuralQuestion(question, _joined(f"({row}, {column})" for row, column, _ in cells))


def reverse_lookup(table: Table, random: Random) -> StructuralQuestion | None:
    """The text at a place."""
    places = _shuffled(_places(table), random)
    found = next((place for place in places if key(place[2].text) and _is_single(place[2])), None)
    if found is None:
        return None
    row, column, cell = found
    question = (
        f"What does the cell in row {row}, column {column} of the table say? "
        f"{_counting(table).capitalize()}.{_merged(table)}"
    )
    return StructuralQuestion(question, said(cell))


def column_name(table: Table, random: Random) -> StructuralQuestion | None:
    """The name of a column (the task's prompt in the paper's Table 1).

    Under a header of several rows it is all that they say above the column.
    """
    paths = _header_paths(table)
    columns = [column for column, path in enumerate(paths) if path and len(set(map(key, path))) == len(path)]
    if not columns:
        return None
    column = random.choice(columns)
    if table.header_rows == 1:
        asked = f"What is the name of column {column} of the table?"
        how = _merged(table)
    else:
        asked = f"What do the header cells above column {column} of the table say, from the top down?"
        how = f" {_blanks(table)}Put | between them.{_merged(table, named=True)}"
    question = f"{asked} {_counting_columns(table).capitalize()}.{how}"
    return StructuralQuestion(question, _joined(paths[column]))


def column_values(table: Table, random: Random) -> StructuralQuestion | None:
    """The texts of a column, from the top down (the task as the paper's section 3.2 describes it)."""
    body = range(table.header_rows, table.n_rows)
    several = " (its header from the top down)" if table.header_rows > 1 else ""
    for column, path in _shuffled(_named_columns(table), random):
        values = _values(table, [(row, column) for row in body])
        if values:
            question = (
                f'What do the cells of the column "{_joined(path)}"{several} say, from the top down? Leave '
                "the header out, name a value as often as it stands there, and put | between the values."
                f"{_listing(table)}"
            )
            return StructuralQuestion(question, _joined(values))
    return None


def row_values(table: Table, random: Random) -> StructuralQuestion | None:
    """The texts of a row, from left to right."""
    for row in _shuffled(range(len(table.body)), random):
        values = _values(table, [(table.header_rows + row, column) for column in range(table.n_columns)])
        if values:
            question = (
                f"What do the cells of row {row} of the table say, from left to right? "
                f"{_counting_rows(table).capitalize()}. Put | between the values.{_listing(table)}"
            )
            return StructuralQuestion(question, _joined(values))
    return None


TASKS: dict[str, Task] = {
    PARTITION: partition,
    "size_detection": size,
    "merged_cell_detection": merged_cells,
    "cell_lookup": cell_lookup,
    "reverse_lookup": reverse_lookup,
    "column_retrieval": column_name,
    "column_values": column_values,
    "row_retrieval": row_values,
}


WITHOUT_HEADER = (PARTITION, "merged_cell_detection")
"""The tasks that do not depend on where the header ends."""


def text_around(texts: Mapping[str, Sequence[str]], random: Random) -> tuple[str, str]:
    """The text before and after a table: one line each, in random order.

    Args:
        texts: what stands there, by what it is: ``{"Description": ["Sales by year"]}``; blank ones are left
            out.
        random: draws the order, and how many stand before; where there are two or more, each side has some.
    """
    lines = [f"{label}: {said(text)}" for label, each in texts.items() for text in each if text.strip()]
    random.shuffle(lines)
    before = random.randint(1, len(lines) - 1) if len(lines) > 1 else random.randint(0, len(lines))
    return "\n".join(lines[:before]), "\n".join(lines[before:])


_QUOTES = "\"'`"
_ITEM = re.compile(r"\A[-+*•] +")
"""What begins an item of a list, which an answer may be written as: ``+ 11`` is read as ``11``."""


def said(cell: Cell | str) -> str:
    """A text as questions and answers name it: with single spaces, and none at its ends."""
    return " ".join((cell.text if isinstance(cell, Cell) else cell).split())


def key(text: str) -> str:
    """A text as ``value_list`` compares it; empty for one that an answer cannot be told by."""
    return normalize(_ITEM.sub("", text.strip()).strip(_QUOTES))


def _shuffled(items: Iterable[_Item], random: Random) -> Iterator[_Item]:
    """The items in random order, drawn as they are needed, which mostly is one."""
    left = list(items)
    while left:
        at = random.randrange(len(left))
        left[at], left[-1] = left[-1], left[at]
        yield left.pop()


def _is_single(cell: Cell) -> bool:
    return cell.rowspan == cell.colspan == 1


def _is_one_value(cells: Sequence[Cell]) -> bool:
    """Whether cells that metrics take for the same say the same, something that can stand in quotes."""
    texts = {said(cell) for cell in cells}
    return len(texts) == 1 and '"' not in min(texts) and key(min(texts)) != "" and all(map(_is_single, cells))


def _places(table: Table) -> Iterator[tuple[int, int, Cell]]:
    """Row, column and cell of all places below the header, in reading order."""
    return ((r, c, cell) for r, line in enumerate(table.body) for c, cell in enumerate(line))


def _values(table: Table, places: Iterable[tuple[int, int]]) -> list[str] | None:
    """What the cells at these places say, each cell once, blank ones left out.

    None where one has a text that metrics take for blank, or all are longer than :data:`LONGEST`.
    """
    cells = (table.grid[row][column] for row, column in dict.fromkeys(table.origins[r][c] for r, c in places))
    texts = [text for cell in cells if (text := said(cell))]
    return texts if all(map(key, texts)) and len(_joined(texts)) <= LONGEST else None


def _header_paths(table: Table) -> list[list[str]]:
    """For each column what its header cells say, as :func:`_values`; empty where that is not clear."""
    header = range(table.header_rows)
    return [_values(table, [(row, column) for row in header]) or [] for column in range(table.n_columns)]


def _named_columns(table: Table) -> Iterator[tuple[int, list[str]]]:
    """The columns that their header tells from all others: no other one has all of its labels."""
    paths = _header_paths(table)
    keys = [{*map(key, path)} for path in paths]
    for column, path in enumerate(paths):
        if path and sum(keys[column] <= each for each in keys) == 1 and '"' not in _joined(path):
            yield column, path


def _counting_rows(table: Table) -> str:
    place = ("at the top", "below the header", "below the last row of the header")[min(table.header_rows, 2)]
    return f"rows are counted from 0 {place}"


def _counting_columns(table: Table) -> str:
    return f"columns are counted from 0 at the left{_with_labels(table)}"


def _counting(table: Table) -> str:
    return f"{_counting_rows(table)}, columns from 0 at the left{_with_labels(table)}"


def _with_labels(table: Table) -> str:
    return ", those of row labels included" if table.header_columns else ""


def _merged(table: Table, *, named: bool = False) -> str:
    """How merged cells count, for a table that has some; ``named``: in a list."""
    if not table.has_spans:
        return ""
    return f" A merged cell stands in every row and column that it covers{', but is named once' * named}."


def _blanks(table: Table) -> str:
    """What to do about empty cells, for a table that has some."""
    return "Leave empty cells out. " * any(not cell.text.strip() for row in table.rows for cell in row)


def _listing(table: Table) -> str:
    return f" {_blanks(table)}".rstrip() + _merged(table, named=True)


def _joined(parts: Iterable[str]) -> str:
    return SEPARATOR.join(parts)
