"""SUC's tasks ("Table Meets LLM", Sui et al., WSDM 2024) over generated tables, one generator a task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

from ...catalog.generated import table_makers
from ...tables import Table
from .structural_questions import PARTITION, TASKS, ask

if TYPE_CHECKING:
    from ...catalog.generated import Generator, Row

FEWEST_ROWS, MOST_ROWS = 3, 12
FLAT_AMONG_MERGED = 4
"""One table in so many has no merged cell, so that "None" is sometimes the answer."""


def _sampled(random: Random, number: int) -> Mapping[str, Any]:
    """A generated table as people lay it out, as a relation, and more questions about it."""
    return table_makers.get("human_centric")(random, number)


def flat_table(random: Random, number: int) -> tuple[Table, Any]:
    """A relation of 3 to 12 entries, its columns in any order: one header row, no spans, no empty cell."""
    sampled = _sampled(random, number)
    names, *entries = [[cell.text for cell in row] for row in sampled["relation"].rows]
    count = min(len(entries), random.randint(FEWEST_ROWS, MOST_ROWS))
    chosen = random.sample(range(len(entries)), count)
    order = random.sample(range(len(names)), len(names))
    rows = [[entries[row][at] for at in order] for row in sorted(chosen)]
    title = sampled["relation"].title
    return Table.flat(header=[names[at] for at in order], rows=rows, title=title), sampled


def table_with_merged_cells(random: Random, number: int) -> Table:
    """A table laid out for people; every fourth one is flat instead."""
    if number % FLAT_AMONG_MERGED == FLAT_AMONG_MERGED - 1:
        return flat_table(random, number)[0]
    table: Table = _sampled(random, number)["table"]
    return table


def _text_before(table: Table, random: Random) -> str:
    """A description, and a remark that names a value of the table."""
    names = [cell.text for cell in table.grid[0]]
    named = random.choice(table.body)[random.randrange(table.n_columns)].text
    listed = f"{', '.join(names[:-1])} and {names[-1]}"
    return (
        f"Description: {table.title}. Of each entry {listed} are known.\n"
        f"Context: A reader who looked for {named} had asked for the list below."
    )


def _text_after(sampled: Any, random: Random) -> str:
    """A remark on the list, and queries of a user, which are not the ones to answer."""
    queries = list(islice(sampled["queries"](), random.randint(1, 2)))
    lines = [
        f"Statement: The figures are those of {sampled['relation'].title.lower()}, as they were first "
        "published."
    ]
    return "\n".join([*lines, *(f"User query: {query}" for query in queries)])


@dataclass(frozen=True)
class AskedAgain:
    """Asks a task's question about part of the table of that number."""

    task: str
    number: int

    def __call__(self, table: Table) -> tuple[dict[str, str], Table] | None:
        """The columns that ask it, and the part; None where there is none that is clear."""
        made = ask(self.task, table, Random(self.number))  # noqa: S311
        return None if made is None else (made.columns, table)


def _flat(task: str, random: Random, number: int) -> Iterator[Row]:
    """One question of this task about a flat table."""
    table, _ = flat_table(random, number)
    made = ask(task, table, random)
    if made is not None:
        yield {
            "table": table,
            "question": made.question,
            "answer": made.answer,
            "kind": task,
            "ask_again": AskedAgain(task, number),
        }


def _partition(random: Random, number: int) -> Iterator[Row]:
    """The first and the last cell of a flat table between other text."""
    table, sampled = flat_table(random, number)
    made = ask(PARTITION, table, random)
    if made is not None:
        yield {
            # the text around the table has the title
            "table": table.replace(title=""),
            "before": _text_before(table, random),
            "after": _text_after(sampled, random),
            "question": made.question,
            "answer": made.answer,
            "kind": PARTITION,
            "ask_again": AskedAgain(PARTITION, number),
        }


def _merged(random: Random, number: int) -> Iterator[Row]:
    """The merged cells of a table."""
    table = table_with_merged_cells(random, number)
    made = ask("merged_cell_detection", table, random)
    if made is not None:
        yield {
            "table": table,
            **made.columns,
            "kind": "merged_cell_detection",
            "ask_again": AskedAgain("merged_cell_detection", number),
        }


_OWN: Mapping[str, Generator] = {PARTITION: _partition, "merged_cell_detection": _merged}

GENERATORS: Mapping[str, Generator] = {
    f"suc_{task}": _OWN.get(task) or partial(_flat, task) for task in TASKS
}
"""By the names that cards use, ``suc_cell_lookup``."""
