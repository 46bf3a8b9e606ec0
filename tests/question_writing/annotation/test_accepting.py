"""From tables to a data set that a study can ask, through the command line, and what a review leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.in_process import here
from tests.question_writing.made import annotation, entry
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import DataError, InputError
from torr_plugin.question_writing import Rounds, accept_annotation, annotate
from torr_plugin.question_writing.annotation.question import read_annotated


def fill(said: dict[str, dict[str, str]], other: str = "accept", name: str = "verdicts.jsonl") -> list[str]:
    """Verdicts on each question about rivers, by its first words; gives the ids."""
    rows = []
    for each in read_annotated(Path("out")).values():
        if each.table == "rivers":
            own = next((what for words, what in said.items() if each.question.startswith(words)), {})
            rows.append({"id": each.id, "verdict": other, "reviewer": "Ada", **own})
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [row["id"] for row in rows]


SAID = {
    "In which": {"verdict": "reject"},
    "What do": {"verdict": ""},
    "How long are": {"verdict": "change", "corrected_answer": "2350", "comment": "km"},
    "How long is": {
        "verdict": "change",
        "corrected_question": "How long is the Heron, in km?",
        "corrected_answer": "1205 | 0",
    },
}


def test_the_rows_keep_their_provenance(place: Path) -> None:
    annotate(annotation(place), Rounds(place / "out"))
    fill(SAID)
    found = accept_annotation(place / "out", "mine", place / "data", reviews=[place / "verdicts.jsonl"])
    assert (found["accepted"], found["changed"], found["rejected"], found["unreviewed"]) == (1, 2, 1, 6)
    assert {kind: made.metric for kind, made in found["made"].items()} == {
        "fact_checking": "value_set",
        "numerical_reasoning": "number_match",
        "structure_comprehending": "number_match",
    }
    (row,) = pq.read_table(found["made"]["numerical_reasoning"].data[0]).to_pylist()
    assert (row["question"], row["answer"]) == ("How long are all rivers together?", "2350")
    assert (row["type"], row["subtype"], row["table_id"]) == ("numerical_reasoning", "Calculation", "rivers")
    assert json.loads(row["provenance"]) == {
        "asked_by": "a",
        "prompts": 1,
        "judge": "a",
        "question": "How long are all rivers together?",
        "answers": [
            {"answer": "2,350", "models": ["a", "b"], "asked": 3, "score": 90.0, "values": "", "final": 60.0},
            {"answer": "2351", "models": ["c"], "asked": 3, "score": 5.0, "values": "", "final": 1.67},
        ],
        "verdict": "change",
        "corrected_question": "",
        "corrected_answer": "2350",
        "reviewers": ["Ada"],
        "comments": ["km"],
    }
    (structure,) = pq.read_table(found["made"]["structure_comprehending"].data[0]).to_pylist()
    assert (structure["question"], structure["answer"]) == ("How long is the Heron, in km?", "1205 | 0")


def test_a_card_reads_what_was_accepted(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    annotate(annotation(place, entry("a")), Rounds(place / "out"))
    fill({}, "accept", "out/all.jsonl")
    found = accept_annotation(place / "out", "mine", place / "data", reviews=[place / "out" / "all.jsonl"])
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    analysis = load_card(found["made"]["data_analysis"].card)
    assert analysis.main_metric == "rougeL"
    structure = load_card(found["made"]["structure_comprehending"].card)
    assert "exchange_row_groups" in structure.keeps_labels
    (example,) = read_examples(structure, "test")
    assert example.references == ("1205",)
    assert example.groups["subtype"] == "Row Headings"
    assert "exchange_sub_tables" in Path("mine_structure_comprehending.yaml").read_text()
    again = accept_annotation(place / "out", "mine", place / "data", reviews=[place / "out" / "all.jsonl"])
    assert len(again["kept"]) == 2
    assert again["made"]["data_analysis"].kept == (again["made"]["data_analysis"].card,)


def test_what_cannot_be_accepted_is_said(place: Path) -> None:
    missing = here("annotate", "accept", "out", "--name", "mine")
    assert missing.exit_code == 2
    assert "no annotation.yaml; expected a folder that 'torr annotate run' wrote" in missing.stderr
    annotate(annotation(place, entry("a")), Rounds(place / "out"))
    review = place / "verdicts.jsonl"
    fill({}, "reject")
    with pytest.raises(DataError, match="no question is accepted; expected the verdict 'accept' or 'change'"):
        accept_annotation(place / "out", "mine", place / "data", reviews=[review])
    fill({"How long": {"verdict": "change", "corrected_answer": "one\ntwo"}})
    fill({}, "", "first.jsonl")
    with pytest.raises(
        DataError, match=r"verdicts\.jsonl: question \d+: corrected_answer: has several lines"
    ):
        accept_annotation(place / "out", "mine", place / "data", reviews=[place / "first.jsonl", review])
    fill({"How long": {"verdict": "change", "corrected_answer": "1 | | 2"}})
    with pytest.raises(
        DataError, match=r"question \d+: the answer '1 \| \| 2' has an empty value; expected a"
    ):
        accept_annotation(place / "out", "mine", place / "data", reviews=[review])
    fill({})
    with pytest.raises(DataError, match="name: found 'My data_fact_checking'; expected small letters"):
        accept_annotation(place / "out", "My data", place / "data", reviews=[review])
    with pytest.raises(DataError, match=r"nowhere\.jsonl: cannot be read"):
        accept_annotation(place / "out", "mine", place / "data", reviews=[place / "nowhere.jsonl"])
    (place / "out" / "questions.jsonl").unlink()
    with pytest.raises(InputError, match=r"questions\.jsonl: is not there; the same"):
        accept_annotation(place / "out", "mine", place / "data", reviews=[review])
    assert not (place / "data").exists()
