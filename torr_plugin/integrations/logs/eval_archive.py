"""Opens ``.eval`` archives of inspect_ai: zip files, since release 0.3.206 compressed with Zstandard.

``zipfile`` reads Zstandard from Python 3.14 on only; before, Arrow does.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

import pyarrow as pa

from ...core.errors import InputError
from .files import MOST_BYTES, is_count, opened
from .json_stream import Member, json_members

_ZSTANDARD = 93  # of zip's methods
_LOCAL = struct.Struct("<4s22xHH")  # what stands before a member's bytes: its mark, lengths of name and extra
_MOST_DENSE = 500  # bytes that one compressed byte may become; JSON of samples gives 5 to 100
_SMALL = 64 << 20  # bytes that need no such check

_READ_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, pa.ArrowException, EOFError, OSError),
    RuntimeError,  # of an encrypted member, or one compressed in an unknown way
)


class Archive:
    """An open archive.

    Attributes:
        path: the file.
        names: of its members.
    """

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path, self._file = path, file
        self._zip = zipfile.ZipFile(file)
        self.names = frozenset(self._zip.namelist())

    def members(self, name: str) -> Iterator[Member]:
        """The JSON in a member (:func:`.json_stream.json_members`).

        Raises:
            InputError: it is damaged, no JSON, or grows to more than a log has.
        """
        where, info = f"{self.path}: {name}", self._zip.getinfo(name)
        if info.file_size > MOST_BYTES or info.file_size > max(_SMALL, _MOST_DENSE * info.compress_size):
            raise InputError(
                f"{where}: {info.compress_size:,} bytes that become {info.file_size:,}; expected a log"
            )
        try:
            with self._opened(info) as stream:
                yield from json_members(_bounded(stream, info.file_size, where), where)
        except _READ_ERRORS as error:
            raise InputError(f"{where}: damaged: {str(error)[:120]}") from None

    def value(self, name: str) -> Any:
        """A small member's JSON."""
        parts = list(self.members(name))
        is_object = bool(parts) and parts[0][0] is not None
        return dict(parts) if is_object else [each for _, each in parts]

    def pieces(self, folder: str) -> Iterator[Any]:
        """The elements of a list that is cut into members, which are numbered in its order."""
        numbers = [name[len(folder) : -len(".json")] for name in self.names if name.startswith(folder)]
        for number in sorted(int(each) for each in numbers if is_count(each)):
            yield from (each for _, each in self.members(f"{folder}{number}.json"))

    def _opened(self, info: zipfile.ZipInfo) -> IO[bytes]:
        if info.compress_type != _ZSTANDARD:
            return self._zip.open(info)
        self._file.seek(info.header_offset)
        mark, name, extra = _LOCAL.unpack(self._file.read(_LOCAL.size))
        if mark != b"PK\3\4":
            raise zipfile.BadZipFile("no member where the directory says")
        self._file.seek(name + extra, 1)
        compressed = pa.BufferReader(self._file.read(info.compress_size))
        stream: IO[bytes] = pa.CompressedInputStream(compressed, "zstd")
        return stream


@contextmanager
def opened_archive(path: Path) -> Iterator[Archive]:
    """An archive, open to be read.

    Raises:
        InputError: it is not there, or not whole.
    """
    with opened(path) as file:
        try:
            archive = Archive(path, file)
        except (zipfile.BadZipFile, ValueError, OSError) as error:
            raise InputError(f"{path}: is not a whole .eval log: {str(error)[:120]}; copy it again") from None
        yield archive


def _bounded(stream: IO[bytes], most: int, where: str) -> Callable[[int], bytes]:
    """Reads a stream to where its member ends; what lies behind is of the next one."""
    left = most

    def read(size: int) -> bytes:
        nonlocal left
        data = stream.read(min(size, left))
        if not data and left:
            raise EOFError(f"ends {left:,} bytes early")
        left -= len(data)
        return bytes(data)

    return read
