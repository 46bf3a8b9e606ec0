"""Making a mirror: a file at a time, each whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...core.atomic_files import atomic_path
from ...core.errors import DataError, InputError
from .batches import batches, commit_of
from .manifest import add_to_manifest, checksum, read_manifest

if TYPE_CHECKING:
    import pyarrow as pa

    from .wanted import Wanted

State = Literal["pulled", "there", "kept", "failed"]


@dataclass(frozen=True)
class Pulled:
    """What became of one file: ``there`` already, ``kept`` because something else than a pull made it.

    ``rows`` is unknown of a file that was kept or failed; ``problem`` says why it failed.
    """

    wanted: Wanted
    state: State
    rows: int | None = None
    problem: str = ""


def pull(wanted: Wanted, mirror: Path) -> Pulled:
    """Have one file in a mirror: fetched from the hub, unless it is there.

    A file that an earlier pull made of the same data is left, if its checksum agrees; one that has no line in
    the manifest is somebody's own and never touched.

    Raises:
        InputError: the mirror cannot be written (all other failures are the outcome's ``problem``).
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


def _is_there(path: Path, wanted: Wanted, known: dict[str, Any]) -> bool:
    same = known.get("origin") == wanted.origin() and path.is_file()
    return same and known.get("sha256") == checksum(path)


def _fetched(wanted: Wanted, path: Path) -> int:
    commit = commit_of(wanted)
    tables = batches(wanted, commit)
    first = next(tables, None)
    if first is None:
        raise DataError(f"{wanted.card}: {wanted.place}: the hub's splits have no rows")
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        rows = _written(first, tables, temporary, wanted)
        said = {
            "origin": wanted.origin(),
            "commit": commit,
            "rows": rows,
            "bytes": temporary.stat().st_size,
            "sha256": checksum(temporary),
            "licence": wanted.licence,
            "pulled": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        }
        # before the file has its name: killed in between, the checksum does not agree, and it is pulled again
        add_to_manifest(path.parent, path.name, said)
    return rows


def _written(first: pa.Table, others: Iterator[pa.Table], path: Path, wanted: Wanted) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, rows = first.schema.remove_metadata(), 0
    with pq.ParquetWriter(path, schema) as writer:
        for table in chain([first], others):
            try:
                writer.write_table(table.replace_schema_metadata(None).cast(schema))
            except (pa.ArrowException, ValueError) as error:
                raise DataError(f"{wanted.card}: {wanted.place}: {str(error).splitlines()[0]}") from error
            rows += table.num_rows
    return rows
