"""Rows from the Hugging Face hub."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import datasets
import huggingface_hub
import pyarrow as pa

from ..core.errors import DataError, nearest
from .rows import MIRROR_VARIABLE, Row, columns_in, needed_columns
from .schema.loaders import HubFile, RepositoryFiles, TableLoader
from .table_files import FILES, MOST_BYTES, RowVersions, files_taken, paths_of

ROWS_AT_ONCE = 2000


def hub_rows(loader: TableLoader, split: str, card: str, commit: str | None = None) -> list[Row]:
    """Read the rows of a split; see :func:`hub_tables`."""
    tables = hub_tables(loader, split, card, needed_columns(loader), commit=commit)
    rows = [row for table in tables for row in table.to_pylist()]
    return [replaced(row, loader.hub.replace) for row in rows] if loader.hub.replace else rows


def hub_tables(
    loader: TableLoader,
    split: str,
    card: str,
    columns: Sequence[str],
    *,
    whole: bool = False,
    commit: str | None = None,
    remedy: str = "",
) -> Iterator[pa.Table]:
    """The rows of a split, from one or several splits of the hub, in the card's order.

    Args:
        loader: the card's.
        split: of the card.
        card: its name, for messages.
        columns: those to read.
        whole: read all columns that a split has, not of a file of JSON.
        commit: at which to read; by default the card's revision.
        remedy: as for :func:`out_of_reach`.

    Raises:
        DataError: the hub cannot be reached, or it lacks the data set, the split or a column.
    """
    hub, revision = loader.hub, commit or loader.hub.revision
    for part in loader.splits[split].hub:
        if hub.file is not None:
            name = hub.file.path.replace("{split}", part)
            with out_of_reach(loader, part, card, remedy):
                path = huggingface_hub.hf_hub_download(
                    hub.path, filename=name, repo_type="dataset", revision=revision
                )
            rows = file_rows(Path(path), hub.file, columns, card)
            for start in range(0, len(rows), ROWS_AT_ONCE):
                yield pa.Table.from_pylist(list(map(dict, rows[start : start + ROWS_AT_ONCE])))
            continue
        with out_of_reach(loader, part, card, remedy):
            dataset = datasets.load_dataset(hub.path, data_dir=hub.data_dir, revision=revision, split=part)
        known = columns_in(loader, dataset.column_names, f"{card}: {hub.path} (split {part!r})")
        with out_of_reach(loader, part, card, remedy):
            read = dataset if whole else dataset.select_columns(known)
            yield from read.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)


def hub_files(
    found: Sequence[RowVersions],
    loader: TableLoader,
    files: RepositoryFiles,
    card: str,
    *,
    commit: str | None = None,
    remedy: str = "",
) -> dict[str, Path]:
    """Download the files of a repository that rows take.

    Args:
        found: all versions of each row.
        loader: the card's.
        files: which files.
        card: for messages.
        commit: at which to read; by default the card's revision.
        remedy: as for :func:`out_of_reach`.

    Returns:
        Path in the repository -> place in the hub's cache.

    Raises:
        DataError: the hub cannot be reached, or a name is no file's.
    """
    named = {path for versions in found for paths in paths_of(versions, files, card) for path in paths}
    with out_of_reach(loader, FILES, card, remedy):
        folder = huggingface_hub.snapshot_download(
            loader.hub.path,
            repo_type="dataset",
            revision=commit or loader.hub.revision,
            allow_patterns=[path.replace("{name}", "*") for path in files.paths],
        )
    there = {path: Path(folder, path) for path in named if Path(folder, path).is_file()}
    return {path: there[path] for versions in found for path in files_taken(versions, files, there, card)}


def file_content(path: Path, card: str) -> bytes:
    """A file's content; of one that is too large as much as shows that.

    Raises:
        DataError: it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise DataError(f"{card}: {path} cannot be read: {error.strerror or error}") from error


@contextmanager
def out_of_reach(loader: TableLoader, part: str, card: str, remedy: str = "") -> Iterator[None]:
    """Turn errors on the way to the hub into a message with the reason and a ``remedy`` (default: a mirror).

    Raises:
        DataError: the block fails to read from the hub.
    """
    away = no_network()
    try:
        with offline_mode() if away else nullcontext():
            yield
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        # datasets has no common base for network errors; these four cover them
        reason = away or (str(error) or type(error).__name__).splitlines()[0]
        remedy = remedy or f"without a network, set {MIRROR_VARIABLE} to a folder with {loader.mirror}/"
        raise DataError(
            f"{card}: {loader.hub.path} (split {part!r}) cannot be read from the hub: {reason}; {remedy}"
        ) from error


def replaced(value: Any, pairs: Mapping[str, str]) -> Any:
    """A row, or a value of one, with substrings replaced in all texts."""
    if isinstance(value, str):
        for old, new in pairs.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {key: replaced(each, pairs) for key, each in value.items()}
    return [replaced(each, pairs) for each in value] if isinstance(value, list) else value


def file_rows(path: Path, file: HubFile, columns: Sequence[str], card: str) -> list[Row]:
    """Read the given columns of a JSON file's rows, in the file's order.

    Raises:
        DataError: the file is no JSON list, or a row of it has no such column.
    """
    where = f"{card}: {path.name}"
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise DataError(f"{where}: cannot be read as JSON: {str(error).splitlines()[0]}") from error
    if file.rows is not None:
        where = f"{where}, {file.rows}"
        listed = listed.get(file.rows) if isinstance(listed, dict) else None
    if not isinstance(listed, list):
        raise DataError(f"{where}: found {type(listed).__name__}, expected a list of rows")
    return [_row(value, file, columns, f"{where}, row {number}") for number, value in enumerate(listed)]


def _row(value: Any, file: HubFile, columns: Sequence[str], where: str) -> Row:
    if isinstance(value, list) and file.fields:
        if len(value) != len(file.fields):
            raise DataError(f"{where}: has {len(value)} values, expected {len(file.fields)}")
        value = dict(zip(file.fields, value, strict=True))
    if not isinstance(value, dict):
        raise DataError(
            f"{where}: found {str(value)[:40]!r}, expected {'a list' if file.fields else 'an object'}"
        )
    for column in columns:
        if column not in value:
            raise DataError(f"{where}: no column {column!r}; {nearest(column, value)}")
    return {
        column: json.dumps(value[column]) if column in file.as_text else value[column] for column in columns
    }


_SECONDS = 5


def no_network() -> str | None:
    """Why there is no way to the hub; None where there may be one, and in offline mode.

    Without, the hub's libraries retry for half a minute a file before they read what was fetched before. Only
    a name that nobody knows or a refused connection says so: a hub that is slow, or whose answer Python does
    not take, may answer the libraries.
    """
    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return None
    address = huggingface_hub.constants.ENDPOINT
    try:
        with urlopen(Request(address, method="HEAD"), timeout=_SECONDS):  # noqa: S310 - the hub's own address
            return None
    except URLError as error:
        reason = error.reason
        if isinstance(reason, OSError) and not isinstance(reason, ssl.SSLError | TimeoutError):
            return f"{address} cannot be reached ({reason.strerror or reason})"
        return None
    except (OSError, HTTPException, ValueError):
        return None


@contextmanager
def offline_mode() -> Iterator[None]:
    """Switch the hub's libraries to offline mode, in which they read their caches."""
    places: tuple[Any, ...] = (huggingface_hub.constants, datasets.config)
    before = [place.HF_HUB_OFFLINE for place in places]
    try:
        for place in places:
            place.HF_HUB_OFFLINE = True
        yield
    finally:
        for place, value in zip(places, before, strict=True):
            place.HF_HUB_OFFLINE = value
