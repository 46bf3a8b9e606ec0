"""Write the files of the user's own data set: Parquet files, a card, a recipe."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_path
from ...core.errors import DataError
from .csv_files import Tables
from .questions import TEST, TRAIN, OwnQuestion, notes_of, possible_shots, read_questions

_NAME = re.compile(r"[a-z][a-z0-9_]*")
# quoted: YAML reads no, null and true as other than names
_RECIPE = """\
# A first study of {name}: `torr list serializers`, `perturbations` and `models` list the others.
name: "{name}"
cards: ["{name}.json"]
configurations:
  - serializers: [html, markdown, csv, json]
    perturbations: [none, transpose]
demonstrations: {{shots: {shots}}}
examples: {{count: all}}
models: [torr-lexical]
"""


@dataclass(frozen=True)
class OwnDataSet:
    """The files of a data set, and counts.

    Attributes:
        data: the Parquet files, one a split.
        card: the card's file; ``recipe`` a study's.
        kept: which of these two existed already and were left unchanged.
        asked: the number of questions to ask; ``shown`` the number for demonstrations.
        shots: the demonstrations per question in the first recipe, 0 or 1.
        tables: the number of tables.
        notes: remarks for the user.
    """

    data: tuple[Path, ...]
    card: Path
    recipe: Path
    kept: tuple[Path, ...]
    asked: int
    shown: int
    shots: int
    tables: int
    notes: tuple[str, ...]


def make_data_set(
    name: str, questions: Path, tables: Path, mirror: Path, *, beside: Path, licence: str
) -> OwnDataSet:
    """Make a data set from tables and questions.

    Parquet files are rewritten each time, and those of splits that no longer exist removed. An existing card
    or recipe is kept, as it may have been edited. Parquet files of other data sets are never touched.

    Args:
        name: the name of the data set.
        questions: a CSV or TSV file with the columns table, question, answer, and any of id and split.
        tables: a folder with a CSV or TSV file per table.
        mirror: the folder that ``TORR_DATA`` names; the data goes into a folder in it.
        beside: the folder for card and recipe.
        licence: the licence of the tables.

    Raises:
        DataError: the name, the licence, a file or a line of it is wrong, or the folder holds other data.
        OSError: a file cannot be written.
    """
    _check_names(name, licence)
    found = read_questions(questions, Tables(tables))
    check_ours(mirror / name)
    splits = [split for split in (TRAIN, TEST) if any(each.split == split for each in found)]
    shots = possible_shots(found)
    card, recipe = beside / f"{name}.json", beside / f"{name}.yaml"
    texts = {
        card: json.dumps(_card(name, licence, splits), indent=4, ensure_ascii=False) + "\n",
        recipe: _RECIPE.format(name=name, shots=shots),
    }
    kept = tuple(path for path in texts if path.exists())
    data = write_splits(found, splits, mirror / name)
    for path, text in texts.items():
        if path not in kept:
            with atomic_path(path) as aside:
                aside.write_bytes(text.encode())
    asked = sum(each.split == TEST for each in found)
    about = len({each.table for each in found})
    return OwnDataSet(data, card, recipe, kept, asked, len(found) - asked, shots, about, notes_of(found))


def _check_names(name: str, licence: str) -> None:
    if not _NAME.fullmatch(name):
        raise DataError(
            f"name: found {name!r}; expected small letters, digits and _, a letter first, e.g. towns"
        )
    try:
        licence.encode()
    except UnicodeEncodeError:
        raise DataError(f"--licence: found {licence!r}; expected UTF-8") from None


def _card(name: str, licence: str, splits: Sequence[str]) -> dict[str, Any]:
    return {
        "__type__": "table_card",
        "__description__": f"The user's questions about tables in CSV files: {name}.",
        "licence": licence,
        "skills": {
            "knowledge_extraction": "required",
            "textual_reasoning": "partial",
            "numerical_reasoning": "partial",
        },
        "main_metric": "exact_match",
        "keeps_labels": ["none", "shuffle_cols", "transpose", "insert_empty_rows"],
        "notes": ["Not shuffle_rows: questions may mention the first row, or the one above."],
        "demo_split": splits[0],
        "test_split": TEST,
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


_MARK = {b"torr.made": b"tables"}
_SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("table_id", pa.string()),
        ("table", pa.list_(pa.list_(pa.string()))),
        ("question", pa.string()),
        ("answer", pa.string()),
    ],
    metadata=_MARK,
)


def check_ours(folder: Path) -> None:
    """Refuse a folder with Parquet files that :func:`make_data_set` did not make.

    Raises:
        DataError: a Parquet file lacks our metadata or cannot be read.
        OSError: the folder cannot be read.
    """
    for path in sorted(folder.glob("*.parquet")):
        if not _is_ours(path):
            raise DataError(f"{path}: belongs to another data set; expected an unused name or --to")


def write_splits(questions: Sequence[OwnQuestion], splits: Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Write the file of each split, and remove files of splits that no longer exist."""
    folder.mkdir(parents=True, exist_ok=True)
    data = tuple(_write(questions, split, folder) for split in splits)
    for split in {TRAIN, TEST}.difference(splits):
        (folder / f"{split}.parquet").unlink(missing_ok=True)
    return data


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            found = pq.read_schema(file).metadata or {}
    except (pa.ArrowException, OSError):
        return False
    return _MARK.items() <= found.items()


def _write(questions: Sequence[OwnQuestion], split: str, folder: Path) -> Path:
    rows = [
        {"id": q.id, "table_id": q.table, "table": q.rows, "question": q.question, "answer": q.answer}
        for q in questions
        if q.split == split
    ]
    path = folder / f"{split}.parquet"
    # open the file here: pyarrow accepts only UTF-8 paths
    with atomic_path(path) as aside, aside.open("wb") as file:
        pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), file)
    return path
