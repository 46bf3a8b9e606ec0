"""Rounds of questions by models by script: what is asked, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

from tests.question_writing.made import ACME, entry, synthesis
from tests.question_writing.models import DOCUMENT_QUESTIONS, SENTENCE
from torr_plugin.core.errors import InputError
from torr_plugin.question_writing import Rounds, planned_rounds, synthesize
from torr_plugin.question_writing.document_questions.question import DocumentQuestion
from torr_plugin.tables import Table
from torr_plugin.tables.documents import Document, TextBlock, read_filing

WORDS = [question for question, _, _ in DOCUMENT_QUESTIONS.values()]


def counts(asked: int, written: int, kept: int) -> dict[str, int]:
    return {"asked": asked, "written": written, "kept": kept}


def read(out: Path) -> list[DocumentQuestion]:
    """All questions of a folder, also those that were dropped."""
    rows = pq.read_table(out / "questions.parquet").to_pylist()
    return [DocumentQuestion(**{**row, "steps": tuple(json.loads(row["steps"]))}) for row in rows]


def test_each_level_is_shown_those_below_and_the_filter_decides(place: Path, asked: list[str]) -> None:
    task = synthesis(place, entry("w"), entry("f", drops="Assess", unclear="more were"))
    report = synthesize(task, Rounds(place / "out"))
    assert (report["documents"], report["chunks"], report["repeated"], report["failed"]) == (2, 1, 0, 0)
    assert report["levels"] == {
        "extraction": counts(1, 1, 1),
        "calculation": counts(1, 1, 0),
        "analysis": counts(1, 1, 0),
    }
    assert report["malformed"] == {"verdict: two objects": 1}
    found = read(place / "out")
    assert [(each.level, each.question, each.kept, each.reason) for each in found] == [
        ("extraction", WORDS[0], True, "checked"),
        ("calculation", WORDS[1], False, "the filter's reply: two objects"),
        ("analysis", WORDS[2], False, "too easy"),
    ]
    first = found[0]
    assert (first.document, first.chunk, first.table, first.answer) == ("acme", 0, 0, "$721 million")
    assert first.steps == ("Total, 2023",)
    assert first.evidence.startswith("Our commitments were the following (in millions):\n\n")
    assert "Total | $ 721 | $ 360" in first.evidence
    assert len({each.id for each in found}) == 3
    writing = asked[:3]
    assert [sum(words in text for words in WORDS) for text in writing] == [0, 1, 2]
    assert (
        f"too easy, as they are of lower levels. Yours must ask for more:\n- {WORDS[0]} (answer: $721"
        in (writing[1])
    )
    assert all("[T0]\n<table" in text for text in writing)


def test_questions_of_one_level_are_about_different_things(place: Path, asked: list[str]) -> None:
    task = synthesis(place, levels=("extraction",), questions=2)
    report = synthesize(task, Rounds(place / "out"))
    assert (report["repeated"], report["levels"]) == (1, {"extraction": counts(2, 1, 1)})
    assert f"that are there already. Yours must be about something else:\n- {WORDS[0]}" in asked[1]


def test_grounded_questions_are_answered_from_the_tables_alone(place: Path, asked: list[str]) -> None:
    report = synthesize(synthesis(place, ground=True), Rounds(place / "out"))
    found = read(place / "out")
    assert [(each.grounding, each.kept, each.answer) for each in found] == [
        (SENTENCE, True, answer) for _, _, answer in DOCUMENT_QUESTIONS.values()
    ]
    assert (report["ungrounded"], report["malformed"]) == (0, {})
    answering = [text for text in asked if "Tables:\n" in text]
    assert len(answering) == 3
    assert not any("Total commitments rose" in text for text in answering)


def test_what_is_quoted_must_stand_there(place: Path, asked: list[str]) -> None:
    report = synthesize(synthesis(place, entry("w", kind="misquotes"), ground=True), Rounds(place / "out"))
    found = read(place / "out")
    assert [(each.kept, each.reason, each.answer) for each in found] == [
        (False, "the grounding sentence is not in the chunk's text", "")
    ] * 3
    assert (report["ungrounded"], len(asked)) == (3, 3)


def test_tables_are_numbered_as_the_cards_read_them(place: Path) -> None:
    layout = Table.of_texts([["a note"]], header_rows=0)  # HTML of it is read as text
    sales = Table.of_texts([["Year", "Sales"], ["2023", "5"]])
    source = place / "parts"
    source.mkdir()
    (source / "report.json").write_text(Document((layout, TextBlock("Sales were:"), sales)).to_json())
    synthesize(synthesis(place, source=source), Rounds(place / "out"))
    (row,) = pq.read_table(place / "out" / "documents.parquet").to_pylist()
    (table,) = read_filing(row["content"]).tables
    questions = read(place / "out")
    assert {each.table for each in questions} == {0}
    assert all(cell.text in each.evidence for each in questions for line in table.rows for cell in line)


def test_what_is_kept_can_be_reviewed(place: Path) -> None:
    report = synthesize(synthesis(place, entry("w"), entry("f", drops="Assess")), Rounds(place / "out"))
    assert [(row["answers"], row["count"]) for row in report["recall"]][-1] == ("all", 2)
    review = place / "out" / "review.jsonl"
    assert [json.loads(line)["question"] for line in review.read_text().splitlines()] == WORDS[:2]
    assert "Purchases" in (place / "out" / "review.html").read_text()
    review.write_text(review.read_text().replace('"verdict": ""', '"verdict": "accept"', 1))
    assert (
        synthesize(synthesis(place, entry("w"), entry("f", drops="Assess")), Rounds(place / "out")) == report
    )
    assert '"verdict": "accept"' in review.read_text()


def test_the_record_says_what_was_asked_of_whom(place: Path) -> None:
    report = synthesize(synthesis(place, entry("w"), entry("f")), Rounds(place / "out"))
    record = yaml.safe_load((place / "out" / "synthesis.yaml").read_text())
    assert (record["writer"], record["filter"], record["prompts"], record["seed"]) == ("w", "f", 1, 0)
    assert (record["levels"], record["chunk_tokens"]) == (["extraction", "calculation", "analysis"], 4000)
    assert record["made"]["levels"]["analysis"] == {"asked": 1, "written": 1, "kept": 1}
    assert report["notes"] == ()


def test_a_question_that_could_not_be_filtered_is_dropped(place: Path) -> None:
    failing = synthesis(place, entry("w"), entry("f", fails="Assess the trend"))
    report = synthesize(failing, Rounds(place / "out"))
    assert (report["failed"], report["levels"]["analysis"]) == (1, counts(1, 1, 0))
    found = read(place / "out")
    assert found[-1].reason == "the request to the filter failed"


def test_replies_without_the_form_are_named(place: Path) -> None:
    task = synthesis(place, entry("w", says='{"answer": "7"}'), levels=("analysis",))
    assert synthesize(task, Rounds(place / "out"))["malformed"] == {"analysis question: no question": 1}
    assert read(place / "out") == []


def test_chunks_are_drawn(place: Path) -> None:
    page = "".join(ACME.replace("Acme", f"Acme {number}") for number in range(6))
    (place / "docs" / "acme.html").write_text(page)
    every = synthesis(place, chunk_tokens=150)
    assert len(every.excerpts) == 6
    drawn = [
        [each.chunk for each in synthesis(place, chunk_tokens=150, chunks=2, seed=seed).excerpts]
        for seed in range(4)
    ]
    assert all(len(each) == 2 and each == sorted(each) for each in drawn)
    assert len(set(map(tuple, drawn))) > 1


def test_who_writes_and_filters_is_remarked_and_a_document_must_have_a_table(place: Path) -> None:
    same = "w writes and filters the questions; --filter names another"
    assert synthesis(place, entry("w")).notes == (same,)
    (place / "docs" / "acme.html").unlink()
    with pytest.raises(InputError, match="docs: 1 document without a table; expected at least one"):
        planned_rounds(synthesis(place), place / "out")
