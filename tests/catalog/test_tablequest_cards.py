"""The cards tablequest.* read anyone's corpus and questions, and say what is wrong with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import DataError
from torr_plugin.prompts import Configuration, PromptBuilder
from torr_plugin.scoring import score_example

from . import tablequest_corpus as corpus


@pytest.fixture(autouse=True)
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    return corpus.write(tmp_path)


def test_each_card_has_the_questions_of_its_level() -> None:
    found = {
        level: [each.id for each in read_examples(load_card(f"tablequest.{level}"), "test")]
        for level in ("extraction", "calculation", "analysis")
    }
    assert found == {"extraction": ["a1", "a2", "b1"], "calculation": ["a3", "b2"], "analysis": ["b3"]}


def test_an_example_has_its_document_and_the_table_that_it_is_about() -> None:
    first, second, third = read_examples(load_card("tablequest.extraction"), "test")
    assert first.document is not None
    assert [table.n_rows for table in first.document.tables] == [4, 3]
    assert (first.table.n_rows, second.table.n_rows, third.table.n_columns) == (4, 3, 4)
    assert dict(first.groups) == {"table": "acme", "level": "extraction", "company": "Acme", "year": "2023"}
    assert dict(third.groups) == {"table": "bolt.html", "level": "extraction", "year": "2023"}
    assert first.facts["question"] == "What were total commitments in 2023?"
    assert first.facts["steps"] == ""


def test_the_prompt_shows_the_whole_document_and_asks_for_json() -> None:
    card = load_card("tablequest.extraction")
    example = read_examples(card, "test")[0]
    (message,) = PromptBuilder(card, []).build(example, Configuration("html", "none", "default"))
    text = message.content
    assert (
        '{"steps": "The row \'Shop\' has 61 in the column 2022; the table is in thousands.", "answer":'
        in text
    )
    assert "(in millions)" in text
    assert "1,205" in text
    assert text.endswith("Question: What were total commitments in 2023?\nJSON: ")


def test_answers_are_scored_with_the_question() -> None:
    card = load_card("tablequest.extraction")
    third = read_examples(card, "test")[2]
    scored = score_example(card, '{"steps": "", "answer": "61,000"}', third.references, third.facts)
    assert (scored["accuracy"], scored["answer_format"]) == (1.0, 1.0)


def test_columns_that_need_not_be_there(mirror: Path) -> None:
    needed = ("id", "document", "level", "question", "answer")
    corpus.write(mirror, [{name: row[name] for name in needed} for row in corpus.QUESTIONS])
    (only,) = read_examples(load_card("tablequest.analysis"), "test")
    assert dict(only.groups) == {"table": "bolt.html", "level": "analysis"}
    assert only.facts["rubric"] == ""


def test_a_missing_document_is_named(mirror: Path) -> None:
    corpus.write(mirror, [{**corpus.QUESTIONS[0], "document": "nowhere"}])
    with pytest.raises(DataError, match=r"none of its rows has a file .*nowhere"):
        read_examples(load_card("tablequest.extraction"), "test")


def test_a_table_that_the_document_lacks_is_named(mirror: Path) -> None:
    corpus.write(mirror, [{**corpus.QUESTIONS[0], "table": 7}])
    with pytest.raises(DataError, match=r"'table': found 7, but the document has 2 tables"):
        read_examples(load_card("tablequest.extraction"), "test")
