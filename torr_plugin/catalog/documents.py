"""Documents of a data set: read once each, shared by the questions about them, kept packed."""

from __future__ import annotations

import hashlib
import pickle
import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.caches import IdentityCache
from ..core.errors import DataError, counted
from ..tables import documents
from ..tables.documents import Block, Document
from .loading import Row, value_at

if TYPE_CHECKING:
    from ..tables import Table
    from .schema import DocumentOf

MOST_UNPACKED = 1_000_000
"""Bytes, as packed, of the documents that are unpacked at a time: some 15 of 100 pages, 7 MB each."""

_SPEED = 1  # zlib's fastest level, which still makes text a fifth of its size


class PackedDocument(Document):
    """A document that is compressed in memory, and unpacked for as long as its blocks are in use.

    It is equal to the plain document with its blocks. A corpus of long documents fits in memory this way.
    """

    if TYPE_CHECKING:
        _packed: bytes
    else:

        def __init__(self, blocks: Iterable[Block], title: str = "") -> None:
            packed = zlib.compress(pickle.dumps(tuple(blocks), pickle.HIGHEST_PROTOCOL), _SPEED)
            self.__dict__.update(title=title, _packed=packed)

        @property
        def blocks(self) -> tuple[Block, ...]:
            """See :class:`Document`."""
            return _unpacked.made_of(self, "", self._blocks)[0]

    def _blocks(self) -> tuple[tuple[Block, ...], int]:
        # of this process's own making, never from a file
        return pickle.loads(zlib.decompress(self._packed)), len(self._packed)  # noqa: S301

    def unpacked(self) -> Document:
        """The plain document."""
        return Document(self.blocks, self.title)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Document) and (self.title, self.blocks) == (other.title, other.blocks)

    __hash__ = Document.__hash__


_unpacked: IdentityCache[tuple[tuple[Block, ...], int]] = IdentityCache(MOST_UNPACKED, lambda kept: kept[1])


def unpacked(document: Document) -> Document:
    """The document, its blocks in memory: changing it then packs nothing."""
    return document.unpacked() if isinstance(document, PackedDocument) else document


class ReadDocument(NamedTuple):
    """A document, the table of it that an example is about, and that one's number where the data name it."""

    document: Document
    table: Table
    evidence: int | None


class DocumentReader:
    """Reads the documents of a split; rows with the same content share one value."""

    def __init__(self, how: DocumentOf) -> None:
        self._how = how
        self._known: dict[object, Document] = {}
        self._tables: dict[tuple[int, int], Table] = {}

    def read(self, row: Row) -> ReadDocument:
        """The document of a row.

        Raises:
            InputError: a column is missing or empty, the document cannot be read or has no tables, or fewer
                than the number of the one that the question is about.
        """
        document = self._document(row)
        evidence = self._number(row)
        count = len(document.table_places)
        if not count:
            raise DataError("the document has no tables; expected at least one")
        if evidence is not None and evidence >= count:
            raise DataError(
                f"column {self._how.columns['table']!r}: found {evidence}, but the document has "
                f"{counted(count, 'table')}; expected a number from 0 to {count - 1}"
            )
        place = (id(document), evidence or 0)
        if place not in self._tables:
            self._tables[place] = document.tables[evidence or 0]
        return ReadDocument(document, self._tables[place], evidence)

    def _document(self, row: Row) -> Document:
        columns = self._how.columns
        if self._how.reader is None:
            return self._ready(_value(row, columns["document"]), columns["document"])
        content, title = _value(row, columns["content"]), ""
        if "title" in columns:
            title = str(value_at(row, columns["title"]) or "")
        if not isinstance(content, str | bytes):
            raise DataError(f"column {columns['content']!r}: found {str(content)[:40]!r}, expected a text")
        key = (_digest(content), title)
        if key not in self._known:
            found = READERS[self._how.reader](content)
            self._known[key] = PackedDocument(found.blocks, title or found.title)
        return self._known[key]

    def _ready(self, value: object, column: str) -> Document:
        if not isinstance(value, Document):
            raise DataError(f"column {column!r}: found {str(value)[:40]!r}, expected a document")
        return self._known.setdefault(id(value), value)  # kept, so that no id is another's later

    def _number(self, row: Row) -> int | None:
        column = self._how.columns.get("table")
        value = None if column is None else value_at(row, column)
        if value is None or value == "":
            return None
        if type(value) is not bool and str(value).isdecimal():
            return int(value)
        raise DataError(f"column {column!r}: found {str(value)[:40]!r}, expected a table's number, from 0")


def _value(row: Row, column: str) -> Any:
    value = value_at(row, column)
    if value is None:
        raise DataError(f"column {column!r} is empty, expected a document")
    return value


@lru_cache(maxsize=1)  # neighbouring rows share a document
def _digest(content: str | bytes) -> bytes:
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.blake2b(data, digest_size=20).digest()


def _text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode("utf-8", "replace")


READERS: dict[str, Callable[[str | bytes], Document]] = {
    "filing": lambda content: documents.read_filing(content),  # noqa: PLW0108 - imported at first use
    "markdown": lambda content: documents.read_markdown(_text(content)),
    "json": lambda content: Document.of_json(_text(content)),
}
"""Name -> reads a document from its content."""
