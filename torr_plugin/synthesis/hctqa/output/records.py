"""A generated table and its questions as rows of ``tables.parquet`` and ``questions.parquet``."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TypeAlias

from ....core.errors import InputError
from ..generated import Generated
from ..layout.relational import Relational
from ..nonsense import nonsense
from ..parameters.checking import VALUE, sql_name
from .texts import TEXTS, written

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


def record(generated: Generated) -> Record:
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


def record_with_nonsense(generated: Generated, seed: int) -> Record:
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


def _texts(generated: Generated) -> dict[str, str]:
    shown = {name: written(generated.table, name) for name in TEXTS}
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
