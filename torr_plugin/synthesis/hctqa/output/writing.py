"""Writes generated tables and questions to Parquet, row group by row group, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from ....core.atomic_files import atomic_path
from ..dataset import stream
from ..drawing.planning import planned
from ..generated import Generated, Making
from ..parameters.loading import Parameters
from .records import (
    NONSENSE_QUESTION_COLUMNS,
    NONSENSE_TABLE_COLUMNS,
    QUESTION_COLUMNS,
    TABLE_COLUMNS,
    Record,
    Row,
    record,
    record_with_nonsense,
)

TABLES_FILE = "tables.parquet"
QUESTIONS_FILE = "questions.parquet"
_GROUP = 512


@dataclass(frozen=True, slots=True)
class Written:
    """How much was written."""

    tables: int
    questions: int


def write_dataset(
    parameters: Parameters,
    out: Path,
    *,
    tables: int | None = None,
    seed: int = 0,
    kinds: Collection[int] | None = None,
    overflow: bool = True,
    names: bool = False,
    nonsense: bool = False,
    workers: int = 1,
) -> Written:
    """Make a data set and write it; the tables are written as texts by the processes that make them.

    The arguments are those of :func:`torr_plugin.synthesis.hctqa.dataset.generate`; equal ones give equal
    files with any number of ``workers``. ``nonsense`` adds the columns of the variant without meaning.

    Raises:
        ParameterError: as ``generate``.
    """
    making = Making.of(parameters, seed, kinds, overflow, names)
    then = partial(record_with_nonsense, seed=seed) if nonsense else record
    plan = planned(parameters, seed=seed, tables=tables)
    return write_records(stream(making, plan, then, workers), out, nonsense=nonsense)


def write(generated: Iterable[Generated], out: Path, *, seed: int = 0, nonsense: bool = False) -> Written:
    """Write tables that were made already."""
    then = partial(record_with_nonsense, seed=seed) if nonsense else record
    return write_records(map(then, generated), out, nonsense=nonsense)


def write_records(records: Iterable[Record], out: Path, *, nonsense: bool = False) -> Written:
    """Write rows to ``out/tables.parquet`` and ``out/questions.parquet``.

    Both appear complete or not at all: they are written under temporary names and renamed at the end.
    """
    out.mkdir(parents=True, exist_ok=True)
    table_columns = TABLE_COLUMNS + (NONSENSE_TABLE_COLUMNS if nonsense else ())
    question_columns = QUESTION_COLUMNS + (NONSENSE_QUESTION_COLUMNS if nonsense else ())
    with (
        _rows(out / TABLES_FILE, table_columns) as tables,
        _rows(out / QUESTIONS_FILE, question_columns) as questions,
    ):
        for one in records:
            tables.add((one.table,))
            questions.add(one.questions)
    return Written(tables.count, questions.count)


class _Rows:
    """Rows of a Parquet file, held until a row group is full."""

    def __init__(self, writer: parquet.ParquetWriter) -> None:
        self.count = 0
        self._writer = writer
        self._held: list[Row] = []

    def add(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._held.append(row)
            self.count += 1
            if len(self._held) == _GROUP:
                self.flush()

    def flush(self) -> None:
        """Write the rows that are held."""
        if self._held:
            self._writer.write_table(pa.Table.from_pylist(self._held, schema=self._writer.schema))
            self._held.clear()


@contextmanager
def _rows(path: Path, columns: Sequence[str]) -> Iterator[_Rows]:
    schema = pa.schema([(name, _type(name)) for name in columns])
    with (
        atomic_path(path) as unfinished,
        parquet.ParquetWriter(unfinished, schema, compression="zstd") as writer,
    ):
        rows = _Rows(writer)
        yield rows
        rows.flush()


def _type(column: str) -> Any:
    return pa.int8() if column == "template" else pa.string()
