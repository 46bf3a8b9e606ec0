"""The answers of one model: ``predictions/<model>/part-*.parquet``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...core.atomic_files import make_directory
from ...core.errors import RunError
from ...core.thinking import NO_MARKS, ThinkingMarks, split_thoughts
from ..answer import CUT, Answer, answer_schema, cut_at, reason_of
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

_COUNTED = ["key", "error", "finish_reason", "max_tokens"]
_DAMAGED = fail_on_damage("the same command asks its requests again")


@dataclass
class AnswerStore:
    """Appends answers shard by shard, and knows which requests have one.

    ``answered`` are the keys with a prediction, ``failed`` those that have an error alone; ``cut`` are those
    that were answered and ended at their ``max_tokens``, by that number, which is ``most`` where none is
    stored. ``notes`` says which files were set aside or left alone.
    """

    folder: Path
    most: int | None = None
    answered: KeySet = field(default_factory=KeySet)
    failed: KeySet = field(default_factory=KeySet)
    cut: dict[int, KeySet] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _shards: tuple[Shard, ...] = ()
    _next: int = 0
    _merges: bool = True

    @classmethod
    def resume(cls, folder: Path, most: int | None = None) -> AnswerStore:
        """Open what was stored so far; damaged shards are set aside, and their requests asked again.

        Args:
            folder: the model's.
            most: the study's ``max_tokens``.

        Raises:
            RunError: the folder cannot be made, read or tidied.
        """
        store = cls(folder, most)
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

    @classmethod
    def read(cls, folder: Path, most: int | None = None) -> AnswerStore:
        """Count what is stored, and change nothing; damaged shards are left out."""
        store = cls(folder, most)
        for table in stream(folder, answer_schema(), lambda path, error: None, columns=_COUNTED):
            store._count(table)
        return store

    def _take(self, listing: ShardListing, known: set[Path]) -> set[Path]:
        """Count the answers in shards that are not ``known``; gives the shards that are whole."""
        found = set()
        for path in listing.shards:
            if path in known:
                continue
            try:
                # to the end, before anything of it counts
                parts = [part.select(_COUNTED) for part in read_parts(path, answer_schema())]
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
        self._count_cut(table.filter(table["error"].is_null()))

    def _count_cut(self, table: pa.Table) -> None:
        limits = cut_at(table, self.most)
        if self.cut:
            self._discard_cut(table["key"].filter(limits.is_null()).to_pylist())
        for number in limits.drop_null().unique().to_pylist():
            keys = table["key"].filter(pc.fill_null(pc.equal(limits, number), False)).to_pylist()
            for smaller in [each for each in self.cut if each < number]:
                self.cut[smaller].discard(keys)
            self.cut.setdefault(number, KeySet()).add(keys)

    def _discard_cut(self, keys: list[str]) -> None:
        for kept in self.cut.values():
            kept.discard(keys)

    def texts(self, keys: Collection[str]) -> dict[str, str]:
        """The stored answers to some requests, by key.

        Raises:
            RunError: one of them is not there, or cannot be read.
        """
        wanted, found = pa.array(keys, pa.string()), dict[str, str]()
        if keys:
            for table in stream(self.folder, answer_schema(), _DAMAGED, columns=["key", "prediction"]):
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
    names = list(columns) if columns is not None else schema.names
    needed = ["key", "error", "finish_reason"]
    if "prediction" in names and marks.end is not None:
        needed.append("reasoning")
    read = [*names, *(name for name in needed if name not in names)]
    tables = list(stream(folder, schema, _DAMAGED, columns=read))
    if not tables:
        return schema.empty_table().select(names)
    found = one_a_key(pa.concat_tables(tables))
    return (read_anew(found, marks) if "prediction" in names else found).select(names)


def has_answers(folder: Path) -> bool:
    """Whether any request of a model has an answer, and not an error alone.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    errors = read_answers(folder, ["error"])["error"]
    return bool(errors.null_count)


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
    columns = [column.filter(within).to_pylist() for column in (texts, cut, reasons)]
    split = [
        split_thoughts(text or "", marks, cut=was_cut) for text, was_cut in zip(*columns[:2], strict=True)
    ]
    ended = [reason_of(each, reason) for each, reason in zip(split, columns[2], strict=True)]
    table = _with(table, "prediction", within, [each.text for each in split])
    table = _with(table, "finish_reason", within, ended)
    return _with(table, "reasoning", within, [each.reasoning or None for each in split])


def _with(table: pa.Table, name: str, where: pa.Array, values: list[str | None]) -> pa.Table:
    """The table with other values in one of its columns, if it has it."""
    if name not in table.column_names:
        return table
    column = table[name].combine_chunks()
    new = pc.replace_with_mask(column, where, pa.array(values, column.type))
    return table.set_column(table.column_names.index(name), name, new)


def one_a_key(table: pa.Table) -> pa.Table:
    """The first whole answer of each key, else the last one that was cut, else its last error.

    The order is that in which the keys came first.
    """
    encoded = table["key"].combine_chunks().dictionary_encode()  # numbered in the order of their first rows
    if len(encoded.dictionary) == table.num_rows:
        return table
    codes, rows = encoded.indices.to_numpy(), np.arange(table.num_rows)
    failed = table["error"].is_valid().to_numpy(zero_copy_only=False)
    best = np.full(len(encoded.dictionary), -1)
    best[codes[failed]] = rows[failed]  # of several, the last stays
    cut = pc.fill_null(pc.equal(table["finish_reason"], CUT), False).to_numpy(zero_copy_only=False)
    ended = rows[~failed & cut]
    best[codes[ended]] = ended
    good = rows[~failed & ~cut][::-1]
    best[codes[good]] = good  # backwards: the first stays
    return table.take(best)
