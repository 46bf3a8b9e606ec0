"""RealHiTBench: the published questions where they are at hand, and a small hub of our own in its layout."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from torr_plugin.tables import Table, serializers, workbooks


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
