"""The stored answers of one model: ``predictions/<model>/part-*.parquet``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import RunError
from .answer import Answer, answer_schema
from .atomic import make_directory
from .shards import DamagedShardError, clear_left, index_of, list_folder, read_shard, set_aside, write_shard

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass
class AnswerStore:
    """Appends answers shard by shard, and knows which requests have one.

    ``answered`` are the keys with a prediction, ``failed`` those that have an error alone; ``notes`` says
    which files were set aside or left alone.
    """

    folder: Path
    answered: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    _next: int = 0

    @classmethod
    def resume(cls, folder: Path) -> AnswerStore:
        """What an earlier run stored; damaged shards are set aside, so that their requests are asked again.

        Raises:
            RunError: the folder cannot be made, read or tidied.
        """
        store = cls(folder)
        make_directory(folder)
        listing = list_folder(folder)
        clear_left(listing)
        store._next = listing.next_index
        store.notes += [f"{path}: is not part of the run; left alone" for path in listing.foreign]
        for path in listing.shards:
            store._take(path)
        return store

    def _take(self, path: Path) -> None:
        try:
            table = read_shard(path, answer_schema())
        except DamagedShardError as error:
            aside = set_aside(path)
            self.notes.append(
                f"{path}: damaged ({error}); set aside as {aside.name}, its requests are asked again"
            )
            return
        self._count(table)

    def _count(self, table: pa.Table) -> None:
        keys, errors = table["key"].to_pylist(), table["error"].to_pylist()
        self.answered.update(key for key, error in zip(keys, errors, strict=True) if error is None)
        self.failed.update(key for key, error in zip(keys, errors, strict=True) if error is not None)
        self.failed -= self.answered

    def append(self, answers: Sequence[Answer]) -> None:
        """Store a batch as one shard; when this returns it is on the disk.

        Raises:
            RunError: it cannot be written.
        """
        import pyarrow as pa

        if not answers:
            return
        columns = answer_schema()
        table = pa.table(
            {name: [getattr(answer, name) for answer in answers] for name in columns.names}, schema=columns
        )
        try:
            write_shard(self.folder, self._next, table)
        except KeyboardInterrupt:
            # the batch is complete: it goes to the disk before the run ends
            write_shard(self.folder, self._next, table)
            raise
        finally:
            self._next += 1
        self._count(table)


def read_answers(folder: Path) -> pa.Table:
    """All answers of a model, one row a key: where a failed request was asked again, the later answer.

    Raises:
        RunError: a shard is damaged or cannot be read.
    """
    import pyarrow as pa

    tables = list(_tables(folder))
    if not tables:
        return answer_schema().empty_table()
    table = pa.concat_tables(tables)
    best: dict[str, int] = {}
    errors = table["error"].is_valid().to_pylist()
    for row, key in enumerate(table["key"].to_pylist()):
        if key not in best or errors[best[key]]:
            best[key] = row
    return table if len(best) == table.num_rows else table.take(pa.array(list(best.values())))


def _tables(folder: Path) -> Iterator[pa.Table]:
    for path in sorted(list_folder(folder).shards, key=index_of):
        try:
            yield read_shard(path, answer_schema())
        except DamagedShardError as error:
            raise RunError(f"{path}: damaged ({error}); the same command asks its requests again") from error
