"""The answers of one model: ``predictions/<model>/part-*.parquet``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa

from ...core.atomic_files import make_directory
from ..answer import Answer, answer_schema
from .keyset import KeySet
from .merging import due, merged
from .shard_reading import fail_on_damage, read_parts, stream
from .shards import (
    DamagedShardError,
    Shard,
    ShardListing,
    add_shard,
    clear_left,
    list_folder,
    parquet_bytes,
    set_aside,
)


@dataclass
class AnswerStore:
    """Appends answers shard by shard, and knows which requests have one.

    ``answered`` are the keys with a prediction, ``failed`` those that have an error alone; ``notes`` says
    which files were set aside or left alone.
    """

    folder: Path
    answered: KeySet = field(default_factory=KeySet)
    failed: KeySet = field(default_factory=KeySet)
    notes: list[str] = field(default_factory=list)
    _shards: tuple[Shard, ...] = ()
    _next: int = 0
    _merges: bool = True

    @classmethod
    def resume(cls, folder: Path) -> AnswerStore:
        """Open what was stored so far; damaged shards are set aside, and their requests asked again.

        Raises:
            RunError: the folder cannot be made, read or tidied.
        """
        store = cls(folder)
        make_directory(folder)
        listing = list_folder(folder)
        store.notes += listing.foreign_notes
        taken = store._take(listing, set())
        if len(taken) < len(listing.files):
            # a merged shard was set aside: what it was made of counts again, where that is still there
            listing = list_folder(folder)
            taken |= store._take(listing, taken)
        clear_left(listing)
        store._next = listing.next_index()
        store._shards = tuple(shard for shard in listing.files if shard.path in taken)
        store._merge()
        return store

    def _take(self, listing: ShardListing, known: set[Path]) -> set[Path]:
        """Count the answers in shards that are not ``known``; gives the shards that are whole."""
        found = set()
        for path in listing.shards:
            if path in known:
                continue
            try:
                # to the end, before anything of it counts
                parts = [part.select(["key", "error"]) for part in read_parts(path, answer_schema())]
            except DamagedShardError as error:
                aside = set_aside(path)
                self.notes.append(
                    f"{path}: damaged ({error}); set aside as {aside.name}, its requests are asked again"
                )
            else:
                for part in parts:
                    self._count(part)
                found.add(path)
        return found

    def _count(self, table: pa.Table) -> None:
        keys, failed = table["key"], table["error"].is_valid()
        good = keys.filter(table["error"].is_null()).to_pylist()
        self.answered.add(good)
        self.failed.discard(good)
        bad = keys.filter(failed).to_pylist()
        known = self.answered.contained(bad)
        self.failed.add(key for key, answered in zip(bad, known, strict=True) if not answered)

    def append(self, answers: Sequence[Answer]) -> None:
        """Store a batch as one shard; when this returns it is on the disk.

        Raises:
            RunError: it cannot be written.
        """
        columns = answer_schema()
        self.append_table(
            pa.table(
                {name: [getattr(answer, name) for answer in answers] for name in columns.names},
                schema=columns,
            )
        )

    def append_table(self, table: pa.Table) -> None:
        """:meth:`append` for answers that are a table of :func:`.answer.answer_schema` already.

        Raises:
            RunError: it cannot be written.
        """
        if not table.num_rows:
            return
        data, index = parquet_bytes(table), self._next
        try:
            shard = add_shard(self.folder, index, data)
        except KeyboardInterrupt:
            # the batch is complete: it goes to the disk before the run ends, if it is not there
            add_shard(self.folder, index, data, again=True)
            raise
        self._count(table)
        self._shards, self._next = (*self._shards, shard), shard.last + 1
        self._merge()

    def _merge(self) -> None:
        if self._merges and due(self._shards):
            self._shards = merged(self.folder, self._shards, answer_schema())
            self._merges = not due(self._shards)  # what cannot be merged now is left to the next resume


def read_answers(folder: Path, columns: Collection[str] | None = None) -> pa.Table:
    """All answers of a model, one row a key: where a failed request was asked again, the later answer.

    Args:
        folder: the model's.
        columns: those to read; None for all.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    schema = answer_schema()
    names = list(columns) if columns is not None else schema.names
    read = [*names, *(name for name in ("key", "error") if name not in names)]
    damaged = fail_on_damage("the same command asks its requests again")
    tables = list(stream(folder, schema, damaged, columns=read))
    if not tables:
        return schema.empty_table().select(names)
    return _one_a_key(pa.concat_tables(tables)).select(names)


def _one_a_key(table: pa.Table) -> pa.Table:
    """The first answer of each key, else its last error, in the order in which the keys came first."""
    encoded = table["key"].combine_chunks().dictionary_encode()  # numbered in the order of their first rows
    if len(encoded.dictionary) == table.num_rows:
        return table
    codes, rows = encoded.indices.to_numpy(), np.arange(table.num_rows)
    failed = table["error"].is_valid().to_numpy(zero_copy_only=False)
    best = np.full(len(encoded.dictionary), -1)
    best[codes[failed]] = rows[failed]  # of several, the last stays
    good = rows[~failed][::-1]
    best[codes[good]] = good  # backwards: the first stays
    return table.take(best)
