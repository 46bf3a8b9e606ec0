"""The answers of one model: ``predictions/<model>/part-*.parquet``."""

from __future__ import annotations

import sys
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
from .shards import (
    SHARDS,
    DamagedShardError,
    Shard,
    add_shard,
    compact,
    list_shards,
    read_parts,
    set_aside,
    stream,
    tidy,
)


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
        store, whole = cls(folder), set[Shard]()
        make_directory(folder)
        # again where one was set aside: shards that it was made of count then, if a kill left them
        while fresh := [shard for shard in list_shards(folder) if shard not in whole]:
            whole.update(shard for shard in fresh if store._take(shard))
        tidy(folder)
        if len(whole) >= SHARDS:
            compact(folder, answer_schema())
        return store

    def _take(self, shard: Shard) -> bool:
        """Count the answers of a shard, or set it aside."""
        try:
            # to the end, before anything of it counts
            parts = [part.select(["key", "error"]) for part in read_parts(shard.path, answer_schema())]
        except DamagedShardError as error:
            aside = set_aside(shard.path)
            self.notes.append(
                f"{shard.path}: damaged ({error}); set aside as {aside.name}, its requests are asked again"
            )
            return False
        for part in parts:
            self._count(part)
        return True

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
        if keys:
            for table in stream(self.folder, answer_schema(), columns=["key", "prediction"]):
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
        """:meth:`append` for answers that are a table of :func:`.answer.answer_schema` already.

        Raises:
            RunError: it cannot be written.
        """
        if not table.num_rows:
            return
        add_shard(self.folder, table, uninterrupted=True)
        self._count(table)


def cut_answers(folder: Path, most: int | None) -> dict[str, int]:
    """The answers that ended at their ``max_tokens``: key -> that number.

    Args:
        folder: the model's.
        most: the number where none is stored, as in files of earlier versions; None where it is not known.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    table = read_answers(folder, ["key", "finish_reason", "max_tokens"])
    limits = cut_at(table, most)
    cut = limits.is_valid()
    return dict(zip(table["key"].filter(cut).to_pylist(), limits.filter(cut).to_pylist(), strict=True))


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
    tables = list(stream(folder, schema, columns=read))
    if not tables:
        return schema.empty_table().select(names)
    answers = one_a_key(pa.concat_tables(tables))
    return (read_anew(answers, marks) if "prediction" in names else answers).select(names)


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
    ended = [reason_of(one, reason) for one, reason in zip(split, columns[2], strict=True)]
    table = _with(table, "prediction", within, [one.text for one in split])
    table = _with(table, "finish_reason", within, ended)
    return _with(table, "reasoning", within, [one.reasoning or None for one in split])


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
