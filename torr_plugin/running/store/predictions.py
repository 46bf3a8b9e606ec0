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
from ..answer import CUT, Answer, answer_schema, reason_of
from .shards import PLANNED, add_shard, sound_tables, stream, tidy


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
        """:meth:`append` for answers that are a table of :func:`.answer.answer_schema` already.

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
