"""Write generated tables and questions to Parquet, with the files and the fine-tuning set of each table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pyarrow as pa

from .....core.parquet import open_rows
from ..dataset import GeneratedTable
from ..layout.relational import Relational
from ..nonsense import nonsense
from .fine_tuning import SftFiles, question_answers, sft_rows
from .table_files import TEXTS, format_table, table_files

Row: TypeAlias = "dict[str, str | int]"

TABLE_COLUMNS = ("table_id", "topic", *TEXTS, "relational_csv", "properties")
QUESTION_COLUMNS = ("question_id", "table_id", "template", "question", "sql", "answer", "properties")
NONSENSE_TABLE_COLUMNS = tuple(f"{name}_nonsense" for name in (*TEXTS, "relational_csv"))
NONSENSE_QUESTION_COLUMNS = tuple(f"{name}_nonsense" for name in ("question", "sql", "answer"))


@dataclass(frozen=True, slots=True)
class OutputOptions:
    """What is written of a data set beside its rows.

    Attributes:
        seed: of the data set; made-up words depend on it.
        nonsense: whether to add the columns of the variant in made-up words.
        formats: the files to write of each table.
        sft: the layout of the fine-tuning set; None for no set.
        serializer: how tables are written in that set.
    """

    seed: int
    nonsense: bool = False
    formats: tuple[str, ...] = ()
    sft: str | None = None
    serializer: str = "html"


def _table_row(generated: GeneratedTable) -> Row:
    return {
        "table_id": generated.instance.table_id,
        "topic": generated.instance.family,
        **_texts(generated),
        "properties": json.dumps(generated.properties, sort_keys=True),
    }


def _question_rows(generated: GeneratedTable) -> list[Row]:
    return [
        {
            "question_id": question.question_id,
            "table_id": question.table_id,
            "template": question.template,
            "question": question.question,
            "sql": question.sql,
            "answer": question.answer,
            "properties": json.dumps(question.properties, sort_keys=True, ensure_ascii=False),
        }
        for question in generated.questions
    ]


def _texts(generated: GeneratedTable) -> dict[str, str]:
    shown = {name: format_table(generated.table, name) for name in TEXTS}
    return {**shown, "relational_csv": relational_csv(generated.relational)}


def relational_csv(table: Relational) -> str:
    """The relational table with SQL's names as header, to be loaded as ``DBdata``."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.sql_names)
    writer.writerows(table.rows)
    return out.getvalue()


def write_tables(made: Iterable[GeneratedTable], folder: Path, options: OutputOptions) -> dict[str, int]:
    """Write the tables to a folder: ``tables.parquet``, ``questions.parquet``, files, a fine-tuning set.

    Both Parquet files appear complete or not at all: they are written under temporary names and renamed at
    the end.

    Returns:
        The numbers of ``tables`` and ``questions``, and of examples in each split of the fine-tuning set.
    """
    folder.mkdir(parents=True, exist_ok=True)
    table_columns = TABLE_COLUMNS + (NONSENSE_TABLE_COLUMNS if options.nonsense else ())
    question_columns = QUESTION_COLUMNS + (NONSENSE_QUESTION_COLUMNS if options.nonsense else ())
    with ExitStack() as stack:
        tables = stack.enter_context(open_rows(folder / "tables.parquet", _schema(table_columns)))
        questions = stack.enter_context(open_rows(folder / "questions.parquet", _schema(question_columns)))
        sft = stack.enter_context(SftFiles(folder / "sft", options.sft)) if options.sft else None
        for each in made:
            table, asked = _rows(each, options)
            tables.add([table])
            questions.add(asked)
            instance = each.instance
            files = table_files(each.table, instance.table_id, options.formats, borders=instance.borders)
            for name, content in files.items():
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            if sft and options.sft:
                for split, row in sft_rows(
                    question_answers(each), options.sft, serializer=options.serializer
                ):
                    sft.add(split, row)
    tuning = {f"sft_{split}": count for split, count in sft.counts.items()} if sft else {}
    return {"tables": tables.count, "questions": questions.count, **tuning}


def _rows(generated: GeneratedTable, options: OutputOptions) -> tuple[Row, list[Row]]:
    """The row of a table and those of its questions."""
    table, questions = _table_row(generated), _question_rows(generated)
    if options.nonsense:
        other = nonsense(generated, options.seed)
        table |= {f"{name}_nonsense": text for name, text in _texts(other).items()}
        for row, question in zip(questions, other.questions, strict=True):
            row["question_nonsense"] = question.question
            row["sql_nonsense"] = question.sql
            row["answer_nonsense"] = question.answer
    return table, questions


def _schema(columns: Sequence[str]) -> pa.Schema:
    return pa.schema([(name, pa.int8() if name == "template" else pa.string()) for name in columns])
