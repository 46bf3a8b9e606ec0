"""Texts for prompts that take more than one column: passages, earlier questions, highlighted cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.errors import DataError, counted
from ..tables.documents.document import sentence_ends
from ..tables.readers.spanned import SpannedRows, highlighted_lines

NONE = "none"
"""What is written where there is nothing to write."""


def linked_passages(cells: Sequence[Mapping[str, Any]], most: int) -> str:
    """The passages that a table's cells link to, a line each: the cell's text, a colon, the passage.

    They stand in the order of the cells, each once. Where they have more than ``most`` characters together,
    the long ones are cut to one length, as long as possible, after a sentence or at least after a word: every
    passage keeps its beginning, whatever the question is about.

    Args:
        cells: HybridQA's ``table.data``: ``value`` and ``urls``, a list of ``url`` and ``summary``.
        most: the most characters of all passages.

    Raises:
        DataError: a cell without these.
    """
    found: dict[str, tuple[str, str]] = {}
    for index, cell in enumerate(cells):
        try:
            for link in cell["urls"]:
                text = " ".join(str(link["summary"] or "").split())
                if text:
                    found.setdefault(str(link["url"]), (" ".join(str(cell["value"]).split()), text))
        except (KeyError, TypeError):
            raise DataError(
                f"cell {index} is {str(cell)[:60]!r}; expected 'value', and 'urls' with 'url' and 'summary'"
            ) from None
    length = _common_length([len(text) for _, text in found.values()], most)
    lines = [f"- {name}: {_beginning(text, length)}" for name, text in found.values()]
    return "\n".join(lines) or NONE


def _common_length(lengths: Sequence[int], most: int) -> int:
    """The largest length such that texts cut to it have at most ``most`` characters together."""
    left = most
    for number, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - number)
        if length > share:
            return share
        left -= length
    return max(lengths, default=0)


def _beginning(text: str, length: int) -> str:
    if len(text) <= length:
        return text
    start = text[:length]
    # an end that the rest of the text shows to be one, in the second half, so that little is lost
    ends = [end for end in sentence_ends(text[: 2 * length]) if length // 2 <= end <= length]
    return text[: ends[-1]].rstrip() if ends else f"{start.rpartition(' ')[0] or start} ..."


def earlier_questions(questions: Sequence[str], answers: Sequence[Sequence[str]]) -> str:
    """The earlier questions of a sequence with their right answers, in order; ``none`` for the first.

    Args:
        questions: in order.
        answers: of each the values.
    """
    if len(questions) != len(answers):
        raise DataError(f"found {counted(len(questions), 'question')} and answers to {len(answers)}")
    pairs = zip(questions, answers, strict=True)
    return "\n".join(f"- {question} {' | '.join(map(str, values))}" for question, values in pairs) or NONE


def highlighted_cells(rows: SpannedRows, cells: Sequence[Sequence[int]]) -> str:
    """A table's highlighted cells with their headers, a line a row; see :func:`highlighted_lines`.

    Raises:
        TableError: no such table or cell.
    """
    return "\n".join(f"- {line}" for line in highlighted_lines(rows, cells)) or NONE


TEXT_READERS: dict[str, Callable[..., str]] = {
    each.__name__: each for each in (earlier_questions, highlighted_cells, linked_passages)
}
"""Name -> makes a text of the values of columns."""
