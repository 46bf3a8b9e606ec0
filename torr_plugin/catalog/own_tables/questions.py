"""Read a file of questions about the user's own tables: CSV, an Excel sheet, or JSON lines."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, TypeVar
from unicodedata import normalize

from ...core.errors import DataError, nearest
from ...tables import Table
from ...tables.quantities import json_as_written, scaled, share
from ...tables.workbooks import read_xlsx
from ..text_files import TextFiles
from .tables import WORKBOOKS, Tables, rows_of

TEST, TRAIN = "test", "train"
TOLERANCES = ("absolute_tolerance", "relative_tolerance")
BETWEEN = " | "
"""What stands between the values of an answer that has several."""

_ANSWERS = ("answer", "any_of", "all_of")
_NEEDED, _OPTIONAL = ("table", "question"), ("id", "split", "sheet", "range", "scale", "texts", *TOLERANCES)
_KNOWN = (*_NEEDED, *_ANSWERS, *_OPTIONAL)
_ONE_IN = 4
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")

T = TypeVar("T")
Record: TypeAlias = "Mapping[str, Any]"
"""A line of the file by its columns: texts, and in JSON lines numbers and lists too."""


@dataclass(frozen=True)
class OwnQuestion:
    """One line of the file: a question about a table, and its answers.

    Attributes:
        id: unique in the file.
        table: the table's name; of several tables with equal texts the first one's.
        content: the table.
        question: the question.
        answers: right answers, any of which will do; the values of one that has several are joined by
            ``BETWEEN``.
        has_values: whether the answer is one that has several values.
        tolerances: the names of tolerances -> their text, where the line has any.
        split: ``test`` for a question to ask, ``train`` for a demonstration; "" if not given.
        groups: what questions are grouped by -> the group of this one: ``{"subtype": "Counting"}``.
        facts: what the metric needs beside the answers: its name -> the text.
        provenance: JSON: where question and answers are from; "" if not given.
        texts: the paragraphs that stand beside the table; "" if not given.
    """

    id: str
    table: str
    content: Table
    question: str
    answers: tuple[str, ...]
    has_values: bool = False
    tolerances: Mapping[str, str] = field(default_factory=dict)
    split: str = ""
    groups: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    provenance: str = ""
    texts: str = ""


def read_questions(path: Path, tables: Tables) -> list[OwnQuestion]:
    """Read the questions of a file and give each a split.

    Without a column ``split``, every fourth table is set aside for demonstrations, or one of two or three
    tables, or none if there is only one.

    Raises:
        DataError: the file or a table cannot be read, or a line is invalid.
    """
    names, records = read_records(path, tables.texts)
    _check_columns(path, names)
    found, seen = list[OwnQuestion](), set[str]()
    for number, record in enumerate(records, start=1):
        question = _question(record, number, f"{path}: question {number}", tables)
        if question.id in seen:
            raise DataError(
                f"{path}: question {number}: the id {question.id!r} was another's; expected each once"
            )
        seen.add(question.id)
        found.append(question)
    found = of_one_table(found)
    found = found if "split" in names else with_splits(found)
    if not any(each.split == TEST for each in found):
        raise DataError(f"{path}: no question to ask; expected one at least with the split {TEST!r}")
    return found


def read_records(path: Path, texts: TextFiles) -> tuple[list[str], list[Record]]:
    """The names of a file's columns in lower case, and its lines without empty ones.

    Raises:
        DataError: it cannot be read.
    """
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        records = list(_json_lines(path, texts.read(path)))
        names = list(dict.fromkeys(name for record in records for name in record))
        return names, [{**dict.fromkeys(names), **record} for record in records]
    if path.suffix.lower() in WORKBOOKS:
        # the heading as a row: a table needs one, and there may be no line below it
        table = read_xlsx(
            path, header_rows=0, header_columns=0, hidden=True, notes_of_style=False, split=False
        )
        if stray := " ".join((table.title, *table.notes)).strip():
            raise DataError(f"{path}: found {stray[:60]!r} above or below the questions; expected them alone")
        head, *rows = [[cell.text for cell in row] for row in table.grid]
    else:
        head, *rows = rows_of(path, texts)
    names = [name.strip().lower() for name in head]
    lines = [row for row in rows if any(map(str.strip, row))]  # spreadsheets leave some at the end
    return names, [dict(zip(names, map(str.strip, line), strict=True)) for line in lines]


def _json_lines(path: Path, text: str) -> Iterator[Record]:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            record = json_as_written(line)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path}:{number}: not JSON: {str(error)[:100]}") from None
        if not isinstance(record, dict):
            raise DataError(f"{path}:{number}: found {line[:40]!r}; expected an object")
        yield {name.strip().lower(): value for name, value in record.items()}


def _check_columns(path: Path, names: Sequence[str]) -> None:
    missing = [name for name in _NEEDED if name not in names]
    if not any(name in names for name in _ANSWERS):
        missing.append("answer")
    if missing:
        raise DataError(
            f"{path}: no column {', '.join(map(repr, missing))}; found: {', '.join(map(repr, names))}; "
            f"expected {', '.join(_NEEDED)}, one of {', '.join(_ANSWERS)}, and any of {', '.join(_OPTIONAL)}"
        )
    for name in names:
        if name not in _KNOWN and difflib.get_close_matches(name, set(_KNOWN).difference(names), cutoff=0.75):
            raise DataError(f"{path}: unknown column {name!r}; {nearest(name, _KNOWN)}")
    twice = [name for name in _KNOWN if names.count(name) > 1]
    if twice:
        raise DataError(f"{path}: column {twice[0]!r} is there twice; expected once")


def _question(record: Record, number: int, where: str, tables: Tables) -> OwnQuestion:
    columns = [name for name in (*_NEEDED, *_OPTIONAL) if name != "texts"]
    texts = {name: field_text(record.get(name), name, where) for name in columns}
    empty = [name for name in _NEEDED if not texts[name]]
    if empty:
        raise DataError(f"{where}: {empty[0]} is empty; expected a text")
    split = texts["split"]
    if "split" in record and split not in (TEST, TRAIN):
        raise DataError(
            f"{where}: split: found {split!r}; expected {TEST!r} (asked) or {TRAIN!r} (for demonstrations)"
        )
    answers, has_values = _answers(record, where)
    name, *place = texts["table"], texts["sheet"], texts["range"]
    content = tables.called(name, where, *place)
    return OwnQuestion(
        id=texts["id"] or f"q{number}",
        table=tables.key(name, *place),
        content=content,
        question=texts["question"],
        answers=answers,
        has_values=has_values,
        tolerances={name: _tolerance(texts[name], name, where) for name in TOLERANCES if texts[name]},
        split=split,
        facts={"scale": _scale(texts["scale"], where)} if "scale" in record else {},
        texts=_paragraphs(record.get("texts"), where),
    )


def _scale(text: str, where: str) -> str:
    try:
        scaled("1", text or "none")
    except ValueError as error:
        raise DataError(f"{where}: scale: {error}") from None
    return text.lower() or "none"


def _paragraphs(value: Any, where: str) -> str:
    """The texts beside a table, a JSON list of paragraphs or one text, with blank lines between them."""
    if value in (None, "", []):
        return ""
    paragraphs = [value]
    if isinstance(value, list) or (isinstance(value, str) and value.lstrip().startswith("[")):
        paragraphs = _list(value, "texts", where)
    return "\n\n".join(field_text(each, "texts", where) for each in paragraphs)


def _answers(record: Record, where: str) -> tuple[tuple[str, ...], bool]:
    """The right answers of a line, and whether it is one answer of several values."""
    given = [name for name in _ANSWERS if record.get(name) not in (None, "", [])]
    if not given:
        columns = " and ".join(name for name in _ANSWERS if name in record)
        raise DataError(f"{where}: {columns} is empty; expected a text")
    if len(given) > 1:
        raise DataError(f"{where}: {given[1]}: found {' and '.join(given)}; expected one of them")
    name = given[0]
    if name == "answer":
        return (_value(record[name], name, where),), False
    values = tuple(_value(value, name, where) for value in _list(record[name], name, where))
    if name == "any_of":
        return values, False
    barred = [value for value in values if "|" in value]
    if barred:
        raise DataError(
            f"{where}: all_of: found {barred[0]!r}; expected values without '|', which parts them"
        )
    return (BETWEEN.join(values),), len(values) > 1


def _list(value: Any, name: str, where: str) -> list[Any]:
    """The values of a cell: a JSON list, or texts with bars between them."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(ValueError, RecursionError):  # a text may begin so
            value = json_as_written(value)
    values = [part.strip() for part in value.split("|")] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(each not in (None, "") for each in values):
        expected = "values with | between them, or a JSON list of texts"
        raise DataError(f"{where}: {name}: found {str(value)[:60]!r}; expected {expected}")
    return values


def _value(value: Any, name: str, where: str) -> str:
    text = field_text(value, name, where)
    if not text:
        raise DataError(f"{where}: {name} has an empty value; expected a text")
    return text


def field_text(value: Any, name: str, where: str) -> str:
    """The text of a field, or a number of JSON as it is written there; empty for null.

    Raises:
        DataError: a list, an object, or half a character.
    """
    if value is None:
        return ""
    if isinstance(value, (list, dict)):
        hint = "; several right answers go into any_of or all_of" if name == "answer" else ""
        raise DataError(f"{where}: {name}: found {str(value)[:60]!r}; expected a text{hint}")
    text = value.strip() if isinstance(value, str) else json.dumps(value)
    if _HALF_CHARACTER.search(text):
        raise DataError(f"{where}: {name}: found {text[:60]!r}; expected text without lone surrogates")
    return text


def _tolerance(text: str, name: str, where: str) -> str:
    try:
        share(text)
    except ValueError as error:
        raise DataError(f"{where}: {name}: {error}") from None
    return text


def of_one_table(questions: Sequence[OwnQuestion]) -> list[OwnQuestion]:
    """The questions, tables of equal texts under one name: none demonstrates anything about its twin."""
    names: dict[tuple[tuple[str, ...], ...], str] = {}
    texts = once_a_table(questions, _texts)
    return [replace(each, table=names.setdefault(texts(each), each.table)) for each in questions]


def _texts(table: Table) -> tuple[tuple[str, ...], ...]:
    return tuple([tuple([normalize("NFC", cell.text).strip() for cell in row]) for row in table.grid])


def once_a_table(questions: Sequence[OwnQuestion], of: Callable[[Table], T]) -> Callable[[OwnQuestion], T]:
    """What a function makes of each question's table, computed once where questions share one."""
    tables = {id(each.content): each.content for each in questions}
    computed = {key: of(table) for key, table in tables.items()}
    return lambda question: computed[id(question.content)]


def with_splits(questions: Sequence[OwnQuestion]) -> list[OwnQuestion]:
    """Assign whole tables to splits, so that no demonstration shows a table that is asked about."""
    tables = list(dict.fromkeys(each.table for each in questions))
    shown = set(tables[_ONE_IN - 1 :: _ONE_IN] or tables[1:][-1:])
    return [replace(each, split=TRAIN if each.table in shown else TEST) for each in questions]


def possible_shots(questions: Sequence[OwnQuestion]) -> int:
    """1 if every asked question has a demonstration about another table, else 0."""
    asked, shown = _tables(questions, TEST), _tables(questions, TRAIN)
    return int(bool(shown) and all(shown - {table} for table in asked))


def notes_of(questions: Sequence[OwnQuestion]) -> tuple[str, ...]:
    """A remark about tables that are both asked about and shown."""
    both = sorted(_tables(questions, TEST) & _tables(questions, TRAIN))
    if not both:
        return ()
    none = "" if possible_shots(questions) else ", and some have no other: the study shows no demonstrations"
    return (
        f"the table {both[0]!r}{f' and {len(both) - 1} more' if both[1:] else ''} is in both splits: it "
        f"demonstrates nothing to questions about itself{none}",
    )


def _tables(questions: Sequence[OwnQuestion], split: str) -> set[str]:
    return {each.table for each in questions if each.split == split}
