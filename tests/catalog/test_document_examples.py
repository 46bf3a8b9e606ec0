"""Examples on documents: read once, shared, packed; each with the table that its question is about."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.catalog import Example, data_fingerprint, load_card, read_examples
from torr_plugin.catalog.documents import PackedDocument
from torr_plugin.catalog.examples import instance_of
from torr_plugin.core.errors import CardError, DataError
from torr_plugin.tables import Table
from torr_plugin.tables.documents import Document, TextBlock, to_html

from .. import document_card
from ..document_card import CARD, questions, report, write


@pytest.fixture
def mirror(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    return tmp_path


def changed(**reading: Any) -> dict[str, Any]:
    """The card with changes in its preprocessing step; ``...`` takes a key away."""
    card = deepcopy(CARD)
    step = card["preprocess_steps"][0]
    step.update(reading)
    card["preprocess_steps"] = [{key: value for key, value in step.items() if value is not ...}]
    return card


def examples(folder: Path, card: Mapping[str, Any] = CARD, **rows: Any) -> list[Example]:
    """Those of two reports; ``rows`` are values of all questions."""
    path = write(folder, [report(0), report(1)], [{**row, **rows} for row in questions(2)], card)
    return read_examples(load_card(path), "test")


def test_questions_share_documents_and_name_their_tables(mirror: Path) -> None:
    found = examples(mirror)
    assert [each.evidence for each in found] == [0, 1, None, 0, 1, None]
    assert [each.table for each in found[:3]] == [document_card.ships(0, place) for place in (0, 1, 0)]
    assert found[0].document is found[2].document is not found[3].document
    assert found[0].document == report(0) == Document.of_json(report(0).to_json())
    assert report(0) == found[0].document != report(1)
    assert hash(found[0].document) == hash(report(0))
    assert found[0].table is found[2].table  # the first table, which is also the evidence of another


def test_documents_are_packed(mirror: Path) -> None:
    document = PackedDocument(report(0, tables=60).blocks, "long")
    plain = len(pickle.dumps(report(0, tables=60)))
    assert len(document._packed) < plain / 5
    assert document.tables == report(0, tables=60).tables
    assert document.first(4) == Document(report(0, tables=60).blocks[:4], "long")
    assert pickle.loads(pickle.dumps(document)) == document


def test_pickled_tables_hold_their_fields_alone() -> None:
    for table in (Table.flat(["a"], [["b"]]), document_card.ships(0, 0)):
        worked_out = (table.grid, table.column_tree)
        again = pickle.loads(pickle.dumps(table))
        assert again.__dict__.keys() <= {*Table.__dataclass_fields__, "texts", "has_spans"}
        assert again == table
        assert (again.grid, again.column_tree) == worked_out


def test_a_card_may_have_a_table_beside_its_document(mirror: Path) -> None:
    beside = changed(table={"reader": "delimited", "columns": {"text": "own"}, "values": {"separator": "#"}})
    beside["loader"]["columns"].append("own")
    found = examples(mirror, beside, own="a#b\n1#2\n")
    assert found[1].table == Table.flat(["a", "b"], [["1", "2"]])
    assert found[1].evidence == 1


@pytest.mark.parametrize("change", ["text", "heading", "cell", "evidence"])
def test_the_fingerprint_changes_with_the_document(mirror: Path, change: str) -> None:
    rows = questions(1)
    card = load_card(write(mirror / "a", [report(0)], rows))
    blocks = list(report(0).blocks)
    if change == "text":
        blocks[1] = TextBlock(blocks[1].text + " More.")  # type: ignore[union-attr]
    elif change == "heading":
        blocks[0] = TextBlock(blocks[0].text)  # type: ignore[union-attr]
    elif change == "cell":
        blocks[2] = document_card.ships(7, 0)
    else:
        rows = [{**row, "table": 0 if row["table"] is None else row["table"]} for row in rows]
    other = write(mirror / "b", [Document(tuple(blocks), "Report 0")], rows)
    assert read_fingerprint(mirror / "a", card.path) == read_fingerprint(mirror / "a", card.path)
    assert read_fingerprint(mirror / "a", card.path) != read_fingerprint(mirror / "b", other)


def read_fingerprint(mirror: Path, card: Path) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("TORR_DATA", str(mirror))
        return data_fingerprint(load_card(card), "test")


def test_instances_have_canonical_html(mirror: Path) -> None:
    example = examples(mirror)[1]
    instance = instance_of(example)
    assert instance["document"] == to_html(report(0))
    assert instance["table"]["header"] == example.table.to_unitxt()["header"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"table": 3}, "example 'q0-0': column 'table': found 3, but the document has 3 tables; expected a"),
        ({"table": -1}, "column 'table': found '-1', expected a table's number, from 0"),
        ({"document": "report-9"}, "none of its rows has a file {name}.json: report-9"),
    ],
)
def test_wrong_rows(mirror: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError) as error:
        examples(mirror, **row)
    assert message in str(error.value)


def test_a_document_without_tables_is_refused(mirror: Path) -> None:
    path = write(mirror, [Document((TextBlock("Nothing."),))], questions(1))
    with pytest.raises(DataError, match="'q0-0': the document has no tables; expected at least one"):
        read_examples(load_card(path), "test")


def test_an_unreadable_document_is_named(mirror: Path) -> None:
    text = changed(document={"reader": "json", "columns": {"content": "question"}})
    with pytest.raises(DataError, match=r"example 'q0-0': document: no JSON .*it starts 'How many ships"):
        examples(mirror, text)


WRONG_CARDS = [
    ({"document": ...}, "the key 'table' is missing; expected it, or 'document', or both"),
    (
        {"document": {"reader": "filing", "columns": {"document": "content"}}},
        "the reader 'filing' reads a column 'content' of 'columns', found document",
    ),
    (
        {"document": {"columns": {"content": "content"}}},
        "without a reader it reads a column 'document' of 'columns', found content",
    ),
    ({"document": {"reader": "word", "columns": {"content": "content"}}}, "found 'word'"),
    ({"inputs": {"document": "question"}}, "an input cannot be called 'document'"),
]


@pytest.mark.parametrize(("reading", "message"), WRONG_CARDS)
def test_wrong_cards(tmp_path: Path, reading: dict[str, Any], message: str) -> None:
    path = tmp_path / "ports.json"
    path.write_text(json.dumps(changed(**reading)))
    with pytest.raises(CardError) as error:
        load_card(path)
    assert message in str(error.value)


def test_task_and_template_have_to_know_of_documents(tmp_path: Path) -> None:
    path = tmp_path / "ports.json"
    task = {**CARD, "task": "tasks.torr.table_qa"}
    path.write_text(json.dumps(task))
    with pytest.raises(CardError, match=r"task: found tasks\.torr\.table_qa; expected a task with an input"):
        load_card(path)
    template = {**CARD["templates"][0], "input_format": "{question}"}
    path.write_text(json.dumps({**CARD, "templates": [template]}))
    with pytest.raises(CardError, match=r"found no \{table\} and no \{document\} in '\{question\}'"):
        load_card(path)
