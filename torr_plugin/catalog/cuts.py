"""What an example leaves out of its prompt so that it fits: part of a document, or rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class DocumentCut:
    """How much of its document an example shows.

    Characters are those of texts and cells, before any format.

    Attributes:
        blocks: how many are left, the last one possibly in part.
        of_blocks: how many the document has.
        characters: how many are left.
        of_characters: how many the document has.
        lost_table: whether the table that the question is about is gone; None where the data name none.
    """

    blocks: int
    of_blocks: int
    characters: int
    of_characters: int
    lost_table: bool | None


@dataclass(frozen=True, slots=True)
class RowSample:
    """How many rows of its table an example shows, drawn at random.

    Attributes:
        rows: how many rows below the header are shown.
        of_rows: how many the table has.
        lost_answer: whether the answer cannot be read from what is shown: it stood in the rows that are left
            out, or, where the table itself gives the answer, it gives none any more. None where that is not
            known.
    """

    rows: int
    of_rows: int
    lost_answer: bool | None


Cut: TypeAlias = "DocumentCut | RowSample"
