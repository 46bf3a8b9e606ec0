"""Questions about documents in the files for reviewers: what stands in them, and that texts stay texts."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import openpyxl

from tests.question_writing.made import QUESTIONS, write
from torr_plugin.question_writing.verdicts import FILLED

SHOWN = (
    *("id", "document", "level", "table", "question", "candidate"),
    *("steps", "grounding", "evidence", "reason", "recall"),
)


def test_all_files_have_what_a_reviewer_needs(tmp_path: Path) -> None:
    write(tmp_path)
    with (tmp_path / "review.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == (*SHOWN, *FILLED)
    assert [row["id"] for row in rows] == [each.id for each in QUESTIONS if each.kept]
    first, second, third, _ = rows
    assert (first["candidate"], first["grounding"]) == ("$410 million", "Leases rose to $410 million.")
    assert (first["steps"], first["reason"], first["table"]) == ("Look up Leases, 2023.", "clear", "0")
    assert (first["recall"], second["recall"], third["table"]) == ("1.0", "0.33", "")
    lines = [json.loads(line) for line in (tmp_path / "review.jsonl").read_text().splitlines()]
    assert lines[0]["steps"] == ["Look up Leases, 2023."]
    assert (lines[0]["candidate"], lines[0]["recall"], lines[0]["verdict"]) == ("$410 million", 1.0, "")
    sheet = openpyxl.load_workbook(tmp_path / "review.xlsx").active
    assert [cell.value for cell in next(sheet.iter_rows())] == [*SHOWN, *FILLED]


def test_the_page_has_each_text_once_and_the_questions_beside_it(tmp_path: Path) -> None:
    write(tmp_path)
    page = (tmp_path / "review.html").read_text()
    assert page.count("<figure ") == 2
    assert page.count("Acme Corp.") == 1
    assert "<figcaption>acme, part 1</figcaption>" in page
    assert '<p class="heading">Acme Corp.</p>' in page
    assert "torr synth accept --review" in page
    assert "it has two answers" not in page
    assert "Extraction · acme · Table 0" in page
    assert "1.00 of the answer&#39;s tokens are in the quoted sentence" in page
    assert '<p class="number">Table 0</p>' in page
