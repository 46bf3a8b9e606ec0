"""Rows and files from the Hugging Face hub.

The hub's own libraries cache what they fetched; ``HF_HUB_OFFLINE=1`` has them read their caches alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import datasets
import huggingface_hub
import pyarrow as pa

from ..core.errors import DataError, described, nearest
from .loading import MIRROR_VARIABLE, Row, columns_in, needed_columns
from .schema import Hub, HubFile, TableLoader

ROWS_AT_ONCE = 2000
SECONDS_TO_ANSWER = 5


def hub_rows(loader: TableLoader, split: str, card: str) -> list[Row]:
    """Read the rows of a split; see :func:`hub_tables`."""
    tables, pairs = hub_tables(loader, split, card, needed_columns(loader)), loader.on_hub(card).replace
    rows = [row for table in tables for row in table.to_pylist()]
    return [replaced(row, pairs) for row in rows] if pairs else rows


def hub_tables(
    loader: TableLoader,
    split: str,
    card: str,
    columns: Sequence[str],
    *,
    whole: bool = False,
    commit: str | None = None,
) -> Iterator[pa.Table]:
    """The rows of a split, from one or several splits of the hub, in the card's order.

    Args:
        loader: the card's.
        split: of the card.
        card: its name, for messages.
        columns: those to read.
        whole: read all columns that a split has, not of a file of JSON.
        commit: at which to read; by default the card's revision.

    Raises:
        DataError: the hub cannot be reached, or it lacks the data set, the split or a column.
    """
    hub = loader.on_hub(card)
    revision = commit or hub.revision
    for part in loader.splits[split].hub:
        with _hub_errors(hub, part, card):
            if hub.file is not None:
                name = hub.file.path.replace("{split}", part)
                path = huggingface_hub.hf_hub_download(
                    hub.path, filename=name, repo_type="dataset", revision=revision
                )
                dataset = datasets.Dataset.from_list(file_rows(Path(path), hub.file, columns, card))
            else:
                dataset = datasets.load_dataset(
                    hub.path, data_dir=hub.data_dir, revision=revision, split=part
                )
        known = columns_in(loader, dataset.column_names, f"{card}: {hub.path} (split {part!r})")
        read = dataset if whole else dataset.select_columns(known)
        yield from read.with_format("arrow").iter(batch_size=ROWS_AT_ONCE)


def hub_files(loader: TableLoader, card: str, *, commit: str | None = None) -> dict[str, Path]:
    """Download the files of a repository that rows may take.

    Args:
        loader: the card's, with ``files``.
        card: for messages.
        commit: at which to read; by default the card's revision.

    Returns:
        Path in the repository -> place in the hub's cache.

    Raises:
        DataError: the hub cannot be reached.
    """
    patterns = [path.replace("{name}", "*") for path in loader.files.paths] if loader.files else []
    hub = loader.on_hub(card)
    with _hub_errors(hub, "files", card):
        folder = Path(
            huggingface_hub.snapshot_download(
                hub.path,
                repo_type="dataset",
                revision=commit or hub.revision,
                allow_patterns=patterns,
            )
        )
        found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path for name, path in found.items() if any(fnmatch(name, each) for each in patterns)}


@contextmanager
def _hub_errors(hub: Hub, part: str, card: str) -> Iterator[None]:
    """Turn errors on the way to the hub into a message with the reason and a remedy.

    Where the hub is out of reach, its libraries read their caches at once: they would ask for half a minute.

    Raises:
        DataError: the block fails to read from the hub.
    """
    why = _out_of_reach()
    before = huggingface_hub.constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE
    if why:
        huggingface_hub.constants.HF_HUB_OFFLINE = datasets.config.HF_HUB_OFFLINE = True
    try:
        yield
    except DataError:
        raise
    except (OSError, ValueError, RuntimeError, datasets.exceptions.DatasetsError) as error:
        # datasets has no common base for network errors; these four cover them
        if why and isinstance(error, OSError):
            raise DataError(
                f"{card}: its data ({hub.path}, split {part!r}) are not on this machine, and {why}; where "
                f"there is a network, run 'torr data pull {card} --to DIR', copy DIR here, and "
                f"'export {MIRROR_VARIABLE}=DIR'"
            ) from error
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(
            f"{card}: {hub.path} (split {part!r}) cannot be read from the hub: {reason}; where the data asks "
            "for consent, give it on its page and log in"
        ) from error
    finally:
        huggingface_hub.constants.HF_HUB_OFFLINE, datasets.config.HF_HUB_OFFLINE = before


def _out_of_reach() -> str:
    """Why the hub cannot be asked; empty where it answers, whatever it says."""
    if huggingface_hub.constants.HF_HUB_OFFLINE:
        return "HF_HUB_OFFLINE is set"
    endpoint = huggingface_hub.constants.ENDPOINT
    try:
        huggingface_hub.get_session().head(endpoint, timeout=SECONDS_TO_ANSWER)
    except Exception as error:  # of the library's client, which differs by its version
        return f"{endpoint} cannot be reached ({described(error)})"
    return ""


def replaced(value: Any, pairs: Mapping[str, str]) -> Any:
    """A row, or a value of one, with substrings replaced in all texts."""
    if isinstance(value, str):
        for old, new in pairs.items():
            value = value.replace(old, new)
        return value
    if isinstance(value, Mapping):
        return {key: replaced(each, pairs) for key, each in value.items()}
    return [replaced(each, pairs) for each in value] if isinstance(value, list) else value


def file_rows(path: Path, file: HubFile, columns: Sequence[str], card: str) -> list[dict[str, Any]]:
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
        listed = listed.get(file.rows) if isinstance(listed, dict) else None
    if not isinstance(listed, list):
        raise DataError(f"{where}: found {type(listed).__name__}, expected a list of rows")
    rows = []
    for number, value in enumerate(listed):
        row = dict(zip(file.fields, value, strict=False)) if isinstance(value, list) else value
        if not isinstance(row, dict):
            raise DataError(f"{where}, row {number}: found {str(value)[:40]!r}, expected an object")
        missing = [column for column in columns if column not in row]
        if missing:
            raise DataError(f"{where}, row {number}: no column {missing[0]!r}; {nearest(missing[0], row)}")
        rows.append({name: json.dumps(row[name]) if name in file.as_text else row[name] for name in columns})
    return rows
