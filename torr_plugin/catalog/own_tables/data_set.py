"""Write the files of the user's own data set: Parquet files, a card that reads them, a recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import write_file
from ...core.errors import DataError
from ...tables import Table, serializers
from .answer_forms import NUMBERS, AnswerForm, AnswerMetric, fitting_form
from .questions import (
    BETWEEN,
    TEST,
    TOLERANCES,
    TRAIN,
    OwnQuestion,
    notes_of,
    of_one_table,
    once_a_table,
    possible_shots,
    read_questions,
)
from .tables import Tables

_HTML = serializers.get("html")
NO_TEXTS = "none"
_TOKENS_OF_A_TEXT = 1024


@dataclass(frozen=True)
class Wording:
    """What a card says around its questions.

    Attributes:
        instruction: begins a prompt.
        prefix: stands before an answer.
        processor: of answers, as in ``processors.<name>``; empty for those that fit the right answers.
        keeps_labels: perturbations under which answers stay right.
    """

    instruction: str = "Read the table and answer the question. Write nothing but the answer."
    prefix: str = "Answer: "
    processor: str = ""
    keeps_labels: tuple[str, ...] = ("none", "shuffle_cols", "transpose", "insert_empty_rows")


def data_rows(questions: Sequence[OwnQuestion]) -> list[dict[str, Any]]:
    """The rows of the data: no more columns than the questions need.

    Where a table has more than one row of headings and plain cells below it, all are kept as HTML, which
    loses nothing, and else as lists of rows. Where a question has several right answers, the column is
    ``answers``, of lists.
    """
    is_plain = once_a_table(questions, _is_plain)
    nested = not all(map(is_plain, questions))
    table = once_a_table(questions, _HTML.serialize if nested else _rows)
    several = any(len(each.answers) > 1 for each in questions)
    tolerances = [name for name in TOLERANCES if any(name in each.tolerances for each in questions)]
    groups = dict.fromkeys(name for each in questions for name in each.groups)
    facts = dict.fromkeys(name for each in questions for name in each.facts)
    texts, provenance = any(each.texts for each in questions), any(each.provenance for each in questions)
    return [
        {
            "id": each.id,
            "table_id": each.table,
            "table": table(each),
            "question": each.question,
            **({"answers": list(each.answers)} if several else {"answer": each.answers[0]}),
            **{name: each.tolerances.get(name) for name in tolerances},
            **{name: each.groups.get(name, "") for name in groups},
            **{name: each.facts.get(name) for name in facts},
            **({"texts": each.texts or NO_TEXTS} if texts else {}),
            **({"provenance": each.provenance} if provenance else {}),
        }
        for each in questions
    ]


def _rows(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


def _is_plain(table: Table) -> bool:
    """Whether rows of texts, headings first, are all there is to a table."""
    return table.is_flat and not table.title and not table.notes


def card_document(
    name: str,
    licence: str,
    questions: Sequence[OwnQuestion],
    row: Mapping[str, Any],
    *,
    form: AnswerForm,
    decimal_mark: str,
    wording: Wording,
) -> dict[str, Any]:
    """The card of a data set, for its JSON file; ``row`` is the first of the data's."""
    splits, several, nested = splits_of(questions), "answers" in row, isinstance(row["table"], str)
    metric, with_texts = form.metric, "texts" in row
    facts: dict[str, Any] = {name: {"column": name} for each in questions for name in each.facts}
    if metric.main == NUMBERS:
        for tolerance in TOLERANCES:
            facts[tolerance] = {**({"column": tolerance} if tolerance in row else {}), "default": "0"}
        facts["decimal_mark"] = {"default": decimal_mark}
    processors = [wording.processor] if wording.processor else form.processors
    before = "Texts:\n{texts}\n\n" if with_texts else ""
    values = " Write | between several values." if any(each.has_values for each in questions) else ""
    return {
        "__type__": "table_card",
        "__description__": f"The user's questions about their own tables: {name}.",
        "licence": licence,
        "skills": {
            "knowledge_extraction": "required",
            "textual_reasoning": "partial",
            "numerical_reasoning": "partial",
        },
        "main_metric": metric.main,
        "keeps_labels": list(wording.keeps_labels),
        "notes": ["Not shuffle_rows: questions may mention the first row, or the one above."],
        **({"demo_split": TRAIN} if TRAIN in splits else {}),
        "test_split": TEST,
        "loader": {
            "__type__": "load_tables",
            "mirror": name,
            "columns": [column for column in row if column != "provenance"],
            "splits": {split: {"mirror": split} for split in splits},
        },
        "preprocess_steps": [
            {
                "__type__": "read_example",
                "id": "id",
                "table": {"reader": "html", "columns": {"text": "table"}}
                if nested
                else {"reader": "grid", "columns": {"rows": "table"}},
                "inputs": {"question": "question", **({"texts": "texts"} if with_texts else {})},
                "references": ["answers" if several else "answer"],
                "groups": {"table": "table_id", **{name: name for each in questions for name in each.groups}},
                **({"facts": facts} if facts else {}),
            }
        ],
        "task": f"tasks.torr.{'table_and_texts_qa' if with_texts else 'table_qa'}[metrics=[{metric.name}]]",
        "templates": [
            {
                "__type__": "multi_reference_template" if several else "input_output_template",
                "instruction": f"{wording.instruction}{values}",
                "input_format": f"{before}Table:\n{{table}}\n\nQuestion: {{question}}",
                "target_prefix": wording.prefix,
                **({"references_field": "references"} if several else {"output_format": "{target}"}),
                "postprocessors": [f"processors.{name}" for name in processors],
            }
        ],
    }


def splits_of(questions: Sequence[OwnQuestion]) -> list[str]:
    """The splits that have a question."""
    return [split for split in (TRAIN, TEST) if any(each.split == split for each in questions)]


_NAME = re.compile(r"[a-z][a-z0-9_]*")
# quoted: YAML reads no, null and true as other than names
_RECIPE = """\
# A first study of {name}: `torr list serializers`, `torr list perturbations` and `torr models` name more.
name: "{name}"
cards: [{cards}]
configurations:
  - serializers: [html, markdown, csv, json]
    perturbations: [{perturbations}]
demonstrations: {{shots: {shots}}}
examples: {{count: all}}
{generation}models: [torr-lexical]
"""


@dataclass(frozen=True)
class DataAndCard:
    """The files of a data set, and counts.

    Attributes:
        data: the Parquet files, one a split.
        card: the card's file.
        kept: what existed already and was left unchanged.
        asked: the number of questions to ask; ``shown`` the number for demonstrations.
        shots: how many demonstrations a question can have in a first recipe, 0 or 1.
        tables: the number of tables.
        columns: of the data.
        metric: the main score of a new card.
        why: why its metric and its reading of answers fit.
        is_text: whether right answers are texts, not short answers.
        notes: remarks for the user.
        recipe: a first study's file, where one was made.
    """

    data: tuple[Path, ...]
    card: Path
    kept: tuple[Path, ...]
    asked: int
    shown: int
    shots: int
    tables: int
    columns: tuple[str, ...]
    metric: str
    why: str
    is_text: bool
    notes: tuple[str, ...]
    recipe: Path | None = None


def make_data_set(
    name: str,
    questions: Path,
    tables: Tables,
    mirror: Path,
    *,
    beside: Path,
    licence: str,
    metric: AnswerMetric | None = None,
    decimal_mark: str = ".",
) -> DataAndCard:
    """Make a data set from tables and questions.

    Parquet files are rewritten each time, and those of splits that no longer exist removed. An existing card
    or recipe is kept, as it may have been edited. Parquet files of other data sets are never touched.

    Args:
        name: the name of the data set.
        questions: a CSV, TSV, XLSX or JSON lines file with the columns table, question and answer, any_of or
            all_of, and any of id, split, sheet, range, absolute_tolerance and relative_tolerance.
        tables: the tables.
        mirror: the folder that ``TORR_DATA`` names; the data goes into a folder in it.
        beside: the folder for card and recipe.
        licence: the licence of the tables.
        metric: rates the answers; None for the one that fits them (:func:`.answer_forms.fitting_form`):
            ``number_match`` for numbers, ``rouge`` for texts, ``value_set`` where an answer has several
            values, else ``exact_match``.
        decimal_mark: ``.`` or ``,``, for ``number_match``.

    Raises:
        DataError: the name, the licence, a file or a line of it is wrong, the metric does not fit, or the
            folder holds other data.
        OSError: a file cannot be written.
    """
    _check_name(name)
    found = read_questions(questions, tables)
    made = write_data(
        name,
        found,
        mirror,
        beside=beside,
        licence=licence,
        source=questions,
        metric=metric,
        decimal_mark=decimal_mark,
    )
    recipe = beside / f"{name}.yaml"
    kept = write_recipe(
        recipe, [made.card], made.shots, max_tokens=_TOKENS_OF_A_TEXT if made.is_text else None
    )
    notes = (*tables.texts.notes(), *dict.fromkeys(tables.notes()), *made.notes)
    return replace(made, kept=(*made.kept, *[recipe] * kept), notes=notes, recipe=recipe)


def write_data(
    name: str,
    questions: Sequence[OwnQuestion],
    mirror: Path,
    *,
    beside: Path,
    licence: str,
    source: Path,
    metric: AnswerMetric | None = None,
    decimal_mark: str = ".",
    wording: Wording | None = None,
) -> DataAndCard:
    """Write the data of questions, and the card that reads them; see :func:`make_data_set`.

    Args:
        name: the name of the data set.
        questions: at least one, each with its split.
        mirror: the folder that ``TORR_DATA`` names.
        beside: the folder for the card.
        licence: the licence of the tables.
        source: the file of the questions, for messages.
        metric: rates the answers; None for the one that fits them.
        decimal_mark: ``.`` or ``,``, for ``number_match``.
        wording: what the card says around the questions.

    Raises:
        DataError: the name or the licence is wrong, the metric does not fit, or the folder holds other data.
        OSError: a file cannot be written.
    """
    _check_name(name)
    questions = of_one_table(questions)
    form = fitting_form(questions, source, metric)
    _check_ours(mirror / name)
    rows = data_rows(questions)
    card = beside / f"{name}.json"
    document = card_document(
        name,
        licence,
        questions,
        rows[0],
        form=form,
        decimal_mark=decimal_mark,
        wording=wording or Wording(),
    )
    data = _write_splits(questions, rows, mirror / name)
    kept = _write_new(card, json.dumps(document, indent=4, ensure_ascii=False) + "\n")
    asked = sum(each.split == TEST for each in questions)
    reads_points = form.metric.main == NUMBERS and decimal_mark == "." and not kept  # an old card may differ
    return DataAndCard(
        data=data,
        card=card,
        kept=(card,) * kept,
        asked=asked,
        shown=len(questions) - asked,
        shots=possible_shots(questions),
        tables=len({each.table for each in questions}),
        columns=tuple(document["loader"]["columns"]),
        metric=form.metric.main,
        why=form.why,
        is_text=form.is_text,
        notes=(*notes_of(questions), *(_read_two_ways(questions) if reads_points else ())),
    )


def _read_two_ways(questions: Sequence[OwnQuestion]) -> Iterator[str]:
    """A remark on a right answer such as ``1,205``, read as 1205, where another one has a decimal comma."""
    values = [value for each in questions for answer in each.answers for value in answer.split(BETWEEN)]
    unclear = next((each for each in values if re.fullmatch(r"-?[1-9]\d{0,2},\d{3}", each)), None)
    comma = next((each for each in values if re.fullmatch(r"-?[\d.]*\d,(\d{1,2}|\d{4,})", each)), None)
    if unclear and comma:
        yield (
            f"the right answer {unclear} is read as {unclear.replace(',', '')}, though {comma} has a decimal "
            f"comma; --decimal-mark , reads it as {unclear.replace(',', '.')}"
        )


def write_recipe(
    path: Path,
    cards: Sequence[Path],
    shots: int,
    perturbations: Sequence[str] = ("none", "transpose"),
    max_tokens: int | None = None,
) -> bool:
    """Write a first study of cards that lie beside it, called like its file; gives whether one was there.

    Args:
        path: the file.
        cards: the cards.
        shots: demonstrations per question.
        perturbations: of the tables.
        max_tokens: of an answer; None for a recipe's default.

    Raises:
        OSError: the file cannot be written.
    """
    text = _RECIPE.format(
        name=path.stem,
        cards=", ".join(f'"{card.name}"' for card in cards),
        perturbations=", ".join(perturbations),
        shots=shots,
        generation=f"generation: {{max_tokens: {max_tokens}}}\n" if max_tokens else "",
    )
    return _write_new(path, text)


def _write_new(path: Path, text: str) -> bool:
    """Write a file unless there is one, which may have been edited; gives whether there was."""
    if path.exists():
        return True
    write_file(path, text.encode())
    return False


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise DataError(
            f"name: found {name!r}; expected small letters, digits and _, a letter first, e.g. towns"
        )


_MARK = {b"torr.made": b"tables"}


def _check_ours(folder: Path) -> None:
    """Refuse a folder with Parquet files that :func:`make_data_set` did not make."""
    for path in sorted(folder.glob("*.parquet")):
        try:
            with path.open("rb") as file:  # pyarrow accepts only UTF-8 paths
                found = pq.read_schema(file).metadata or {}
        except (pa.ArrowException, OSError):
            found = {}
        if not _MARK.items() <= found.items():
            raise DataError(f"{path}: belongs to another data set; expected an unused name or --to")


def _write_splits(
    questions: Sequence[OwnQuestion], rows: Sequence[Mapping[str, Any]], folder: Path
) -> tuple[Path, ...]:
    """Write the file of each split, and remove files of splits that no longer exist."""
    lists = {"table": pa.list_(pa.list_(pa.string())), "answers": pa.list_(pa.string())}
    types = [(name, lists[name] if isinstance(each, list) else pa.string()) for name, each in rows[0].items()]
    schema = pa.schema(types, metadata=_MARK)
    data = []
    for split in (TRAIN, TEST):
        path = folder / f"{split}.parquet"
        some = [row for row, each in zip(rows, questions, strict=True) if each.split == split]
        if not some:
            path.unlink(missing_ok=True)
            continue
        buffer = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(some, schema=schema), buffer)
        data.append(write_file(path, buffer.getvalue().to_pybytes()))
    return tuple(data)
