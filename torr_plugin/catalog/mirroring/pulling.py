"""Fetch the files that cards read into a mirror, in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import huggingface_hub
import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_path
from ...core.errors import DataError, InputError
from ..hub import file_content, hub_files, hub_rows, hub_tables, replaced
from ..loading import FILE_COLUMNS, kept_rows
from ..rows import columns_in, needed_columns
from ..table_files import checked, with_their_versions
from .manifest import MirrorFile, add_to_manifest, checksum, read_manifest

State = Literal["pulled", "there", "kept", "failed"]


@dataclass(frozen=True)
class Pulled:
    """The outcome for one file: ``pulled``, already ``there``, ``kept`` as the user's own, or ``failed``.

    ``rows`` is None if the file was kept or failed; ``problem`` says why it failed.
    """

    wanted: MirrorFile
    state: State
    rows: int | None = None
    problem: str = ""


def pull(wanted: MirrorFile, mirror: Path) -> Pulled:
    """Fetch one file into a mirror, unless it is there.

    A file that an earlier pull made of the same data stays if its checksum agrees; one that is not in the
    manifest is the user's own and never touched.

    Raises:
        InputError: the mirror cannot be written (other failures are in ``problem``).
    """
    path = mirror / wanted.place
    try:
        known = read_manifest(path.parent).get(path.name)
        if path.is_file() and known is None:
            return Pulled(wanted, "kept")
        if known is not None and _is_there(path, wanted, known):
            return Pulled(wanted, "there", known.get("rows"))
        return Pulled(wanted, "pulled", _fetched(wanted, path))
    except DataError as error:
        return Pulled(wanted, "failed", problem=str(error))
    except OSError as error:
        raise InputError(f"{error.filename or path}: cannot be written: {error.strerror or error}") from error


def _is_there(path: Path, wanted: MirrorFile, known: dict[str, Any]) -> bool:
    same = known.get("origin") == wanted.origin() and path.is_file()
    return same and known.get("sha256") == checksum(path)


def _fetched(wanted: MirrorFile, path: Path) -> int:
    commit = commit_of(wanted)
    tables = batches(wanted, commit)
    first = next(tables, None)
    if first is None:
        raise DataError(f"{wanted.card}: {wanted.place}: the hub's splits have no rows")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        rows = _written(first, tables, temporary, wanted)
        entry = {
            "origin": wanted.origin(),
            "commit": commit,
            "rows": rows,
            "bytes": temporary.stat().st_size,
            "sha256": checksum(temporary),
            "licence": wanted.licence,
            "pulled": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        # before the rename: if killed in between, the checksum differs, and the file is pulled again
        add_to_manifest(path.parent, path.name, entry)
    return rows


def _written(first: pa.Table, others: Iterator[pa.Table], path: Path, wanted: MirrorFile) -> int:
    schema, rows = first.schema.remove_metadata(), 0
    with pq.ParquetWriter(path, schema) as writer:
        for table in chain([first], others):
            try:
                writer.write_table(table.replace_schema_metadata(None).cast(schema))
            except (pa.ArrowException, ValueError) as error:
                raise DataError(f"{wanted.card}: {wanted.place}: {str(error).splitlines()[0]}") from error
            rows += table.num_rows
    return rows


REMEDY = "pull again with a network; where the data asks for consent, give it on its page and log in"


def commit_of(wanted: MirrorFile) -> str | None:
    """The current commit of the card's revision, so that all parts agree; None if unknown."""
    hub = wanted.loader.hub
    try:
        return huggingface_hub.HfApi().dataset_info(hub.path, revision=hub.revision).sha
    except Exception:  # reading the data itself reports the same problem
        return None


def batches(wanted: MirrorFile, commit: str | None) -> Iterator[pa.Table]:
    """The rows of the file, with all of the hub's columns; or the files of tables.

    Raises:
        DataError: the hub cannot be reached, or lacks the data set, the split or a column that a card reads.
    """
    if not wanted.split:
        yield from _files(wanted, commit)
        return
    loaders = {card.name: card.loader for card in wanted.readers if card.loader.type_ == "load_tables"}
    columns = list(dict.fromkeys(name for loader in loaders.values() for name in needed_columns(loader)))
    options: dict[str, Any] = {"whole": True, "commit": commit, "remedy": REMEDY}
    for table in hub_tables(wanted.loader, wanted.split, wanted.card, columns, **options):
        for name, loader in loaders.items():
            columns_in(loader, table.column_names, f"{name}: {loader.hub.path}")
        yield _without_escapes(_with_conditions(table, wanted.conditions), wanted.loader.hub.replace)


FILES_AT_ONCE = 16
_FILE_SCHEMA = pa.schema(zip(FILE_COLUMNS, (pa.string(), pa.binary()), strict=True))


def _files(wanted: MirrorFile, commit: str | None) -> Iterator[pa.Table]:
    """The files of the tables that cards read, by path."""
    places: dict[str, Path] = {}
    for card in wanted.readers:
        loader = card.loader
        if loader.type_ != "load_tables" or loader.files is None:
            continue
        for split in loader.splits:
            rows = kept_rows(loader, hub_rows(loader, split, card.name, commit), card.name)
            found = with_their_versions(rows)
            places |= hub_files(found, loader, loader.files, card.name, commit=commit, remedy=REMEDY)
    paths = sorted(places)
    for start in range(0, len(paths), FILES_AT_ONCE):
        some = paths[start : start + FILES_AT_ONCE]
        contents = [checked(file_content(places[path], wanted.card), path, wanted.card) for path in some]
        yield pa.Table.from_arrays([pa.array(some), pa.array(contents, pa.binary())], schema=_FILE_SCHEMA)


def _with_conditions(table: pa.Table, conditions: Sequence[Mapping[str, Any]]) -> pa.Table:
    if not conditions:
        return table
    names = list(dict.fromkeys(name for condition in conditions for name in condition))
    kept = [
        any(all(row[name] == value for name, value in condition.items()) for condition in conditions)
        for row in table.select(names).to_pylist()
    ]
    return table.filter(pa.array(kept, pa.bool_()))


def _without_escapes(table: pa.Table, pairs: Mapping[str, str]) -> pa.Table:
    """Replace the escapes that the hub's version has and a mirror does not."""
    return pa.Table.from_pylist(replaced(table.to_pylist(), pairs), schema=table.schema) if pairs else table
