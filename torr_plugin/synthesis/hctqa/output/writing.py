"""Writes generated tables and questions to Parquet, row group by row group, so that memory stays flat."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pyarrow as pa
from pyarrow import parquet

from ....core.atomic_files import atomic_path
from ....core.errors import InputError
from ..combinations import plan_tables
from ..dataset import GeneratedTable, GenerationSettings, stream
from ..layout.relational import Relational
from ..nonsense import nonsense
from ..parameters.loading import VALUE, Parameters
from ..parameters.models import sql_name
from .fine_tuning import SftFiles, Split, question_answers, sft_rows
from .table_files import TEXTS, format_table, table_files

TABLES_FILE = "tables.parquet"
QUESTIONS_FILE = "questions.parquet"
_GROUP = 512


@dataclass(frozen=True, slots=True)
class WrittenCounts:
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
) -> WrittenCounts:
    """Make a data set and write it; the tables are written as texts by the processes that make them.

    The arguments are those of :func:`torr_plugin.synthesis.hctqa.dataset.generate`; equal ones give equal
    files with any number of ``workers``. ``nonsense`` adds the columns of the variant without meaning.

    Raises:
        ParameterError: as ``generate``.
    """
    settings = GenerationSettings.of(parameters, seed, kinds, overflow, names)
    then = partial(record_with_nonsense, seed=seed) if nonsense else record
    plan = plan_tables(parameters, seed=seed, tables=tables)
    return write_records(stream(settings, plan, then, workers), out, nonsense=nonsense)


def write(
    generated: Iterable[GeneratedTable], out: Path, *, seed: int = 0, nonsense: bool = False
) -> WrittenCounts:
    """Write tables that were made already."""
    then = partial(record_with_nonsense, seed=seed) if nonsense else record
    return write_records(map(then, generated), out, nonsense=nonsense)


def write_records(records: Iterable[Record], out: Path, *, nonsense: bool = False) -> WrittenCounts:
    """Write rows to ``out/tables.parquet`` and ``out/questions.parquet``.

    Both appear complete or not at all: they are written under temporary names and renamed at the end.
    """
    out.mkdir(parents=True, exist_ok=True)
    table_columns = TABLE_COLUMNS + (NONSENSE_TABLE_COLUMNS if nonsense else ())
    question_columns = QUESTION_COLUMNS + (NONSENSE_QUESTION_COLUMNS if nonsense else ())
    with (
        _open_rows(out / TABLES_FILE, table_columns) as tables,
        _open_rows(out / QUESTIONS_FILE, question_columns) as questions,
    ):
        for one in records:
            tables.add((one.table,))
            questions.add(one.questions)
    return WrittenCounts(tables.count, questions.count)


class _ParquetRows:
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
def _open_rows(path: Path, columns: Sequence[str]) -> Iterator[_ParquetRows]:
    schema = pa.schema([(name, _type(name)) for name in columns])
    with (
        atomic_path(path) as unfinished,
        parquet.ParquetWriter(unfinished, schema, compression="zstd") as writer,
    ):
        rows = _ParquetRows(writer)
        yield rows
        rows.flush()


def _type(column: str) -> Any:
    return pa.int8() if column == "template" else pa.string()


Row: TypeAlias = "dict[str, str | int]"

TABLE_COLUMNS = ("table_id", "topic", *TEXTS, "relational_csv", "properties")
QUESTION_COLUMNS = ("question_id", "table_id", "template", "question", "sql", "answer", "properties")
NONSENSE_TABLE_COLUMNS = tuple(f"{name}_nonsense" for name in (*TEXTS, "relational_csv"))
NONSENSE_QUESTION_COLUMNS = tuple(f"{name}_nonsense" for name in ("question", "sql", "answer"))


@dataclass(frozen=True, slots=True)
class Record:
    """What is written of one table."""

    table: Row
    questions: tuple[Row, ...]


def record(generated: GeneratedTable) -> Record:
    """The rows of a table and of its questions."""
    table_id = generated.instance.table_id
    properties = json.dumps(dict(generated.properties), sort_keys=True)
    table: Row = {"table_id": table_id, "topic": generated.instance.family}
    questions: list[Row] = [
        {
            "question_id": question.question_id,
            "table_id": table_id,
            "template": question.template,
            "question": question.question,
            "sql": question.sql,
            "answer": question.answer,
            "properties": json.dumps(dict(question.properties), sort_keys=True, ensure_ascii=False),
        }
        for question in generated.questions
    ]
    return Record({**table, **_texts(generated), "properties": properties}, tuple(questions))


def record_with_nonsense(generated: GeneratedTable, seed: int) -> Record:
    """The same with the columns of the variant whose words mean nothing."""
    plain, other = record(generated), nonsense(generated, seed)
    table = {f"{name}_nonsense": text for name, text in _texts(other).items()}
    questions = tuple(
        {
            **row,
            "question_nonsense": question.question,
            "sql_nonsense": question.sql,
            "answer_nonsense": question.answer,
        }
        for row, question in zip(plain.questions, other.questions, strict=True)
    )
    return Record({**plain.table, **table}, questions)


def _texts(generated: GeneratedTable) -> dict[str, str]:
    shown = {name: format_table(generated.table, name) for name in TEXTS}
    return {**shown, "relational_csv": relational_csv(generated.relational)}


def relational_csv(table: Relational) -> str:
    """The relational table under SQL's names, so that what reads CSV can load it as ``DBdata``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.sql_names)
    writer.writerows(table.rows)
    return out.getvalue()


def read_relational_csv(text: str) -> Relational:
    """The inverse of :func:`relational_csv`, but for names that SQL cannot have.

    The benchmark's own files have a line of display names above SQL's; these are read, too.

    Raises:
        InputError: no header, a row of another length, a value that is no number.
    """
    lines = [line for line in csv.reader(io.StringIO(text)) if line]
    if not lines or lines[0][-1] != VALUE:
        raise InputError(f"relational table: found no header line; expected names, the last of them {VALUE}")
    has_display_names = len(lines) > 1 and lines[1] == list(map(sql_name, lines[0]))
    sql_names, *body = lines[1:] if has_display_names else lines
    return Relational(tuple(lines[0]), tuple(sql_names), tuple(_entries(body, len(sql_names))))


def _entries(body: Iterable[Sequence[str]], width: int) -> Iterable[tuple[str | Decimal, ...]]:
    for number, line in enumerate(body, start=1):
        if len(line) != width:
            raise InputError(f"relational table: row {number}: {len(line)} values; expected {width}")
        try:
            yield (*line[:-1], Decimal(line[-1]))
        except InvalidOperation as error:
            found = line[-1][:40]
            raise InputError(
                f"relational table: row {number}: Value: found {found!r}; expected a number"
            ) from error


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is made of a table beside its rows.

    Attributes:
        seed: of the data set; made-up words are drawn by it.
        nonsense: whether there is a variant in made-up words.
        formats: files of the table.
        sft: layout of the fine-tuning set; None for no set.
        serializer: how tables are written in that set.
    """

    seed: int
    nonsense: bool = False
    formats: tuple[str, ...] = ()
    sft: str | None = None
    serializer: str = "html"


@dataclass(frozen=True, slots=True)
class TableOutput:
    """One table's rows, its files by their names, and its part of a fine-tuning set."""

    record: Record
    files: dict[str, bytes]
    tuning: tuple[tuple[Split, dict[str, Any]], ...]


def table_output(generated: GeneratedTable, *, wanted: OutputOptions) -> TableOutput:
    """All that is wanted of one table."""
    instance = generated.instance
    made = record_with_nonsense(generated, seed=wanted.seed) if wanted.nonsense else record(generated)
    files = table_files(generated.table, instance.table_id, wanted.formats, borders=instance.borders)
    tuning = (
        sft_rows(question_answers(generated), wanted.sft, serializer=wanted.serializer) if wanted.sft else ()
    )
    return TableOutput(made, files, tuple(tuning))


def write_outputs(packages: Iterable[TableOutput], folder: Path, sft: SftFiles | None) -> Iterator[Record]:
    """The tables' rows, one by one; their files go to ``folder`` and to the fine-tuning set meanwhile."""
    for each in packages:
        for name, content in each.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if sft is not None:
            for split, row in each.tuning:
                sft.add(split, row)
        yield each.record
