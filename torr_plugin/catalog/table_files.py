"""Rows with files of the data set's repository: which file each row gets, and its content.

In: rows that name tables, and what files there are. Out: the rows with a column of workbooks or texts.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

from ..core.errors import DataError, counted
from .rows import TOGETHER

if TYPE_CHECKING:
    from .rows import Row
    from .schema.loaders import RepositoryFiles

RowVersions: TypeAlias = "tuple[Row, ...]"
"""All versions of one row; of a card without versions the row alone."""

MOST_BYTES = 64_000_000
"""Of one file."""

FILES = "files"
"""What a message calls the files, in place of a split."""

_TEXTS = (".csv", ".html", ".json", ".md", ".tex", ".txt")
FILE_NAME = re.compile(r"\w[^/\\<>:\"|?*\x00-\x1f\x7f]*(?:/\w[^/\\<>:\"|?*\x00-\x1f\x7f]*)*")
"""A file's path below a folder, which does not lead out of it and which all file systems take."""


def with_their_versions(rows: Iterable[Row]) -> list[RowVersions]:
    """The rows, the versions of each together."""
    found: dict[object, list[Row]] = {}
    for number, row in enumerate(rows):
        found.setdefault(row.get(TOGETHER, number), []).append(row)
    return [tuple(versions) for versions in found.values()]


def paths_of(versions: RowVersions, files: RepositoryFiles, card: str) -> list[list[str]]:
    """For each of the card's paths, the best first, the files of these rows.

    Raises:
        DataError: a name that is no file's, as it would lead out of its folder.
    """
    names = [str(row[files.name]) for row in versions]
    for name in names:
        if not FILE_NAME.fullmatch(name):
            raise DataError(
                f"{card}: column {files.name!r}: found {name[:60]!r}, expected a file's name without suffix"
            )
    return [[path.replace("{name}", name) for name in names] for path in files.paths]


def files_taken(
    versions: RowVersions, files: RepositoryFiles, there: Container[str], card: str
) -> Sequence[str]:
    """The file of each row: all of the first kind that all of them have; empty if there is none."""
    kinds = paths_of(versions, files, card)
    return next((paths for paths in kinds if all(path in there for path in paths)), ())


def rows_with_files(
    found: Sequence[RowVersions],
    files: RepositoryFiles,
    there: Container[str],
    read: Callable[[str], bytes],
    card: str,
) -> Iterator[Row]:
    """The rows with their files; those without one are left out, with a warning that names them.

    Args:
        found: all versions of each row.
        files: which files.
        there: the paths of those that exist.
        read: the content of a file by its path.
        card: for messages.

    Raises:
        DataError: no row has a file, or a file is too large.
    """
    taken = [files_taken(versions, files, there, card) for versions in found]
    lacking = [versions[0][files.name] for versions, paths in zip(found, taken, strict=True) if not paths]
    if lacking:
        names = list(dict.fromkeys(map(str, lacking)))
        some = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
        kinds = " or ".join(files.paths)
        if len(lacking) == len(found):
            raise DataError(f"{card}: none of its rows has a file {kinds}: {some}")
        logging.getLogger(__name__).warning(
            "torr: %s: %s left out, as there is no file %s of %s",
            card,
            counted(len(lacking), "row"),
            kinds,
            some,
        )
    before, content = "", _content(b"", "", card)  # of the row before, as neighbours often share a document
    for versions, paths in zip(found, taken, strict=True):
        for row, path in zip(versions, paths, strict=False):
            if path != before:
                before, content = path, _content(read(path), path, card)
            yield {**row, files.column: content}


def _content(data: bytes, path: str, card: str) -> str | bytes:
    checked(data, path, card)
    return data.decode("utf-8", "replace") if PurePosixPath(path).suffix in _TEXTS else data


def checked(data: bytes, path: str, card: str) -> bytes:
    """The content, which must not be too large.

    Raises:
        DataError: it is.
    """
    if len(data) > MOST_BYTES:
        raise DataError(f"{card}: {path} has more than {MOST_BYTES} bytes")
    return data
