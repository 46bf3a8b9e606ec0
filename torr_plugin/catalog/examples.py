"""A card's examples, read once per process, and the fingerprint of a split."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from ..tables import Cell, Table
from ..tables.documents import Document, to_html
from .card import Card
from .loading import stream_rows
from .reading import Example, read_rows
from .rows import mirror_folder


def instance_of(example: Example) -> dict[str, Any]:
    """An example as the fields of unitxt's tasks ``tasks.torr.*``; a document as canonical HTML."""
    document = {} if example.document is None else {"document": to_html(example.document)}
    return {
        "example": example.id,
        "table": example.table.to_unitxt(),
        **document,
        **example.fields,
        "target": example.target,
        "reference": example.references[0],
        "references": list(example.references),
        "groups": dict(example.groups),
        "facts": dict(example.facts),
    }


_read: dict[tuple[str, str, str, str], tuple[Example, ...]] = {}


def read_examples(card: Card, split: str) -> list[Example]:
    """All examples of a split, in the data's order; read once per process and mirror, then cached.

    Raises:
        DataError: the data is missing or does not fit the card; the message names card, split and what is
            wrong.
    """
    return list(_examples(card, split))


def _examples(card: Card, split: str) -> tuple[Example, ...]:
    key = (card.name, card.fingerprint, split, str(mirror_folder() or ""))
    if key not in _read:
        rows = stream_rows(card.loader, split, card.name)
        _read[key] = tuple(read_rows(card.reading, rows, split=split, card=card.name))
    return _read[key]


def data_fingerprint(card: Card, split: str) -> str:
    """16 hexadecimal digits that change with anything in the split's examples, their order included.

    Raises:
        DataError: as :func:`read_examples`.
    """
    digest = hashlib.sha256()
    tables: dict[int, str] = {}
    for example in _examples(card, split):
        number = id(example.table)
        if number not in tables:
            tables[number] = _table_fingerprint(example.table)
        parts = [example.id, tables[number], dict(example.fields), example.references, example.target]
        if example.facts:
            parts.append(dict(example.facts))
        if example.document is not None:
            number = id(example.document)
            if number not in tables:
                tables[number] = _document_fingerprint(example.document)
            parts.append({"document": tables[number], "evidence": example.evidence})
        digest.update(json.dumps(parts, sort_keys=True).encode())
    return digest.hexdigest()[:16]


def _table_fingerprint(table: Table) -> str:
    digest = hashlib.sha256()
    for part in _parts(table):
        digest.update(part.encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()


def _document_fingerprint(document: Document) -> str:
    digest = hashlib.sha256(document.title.encode("utf-8", "surrogatepass"))
    for block in document.blocks:
        parts = (
            _table_fingerprint(block)
            if isinstance(block, Table)
            else f"{block.kind} {block.level} {block.text}"
        )
        digest.update(parts.encode("utf-8", "surrogatepass") + b"\x1f")
    return digest.hexdigest()


def _parts(table: Table) -> Iterator[str]:
    yield f"{table.header_rows} {table.header_columns}"
    yield from (table.title, *table.notes)
    for row in table.rows:
        yield "\x1e"
        yield from map(_cell_part, row)


def _cell_part(cell: Cell) -> str:
    span = "" if cell.rowspan == cell.colspan == 1 else f"\x1d{cell.rowspan} {cell.colspan}"
    style = f"\x1d{cell.style.bold} {cell.style.fill}" if cell.style else ""
    return f"{cell.text}{span}{style}"
