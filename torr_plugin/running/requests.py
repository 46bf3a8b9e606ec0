"""The stored requests of a study: ``requests/part-*.parquet``, written once, read in streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RunError
from ..prompts.message import Prompt
from .atomic import make_directory
from .shards import DamagedShardError, clear_left, list_folder, read_shard, set_aside, write_shard

if TYPE_CHECKING:
    import pyarrow as pa

    from ..recipes import Plan

ROWS_A_SHARD = 2048


@dataclass(frozen=True, slots=True)
class Written:
    """How many rows were written, and how many different requests they hold."""

    rows: int
    unique: int


def write_requests(plan: Plan, folder: Path) -> Written:
    """Expand a plan into shards; what an earlier attempt left is replaced.

    Raises:
        RunError: a shard cannot be written.
        RecipeError: a prompt cannot be made.
    """
    from ..recipes import request_batches

    make_directory(folder)
    clear_left(list_folder(folder))
    rows, keys, written = 0, set[str](), set[str]()
    for index, batch in enumerate(request_batches(plan.requests(), ROWS_A_SHARD)):
        written.add(write_shard(folder, index, batch).name)
        rows += batch.num_rows
        keys.update(batch.column("key").to_pylist())
    for path in list_folder(folder).shards:
        if path.name not in written:
            path.unlink()
    return Written(rows, len(keys))


def set_aside_damaged(folder: Path, rows: int) -> list[str]:
    """Notes on what is wrong with the stored requests: damaged shards, which are set aside, and missing rows.

    Raises:
        RunError: the folder cannot be read, or a shard not renamed.
    """
    from ..recipes import request_schema

    notes, found = [], 0
    for path in list_folder(folder).shards:
        try:
            found += read_shard(path, request_schema()).num_rows
        except DamagedShardError as error:
            notes.append(f"{path}: damaged ({error}); set aside as {set_aside(path).name} and written again")
    if not notes and found != rows:
        notes.append(f"{folder}: holds {found} requests, expected {rows}; written again")
    return notes


def foreign_notes(folder: Path) -> list[str]:
    """A note on each file that is not the run's."""
    return [f"{path}: is not part of the run; left alone" for path in list_folder(folder).foreign]


def request_tables(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The stored requests, a shard at a time, whole or some columns of them.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    from ..recipes import request_schema

    for path in list_folder(folder).shards:
        try:
            yield read_shard(path, request_schema(), columns)
        except DamagedShardError as error:
            raise RunError(f"{path}: damaged ({error}); the same command writes it again") from error


def prompts(folder: Path, label: str) -> Iterator[tuple[str, Prompt]]:
    """Key and prompt of every different request that the model ``label`` is asked, in the study's order."""
    from ..recipes import prompt_of_row

    seen: set[str] = set()
    for table in request_tables(folder, ("key", "model", "prompt", "messages", "images")):
        for row in table.to_pylist():
            if row["key"] not in seen and row["model"] in (None, label):
                seen.add(row["key"])
                yield row["key"], prompt_of_row(row)


def keys(folder: Path, label: str) -> set[str]:
    """The keys of :func:`prompts`."""
    return {
        key
        for table in request_tables(folder, ("key", "model"))
        for key, model in zip(table["key"].to_pylist(), table["model"].to_pylist(), strict=True)
        if model in (None, label)
    }
