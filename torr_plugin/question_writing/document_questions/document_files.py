"""The documents in a folder, in a mirror or in a Parquet file, by name, as HTML that cards read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pyarrow.parquet as pq

from ...catalog.documents import READERS
from ...catalog.loading import FILE_COLUMNS, FILE_NAME, FILES_AT_ONCE
from ...core.errors import DataError, InputError
from ...tables.documents import to_html

_READER_OF = {
    ".html": "filing",
    ".htm": "filing",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
}
_MIRRORED = "tablequest/documents.parquet"
_KINDS = "HTML, Markdown or JSON files, or a documents.parquet with the columns path and content"


def canonical_html(place: Path) -> Iterator[tuple[str, str]]:
    """Name and HTML of every document as cards read it (TableQuest, appendix F), in the order of the names.

    The name is the path without its ending. A table that HTML cannot hold, such as one of a header row alone
    in Markdown, would shift the numbers of those after it: so questions are asked about what reads back.

    Args:
        place: a folder, whose folders are looked into too; a mirror with ``tablequest/documents.parquet``; or
            such a file, where a name without an ending is one of HTML.

    Raises:
        DataError: no documents, two of one name, one whose name no card takes, or one that cannot be read.
    """
    mirrored = place / _MIRRORED
    file = mirrored if mirrored.is_file() else place
    known: dict[str, str] = {}
    for path, content in _of_parquet(file) if file.is_file() else _of_folder(place):
        name = _name(path)
        if name in known:
            raise DataError(f"{place}: {known[name]} and {path} are both called {name!r}; rename one of them")
        if not FILE_NAME.fullmatch(name):
            raise DataError(
                f"{place}: {path!r}: cards cannot read a file of this name; rename it: a letter first, "
                'none of \\ < > : " | ? *'
            )
        known[name] = path
        try:
            document = READERS[_READER_OF.get(PurePosixPath(path).suffix.lower(), "filing")](content)
        except InputError as error:
            raise DataError(f"{place}: {path}: {error}") from error
        yield name, to_html(document)
    if not known:
        raise DataError(f"{place}: holds no documents; expected {_KINDS}")


def _name(path: str) -> str:
    named = PurePosixPath(path)
    return str(named.with_suffix("")) if named.suffix.lower() in _READER_OF else path


def _of_folder(folder: Path) -> Iterator[tuple[str, bytes]]:
    if not folder.is_dir():
        raise DataError(f"{folder}: no such file or folder; expected a folder with {_KINDS}")
    for path in sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix()):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.suffix.lower() in _READER_OF and path.is_file() and not hidden:
            try:
                yield name.as_posix(), path.read_bytes()
            except OSError as error:
                raise DataError(f"{path}: cannot be read: {error.strerror}") from None


def _of_parquet(path: Path) -> Iterator[tuple[str, bytes | str]]:
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=FILES_AT_ONCE, columns=list(FILE_COLUMNS)):
                for row in batch.to_pylist():
                    if not isinstance(row.get("path"), str) or not isinstance(
                        row.get("content"), str | bytes
                    ):
                        raise DataError(f"{path}: expected the columns path and content, with texts")
                    yield row["path"], row["content"]
    except (pa.ArrowException, OSError) as error:
        reason = str(error).splitlines()[0][:200]
        raise DataError(f"{path}: cannot be read: {reason}; expected {_KINDS}") from error
