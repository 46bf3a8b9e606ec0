"""The excerpts of a document that questions are asked about: chunks with a table, as text."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...core.errors import InputError, SerializationError, counted
from ...core.seeds import seed as seeded
from ...core.texts import estimate_tokens
from ...tables import serializers
from ...tables.documents import Block, Document, TextBlock, chunks, read_filing, references
from .document_files import canonical_html

_FORMAT = "html"
"""The format of tables in prompts: TableQuest's (section 2.1)."""


@dataclass(frozen=True, eq=False)
class DocumentExcerpt:
    """A chunk of a document that has a table.

    Attributes:
        document: the document's name.
        chunk: the chunk's number in the document, from 0.
        blocks: of the chunk, each table with its number in the document, and text without one.
        about: number of a table -> the blocks of the chunk that are this table or refer to it.
    """

    document: str
    chunk: int
    blocks: Sequence[tuple[int | None, Block]]
    about: Mapping[int, Sequence[Block]]

    @cached_property
    def tables(self) -> Mapping[int, str]:
        """Number -> the table in HTML below its mark: ``[T3]`` is the document's table number 3."""
        return {
            number: f"[T{number}]\n{_written(block)}" for number, block in self.blocks if number is not None
        }

    @cached_property
    def text(self) -> str:
        """All of it, with the tables as above."""
        return "\n\n".join(
            _written(block) if number is None else self.tables[number] for number, block in self.blocks
        )

    @property
    def sentences(self) -> list[str]:
        """The blocks of text."""
        return [block.text for _, block in self.blocks if isinstance(block, TextBlock)]

    def evidence_of(self, table: int | None) -> str:
        """Where an answer is to be found, as plain text: its table and the text about it; else all."""
        blocks = [block for _, block in self.blocks] if table is None else self.about[table]
        return "\n\n".join(map(plain_text, blocks))


def excerpts(name: str, document: Document, tokens: int) -> list[DocumentExcerpt]:
    """The chunks of a document that have a table.

    Args:
        name: the document's.
        document: its blocks.
        tokens: of a chunk, at most, as estimated; a longer table is a chunk nevertheless.

    Raises:
        SerializationError: HTML cannot hold one of the tables.
    """
    numbers = {index: number for number, index in enumerate(document.table_places)}
    about: dict[int, set[int]] = {number: {index} for index, number in numbers.items()}
    for reference in references(document):
        about[reference.table].add(reference.block)
    with_tables = []
    for number, chunk in enumerate(chunks(document, tokens, lambda block: estimate_tokens(_written(block)))):
        blocks = [(numbers.get(index), document.blocks[index]) for index in chunk.places]
        of_tables = {
            table: [document.blocks[index] for index in sorted(about[table]) if index in chunk.places]
            for table, _ in blocks
            if table is not None
        }
        if of_tables:
            with_tables.append(DocumentExcerpt(name, number, blocks, of_tables))
    return with_tables


def _written(block: Block) -> str:
    return block.text if isinstance(block, TextBlock) else str(serializers.get(_FORMAT).serialize(block))


def plain_text(block: Block) -> str:
    """A block without any format: of a table its title, a line a row, bars between the cells, its notes."""
    if isinstance(block, TextBlock):
        return block.text
    rows = (" | ".join(cell.text for _, cell in row) for row in block.placed_rows)
    return "\n".join([*filter(None, [block.title]), *rows, *block.notes])


def drawn(excerpts: Sequence[DocumentExcerpt], most: int | None, seed: int) -> list[DocumentExcerpt]:
    """At most so many excerpts of a document, drawn with a seed, in their order; None for all."""
    if most is None or len(excerpts) <= most:
        return list(excerpts)
    chosen = sorted(excerpts, key=lambda one: seeded(seed, "excerpt", one.document, str(one.chunk)))[:most]
    return sorted(chosen, key=lambda one: one.chunk)


def read_excerpts(source: Path, tokens: int) -> list[list[DocumentExcerpt]]:
    """The excerpts of each document.

    Args:
        source: see :func:`.document_files.canonical_html`.
        tokens: of an excerpt, at most, as of :func:`excerpts`.

    Raises:
        InputError: a document cannot be read, or none has a table.
    """
    documents = []
    for name, html in canonical_html(source):
        try:
            documents.append(excerpts(name, read_filing(html), tokens))
        except SerializationError as error:
            raise InputError(f"{source}: {name}: {error}") from error
    if not any(documents):
        raise InputError(
            f"{source}: {counted(len(documents), 'document')} without a table; expected at least one with "
            "tables of data"
        )
    return documents


def digest_of(documents: Sequence[Sequence[DocumentExcerpt]]) -> str:
    """Of the excerpts' names and texts."""
    texts = (f"{one.document}\n{one.chunk}\n{one.text}\n" for chunks in documents for one in chunks)
    return hashlib.sha256("".join(texts).encode()).hexdigest()
