"""The excerpts of a document that questions are asked about: chunks with a table, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...core.seeds import seed as seeded
from ...core.tokens import estimate_tokens
from ...tables import Table, serializers
from ...tables.documents import Block, Chunk, Document, TextBlock, chunks, references

FORMAT = "html"
"""The format of tables in prompts: TableQuest's (section 2.1)."""


@dataclass(frozen=True, slots=True)
class DocumentExcerpt:
    """A chunk of a document that has a table.

    Attributes:
        document: the document's name.
        chunk: the chunk's number in the document, from 0.
        text: all of it, each table in HTML below its mark: ``[T3]`` is the document's table number 3.
        tables: number -> the table with its mark.
        sentences: the blocks of text.
        evidence: number -> the table and the text of the chunk that refers to it, as plain text.
        whole: all of it as plain text.
    """

    document: str
    chunk: int
    text: str
    tables: Mapping[int, str]
    sentences: tuple[str, ...]
    evidence: Mapping[int, str]
    whole: str

    @property
    def tokens(self) -> int:
        """Of the text, estimated."""
        return estimate_tokens(self.text)

    def evidence_of(self, table: int | None) -> str:
        """Where an answer is to be found: its table and the text about it; without a table, everything."""
        return self.whole if table is None else self.evidence[table]


def excerpts(name: str, document: Document, tokens: int) -> list[DocumentExcerpt]:
    """The chunks of a document that have a table.

    Args:
        name: the document's.
        document: its blocks.
        tokens: of a chunk, at most, as estimated; a longer table is a chunk nevertheless.

    Raises:
        SerializationError: HTML cannot hold one of the tables.
    """
    numbers = _table_numbers(document)
    written = [_written(block) for block in document.blocks]
    about: dict[int, set[int]] = {number: {place} for place, number in numbers.items()}
    for reference in references(document):
        about[reference.table].add(reference.block)

    def excerpt(number: int, chunk: Chunk) -> DocumentExcerpt:
        blocks = dict(zip(chunk.places, chunk.document.blocks, strict=True))
        tables = {
            numbers[place]: f"[T{numbers[place]}]\n{written[place]}"
            for place, block in blocks.items()
            if isinstance(block, Table)
        }
        parts = [tables[numbers[place]] if place in numbers else written[place] for place in blocks]
        plain = {place: plain_text(block) for place, block in blocks.items()}
        evidence = {
            table: "\n\n".join(plain[place] for place in sorted(about[table]) if place in plain)
            for table in tables
        }
        sentences = tuple(block.text for block in blocks.values() if isinstance(block, TextBlock))
        whole = "\n\n".join(plain.values())
        return DocumentExcerpt(name, number, "\n\n".join(parts), tables, sentences, evidence, whole)

    found = enumerate(_cut(document, tokens))
    return [excerpt(number, chunk) for number, chunk in found if chunk.document.table_places]


def chunk_blocks(document: Document, tokens: int) -> Iterator[list[tuple[int | None, Block]]]:
    """The blocks of each chunk as :func:`excerpts` cuts them; each table with its number in the document."""
    numbers = _table_numbers(document)
    for chunk in _cut(document, tokens):
        yield [(numbers.get(place), document.blocks[place]) for place in chunk.places]


def _cut(document: Document, tokens: int) -> list[Chunk]:
    return chunks(document, tokens, lambda block: estimate_tokens(_written(block)))


def _table_numbers(document: Document) -> dict[int, int]:
    """Place among the blocks -> number of the table there."""
    return {place: number for number, place in enumerate(document.table_places)}


def _written(block: Block) -> str:
    return block.text if isinstance(block, TextBlock) else str(serializers.get(FORMAT).serialize(block))


def plain_text(block: Block) -> str:
    """A block without any format: of a table its title, a line a row, bars between the cells, its notes."""
    if isinstance(block, TextBlock):
        return block.text
    rows = (" | ".join(cell.text for _, cell in row) for row in block.placed_rows)
    return "\n".join([*filter(None, [block.title]), *rows, *block.notes])


def drawn(found: Sequence[DocumentExcerpt], most: int | None, seed: int) -> list[DocumentExcerpt]:
    """At most so many excerpts of a document, drawn with a seed, in their order; None for all."""
    if most is None or len(found) <= most:
        return list(found)
    chosen = sorted(found, key=lambda each: seeded(seed, "excerpt", each.document, str(each.chunk)))[:most]
    return sorted(chosen, key=lambda each: each.chunk)
