"""What can be added to any design's prompts about the table: notes that the model makes first, and facts.

After "Table Meets LLM" (Sui et al. 2024, section 4 and Table 6), in our own words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..tables import Table

MOST_MERGED = 50
"""Merged cells whose places are listed; the others are counted."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a model is asked about a table before the task.

    ``request`` asks for notes; ``heading`` introduces them in the prompt of the task.
    """

    name: str
    heading: str
    request: str


@dataclass(frozen=True, slots=True)
class Fact:
    """What is read off the table as it is shown, without the model; ``heading`` introduces it."""

    name: str
    heading: str
    of: Callable[[Table], str]


@dataclass(frozen=True, slots=True)
class Augmentation:
    """What the part before ``+`` of a composed design's name stands for; ``about`` says it in a line."""

    name: str
    about: str
    asks: tuple[Knowledge, ...] = ()
    facts: tuple[Fact, ...] = ()


VALUES = Knowledge(
    "values",
    "Values and ranges that matter",
    "Do not do the task yet. First name the values and the ranges of values in the table that matter for it, "
    "in at most five sentences.",
)
FORMAT = Knowledge(
    "format",
    "How the table is written",
    "Do not do the task yet. First explain the format in which the table is written and what the table is "
    "about, in at most five sentences.",
)
STRUCTURE = Knowledge(
    "structure",
    "How the table is built",
    "Do not do the task yet. First describe how the table is built: its size, its headers, patterns and "
    "statistics of its values, in at most five sentences.",
)


def size_text(table: Table) -> str:
    """Its rows without the header's, and its columns: ``9 rows below the header, 4 columns``."""
    below = " below the header" if table.header_rows else ""
    rows = table.n_rows - table.header_rows
    return f"{_number(rows, 'row')}{below}, {_number(table.n_columns, 'column')}"


def merged_cells_text(table: Table) -> str:
    """The places of the cells that cover several rows or columns, the first :data:`MOST_MERGED` of them.

    ``header row 0, columns 1 to 2; rows 3 to 5, column 0``, counted as in SUC's tasks: from 0, rows below the
    header.
    """
    merged = [
        f"{_rows(table, row, row + cell.rowspan - 1)}, {_columns(column, column + cell.colspan - 1)}"
        for row, line in enumerate(table.placed_rows if table.has_spans else [])
        for column, cell in line
        if (cell.rowspan, cell.colspan) != (1, 1)
    ]
    if not merged:
        return "none"
    more = f"; and {len(merged) - MOST_MERGED} more" if len(merged) > MOST_MERGED else ""
    below = ", rows below the header" if table.header_rows else ""
    return f"{'; '.join(merged[:MOST_MERGED])}{more} (counted from 0{below})"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _rows(table: Table, first: int, last: int) -> str:
    begin, end = _row(table, first), _row(table, last)
    if first == last:
        return begin
    if (first < table.header_rows) != (last < table.header_rows):
        return f"{begin} to {end}"
    return f"{begin.replace('row', 'rows')} to {end.rpartition(' ')[2]}"


def _row(table: Table, row: int) -> str:
    return f"header row {row}" if row < table.header_rows else f"row {row - table.header_rows}"


def _columns(first: int, last: int) -> str:
    return f"column {first}" if first == last else f"columns {first} to {last}"


TABLE_SIZE = Fact("table_size", "Size of the table", size_text)
MERGED_CELLS = Fact("merged_cells", "Merged cells", merged_cells_text)

AUGMENTATIONS = {
    each.name: each
    for each in (
        Augmentation("merged_cells", "the prompt says where cells are merged", facts=(MERGED_CELLS,)),
        Augmentation(
            "self_augmented",
            "the model first names the values and ranges that matter (one call more)",
            asks=(VALUES,),
        ),
        Augmentation(
            "self_augmented_all",
            "the model first makes all three kinds of notes (three calls more)",
            asks=(VALUES, FORMAT, STRUCTURE),
        ),
        Augmentation(
            "self_augmented_format",
            "the model first explains the table's format (one call more)",
            asks=(FORMAT,),
        ),
        Augmentation(
            "self_augmented_structure",
            "the model first describes the table's structure (one call more)",
            asks=(STRUCTURE,),
        ),
        Augmentation(
            "table_size", "the prompt says how many rows and columns the table has", facts=(TABLE_SIZE,)
        ),
    )
}
"""The augmentations by name."""
