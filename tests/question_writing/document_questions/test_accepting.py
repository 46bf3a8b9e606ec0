"""From reviewed questions about documents to a mirror: what is taken, and what the cards read of it."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.in_process import here
from tests.question_writing.made import HTML, QUESTIONS, write
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import InputError
from torr_plugin.question_writing import accept_questions

SAID = [
    {"id": "acme-1", "verdict": "accept", "reviewer": "Ada"},
    {"id": "acme-2", "verdict": "change", "corrected_answer": "$ 30 million", "comment": "unit"},
    {"id": "acme-3", "verdict": "reject"},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORR_DATA", raising=False)
    write(Path("out"))
    Path("said.jsonl").write_text("".join(json.dumps(each) + "\n" for each in SAID))
    return Path("out")


def test_what_people_accepted_becomes_a_mirror(folder: Path) -> None:
    ran = here("synth", "accept", "out", "--review", "said.jsonl", "--to", "mine")
    assert ran.stdout.splitlines()[-1].split()[:3] == ["all", "2", "100.0%"]
    assert ran.exit_code == 0, ran.output
    assert (
        "1 accepted, 1 changed\nleft out: 1 rejected, 1 not reviewed, 1 dropped by the filter" in ran.stderr
    )
    assert (
        "Next: TORR_DATA=mine torr run tablequest --cards tablequest.extraction,tablequest.calculation"
        in ran.stderr
    )
    assert all(len(line) <= 80 for line in ran.output.splitlines() if not line.startswith("Next: "))
    rows = pq.read_table("mine/tablequest/questions.parquet").to_pylist()
    assert [(row["id"], row["answer"], row["steps"], row["grounding"]) for row in rows] == [
        ("acme-1", "$410 million", "Look up Leases, 2023.", "Leases rose to $410 million."),
        ("acme-2", "$ 30 million", "", ""),  # the steps led to another answer
    ]
    assert json.loads(rows[1]["provenance"]) == {
        "question": "What were leases in 2023? (2)",
        "answer": "$30 million",
        "filter": "clear",
        "verdict": "change",
        "reviewers": [],
        "comments": ["unit"],
    }
    documents = pq.read_table("mine/tablequest/documents.parquet").to_pylist()
    assert documents == [{"path": "acme.html", "content": HTML["acme"]}]


def test_the_cards_read_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = accept_questions(folder, Path("mine"), unreviewed=True)
    assert (found["unreviewed"], found["unreviewed_taken"], found["dropped"]) == (4, True, 1)
    assert found["questions"] == {"extraction": 2, "calculation": 1, "analysis": 1}
    with pytest.raises(InputError, match="mine/tablequest: "):  # what is there is not written over
        accept_questions(folder, Path("mine"), unreviewed=True)
    monkeypatch.setenv("TORR_DATA", "mine")
    read = {
        example.id: example
        for level in found["questions"]
        for example in read_examples(load_card(f"tablequest.{level}"), "test")
    }
    assert set(read) == {each.id for each in QUESTIONS if each.kept}
    example = read["zenith-1"]
    assert (example.references, example.groups["table"]) == (("$410 million",), "zenith")
    assert example.document is not None
    assert example.table == example.document.tables[0]
    verified = here("data", "verify", *(f"tablequest.{level}" for level in found["questions"]))
    assert verified.exit_code == 0, verified.output


def test_all_that_was_kept_is_taken_only_if_asked_for(folder: Path) -> None:
    ran = here("synth", "accept", "out", "--all-kept", "--json")
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert (found["folder"], found["documents"], found["unreviewed"]) == ("data/tablequest", 2, 4)
    assert found["recall"][-1]["answers"] == "all"
    said = here("synth", "accept", "out", "--review", "said.jsonl", "--all-kept", "--to", "both")
    assert "1 question taken that nobody reviewed (--all-kept)" in said.stderr
    everything = here("synth", "accept", "out", "--all-kept", "--to", "everything").stderr
    assert "Next: TORR_DATA=everything torr run tablequest\n" in everything
    assert pq.read_table("both/tablequest/questions.parquet").num_rows == 3


def refused(message: str, *arguments: str) -> None:
    ran = here("synth", "accept", *arguments)
    assert ran.exit_code == 2
    assert ran.stderr.splitlines()[-1] == f"torr: {message}"


def test_what_cannot_be_accepted_is_said_in_a_line(folder: Path) -> None:
    refused("nowhere: no synthesis.yaml; expected a folder that 'torr synth qa' wrote", "nowhere")
    refused(
        "out: no verdicts in review.csv, review.xlsx, review.jsonl; fill in one of them, or give the "
        "file that review.html saved as --review",
        "out",
    )
    Path("said.jsonl").write_text('{"id": "acme-4", "verdict": "accept"}')
    refused(
        "said.jsonl: question 1: id: found 'acme-4'; expected one of this folder's questions",
        *("out", "--review", "said.jsonl"),
    )
    Path("said.jsonl").write_text('{"id": "acme-1", "verdict": "reject"}')
    refused(
        "said.jsonl: no question is accepted; expected the verdict 'accept' or 'change' on one, or one that "
        "the filter kept",
        *("out", "--review", "said.jsonl"),
    )


def test_a_folder_that_was_not_ended_is_said(folder: Path) -> None:
    (folder / "synthesis.yaml").write_text("{format: 1, prompts: 1}")
    refused("out: was not ended; the same 'torr synth qa' goes on with it", "out", "--all-kept")


def test_a_document_that_is_missing_is_named(folder: Path) -> None:
    documents = folder / "documents.parquet"
    pq.write_table(pq.read_table(documents).slice(1), documents)
    refused(
        "out/documents.parquet: no document 'acme'; expected all that questions are about",
        *("out", "--all-kept"),
    )
    documents.write_text("x")
    refused_line = here("synth", "accept", "out", "--all-kept").stderr
    assert "out/documents.parquet: cannot be read: " in refused_line
