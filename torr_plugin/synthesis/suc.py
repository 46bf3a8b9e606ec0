"""Structural questions about tables, after SUC (Sui et al., "Table Meets LLM", WSDM 2024, section 3).

In: a table, one of the tasks, a random generator. Out: a question and its answer, read off the table's own
grid and so right by construction. The wording of the questions is the project's own.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from ..tables import Table
from .hctqa.layout.relational import Entry, relational
from .human_centric import SampledTable, sample_table

if TYPE_CHECKING:
    from .generation import Generator, Row

FEWEST_ROWS, MOST_ROWS = 3, 12
FLAT_AMONG_MERGED = 4
"""One table in so many has no merged cell, so that "None" is sometimes the answer."""


def flat_table(random: Random, number: int) -> tuple[Table, SampledTable]:
    """A relation of 3 to 12 entries, its columns in any order: one header row, no spans, no empty cell."""
    sampled = sample_table(random, number)
    relation = relational(sampled.instance)
    count = min(len(relation.rows), random.randint(FEWEST_ROWS, MOST_ROWS))
    chosen = random.sample(range(len(relation.rows)), count)
    order = random.sample(range(len(relation.names)), len(relation.names))
    header = [relation.names[at] for at in order]
    rows = [_texts(relation.rows[row], order) for row in sorted(chosen)]
    return Table.flat(header=header, rows=rows, title=sampled.instance.family), sampled


def table_with_merged_cells(random: Random, number: int) -> Table:
    """A table laid out for people; every fourth one is flat instead."""
    if number % FLAT_AMONG_MERGED == FLAT_AMONG_MERGED - 1:
        return flat_table(random, number)[0]
    return sample_table(random, number).table


def _texts(entry: Entry, order: list[int]) -> list[str]:
    return [
        format(value, "f") if isinstance(value, Decimal) else value for value in (entry[at] for at in order)
    ]


def _text_before(table: Table, sampled: SampledTable, random: Random) -> str:
    """A description, and a remark that names a value of the table."""
    names = [cell.text for cell in table.grid[0]]
    named = random.choice(table.body)[random.randrange(table.n_columns)].text
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"Description: {table.title}. Of each entry {listed} are known.\n"
        f"Context: A reader who looked for {named} had asked for the list below."
    )


def _text_after(sampled: SampledTable, random: Random) -> str:
    """A remark on the list, and queries of a user, which are not the ones to answer."""
    queries = [question.question for question in islice(sampled.questions((1, 4)), random.randint(1, 2))]
    lines = [
        f"Statement: The figures are those of {sampled.instance.family.lower()}, as they were first "
        "published."
    ]
    return "\n".join([*lines, *(f"User query: {query}" for query in queries)])


SEPARATOR = " | "
NOTHING = "None"
MOST_PLACES = 3
"""Questions do not look up values that occur more often: the answer would list half a column."""


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


Task: TypeAlias = "Callable[[Table, Random], StructuralQuestion | None]"
"""Makes a question about a table; None if the table does not allow it."""


def partition(table: Table, random: Random) -> StructuralQuestion:
    """The first and the last cell of a table between other text."""
    grid = table.grid
    question = (
        "The text has a table in it. What does the table's first cell say, and what its last one? "
        "Put | between the two."
    )
    return StructuralQuestion(question, _joined([grid[0][0].text, grid[-1][-1].text]))


def size(table: Table, random: Random) -> StructuralQuestion:
    """The numbers of rows below the header and of columns."""
    question = (
        "How many rows has the table, its header not counted, and how many columns? "
        "Put | between the two numbers."
    )
    return StructuralQuestion(question, _joined([str(len(table.body)), str(table.n_columns)]))


def merged_cells(table: Table, random: Random) -> StructuralQuestion:
    """The columns of the cells that cover several rows or columns; any column of such a cell will do."""
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
    return StructuralQuestion(question, _joined(map(str, first)) or NOTHING, tuple(sorted(spans)))


def cell_lookup(table: Table, random: Random) -> StructuralQuestion | None:
    """The places of a value."""
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
    return StructuralQuestion(question, _joined(found))


def reverse_lookup(table: Table, random: Random) -> StructuralQuestion | None:
    """The text at a place."""
    places = _places(table)
    if not places:
        return None
    row, column, text = random.choice(places)
    question = (
        f"What does the cell in row {row}, column {column} of the table say? Rows are counted from 0 below "
        "the header, columns from 0 at the left."
    )
    return StructuralQuestion(question, text)


def column_name(table: Table, random: Random) -> StructuralQuestion | None:
    """The name of a column (the task's prompt in the paper's Table 1)."""
    names = [cell.text for cell in table.grid[0]]
    column = random.randrange(len(names))
    question = f"What is the name of column {column} of the table? Columns are counted from 0 at the left."
    return StructuralQuestion(question, names[column]) if names[column] else None


def column_values(table: Table, random: Random) -> StructuralQuestion | None:
    """The texts of a column, from the top down (the task as the paper's section 3.2 describes it)."""
    names = [cell.text for cell in table.grid[0]]
    unique = [column for column, name in enumerate(names) if name and names.count(name) == 1]
    if not unique or not table.body:
        return None
    column = random.choice(unique)
    question = (
        f'What do the cells of the column "{names[column]}" say, from the top down? Leave the header out, '
        "name a value as often as it stands there, and put | between the values."
    )
    return StructuralQuestion(question, _joined(line[column].text for line in table.body))


def row_values(table: Table, random: Random) -> StructuralQuestion | None:
    """The texts of a row, from left to right."""
    if not table.body:
        return None
    row = random.randrange(len(table.body))
    question = (
        f"What do the cells of row {row} of the table say, from left to right? Rows are counted from 0 below "
        "the header. Put | between the values."
    )
    return StructuralQuestion(question, _joined(cell.text for cell in table.body[row]))


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


def allows_questions(table: Table) -> bool:
    """Whether answers are unambiguous: no cell contains the separator, and none is empty."""
    texts = [cell.text for line in table.grid for cell in line]
    return not any("|" in text or "\n" in text for text in texts) and all(text.strip() for text in texts)


def _places(table: Table) -> Sequence[tuple[int, int, str]]:
    """Row, column and text of all cells below the header, in reading order."""
    return [(r, c, cell.text) for r, line in enumerate(table.body) for c, cell in enumerate(line)]


def _joined(parts: Iterable[str]) -> str:
    return SEPARATOR.join(parts)


def _flat(task: str, random: Random, number: int) -> Iterator[Row]:
    """One question of this task of "Table Meets LLM" about a flat table."""
    table, _ = flat_table(random, number)
    made = TASKS[task](table, random) if allows_questions(table) else None
    if made is not None:
        yield {"table": table, "question": made.question, "answer": made.answer, "kind": task}


def _partition(random: Random, number: int) -> Iterator[Row]:
    """The first and the last cell of a flat table between other text."""
    table, sampled = flat_table(random, number)
    if allows_questions(table):
        made = partition(table, random)
        yield {
            # the text around the table has the title
            "table": table.replace(title=""),
            "before": _text_before(table, sampled, random),
            "after": _text_after(sampled, random),
            "question": made.question,
            "answer": made.answer,
            "kind": "table_partition",
        }


def _merged(random: Random, number: int) -> Iterator[Row]:
    """The merged cells of a table."""
    table = table_with_merged_cells(random, number)
    made = merged_cells(table, random)
    yield {
        "table": table,
        "question": made.question,
        "answer": made.answer,
        "merged": made.merged_text,
        "kind": "merged_cell_detection",
    }


_OWN: Mapping[str, Generator] = {"table_partition": _partition, "merged_cell_detection": _merged}

GENERATORS: Mapping[str, Generator] = {
    f"suc_{task}": _OWN.get(task) or partial(_flat, task) for task in TASKS
}
"""By the names that cards use, ``suc_cell_lookup``."""
