"""What people fill in is read as they mean it, and no text of a model becomes more than a text."""

from __future__ import annotations

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.question_writing.hostile import FORMULAS, hostile_questions, hostile_sheets
from tests.timing import quickly
from torr_plugin.core.errors import DataError, RunError
from torr_plugin.question_writing.annotation.question import AnnotatedQuestion, read_annotated, review_sheet
from torr_plugin.question_writing.review import Alternative, write_review
from torr_plugin.question_writing.verdicts import (
    FILLED,
    REVIEW_FILES,
    Review,
    filled_in,
    neutralized,
    read_reviews,
)
from torr_plugin.tables import Table

TABLES = {"t": Table.flat(["a", "b"], [["1", "-2"]])}
QUESTIONS = [
    AnnotatedQuestion(
        "q1", "t", "fact_checking", "Value-Matching", "What is a?", "m", (Alternative("1", ("m",), 1, 80),)
    ),
    AnnotatedQuestion("q2", "t", "fact_checking", "", "What is b?", "m", (Alternative("-2", ("m",), 1),)),
    AnnotatedQuestion("q3", "t", "data_analysis", "", "What is it?", "m"),
]
BY_ID = {each.id: each for each in QUESTIONS}
CANDIDATES = {each.id: each.candidate for each in QUESTIONS}
ANSWERS = {
    "q1": {"verdict": "accept", "reviewer": "Ada"},
    "q2": {"verdict": "Change", "corrected_answer": "-3"},
}
MEANT = {"q1": Review("accept", reviewers=("Ada",)), "q2": Review("change", answer="-3")}


def fill_csv(path: Path, said: dict[str, dict[str, str]], separator: str = ",") -> None:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [{**row, **said.get(row["id"], {})} for row in csv.DictReader(file)]
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, rows[0], delimiter=separator)
        writer.writeheader()
        writer.writerows(rows)


def fill_xlsx(path: Path, said: dict[str, dict[str, str]]) -> None:
    book = openpyxl.load_workbook(path)
    head, *rows = book.active.iter_rows()
    names = [cell.value for cell in head]
    for row in rows:
        for name, text in said.get(row[0].value, {}).items():
            row[names.index(name)].value = text
    book.save(path)


def fill_json_lines(path: Path, said: dict[str, dict[str, str]]) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    path.write_text("".join(json.dumps({**row, **said.get(row["id"], {})}) + "\n" for row in rows))


@pytest.mark.parametrize(
    ("name", "fill"),
    [
        ("review.csv", fill_csv),
        ("review.csv", lambda path, said: fill_csv(path, said, ";")),
        ("review.xlsx", fill_xlsx),
        ("review.jsonl", fill_json_lines),
    ],
    ids=["comma", "semicolon", "workbook", "JSON lines"],
)
def test_every_file_is_read_as_it_was_filled_in(tmp_path: Path, name: str, fill: Any) -> None:
    write_review(tmp_path, review_sheet(QUESTIONS, TABLES))
    assert read_reviews(tmp_path, [tmp_path / each for each in REVIEW_FILES], CANDIDATES) == {}
    with pytest.raises(RunError, match=r"no verdicts in review\.csv, review\.xlsx, review\.jsonl; fill"):
        read_reviews(tmp_path, [], CANDIDATES)
    fill(tmp_path / name, ANSWERS)
    assert filled_in(tmp_path) == [tmp_path / name]
    assert read_reviews(tmp_path, [], CANDIDATES) == MEANT
    assert read_annotated(tmp_path) == BY_ID


def test_a_review_without_questions_has_no_verdicts(tmp_path: Path) -> None:
    for _ in range(2):  # as by the same command once more
        write_review(tmp_path, review_sheet([], TABLES))
        assert filled_in(tmp_path) == []
    with pytest.raises(RunError, match="no verdicts in"):
        read_reviews(tmp_path, [], {})


def test_what_was_filled_in_is_never_overwritten(tmp_path: Path) -> None:
    write_review(tmp_path, review_sheet(QUESTIONS, TABLES))
    fill_csv(tmp_path / "review.csv", ANSWERS)
    before = (tmp_path / "review.csv").read_bytes()
    (tmp_path / "review.jsonl").unlink()
    write_review(tmp_path, review_sheet(QUESTIONS, TABLES))
    assert (tmp_path / "review.csv").read_bytes() == before
    assert (tmp_path / "review.jsonl").exists()
    with pytest.raises(RunError, match=r"review\.csv: has verdicts, and the questions or their answers have"):
        write_review(tmp_path, review_sheet(QUESTIONS[:2], TABLES))
    assert (tmp_path / "review.csv").read_bytes() == before
    (tmp_path / "review.csv").unlink()
    write_review(tmp_path, review_sheet(QUESTIONS[:2], TABLES))


LINE = {"id": "q1", "verdict": "accept"}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            [{"id": "q9", "verdict": "accept"}],
            r"r\.jsonl: question 1: id: found 'q9'; expected one of this folder's questions",
        ),
        ([{**LINE, "verdict": "yes"}], "verdict: found 'yes'; expected one of: accept, change, reject"),
        ([{**LINE, "verdict": "change"}], "'change' without a corrected_answer or corrected_question"),
        ([{**LINE, "corrected_answer": "5"}], "verdict 'accept' with a correction; expected 'change'"),
        ([{"id": "q1", "verdict": "", "corrected_answer": "5"}], "a correction without a verdict"),
        ([{"id": "q3", "verdict": "accept"}], "no model answered it; expected a corrected_answer"),
        ([{"id": "q3", "verdict": "change", "corrected_question": "Eh?"}], "no model answered it"),
        (
            [LINE, {**LINE, "verdict": "reject"}],
            "question 2: verdict 'reject' differs from 'accept' in .* question 1",
        ),
        (
            [{**LINE, "reviewer": "\ud83d"}],
            "question 1: reviewer: found .*; expected text without lone surro",
        ),
        (
            [{**LINE, "corrected_answer": ["1", "2"]}],
            "question 1: corrected_answer: found .*; expected a text",
        ),
        ([{"verdict": "accept"}], "no column 'id'; found: verdict; expected a review file"),
        ([{"id": "q1"}], "no column 'verdict'"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, lines: list[dict[str, Any]], message: str) -> None:
    (tmp_path / "r.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(DataError, match=message):
        read_reviews(tmp_path, [tmp_path / "r.jsonl"], CANDIDATES)


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text("id,verdict,verdict\nq1,accept,reject\n")
    with pytest.raises(DataError, match=r"r\.csv: column 'verdict' is there twice; expected once"):
        read_reviews(tmp_path, [tmp_path / "r.csv"], CANDIDATES)


def test_two_reviewers_who_agree_both_count(tmp_path: Path) -> None:
    for name in ("Ada", "Bo"):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**LINE, "reviewer": name, "comment": "fine"}))
    found = read_reviews(tmp_path, [tmp_path / "Ada.jsonl", tmp_path / "Bo.jsonl"], CANDIDATES)
    assert found == {"q1": Review("accept", reviewers=("Ada", "Bo"), comments=("fine",))}


_BEGINS = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_PARTS = re.compile(r"[;\t\r\n]")


def test_many_lines_are_neutralized_in_no_time() -> None:
    quickly(lambda: neutralized("x" + "\n \t" * 20_000 + "x"))


@pytest.mark.parametrize("number", ["-5", "+1,205", "-2.5 %", "12", "plain - text", "a=b"])
def test_numbers_and_plain_texts_stay(number: str) -> None:
    assert neutralized(number) == number


@given(st.text(alphabet="=+-@;\t\r\n '1aB|!", max_size=12))
def test_no_text_but_a_number_begins_a_formula(text: str) -> None:
    safe = neutralized(text)
    if safe != text or not re.fullmatch(r"[+-]?[\d.,\s]*\d\s?%?", text):
        assert not any(_BEGINS.match(part) for part in _PARTS.split(safe))
    assert safe.replace("'", "") == text.replace("'", "")


def test_a_neutralized_text_that_is_copied_into_an_answer_is_read_without_its_mark(tmp_path: Path) -> None:
    write_review(tmp_path, review_sheet(QUESTIONS, TABLES))
    fill_csv(tmp_path / "review.csv", {"q1": {"verdict": "change", "corrected_answer": "'=A1"}})
    assert read_reviews(tmp_path, [tmp_path / "review.csv"], CANDIDATES)["q1"].answer == "=A1"


def test_hostile_texts_stay_texts_in_spreadsheets(tmp_path: Path) -> None:
    write_review(tmp_path, hostile_sheets()["tables"])
    with (tmp_path / "review.csv").open(encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert len(cells) == 13 * (len(FORMULAS) + 1)
    assert not any(_BEGINS.match(part) for cell in cells for part in _PARTS.split(cell) if cell != "-2")
    sheet = openpyxl.load_workbook(tmp_path / "review.xlsx").active
    assert {cell.data_type for row in sheet.iter_rows() for cell in row if cell.value} == {"s"}
    fill_csv(tmp_path / "review.csv", {"evil-fact_checking-0": {"verdict": "accept"}})
    found = read_reviews(tmp_path, [], {each.id: each.candidate for each in hostile_questions()})
    assert list(found) == ["evil-fact_checking-0"]
    assert set(FILLED) < set(json.loads((tmp_path / "review.jsonl").read_text().split("\n")[0]))


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("about", ["tables", "documents"])
def test_hostile_texts_stay_texts_on_the_page(tmp_path: Path, about: str) -> None:
    write_review(tmp_path, hostile_sheets()[about])
    page = (tmp_path / "review.html").read_text(encoding="utf-8")
    elements = _Elements()
    elements.feed(page)
    tags = [tag for tag, _ in elements.found]
    assert tags.count("script") == tags.count("style") == 1
    assert not {"img", "svg", "iframe", "object", "embed", "base", "math", "video", "a"} & set(tags)
    assert not any(name.startswith("on") for _, attributes in elements.found for name in attributes)
    assert "\u202e" not in page
    assert "\x00" not in page
    policy = next(
        found["content"] for tag, found in elements.found if tag == "meta" and "http-equiv" in found
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
