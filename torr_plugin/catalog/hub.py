"""Rows from the Hugging Face hub."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import datasets
import huggingface_hub

from ..core.errors import DataError, nearest
from .rows import MIRROR_VARIABLE, Row, lifted, needed_columns, root, sources
from .schema.loaders import HubFile, RepositoryFiles, TableLoader
from .table_files import FILES, MOST_BYTES, RowVersions, paths_of


def hub_rows(loader: TableLoader, split: str, card: str, commit: str | None = None) -> list[Row]:
    """Read the rows of a split from one or several splits of the hub, in the card's order.

    At a commit if given, else at the card's revision.

    Raises:
        DataError: the hub cannot be reached, or it lacks the data set, the split or a column.
    """
    rows = [row for part in loader.splits[split].hub for row in _part(loader, part, card, commit)]
    return [replaced(row, loader.hub.replace) for row in rows] if loader.hub.replace else rows


def _part(loader: TableLoader, part: str, card: str, commit: str | None) -> list[Row]:
    if loader.hub.file is not None:
        with out_of_reach(loader, part, card):
            path = downloaded_file(loader, loader.hub.file, part, commit)
        return file_rows(path, loader.hub.file, needed_columns(loader), card)
    with out_of_reach(loader, part, card):
        dataset = downloaded(loader, part, commit)
    where = f"{card}: {loader.hub.path} (split {part!r})"
    places = sources(loader, dataset.column_names, where)
    columns = list(dict.fromkeys(map(root, places.values())))
    return list(lifted(dataset.select_columns(columns), places, where))


def downloaded(loader: TableLoader, part: str, commit: str | None = None) -> Any:
    """Download a split of the hub as a ``datasets.Dataset``, at a commit if given."""
    hub = loader.hub
    return datasets.load_dataset(
        hub.path, name=hub.config, data_dir=hub.data_dir, revision=commit or hub.revision, split=part
    )


def downloaded_file(loader: TableLoader, file: HubFile, part: str, commit: str | None = None) -> Path:
    """Download a file of the data set's repository into the hub's cache."""
    name = file.path.replace("{split}", part)
    return Path(
        huggingface_hub.hf_hub_download(
            loader.hub.path, filename=name, repo_type="dataset", revision=commit or loader.hub.revision
        )
    )


def hub_files(
    found: Sequence[RowVersions],
    loader: TableLoader,
    files: RepositoryFiles,
    card: str,
    *,
    commit: str | None = None,
    remedy: str = "",
) -> dict[str, Path]:
    """Download the files that rows take, of each kind only where a better one is missing.

    Args:
        found: all versions of each row.
        loader: the card's.
        files: which files.
        card: for messages.
        commit: at which to read; by default the card's revision.
        remedy: as for :func:`out_of_reach`.

    Returns:
        Path in the repository -> place in the hub's cache; what the repository lacks is left out.

    Raises:
        DataError: the hub cannot be reached, or a name is no file's.
    """
    places: dict[str, Path] = {}
    kinds = [paths_of(versions, files, card) for versions in found]
    for kind in range(len(files.paths)):
        wanted = {path for paths in kinds for path in paths[kind]} - places.keys()
        with out_of_reach(loader, FILES, card, remedy):
            folder = _snapshot(loader, files.paths[kind], wanted, commit)
        places |= {path: folder / path for path in wanted if (folder / path).is_file()}
        kinds = [paths for paths in kinds if not set(paths[kind]) <= places.keys()]
        if not kinds:
            break
    return places


_FEW = 50  # paths; more are asked for by a pattern, which is quicker to compare with the repository's files


def _snapshot(loader: TableLoader, path: str, wanted: Set[str], commit: str | None) -> Path:
    patterns = sorted(wanted) if len(wanted) <= _FEW else [path.replace("{name}", "*")]
    return Path(
        huggingface_hub.snapshot_download(
            loader.hub.path,
            repo_type="dataset",
            revision=commit or loader.hub.revision,
            allow_patterns=patterns,
        )
    )


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
    away = hub_unreachable()
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


@lru_cache(maxsize=1)
def hub_unreachable() -> str | None:
    """The reason why the hub cannot be reached; None if it can, or in offline mode.

    Any answer counts as reachable, even a refusal or a certificate that Python distrusts: the hub's libraries
    may trust more certificates.
    """
    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return None
    address = huggingface_hub.constants.ENDPOINT
    try:
        with urlopen(Request(address, method="HEAD"), timeout=_SECONDS):  # noqa: S310 - the hub's own address
            return None
    except (HTTPError, HTTPException, ssl.SSLError, ValueError):
        return None
    except OSError as error:
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLError):
            return None
        message = getattr(reason, "strerror", None) or str(reason)
        return f"{address} cannot be reached ({message})"


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
