"""What single cards make of their data's rows: passages, earlier questions, columns, pairs of tables.

A card names its step as ``rows`` of its loader. In: all rows of a split, in order. Out: the card's, with new
columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import DataError, InputError
from ..tables.documents.document import sentence_ends
from ..tables.readers.spanned import highlighted_lines
from .folders import unitxt_artifact

if TYPE_CHECKING:
    from .loading import Row

TOGETHER = "together"
"""The column that is equal in rows whose tables are read from files of one kind."""

RowStep: TypeAlias = "Callable[[Iterable[Row], str], Iterator[Row]]"
"""Makes rows of rows; the text says where they are from, for messages."""

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


def hybrid_qa(rows: Iterable[Row], place: str) -> Iterator[Row]:
    """HybridQA's rows with ``passages``, which the table's cells link to, of 8,000 characters together."""
    for number, row in enumerate(rows):
        try:
            yield {**row, "passages": linked_passages(row["table"]["data"], 8000)}
        except DataError as wrong:
            raise DataError(f"{place}, row {number}: {wrong}") from None


def totto(rows: Iterable[Row], place: str) -> Iterator[Row]:
    """ToTTo's rows with ``highlighted``: the cells with their headers, a line a row of the table."""
    for number, row in enumerate(rows):
        try:
            lines = list(highlighted_lines(row["table"], row["highlighted_cells"]))
        except InputError as wrong:
            raise DataError(f"{place}, row {number}: {wrong}") from None
        yield {**row, "highlighted": "\n".join(f"- {line}" for line in lines) or NONE}


def sqa(rows: Iterable[Row], place: str) -> Iterator[Row]:
    """SQA's rows with ``history``, the earlier questions of the ``sequence`` with their right answers."""
    everything = list(rows)
    sequences: dict[str, dict[int, Row]] = {}
    for number, row in enumerate(everything):
        name, position = f"{row['id']}-{row['annotator']}", row["position"]
        if position in sequences.setdefault(name, {}):
            raise DataError(f"{place}, row {number}: sequence {name!r}: position {position!r} is there twice")
        sequences[name][position] = row
    for row in everything:
        name = f"{row['id']}-{row['annotator']}"
        earlier = [each for at, each in sorted(sequences[name].items()) if at < row["position"]]
        lines = [f"- {each['question']} {' | '.join(map(str, each['answer_text']))}" for each in earlier]
        yield {**row, "sequence": name, "history": "\n".join(lines) or NONE}


def turl_col_type(rows: Iterable[Row], place: str) -> Iterator[Row]:
    """A row of each column of TURL's tables, with all ``types`` to choose from, in unitxt's order."""
    card = unitxt_artifact("cards.turl_col_type")
    if card is None:
        raise DataError(f"{place}: unitxt's catalog lacks cards.turl_col_type, which has the types")
    types = ", ".join(card["preprocess_steps"][0]["fields"]["vocab"])
    for number, row in enumerate(rows):
        names, kinds = row["header"], row["annotations"]
        if len(names) != len(kinds):
            raise DataError(f"{place}, row {number}: found {len(names)} names and types of {len(kinds)}")
        for name, column_types in zip(names, kinds, strict=True):
            yield {**row, "column_name": name, "column_types": column_types, "types": types}


def realhitbench_pairs(rows: Iterable[Row], place: str) -> Iterator[Row]:
    """RealHiTBench's questions about the table and about the one with exchanged parts, one after the other.

    Their answers are blank: ``answer`` and ``asked_as`` are those of the same question of another type.
    """
    everything = list(rows)
    paired = [row["QuestionType"] == "Structure Comprehending" for row in everything]
    twins = {
        (row["FileName"], row["Question"]): row
        for row, is_paired in zip(reversed(everything), reversed(paired), strict=True)
        if not is_paired
    }
    for number, (row, is_paired) in enumerate(zip(everything, paired, strict=True)):
        if not is_paired:
            continue
        twin = twins.get((row["FileName"], row["Question"]))
        if twin is None:
            raise DataError(f"{place}, row {number}: no other row has the same FileName and Question")
        found = {**row, "answer": twin["FinalAnswer"], "asked_as": twin["SubQType"], TOGETHER: (number,)}
        yield {**found, "name": row["FileName"], "side": "original"}
        yield {**found, "name": f"{row['FileName']}_swap", "side": "exchanged"}


ROW_STEPS: dict[str, RowStep] = {
    "hybrid_qa": hybrid_qa,
    "realhitbench_pairs": realhitbench_pairs,
    "sqa": sqa,
    "totto": totto,
    "turl_col_type": turl_col_type,
}
"""Name -> makes the card's rows of the data's."""
