"""Parquet shards of requests and answers: numbered files of one folder, each complete or absent.

A shard is called ``part-000007.parquet``; one that was made of several, ``part-000000+000063.parquet``: it
stands for the numbers from the first to the last, and shards of these that a kill left behind do not count.
``predictions/<model>/`` has the answers of a model; ``requests/`` the planned requests, written once, and
those that follow from a model's answers.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count, groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...core.atomic_files import (
    atomic_file,
    is_temporary,
    make_directory,
    read_error,
    remove,
    write_atomically,
    write_error,
)
from ...core.errors import RunError
from ...core.texts import NO_MARKS, ThinkingMarks, split_thoughts
from ...recipes import request_batches, request_schema
from ..answer import CUT, Answer, answer_schema, reason_of

if TYPE_CHECKING:
    from ...recipes import Plan, Request


PLANNED = "part"
_NAME = re.compile(r"(part|later-[^+]+)-(\d{6,})(?:\+(\d{6,}))?\.parquet")

SHARDS = 64
"""So many small shards of a series become one."""

MOST_BYTES = 64_000_000
"""No more become one, to limit what is written again, and what damage to one file costs."""

# a dictionary of texts that hardly repeat helps nothing, and makes reading them twice as slow
_HARDLY_REPEATING = frozenset({"key", "prompt", "messages", "prediction", "images"})


class DamagedShardError(RunError):
    """A shard that is truncated, empty, or has other columns; ``reason`` says which."""

    def __init__(self, path: Path, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"{path}: damaged ({reason}); the same command sets it aside and makes its rows again"
        )


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a series, which stands for the numbers ``first`` to ``last`` of it.

    ``size`` is in bytes, ``written`` in seconds since 1970.
    """

    path: Path
    first: int
    last: int
    size: int
    written: float


_PLAIN = re.compile(r"[a-z0-9][a-z0-9_-]*(\.[a-z0-9_-]+)*")
_MOST = 60


def folder_name(label: str, taken: Collection[str] = ()) -> str:
    """A folder name for a model's label: the label where it is plain, else what is plain of it and a hash.

    Two labels never share a folder, also where upper and lower case are the same; ``taken`` are the names in
    use.
    """
    if _PLAIN.fullmatch(label) and len(label) <= _MOST and label not in taken:
        return label
    digest = hashlib.sha256(label.encode("utf-8", "surrogatepass")).hexdigest()
    letters = re.sub(r"[^a-z0-9]+", "-", label.lower().encode("ascii", "ignore").decode())[:_MOST]
    names = (f"{letters.strip('-') or 'model'}-{digest[:n]}" for n in range(8, len(digest) + 1, 8))
    return next(name for name in names if name not in taken)


def later_series(folder: str) -> str:
    """The series of the follow-ups, requests made from answers, of the model with this folder."""
    return f"later-{folder}"


def series_in(folder: Path) -> list[str]:
    """The series of a folder: the planned one, then the others by name."""
    series = {match[1] for name in _names(folder) if (match := _NAME.fullmatch(name))}
    return [PLANNED, *sorted(series - {PLANNED})]


def list_shards(folder: Path, series: str = PLANNED) -> list[Shard]:
    """The shards of a series that count, in order; the folder need not exist.

    Raises:
        RunError: the folder may not be read.
    """
    files = []
    for name in _names(folder):
        match = _NAME.fullmatch(name)
        if match and match[1] == series:
            path, first = folder / name, int(match[2])
            with suppress(OSError):  # gone since
                there = path.stat()
                files.append(Shard(path, first, int(match[3] or first), there.st_size, there.st_mtime))
    counting: list[Shard] = []
    for shard in sorted(files, key=lambda shard: (shard.first, -shard.last)):
        if not counting or shard.last > counting[-1].last:
            counting.append(shard)
    return counting


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise read_error(folder, error) from error


def tidy(folder: Path) -> None:
    """Remove what a killed command left: half-written files, and shards whose rows a larger one has.

    Raises:
        RunError: one may not be removed.
    """
    counting = {shard.path for series in series_in(folder) for shard in list_shards(folder, series)}
    for path in (folder / name for name in _names(folder)):
        left = is_temporary(path) or (_NAME.fullmatch(path.name) and path not in counting)
        if left and path.is_file():
            remove(path)


def add_shard(folder: Path, table: pa.Table | pa.RecordBatch, series: str = PLANNED) -> None:
    """Write rows as the next shard of a series, which one process writes at a time.

    Raises:
        RunError: it cannot be written.
    """
    shards, data = list_shards(folder, series), parquet_bytes(table)
    number = shards[-1].last + 1 if shards else 0
    write_atomically(folder / f"{series}-{number:06d}.parquet", data)
    if len(shards) + 1 >= SHARDS:
        compact(folder, table.schema, series, SHARDS)


def parquet_bytes(table: pa.Table | pa.RecordBatch) -> bytes:
    """A table as the bytes of a Parquet file, its pages with checksums."""
    buffer = io.BytesIO()
    with shard_writer(buffer, table.schema) as writer:
        writer.write(table)
    return buffer.getvalue()


def shard_writer(file: object, schema: pa.Schema) -> pq.ParquetWriter:
    """What writes the rows of a shard to a file that Python has opened."""
    repeating = [name for name in schema.names if name not in _HARDLY_REPEATING]
    return pq.ParquetWriter(
        file, schema, compression="zstd", write_page_checksum=True, use_dictionary=repeating
    )


def compact(folder: Path, schema: pa.Schema, series: str = PLANNED, fewest: int = 2) -> None:
    """Make one of the small shards at the end of a series, if there are so many.

    The rows keep their order. The new file has its name before the old ones go, so that a kill neither loses
    nor doubles a row. What cannot be made one (a damaged shard, a disk without room for a second copy) stays
    as it is.
    """
    small: list[Shard] = []
    for shard in reversed(list_shards(folder, series)):
        if sum(each.size for each in small) + shard.size > MOST_BYTES:
            break
        small.insert(0, shard)
    if len(small) < fewest:
        return
    path = folder / f"{series}-{small[0].first:06d}+{small[-1].last:06d}.parquet"
    with suppress(OSError, RunError):
        table = pa.concat_tables(part for shard in small for part in read_parts(shard.path, schema))
        with atomic_file(path) as file:
            file.write(parquet_bytes(table))
        for shard in small:  # those that stay do not count any more
            remove(shard.path)


def sound_tables(
    folder: Path, schema: pa.Schema, series: str, columns: Sequence[str], *, remedy: str, notes: list[str]
) -> Iterator[pa.Table]:
    """Some columns of a series, whose shards are read whole: damaged ones are set aside.

    Args:
        folder: where they are.
        schema: the columns of a shard.
        series: its name.
        columns: those to give.
        remedy: what becomes of the rows of a damaged shard, for its line in ``notes``.
        notes: a line on each damaged shard is added.

    Raises:
        RunError: a shard cannot be read, or not be renamed.
    """
    for shard in list_shards(folder, series):
        try:
            # to the end, before anything of it counts
            parts = [part.select(columns) for part in read_parts(shard.path, schema)]
        except DamagedShardError as error:
            aside = _set_aside(shard.path).name
            notes.append(f"{shard.path}: damaged ({error.reason}); set aside as {aside}; {remedy}")
        else:
            yield from parts


def _set_aside(path: Path) -> Path:
    """Rename a damaged shard so that it is kept and not read again."""
    names = (path.with_name(f"{path.name}.damaged{number or ''}") for number in count())
    aside = next(name for name in names if not name.exists())
    try:
        path.rename(aside)
    except OSError as error:
        raise write_error(path, error) from error
    return aside


def stream(
    folder: Path, schema: pa.Schema, series: str = PLANNED, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """The tables of a series' shards in order, all columns or some.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    for shard in list_shards(folder, series):
        yield from read_parts(shard.path, schema, columns)


def read_parts(path: Path, schema: pa.Schema, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """A shard's rows, or some of its columns, a row group in memory at a time.

    Columns that files of earlier versions lack are read as nulls there. Everything is read in this thread,
    for the reason that :func:`...core.parquet.read_parquet` gives.

    Raises:
        DamagedShardError: the file is not a whole Parquet file, or lacks columns of ``schema``.
        RunError: it cannot be read.
    """
    wanted = schema if columns is None else pa.schema([schema.field(name) for name in columns])
    try:
        # opened here: Arrow takes no path that is not UTF-8
        with (
            path.open("rb") as opened,
            pq.ParquetFile(opened, page_checksum_verification=True, pre_buffer=False) as file,
        ):
            there = set(file.schema_arrow.names)
            _check_columns(there, schema)
            stored = [name for name in wanted.names if name in there]
            found, expected = 0, file.metadata.num_rows
            for group in range(file.num_row_groups):
                table = file.read_row_group(group, columns=stored, use_threads=False)
                for absent in wanted:
                    if absent.name not in there:
                        table = table.append_column(absent, pa.nulls(table.num_rows, absent.type))
                part = table.select(wanted.names).cast(wanted)
                part.validate(full=True)  # Arrow takes a text's bytes for UTF-8 unseen
                found += part.num_rows
                yield part
    except OSError as error:
        if error.errno is not None:  # a matter of rights or of the disk; Arrow's own errors have no number
            raise read_error(path, error) from error
        raise DamagedShardError(path, _reason(error)) from error
    except (pa.ArrowException, ValueError, KeyError) as error:  # KeyError: two columns of one name
        raise DamagedShardError(path, _reason(error)) from error
    if found != expected:  # a footer has no checksum
        raise DamagedShardError(path, f"has {found} rows; expected {expected}")


def _check_columns(there: Collection[str], schema: pa.Schema) -> None:
    for column in schema:
        if column.name not in there and b"absent" not in (column.metadata or {}):
            raise ValueError(f"has no column {column.name!r}")


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__


@dataclass
class AnswerStore:
    """Appends answers shard by shard, and knows which requests have one.

    ``answered`` are the keys with a prediction, ``failed`` those that have an error alone. ``notes`` says
    which shards were set aside.
    """

    folder: Path
    answered: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def resume(cls, folder: Path) -> AnswerStore:
        """Open what was stored so far; damaged shards are set aside, and their requests asked again.

        Raises:
            RunError: the folder cannot be made, read or tidied.
        """
        make_directory(folder)
        tidy(folder)
        store, columns, remedy = cls(folder), ["key", "error"], "its requests are asked again"
        for table in sound_tables(
            folder, answer_schema(), PLANNED, columns, remedy=remedy, notes=store.notes
        ):
            store._count(table)
        return store

    def _count(self, table: pa.Table) -> None:
        has_error = table["error"].is_valid()
        # interned: the sets of all models share the texts of equal keys
        answered = list(map(sys.intern, table["key"].filter(pc.invert(has_error)).to_pylist()))
        self.answered.update(answered)
        self.failed.difference_update(answered)
        failed = map(sys.intern, table["key"].filter(has_error).to_pylist())
        self.failed.update(key for key in failed if key not in self.answered)

    def texts(self, keys: Collection[str]) -> dict[str, str]:
        """The stored answers to some requests, by key.

        Raises:
            RunError: one of them is not there, or cannot be read.
        """
        wanted, found = pa.array(keys, pa.string()), dict[str, str]()
        for table in stream(self.folder, answer_schema(), columns=["key", "prediction"]) if keys else ():
            mine = table.filter(pc.and_(pc.is_in(table["key"], wanted), table["prediction"].is_valid()))
            pairs = zip(mine["key"].to_pylist(), mine["prediction"].to_pylist(), strict=True)
            found.update((key, text) for key, text in pairs if key not in found)
        if gone := next((key for key in keys if key not in found), None):
            raise RunError(f"{self.folder}: the answer to {gone} is gone; the same command asks it again")
        return found

    def append(self, answers: Sequence[Answer]) -> None:
        """Store a batch as one shard; when this returns it is on the disk.

        Raises:
            RunError: it cannot be written.
        """
        columns = answer_schema()
        rows = {name: [getattr(answer, name) for answer in answers] for name in columns.names}
        self.append_table(pa.table(rows, schema=columns))

    def append_table(self, table: pa.Table) -> None:
        """:meth:`append` for answers that are a table of :func:`..answer.answer_schema` already.

        Raises:
            RunError: it cannot be written.
        """
        if table.num_rows:
            add_shard(self.folder, table)
            self._count(table)


def read_answers(
    folder: Path, columns: Collection[str] | None = None, marks: ThinkingMarks = NO_MARKS
) -> pa.Table:
    """All answers of a model, one row a key: where a failed or cut request was asked again, the later answer.

    Thoughts that a text still holds, as their marks were not known when it was stored, are taken off.

    Args:
        folder: the model's.
        columns: those to read; None for all.
        marks: of the model's thoughts.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    schema = answer_schema()
    names = schema.names if columns is None else list(columns)
    read = list(dict.fromkeys([*names, "key", "error", "finish_reason"]))
    if "prediction" in names and marks.end is not None and "reasoning" not in read:
        read.append("reasoning")
    empty = pa.schema([schema.field(name) for name in read]).empty_table()
    answers = one_a_key(pa.concat_tables([empty, *stream(folder, schema, columns=read)]))
    return (read_anew(answers, marks) if "prediction" in names else answers).select(names)


def has_answers(folder: Path) -> bool:
    """Whether any request of a model has an answer, and not an error alone.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    return any(table["error"].null_count for table in stream(folder, answer_schema(), columns=["error"]))


def read_anew(table: pa.Table, marks: ThinkingMarks) -> pa.Table:
    """The answers without thoughts that are still in them."""
    texts = table["prediction"].combine_chunks()
    within = pc.fill_null(pc.match_substring_regex(texts, marks.pattern), False)
    reasons = table["finish_reason"].combine_chunks()
    cut = pc.fill_null(pc.equal(reasons, CUT), False)
    if marks.end is not None:  # what was cut before the mark is nothing but thoughts
        within = pc.or_(within, pc.and_(cut, table["reasoning"].combine_chunks().is_null()))
    if not pc.any(within).as_py():
        return table
    rows = zip(*(column.filter(within).to_pylist() for column in (texts, cut, reasons)), strict=True)
    split = [(split_thoughts(text or "", marks, cut=was_cut), reason) for text, was_cut, reason in rows]
    anew = {
        "prediction": [one.text for one, _ in split],
        "finish_reason": [reason_of(one, reason) for one, reason in split],
        "reasoning": [one.reasoning or None for one, _ in split],
    }
    for name in anew.keys() & set(table.column_names):
        column = table[name].combine_chunks()
        new = pc.replace_with_mask(column, within, pa.array(anew[name], column.type))
        table = table.set_column(table.column_names.index(name), name, new)
    return table


def one_a_key(table: pa.Table) -> pa.Table:
    """The first whole answer of each key, else the last one that was cut, else its last error.

    The order is that in which the keys came first.
    """
    encoded = table["key"].combine_chunks().dictionary_encode()  # numbered in the order of their first rows
    if len(encoded.dictionary) == table.num_rows:
        return table
    codes, rows = encoded.indices.to_numpy(), np.arange(table.num_rows)
    failed = table["error"].is_valid().to_numpy(zero_copy_only=False)
    cut = pc.fill_null(pc.equal(table["finish_reason"], CUT), False).to_numpy(zero_copy_only=False)
    best = np.full(len(encoded.dictionary), -1)
    # what is written later stays: of errors and cut answers the last, of whole ones, backwards, the first
    for chosen in (rows[failed], rows[~failed & cut], rows[~failed & ~cut][::-1]):
        best[codes[chosen]] = chosen
    return table.take(best)


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


def append_requests(folder: Path, requests: Sequence[Request]) -> None:
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


def first_answers(table: pa.Table) -> pa.ChunkedArray:
    """Whether each request is no replicate; one that an earlier version stored is none."""
    return pc.equal(pc.fill_null(table["replicate"], 0), 0)


def planned_tables(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """:func:`request_tables` of the planned requests alone."""
    return stream(folder, request_schema(), PLANNED, columns)


def planned_keys(folder: Path) -> set[str]:
    """The keys of the planned requests; equal ones of several folders are one object in memory."""
    tables = planned_tables(folder, ("key",))
    return {sys.intern(key) for table in tables for key in table["key"].to_pylist()}


def later_tables(folder: Path, label: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """:func:`request_tables` of what follows from the answers of one model."""
    return stream(folder, request_schema(), later_series(folder_name(label)), columns)


def is_for(table: pa.Table, label: str) -> pa.ChunkedArray:
    """Whether each request is for the model; those that name none are for all."""
    return pc.fill_null(pc.equal(table["model"], label), True)
