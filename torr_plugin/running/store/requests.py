"""The requests of a study: ``requests/part-*.parquet``, written once, read in streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ...core.atomic_files import make_directory, remove
from ...prompts.message import Prompt
from ...recipes import prompt_of_row, request_batches, request_schema
from .keyset import KeySet
from .manifest import folder_name
from .merging import due, merged
from .shard_reading import OnDamage, fail_on_damage, read_parts, stream
from .shards import (
    PLANNED,
    DamagedShardError,
    add_shard,
    clear_left,
    is_later,
    later_series,
    list_folder,
    parquet_bytes,
    set_aside,
    write_shard,
)

if TYPE_CHECKING:
    from ...recipes import Plan, Request

ROWS_A_SHARD = 2048


@dataclass(frozen=True, slots=True)
class RequestCounts:
    """How many rows were written, and how many different requests they hold."""

    rows: int
    unique: int


@dataclass(frozen=True, slots=True)
class RequestDamage:
    """What was wrong with stored requests, a line each: planned ones, and those that follow from answers."""

    planned: tuple[str, ...] = ()
    later: tuple[str, ...] = ()


def write_requests(plan: Plan, folder: Path) -> RequestCounts:
    """Expand a plan into shards; what an earlier attempt left of them is replaced.

    Raises:
        RunError: a shard cannot be written.
        RecipeError: a prompt cannot be made.
    """
    make_directory(folder)
    clear_left(list_folder(folder))
    rows, keys, written = 0, KeySet(), set[str]()
    for index, batch in enumerate(request_batches(plan.requests(), ROWS_A_SHARD)):
        written.add(write_shard(folder, index, batch).name)
        rows += batch.num_rows
        keys.add(batch.column("key").to_pylist())
    for path in list_folder(folder).shards:
        if path.name not in written:
            remove(path)
    return RequestCounts(rows, len(keys))


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
        series = later_series(folder_name(label))
        listing = list_folder(folder)
        index = listing.next_index(series)
        for batch in request_batches(few, ROWS_A_SHARD):
            index = add_shard(folder, index, parquet_bytes(batch), series=series).last + 1
        if due(listing.of(series)):
            merged(folder, listing.of(series), request_schema())


def set_aside_damaged(folder: Path, rows: int) -> RequestDamage:
    """Set aside damaged shards of the stored requests.

    Args:
        folder: the run's ``requests``.
        rows: how many planned ones there should be.

    Raises:
        RunError: the folder cannot be read, or a shard not renamed.
    """
    planned, later, found = list[str](), list[str](), 0
    for shard in list_folder(folder).files:
        try:
            read = sum(part.num_rows for part in read_parts(shard.path, request_schema()))
        except DamagedShardError as error:
            text = f"{shard.path}: damaged ({error}); set aside as {set_aside(shard.path).name}"
            if is_later(shard):
                later.append(f"{text}; its requests are made again from the answers before them")
            else:
                planned.append(f"{text} and written again")
        else:
            found += 0 if is_later(shard) else read
    clear_left(list_folder(folder))
    if not planned and found != rows:
        planned.append(f"{folder}: holds {found} requests, expected {rows}; written again")
    return RequestDamage(tuple(planned), tuple(later))


def request_tables(
    folder: Path, columns: Sequence[str] | None = None, *, replicates: bool = False
) -> Iterator[pa.Table]:
    """The stored requests, a shard at a time, whole or some columns of them: first the planned ones.

    Args:
        folder: the run's ``requests``.
        columns: those to read; None for all.
        replicates: also those that ask a prompt again.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    read = columns if columns is None else [*columns, *{"replicate"}.difference(columns)]
    for series in dict.fromkeys((PLANNED, *(shard.series for shard in list_folder(folder).files))):
        for table in _tables(folder, series, read):
            kept = table if replicates else table.filter(first_answers(table))
            yield kept if columns is None else kept.select(list(columns))


CELL = ("dataset", "config", "example", "replicate")
"""The columns that say what a request asks."""


def cells(table: pa.Table) -> list[str]:
    """The cell of each request as a text, from the columns of ``CELL``; null is the first replicate, 0."""
    columns = [pc.fill_null(table[name].cast(pa.string()), "0").to_pylist() for name in CELL]
    return ["\n".join(each) for each in zip(*columns, strict=True)]


def first_answers(table: pa.Table) -> pa.ChunkedArray:
    """Whether each request is no replicate; one that an earlier version stored is none."""
    return pc.equal(pc.fill_null(table["replicate"], 0), 0)


def planned_tables(
    folder: Path, columns: Sequence[str] | None = None, *, damaged: OnDamage | None = None
) -> Iterator[pa.Table]:
    """:func:`request_tables` of the planned requests alone; ``damaged`` as for :func:`later_tables`."""
    return _tables(folder, PLANNED, columns, damaged)


def later_tables(
    folder: Path, label: str, columns: Sequence[str] | None = None, *, damaged: OnDamage | None = None
) -> Iterator[pa.Table]:
    """:func:`request_tables` of what follows from the answers of one model.

    ``damaged`` is called with damaged shards, which are skipped then, as where another run's are read; that
    run may be somebody else's, so its shards are bounded. By default damage is an error.
    """
    return _tables(folder, later_series(folder_name(label)), columns, damaged)


def _tables(
    folder: Path, series: str, columns: Sequence[str] | None, damaged: OnDamage | None = None
) -> Iterator[pa.Table]:

    on_damage = damaged or fail_on_damage("the same command writes it again")
    bounded = damaged is not None
    return stream(folder, request_schema(), on_damage, series=series, columns=columns, bounded=bounded)


def prompts(folder: Path, label: str) -> Iterator[tuple[str, Prompt]]:
    """Key and prompt of every different request that the model ``label`` is asked, in the study's order.

    Replicates are left out, here and in :func:`keys`.
    """
    seen = KeySet()
    for table in request_tables(folder, ("key", "model", "prompt", "messages", "images")):
        own = table.filter(is_for(table, label))
        known = seen.contained(own["key"].to_pylist())
        fresh = own.filter(pa.array([not each for each in known], pa.bool_()))
        # of equal ones in one shard the first; a later row of the same key is equal in all that is read
        for key, row in {row["key"]: row for row in fresh.to_pylist()}.items():
            yield key, prompt_of_row(row)
        seen.add(fresh["key"].to_pylist())


def keys(folder: Path, label: str) -> KeySet:
    """The keys of :func:`prompts`."""
    found = KeySet()
    for table in request_tables(folder, ("key", "model")):
        found.add(table["key"].filter(is_for(table, label)).to_pylist())
    return found


def is_for(table: pa.Table, label: str) -> pa.ChunkedArray:
    """Whether each request is for the model; those that name none are for all."""
    return pc.fill_null(pc.equal(table["model"], label), True)
