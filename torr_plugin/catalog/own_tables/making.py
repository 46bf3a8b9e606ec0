"""Writes what a study needs of a data set of one's own: Parquet files, a card, a recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import DataError
from ...placing import file_in_place_of
from .csv_files import Tables
from .questions import ASKED, SHOWN, Question, read_questions

_NAME = re.compile(r"[a-z][a-z0-9_]*")
_RECIPE = """\
# A first study of {name}: `torr list serializers`, `perturbations` and `models` say what else there is.
name: {name}
cards: [{name}.json]
configurations:
  - serializers: [html, markdown, csv, json]
    perturbations: [none, transpose]
demonstrations: {{shots: {shots}}}
examples: {{count: all}}
models: [torr-lexical]
"""


@dataclass(frozen=True)
class Made:
    """What was made.

    Attributes:
        data: the Parquet files, one a split.
        card: the card's file; ``recipe`` a study's.
        kept: which of these two were there already and stayed as they were.
        asked: how many questions are asked; ``shown`` how many are for demonstrations.
        tables: how many tables they are about.
        notes: what a person should know.
    """

    data: tuple[Path, ...]
    card: Path
    recipe: Path
    kept: tuple[Path, ...]
    asked: int
    shown: int
    tables: int
    notes: tuple[str, ...]


def make(name: str, questions: Path, tables: Path, mirror: Path, *, beside: Path, licence: str) -> Made:
    """Make a data set of tables and questions.

    The Parquet files are made anew each time. A card and a recipe that are there stay: they may have been
    worked on.

    Args:
        name: what it is called.
        questions: a CSV or TSV file with the columns table, question, answer, and any of id and split.
        tables: a folder with a CSV or TSV file a table.
        mirror: the folder of data that ``TORR_DATA`` names; a folder in it is made.
        beside: where card and recipe go.
        licence: what the tables may be used for.

    Raises:
        DataError: the name, a file or a line of it is wrong.
        OSError: a file cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise DataError(
            f"name: found {name!r}; expected small letters, digits and _, a letter first, e.g. towns"
        )
    found = read_questions(questions, Tables(tables))
    splits = [split for split in (SHOWN, ASKED) if any(each.split == split for each in found)]
    data = tuple(_write_split(found, split, mirror / name) for split in splits)
    shots = int(SHOWN in splits)
    texts = {
        beside / f"{name}.json": json.dumps(_card(name, licence, splits), indent=4, ensure_ascii=False)
        + "\n",
        beside / f"{name}.yaml": _RECIPE.format(name=name, shots=shots),
    }
    kept = tuple(path for path in texts if path.exists())
    for path, text in texts.items():
        if path not in kept:
            path.write_text(text, encoding="utf-8")
    asked = sum(each.split == ASKED for each in found)
    card, recipe = texts
    about = len({each.table for each in found})
    return Made(data, card, recipe, kept, asked, len(found) - asked, about, _notes(found))


def _write_split(questions: Sequence[Question], split: str, folder: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    mine = [each for each in questions if each.split == split]
    columns = {
        "id": pa.array([each.id for each in mine], pa.string()),
        "table_id": pa.array([each.table for each in mine], pa.string()),
        "table": pa.array([each.rows for each in mine], pa.list_(pa.list_(pa.string()))),
        "question": pa.array([each.question for each in mine], pa.string()),
        "answer": pa.array([each.answer for each in mine], pa.string()),
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{split}.parquet"
    with file_in_place_of(path) as aside:
        pq.write_table(pa.table(columns), aside)
    return path


def _notes(questions: Sequence[Question]) -> tuple[str, ...]:
    of = {split: {each.table for each in questions if each.split == split} for split in (ASKED, SHOWN)}
    both = sorted(of[ASKED] & of[SHOWN])
    if not both:
        return ()
    more = f" and {len(both) - 1} more" if len(both) > 1 else ""
    return (
        f"the table {both[0]!r}{more} is in both splits: it demonstrates nothing to questions about itself, "
        "but tables of their own would be better",
    )


def _card(name: str, licence: str, splits: Sequence[str]) -> dict[str, Any]:
    return {
        "__type__": "table_card",
        "__description__": f"Questions of one's own about tables that came as CSV files: {name}.",
        "licence": licence,
        "skills": {
            "knowledge_extraction": "required",
            "textual_reasoning": "partial",
            "numerical_reasoning": "partial",
        },
        "main_metric": "exact_match",
        "keeps_labels": ["none", "shuffle_cols", "transpose", "insert_empty_rows"],
        "notes": ["Not shuffle_rows: questions may speak of the first row, or the one above."],
        "demo_split": splits[0],
        "test_split": ASKED,
        "loader": {
            "__type__": "load_tables",
            "mirror": name,
            "hub": {"path": f"my-group/{name}"},
            "columns": ["id", "table_id", "table", "question", "answer"],
            "splits": {split: {"mirror": split, "hub": [split]} for split in splits},
        },
        "preprocess_steps": [
            {
                "__type__": "read_example",
                "id": "id",
                "table": {"reader": "grid", "columns": {"rows": "table"}},
                "inputs": {"question": "question"},
                "references": ["answer"],
                "groups": {"table": "table_id"},
            }
        ],
        "task": "tasks.torr.table_qa[metrics=[metrics.torr.exact_match]]",
        "templates": [
            {
                "__type__": "input_output_template",
                "instruction": "Read the table and answer the question. Write nothing but the answer.",
                "input_format": "Table:\n{table}\n\nQuestion: {question}",
                "target_prefix": "Answer: ",
                "output_format": "{target}",
                "postprocessors": ["processors.take_first_non_empty_line"],
            }
        ],
    }
