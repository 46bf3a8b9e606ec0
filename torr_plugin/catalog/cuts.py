"""What an example leaves out of its prompt so that it fits: part of a document, or rows of a table.

An example about some rows of its table has the answer that these give, or says whether they have it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.texts import normalize
from ..tables.readers.flat import parsed

if TYPE_CHECKING:
    from ..tables import Table
    from .reading import Example


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


_PLACE = re.compile(r"\((\d{1,9}), ?(\d{1,9})\)")
_BETWEEN_ANSWERS = re.compile(r"\s*\|\s*|,\s+")


def about_rows(example: Example, shown: Table, kept: Collection[int]) -> Example | None:
    """The example with some rows of its table, and what that leaves of it in ``cut``.

    ``kept`` are their numbers, and may leave out those of the header.

    Where the question was made from the table it is made from these rows; where the answer can be worked out
    from the table it is worked out from these. None where they allow no question.
    """
    cut = RowSample(len(shown.body), len(example.table.body), None)
    if example.ask_again is not None:
        asked = example.ask_again(shown)
        return None if asked is None else replace(example, **asked, cut=replace(cut, lost_answer=False))
    if example.recompute is None and example.answer_rows is not None:
        lost_rows = {row for row in example.answer_rows if row >= shown.header_rows}.difference(kept)
        return replace(example, table=shown, cut=replace(cut, lost_answer=bool(lost_rows)))
    if example.recompute is None:
        lost = answer_is_lost(example.references, example.table, shown)
        return replace(example, table=shown, cut=replace(cut, lost_answer=lost))
    answer = example.recompute(shown)
    if answer is None:
        return replace(example, table=shown, cut=replace(cut, lost_answer=True))
    cut = replace(cut, lost_answer=False)
    return replace(example, table=shown, cut=cut, references=(answer,), target=answer)


def answer_is_lost(references: Iterable[str], whole: Table, shown: Table) -> bool | None:
    """Whether no right answer stands in the shown rows any more; None where none stood in the table.

    An answer stands in a table if it is the text of a cell, or its parts are, divided by bars or commas.
    Texts are compared in normal form. One that stands in several rows is there as long as one of them is.
    """
    before, after = _texts(whole), _texts(shown)
    known = [parts for each in references if (parts := _parts(each, before))]
    return None if not known else not any(after.issuperset(parts) for parts in known)


def rows_of_cells(value: object) -> frozenset[int] | None:
    """The rows of cells that a value names by their places, ``(row, column)``; None where it names none.

    Args:
        value: lists, mappings and texts in each other, also as a text that Python reads; a place is a list of
            two numbers, or a text, ``(6, 1)``, also as key of a mapping.

    Raises:
        InputError: a text that Python does not read.
    """
    if isinstance(value, str) and value.strip():
        value = parsed(
            value,
            ast.literal_eval,
            "the cells of the answer",
            expected=("a Python literal", "places such as (6, 1)"),
        )
    rows: set[int] = set()
    left: list[Any] = [value]
    while left:
        each = left.pop()
        if isinstance(each, str) and (place := _PLACE.fullmatch(each)):
            rows.add(int(place[1]))
        elif isinstance(each, Mapping):
            left += [*each.keys(), *each.values()]
        elif isinstance(each, list | tuple):
            if len(each) == 2 and all(type(part) is int for part in each):
                rows.add(each[0])
            else:
                left += each
    return frozenset(rows) or None


def _parts(answer: str, texts: Collection[str]) -> list[str]:
    """The texts of cells that make up an answer; none where they are not all of it."""
    if normalize(answer) in texts:
        return [normalize(answer)]
    parts = [normalize(part) for part in _BETWEEN_ANSWERS.split(answer)]
    return parts if all(part in texts for part in parts) else []


def _texts(table: Table) -> set[str]:
    return {normalize(cell.text) for line in table.rows for cell in line} - {""}
