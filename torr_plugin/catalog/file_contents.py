"""The contents of a data set's files while its rows are read: packed, and beyond a limit in a file."""

from __future__ import annotations

import zlib
from tempfile import SpooledTemporaryFile

MOST_IN_MEMORY = 64_000_000
"""Bytes, as packed, of the contents that are in memory."""

_LONG = 65_536
_AS_IT_IS, _COMPRESSED = b"=", b"z"


class FileContents:
    """Contents by path, so that a corpus of any size takes bounded memory.

    The temporary file has no name that others see, and goes with this object.
    """

    def __init__(self) -> None:
        self._places: dict[str, tuple[int, int]] = {}
        self._file = SpooledTemporaryFile(MOST_IN_MEMORY)  # noqa: SIM115 - closed with this object
        self._end = 0

    def __del__(self) -> None:
        self._file.close()

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __setitem__(self, path: str, content: bytes | str) -> None:
        data = content.encode("utf-8") if isinstance(content, str) else content
        packed = _AS_IT_IS + data if len(data) < _LONG else _COMPRESSED + zlib.compress(data, 1)
        self._file.seek(self._end)
        self._file.write(packed)
        self._places[path] = self._end, len(packed)
        self._end += len(packed)

    def __getitem__(self, path: str) -> bytes:
        start, size = self._places[path]
        self._file.seek(start)
        packed = self._file.read(size)
        return zlib.decompress(packed[1:]) if packed[:1] == _COMPRESSED else packed[1:]
