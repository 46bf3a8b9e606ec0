"""The tables that are asked about: flat ones, and ones with merged cells, from the project's own topics."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING

from ...tables import Table
from ..hctqa.layout.relational import relational
from ..human_centric import Drawn, drawn_table

if TYPE_CHECKING:
    from ..hctqa.layout.relational import Entry

FEWEST_ROWS, MOST_ROWS = 3, 12
FLAT_AMONG_MERGED = 4
"""One table in so many has no merged cell, so that "None" is an answer as well."""


def flat_table(random: Random, number: int) -> tuple[Table, Drawn]:
    """A relation of 3 to 12 entries, its columns in any order: one header row, no spans, no empty cell."""
    drawn = drawn_table(random, number)
    relation = relational(drawn.instance)
    count = min(len(relation.rows), random.randint(FEWEST_ROWS, MOST_ROWS))
    chosen = random.sample(range(len(relation.rows)), count)
    order = random.sample(range(len(relation.names)), len(relation.names))
    header = [relation.names[at] for at in order]
    rows = [_texts(relation.rows[row], order) for row in sorted(chosen)]
    return Table.flat(header=header, rows=rows, title=drawn.instance.title), drawn


def table_with_merged_cells(random: Random, number: int) -> Table:
    """A table laid out for people; every fourth one is flat instead."""
    if number % FLAT_AMONG_MERGED == FLAT_AMONG_MERGED - 1:
        return flat_table(random, number)[0]
    return drawn_table(random, number).table


def _texts(entry: Entry, order: list[int]) -> list[str]:
    return [
        format(value, "f") if isinstance(value, Decimal) else value for value in (entry[at] for at in order)
    ]
