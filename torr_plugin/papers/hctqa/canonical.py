"""HCT-QA's canonical CSV: each label once, at its leftmost column or topmost row, the rest empty."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...core.errors import ParseError, TableError, counted
from ...tables.blank_spans import with_spans
from ...tables.readers.flat import csv_records
from ...tables.serializers import Serializer
from ...tables.serializers.delimited import quoted
from ...tables.serializers.structure import (
    checked,
    comments,
    escape,
    laid_out,
    leading_comments,
    understand,
)
from ...tables.table import Table
from .reader import MARK, inferred_columns, nested_columns

_NUMBER = re.compile(r"[-+(]*\d[\d,. ]*[%)]*")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


class CanonicalCsv(Serializer):
    """Every label once: parents above their leftmost child, row parents in the row of their topmost child.

    The layout of HCT-QA (section 3.1 and Appendix E.1): a row group's label is in the first field of its row,
    and a merged cell's text in the top left field of those that it covers. All fields are quoted, as in the
    benchmark's files; blank texts are empty. Title and notes are leading ``#`` lines.

    Reading it back infers spans and header depth (see the reader ``canonical_csv``). That is certain only
    where the corner is blank and no label is, so the format does not count as lossless: a row with a label
    and no values (``Total,,``) comes back as one cell over the whole row.
    """

    name = "canonical_csv"
    loses = "which empty places are merged, where labels are blank"
    explanation = (
        "Each line is a row of the table, with commas between its cells. A heading over several "
        "columns stands above the first of them, and the places it covers otherwise are empty."
    )

    def serialize(self, table: Table) -> str:  # noqa: D102
        lines = [[cell.text if cell.text.strip() else "" for cell in row] for row in laid_out(table)]
        preamble = [f"title: {escape(table.title)}"] if table.title else []
        preamble += [f"note: {escape(note)}" for note in table.notes]
        text = "\n".join([",".join(map(quoted, line)) for line in lines])
        return checked(comments(preamble) + text, table, self.name)

    def parse(self, text: str) -> Table:  # noqa: D102
        lines, start = leading_comments(text)
        preamble = understand(lines, self.name)
        try:
            return canonical_csv(text[start:], title=preamble.title, notes=preamble.notes)
        except ParseError:
            raise
        except TableError as error:
            raise ParseError(f"{self.name}: {error}") from None


def canonical_csv(
    text: str,
    header_rows: int | None = None,
    header_columns: int | None = None,
    *,
    title: str = "",
    notes: Sequence[str] = (),
) -> Table:
    """A table with merged headers from the canonical CSV of HCT-QA (section 3.1 and E.1).

    A header label covers the empty places on its right up to the next label or its parent's edge, and the
    places below it if they are all empty; a label in the last header row covers one column. A row label
    covers the empty places below it up to the next label or its parent's last row; if no other label is
    beside it, it also covers the other header columns. A body row with only a first text is the label of a
    row group, one cell over the whole row: so is ``Total,,``, a row whose values are missing. Other empty
    places are empty cells, and an empty corner is one cell.

    Args:
        text: the CSV.
        header_rows: by default inferred: rows that begin with an empty place, and those above them.
        header_columns: by default inferred: the empty places that the header rows begin with; below a
            labelled corner the columns of nested row labels.
        title: the table's title.
        notes: remarks below it.

    Raises:
        TableError: no text, no rows, rows of different lengths, headers that leave no body.
    """
    if not isinstance(text, str):
        raise TableError(f"the table is {type(text).__name__}; expected a CSV text")
    grid = [list(record) for record in csv_records(text, "canonical_csv")]
    _check(grid)
    depth = _header_rows(grid) if header_rows is None else header_rows
    side = _header_columns(grid, depth) if header_columns is None else header_columns
    return with_spans(grid, depth, side).replace(title=title, notes=tuple(notes))


def _check(grid: Sequence[Sequence[str]]) -> None:
    if len(grid) < 2:
        raise TableError(f"the table has {len(grid)} row(s); expected a header and at least one body row")
    for index, row in enumerate(grid):
        if len(row) != len(grid[0]):
            raise TableError(
                f"row {index} of the table has {counted(len(row), 'cell')}, expected "
                f"{len(grid[0])} as in row 0"
            )


def _header_rows(grid: Sequence[Sequence[str]]) -> int:
    depth = 0 if not grid[0][0] else 1
    while depth < len(grid) and not grid[depth][0] and (not grid[0][0] or _has_labels(grid[depth])):
        depth += 1
    return depth if depth < len(grid) else 1


def _has_labels(row: Sequence[str]) -> bool:
    return any(text and (_YEAR.fullmatch(text) or not _NUMBER.fullmatch(text)) for text in row)


def _header_columns(grid: Sequence[Sequence[str]], depth: int) -> int:
    if not depth or not grid[0][0]:
        leading = (next((c for c, text in enumerate(row) if text), len(row)) for row in grid[:depth])
        return min(len(grid[0]) - 1, *leading) if depth else 0
    marked = [[text or MARK for text in row] for row in grid]
    return inferred_columns(marked, depth, nested_columns(marked, depth)) or int(depth > 1)
