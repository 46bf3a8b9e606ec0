"""Three rounds of models by script: what is asked, and what a vote makes of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tests.question_writing.made import NO_CHARTS, annotation, entry
from torr_plugin.cli import questions
from torr_plugin.core.errors import RunError
from torr_plugin.question_writing import Rounds, annotate
from torr_plugin.question_writing.annotation.question import (
    AnnotatedQuestion,
    read_annotated,
    read_tables,
)
from torr_plugin.question_writing.review import Alternative


def found_in(out: Path) -> dict[tuple[str, str], AnnotatedQuestion]:
    return {(each.table, each.question): each for each in read_annotated(out).values()}


def test_a_vote_over_the_answers_of_three_models(place: Path) -> None:
    task = annotation(place)
    report = annotate(task, Rounds(place / "out"))
    assert report["questions"] == dict.fromkeys(NO_CHARTS, 2) | {"fact_checking": 4}
    # "longer than 500 km" is asked by two types, and the judge has no score for Norland
    assert (report["tables"], report["repeated"], report["unscored"], report["failed"]) == (2, 2, 2, 0)
    found = found_in(place / "out")
    country = found["rivers", "In which country is the river that is 733 km long?"]
    assert country.alternatives == (
        Alternative("Sudmark", ("a", "b"), 3, 90.0),
        Alternative("Norland", ("c",), 3, None),
    )
    assert (country.candidate, country.subtype, country.asked_by) == ("Sudmark", "Value-Matching", "a")
    sums = found["rivers", "How long are all rivers together?"]
    assert [(each.answer, each.models, each.score) for each in sums.alternatives] == [
        ("2,350", ("a", "b"), 90.0),
        ("2351", ("c",), 5.0),
    ]
    assert read_tables(place / "out") == dict(task.tables)


def test_the_record_says_who_was_asked_what(place: Path) -> None:
    models = entry("a"), entry("b", kind="b", api_key="s3cret")
    annotate(annotation(place, *models, answerers=["a"]), Rounds(place / "out"))
    text = (place / "out" / "annotation.yaml").read_text()
    record = yaml.safe_load(text)
    assert (record["asker"], record["answerers"], record["judge"], record["prompts"]) == ("a", ["a"], "a", 1)
    assert record["generation"] == {"max_tokens": 4096, "temperature": 0.0, "until": []}
    assert [len(digest) for digest in record["tables"].values()] == [64, 64]
    assert "s3cret" not in text


def test_header_trees_are_shown_to_those_who_answer(place: Path) -> None:
    plain = annotation(place, entry("a"))
    with_trees = replace(plain, tree=True)
    question = AnnotatedQuestion("", "rivers", "fact_checking", "", "Eh?", "a")
    prompts = [each.answer_prompt(question) for each in (plain, with_trees)]
    (_, asked), (_, asked_with) = prompts
    assert "- (C0, 2, 2, Length (km))" not in asked.content
    assert "- (C0, 2, 2, Length (km))" in asked_with.content.replace('"', "")
    assert plain.question_prompts() == with_trees.question_prompts()
    assert with_trees.settings()["tree"] is True


def test_models_that_say_nothing_of_use(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = annotation(place, entry("a", says="I cannot see any table.\nReally."))
    report = annotate(task, Rounds(place / "none"))
    assert (report["questions"], report["unanswered"]) == ({}, 0)
    questions.show_annotation(report)
    assert "No reply has a question that can be read; the replies are in" in capsys.readouterr().err
    assert "There are no questions." in (place / "none" / "review.html").read_text()
    models = [entry("a"), entry("b", says="I cannot say.\nReally.")]
    task = annotation(place, *models, questions=1, answerers=["b"])
    assert annotate(task, Rounds(place / "out"))["unanswered"] == 8
    row = json.loads((place / "out" / "review.jsonl").read_text().splitlines()[0])
    assert (row["candidate"], row["alternatives"]) == ("", [])


def test_a_changed_table_under_verdicts_changes_nothing(place: Path) -> None:
    annotate(annotation(place, entry("a")), Rounds(place / "out"))
    review, tables = place / "out" / "review.jsonl", place / "out" / "tables.jsonl"
    review.write_text(review.read_text().replace('"verdict": ""', '"verdict": "accept"', 1))
    before = tables.read_bytes()
    (place / "tables" / "rivers.csv").write_text("River,Length\nOtter,1\n")
    with pytest.raises(RunError, match=r"review\.jsonl: has verdicts, and the tables have changed"):
        annotate(annotation(place, entry("a")), Rounds(place / "out"))
    assert tables.read_bytes() == before


def test_an_answer_that_failed_is_no_answer(place: Path) -> None:
    annotate(annotation(place, entry("a"), entry("b", kind="b", fails="733 km")), Rounds(place / "out"))
    country = found_in(place / "out")["rivers", "In which country is the river that is 733 km long?"]
    assert country.alternatives == (Alternative("Sudmark", ("a",), 2, 90.0),)
