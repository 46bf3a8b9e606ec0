"""What the pages of a Parquet file unpack to, by their own headers, before one is unpacked.

The file's footer says it too, but nothing holds it to that: a reader takes memory by what pages say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_BLOCK = 1 << 16
_MOST_HEADER = 16 << 20  # as Arrow has it: a page's header may hold its least and its greatest text
_MOST_DEPTH = 8
_DICTIONARY = 2
_OF_TYPE = {0: 5, 2: 7, 3: 8}
"""Which field of a header is that of a page's type: data, a dictionary, data in the second layout."""


@dataclass(frozen=True, slots=True)
class Page:
    """The bytes that a page unpacks to and the values that it has; a dictionary's are those of many rows."""

    size: int
    values: int
    is_dictionary: bool


def pages(file: BinaryIO, column: pq.ColumnChunkMetaData) -> Iterator[Page]:
    """The pages of one column of a row group, as a reader comes upon them.

    Raises:
        ValueError: a header is none.
    """
    start = column.data_page_offset
    if column.has_dictionary_page and 0 < (column.dictionary_page_offset or 0) < start:
        start = column.dictionary_page_offset
    if start < 0:
        raise ValueError("a page that begins before the file")
    end, seen = start + column.total_compressed_size, 0
    while seen < column.num_values and start < end:
        header, length = _header(file, start, end)
        kind, unpacked, packed = (_count(header, number) for number in (1, 2, 3))
        if kind in _OF_TYPE:  # a reader passes over others
            page = Page(unpacked, _count(header.get(_OF_TYPE[kind]), 1), kind == _DICTIONARY)
            seen += 0 if page.is_dictionary else page.values
            yield page
        start += length + packed


def _count(structure: Any, number: int) -> int:
    found = structure.get(number) if isinstance(structure, dict) else None
    if not isinstance(found, int) or found < 0:
        raise ValueError("a page's header is none")
    return found


def _header(file: BinaryIO, start: int, end: int) -> tuple[dict[int, Any], int]:
    """A page's header and its length; read a little at first, as nearly all are some dozen bytes."""
    block = _BLOCK
    while True:
        file.seek(start)
        reader = _Compact(file.read(min(block, end - start)))
        try:
            return reader.structure(), reader.place
        except IndexError:
            if block >= min(_MOST_HEADER, end - start):
                raise ValueError("a page's header has no end") from None
            block *= 16


class _Compact:
    """Thrift's compact protocol, as far as page headers go.

    Source: https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.place = 0

    def structure(self, depth: int = 0) -> dict[int, Any]:
        """Its fields by number; texts are passed over.

        Raises:
            IndexError: the data end before it does.
            ValueError: it is none.
        """
        if depth > _MOST_DEPTH:
            raise ValueError("a page's header is nested too deeply")
        found: dict[int, Any] = {}
        number = 0
        while byte := self._byte():
            number = number + (byte >> 4) if byte >> 4 else self._signed()
            found[number] = self._value(byte & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (1, 2):  # a truth value is in its type
            return kind == 1
        if kind == 3:
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind in (7, 8):
            return self._pass_over(8 if kind == 7 else self._unsigned())
        if kind == 12:
            return self.structure(depth + 1)
        raise ValueError("a page's header holds what none has")

    def _byte(self) -> int:
        byte = self._data[self.place]
        self.place += 1
        return byte

    def _pass_over(self, count: int) -> None:
        self.place += count
        if self.place > len(self._data):
            raise IndexError

    def _unsigned(self) -> int:
        found = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
        raise ValueError("a page's header has a number without end")

    def _signed(self) -> int:
        found = self._unsigned()
        return (found >> 1) ^ -(found & 1)
