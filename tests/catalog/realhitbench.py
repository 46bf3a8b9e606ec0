"""RealHiTBench: the published questions where they are at hand, and a small hub of our own in its layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog.generated import generate
from torr_plugin.tables import Table, perturbations, serializers, workbooks


@cache
def questions(mirror: Path) -> list[dict[str, Any]]:
    """All questions, the long tables' last."""
    files = [mirror / "realhitbench" / f"{name}.parquet" for name in ("qa", "qa_long")]
    return [row for file in files for row in pq.read_table(file).to_pylist()]


BOATS = Table.flat(["Boat", "2020", "2021"], [["Tern", "12", "14"], ["Gull", "7", "9"]])
SWAPPED = Table.flat(["Boat", "2021", "2020"], [["Tern", "14", "12"], ["Gull", "9", "7"]])
OF_HTML = Table.flat(["Boat", "of HTML"], [["Tern", "12"]])


def question(number: int, **changes: str) -> dict[str, Any]:
    return {
        "id": number,
        "FileName": "boats",
        "CompStrucCata": "Backgroundcolor",
        "Source": "gov.Uk",
        "Question": "How many seats has Tern in 2020?",
        "QuestionType": "Fact Checking",
        "SubQType": "Value-Matching",
        "COT": [{"planning": "Look it up."}],
        "FinalAnswer": "12",
        "ProcessedAnswer": "12",
        **changes,
    }


PAIR = {"QuestionType": "Structure Comprehending", "SubQType": "Structure Comprehending", "FinalAnswer": ""}
QUESTIONS = [
    question(1),
    question(
        2, QuestionType="Numerical Reasoning", SubQType="Calculation", Question="How many more than Gull?"
    ),
    question(3, FileName="ships", Question="How many seats has Gull in 2021?", FinalAnswer="9"),
    question(4, **PAIR),
    question(5, QuestionType="Visualization", SubQType="BarChart Generation", ProcessedAnswer="[12, 7]\n"),
]


STRUCTURES = [
    "ColumnHeaderMerge",
    "MultiColumnClassified",
    "ContentCompound",
    "StructureCompound",
    "BackgroundColor",
]
SOURCES = ["figshare", "gov.UK", "data.gov"]


def write_mirror(folder: Path, count: int = 6) -> Path:
    """A mirror with generated tables and questions of our own, a question of each type a table.

    The exchanged tables are made by the perturbation of that name.
    """
    rows: list[dict[str, Any]] = []
    files: dict[str, bytes] = {}
    made = generate("structure_comprehending", seed=5, sizes={"test": 8 * count})["test"]
    tables = {row["table_id"]: row for row in made}
    for number, row in enumerate(list(tables.values())[:count]):
        name, chance = f"made-{number}", np.random.default_rng(number)
        files[name] = workbooks.to_bytes(row["table"])
        swapped = perturbations.get("exchange_column_groups").perturb(row["table"], chance)
        files[f"{name}_swap"] = workbooks.to_bytes(swapped)
        rows += _generated(row, row["table"], name, number)
    place = folder / "realhitbench"
    place.mkdir(parents=True)
    for file in ("qa", "qa_long"):
        numbered = [{**row, "id": number, "COT": "[]"} for number, row in enumerate(rows)]
        pq.write_table(pa.Table.from_pylist(numbered), place / f"{file}.parquet")
    content = {"path": [f"tables/{name}.xlsx" for name in files], "content": list(files.values())}
    pq.write_table(pa.table(content), place / "tables.parquet")
    return folder


def _generated(made: Mapping[str, Any], table: Table, name: str, number: int) -> list[dict[str, Any]]:
    of_table = {
        "FileName": name,
        "CompStrucCata": STRUCTURES[number % len(STRUCTURES)],
        "Source": SOURCES[number % len(SOURCES)],
    }
    fact = question(0, **of_table, Question=made["question"], FinalAnswer=made["answer"])
    values = [line[table.header_columns].text for line in table.body]
    chart = "import pandas as pd\nimport matplotlib.pyplot as plt\nplt.bar(range(1), [1])\nplt.show()"
    return [
        fact,
        {**fact, **PAIR},
        question(
            0,
            **of_table,
            QuestionType="Numerical Reasoning",
            SubQType="Counting",
            Question="How many rows are below the header?",
            FinalAnswer=str(len(table.body)),
        ),
        question(
            0,
            **of_table,
            QuestionType="Data Analysis",
            SubQType="Summary Analysis",
            Question="What is the table about?",
            FinalAnswer=f"The table has numbers by {table.grid[-1][0].text} and others.",
        ),
        question(
            0,
            **of_table,
            QuestionType="Visualization",
            SubQType="BarChart Generation",
            Question="Draw the first column of numbers as bars.",
            FinalAnswer=chart,
            ProcessedAnswer=str([float(each.replace(",", "")) for each in values if _is_number(each)]),
        ),
    ]


def _is_number(text: str) -> bool:
    return text.replace(",", "").replace(".", "", 1).isdecimal()


class Hub:
    """Stands where ``huggingface_hub`` downloads; a folder in the published layout."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.asked: list[list[str]] = []
        self.failing: Exception | None = None
        for name, table in {"boats": BOATS, "boats_swap": SWAPPED, "ships": BOATS}.items():
            self._write(f"tables/{name}.xlsx", workbooks.to_bytes(table))
        for name in ("boats", "boats_swap"):
            self._write(f"html/{name}.html", str(serializers.get("html").serialize(OF_HTML)).encode())
        self.write_questions()
        monkeypatch.delenv("TORR_DATA", raising=False)
        monkeypatch.setattr("huggingface_hub.hf_hub_download", self._download)
        monkeypatch.setattr("huggingface_hub.snapshot_download", self._snapshot)

    def write_questions(self, changes: Mapping[str, str] | None = None) -> None:
        rows = [{**row, **(changes or {})} for row in QUESTIONS]
        for name, some in {"QA_final": rows, "QA_long": [rows[0], rows[3]]}.items():
            self._write(f"{name}.json", json.dumps({"queries": some}).encode())

    def files(self) -> Sequence[str]:
        return [f"{path.parent.name}/{path.name}" for path in self.folder.glob("*/*")]

    def remove(self, path: str) -> None:
        self.folder.joinpath(path).unlink()

    def _write(self, path: str, content: bytes) -> None:
        self.folder.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        self.folder.joinpath(path).write_bytes(content)

    def _download(self, *_: object, filename: str, **__: object) -> str:
        return str(self.folder / filename)

    def _snapshot(self, *_: object, allow_patterns: list[str], **__: object) -> str:
        if self.failing:
            raise self.failing
        self.asked.append(allow_patterns)
        return str(self.folder)
