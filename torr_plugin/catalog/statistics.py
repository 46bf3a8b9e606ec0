"""Statistics of a card's questions, documents and tables, as TableQuest's Table 1 has them by level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from statistics import fmean
from typing import TYPE_CHECKING

from ..core.errors import CardError, DataError, nearest
from . import load_card, read_examples

if TYPE_CHECKING:
    from ..tables import Table
    from . import Example


@dataclass(frozen=True, slots=True)
class CardStatistics:
    """Some questions of a card: all, or those with one value of a group.

    Lengths are in characters; of several references the first counts. A document counts once, and so does
    each of its tables, however many questions are about it; where questions are about tables alone, a table
    is a document of one. Rows and columns are those of the table as it is read: headers count, and columns
    that a filing has for spacing and currency signs alone do not.

    Attributes:
        card: its name.
        group: the value, empty for all questions.
        questions: how many.
        question_length: the mean.
        answer_length: the mean.
        documents: how many.
        tables_per_document: the mean over documents.
        rows_per_table: the mean over tables.
        columns_per_table: the mean over tables.
    """

    card: str
    group: str
    questions: int
    question_length: float
    answer_length: float
    documents: int
    tables_per_document: float
    rows_per_table: float
    columns_per_table: float


def card_statistics(name: str, by: str | None = None, limit: int | None = None) -> list[CardStatistics]:
    """Statistics of a card's test split: all its questions, then those with each value of a group.

    Args:
        name: a card's name or file.
        by: a group of its examples; by default ``level``, where the card has it.
        limit: at most so many questions, the first.

    Raises:
        InputError: no such card, its data is missing, or it has no such group.
    """
    card = load_card(name)
    if by is not None and by not in card.reading.groups:
        raise CardError(f"{card.name}: no group {by!r}; {nearest(by, card.reading.groups)}")
    examples = list(islice(read_examples(card, card.test_split), limit))
    if not examples:
        raise DataError(f"{card.name}: split {card.test_split!r} has no examples; expected at least one")
    shapes: dict[str, tuple[tuple[int, int], ...]] = {}
    for example in examples:
        if _document(example) not in shapes:
            shapes[_document(example)] = _shapes(example)
    parts: dict[str, list[Example]] = {}
    for example in examples:
        parts.setdefault(example.groups.get(by or "level", ""), []).append(example)
    named = [(value, parts[value]) for value in sorted(parts) if len(parts) > 1 or by]
    return [_statistics(card.name, value, some, shapes) for value, some in [("", examples), *named]]


def _document(example: Example) -> str:
    """What names the document of an example."""
    return example.groups.get("document") or example.groups.get("table") or example.id


def _shapes(example: Example) -> tuple[tuple[int, int], ...]:
    tables: Iterable[Table] = example.document.tables if example.document else (example.table,)
    return tuple((table.n_rows, table.n_columns) for table in tables)


def _statistics(
    card: str, group: str, examples: list[Example], shapes: Mapping[str, tuple[tuple[int, int], ...]]
) -> CardStatistics:
    documents = [shapes[each] for each in dict.fromkeys(map(_document, examples))]
    tables = [shape for each in documents for shape in each]
    return CardStatistics(
        card=card,
        group=group,
        questions=len(examples),
        question_length=fmean(len(_question(example)) for example in examples),
        answer_length=fmean(len(example.references[0]) for example in examples),
        documents=len(documents),
        tables_per_document=fmean(map(len, documents)),
        rows_per_table=fmean(rows for rows, _ in tables),
        columns_per_table=fmean(columns for _, columns in tables),
    )


def _question(example: Example) -> str:
    """The field ``question``, or else all that is asked with: a statement, a query."""
    return example.fields.get("question") or " ".join(example.fields.values())
