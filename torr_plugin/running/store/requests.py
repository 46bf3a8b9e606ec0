"""The requests of a study: ``requests/*.parquet``, the planned ones written once, read in streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ...core.atomic_files import atomic_file, make_directory, remove
from ...recipes import request_batches, request_schema
from .manifest import folder_name
from .shards import (
    PLANNED,
    add_shard,
    later_series,
    list_shards,
    series_in,
    shard_writer,
    sound_tables,
    stream,
    tidy,
)

if TYPE_CHECKING:
    from ...recipes import Plan, Request

ROWS_A_SHARD = 2048
PLANNED_FILE = "part-000000.parquet"


def write_requests(plan: Plan, folder: Path) -> dict[str, int]:
    """Expand a plan into one file, a batch of prompts in memory at a time; what was there is replaced.

    Returns:
        How many ``rows`` were written, and how many different requests they hold (``unique``).

    Raises:
        RunError: it cannot be written.
        RecipeError: a prompt cannot be made.
    """
    make_directory(folder)
    rows, keys = 0, set[str]()
    with atomic_file(folder / PLANNED_FILE) as file, shard_writer(file, request_schema()) as writer:
        for batch in request_batches(plan.requests(), ROWS_A_SHARD):
            writer.write(batch)
            rows += batch.num_rows
            keys.update(batch.column("key").to_pylist())
    for shard in list_shards(folder):  # of an earlier version, which wrote several
        if shard.path.name != PLANNED_FILE:
            remove(shard.path)
    tidy(folder)
    return {"rows": rows, "unique": len(keys)}


def append(folder: Path, requests: Sequence[Request]) -> None:
    """Store follow-ups beside the planned requests; when this returns they are on the disk.

    Each model has its own shards, ``later-<model>-000000.parquet``; what is there is never replaced.

    Args:
        folder: the run's ``requests``.
        requests: each with its ``model``, in reading order.

    Raises:
        RunError: they cannot be written.
        RecipeError: a prompt is not valid Unicode.
    """
    for label, few in groupby(requests, key=lambda request: str(request.model)):
        for batch in request_batches(few, ROWS_A_SHARD):
            add_shard(folder, batch, later_series(folder_name(label)))


def set_aside_damaged(folder: Path, rows: int) -> tuple[bool, list[str]]:
    """Set aside damaged shards of the stored requests.

    Args:
        folder: the run's ``requests``.
        rows: how many planned ones there should be.

    Returns:
        Whether all planned requests are there, and a line on each thing that was wrong.

    Raises:
        RunError: the folder cannot be read, or a shard not renamed.
    """
    found, notes = 0, list[str]()
    for series in series_in(folder):
        planned = series == PLANNED
        remedy = "written again" if planned else "its requests are made again from the answers before them"
        tables = sound_tables(folder, request_schema(), series, ["stage"], remedy=remedy, notes=notes)
        found += sum(table.num_rows for table in tables) * planned
    tidy(folder)
    if found != rows and not notes:
        notes.append(f"{folder}: holds {found} requests, expected {rows}; written again")
    return found == rows, notes


def request_tables(
    folder: Path, columns: Sequence[str] | None = None, *, replicates: bool = False
) -> Iterator[pa.Table]:
    """The stored requests, a row group at a time, whole or some columns of them: first the planned ones.

    Args:
        folder: the run's ``requests``.
        columns: those to read; None for all.
        replicates: also those that ask a prompt again.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    read = columns if columns is None else [*columns, *{"replicate"}.difference(columns)]
    for series in series_in(folder):
        for table in stream(folder, request_schema(), series, read):
            kept = table if replicates else table.filter(first_answers(table))
            yield kept if columns is None else kept.select(list(columns))


CELL = ("dataset", "config", "example", "replicate")
"""The columns that say what a request asks."""


def cells(table: pa.Table) -> list[str]:
    """The cell of each request as a text, from the columns of ``CELL``; null is the first replicate, 0."""
    columns = [pc.fill_null(table[name].cast(pa.string()), "0").to_pylist() for name in CELL]
    return ["\n".join(parts) for parts in zip(*columns, strict=True)]


def first_answers(table: pa.Table) -> pa.ChunkedArray:
    """Whether each request is no replicate; one that an earlier version stored is none."""
    return pc.equal(pc.fill_null(table["replicate"], 0), 0)


def planned_tables(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """:func:`request_tables` of the planned requests alone."""
    return stream(folder, request_schema(), PLANNED, columns)


def later_tables(folder: Path, label: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """:func:`request_tables` of what follows from the answers of one model."""
    return stream(folder, request_schema(), later_series(folder_name(label)), columns)


def is_for(table: pa.Table, label: str) -> pa.ChunkedArray:
    """Whether each request is for the model; those that name none are for all."""
    return pc.fill_null(pc.equal(table["model"], label), True)
