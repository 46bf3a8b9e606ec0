"""The corpus: two files that are a mirror, equal for any number of workers."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from torr_plugin.synthesis.filings import CorpusOptions, filing_outputs, write_corpus
from torr_plugin.synthesis.parallel import in_order
from torr_plugin.tables.documents import read_filing

from ...conftest import Torr

SMALL = ("synth", "filings", "--documents", "3", "--pages", "2", "--questions", "6", "--seed", "4")
COLUMNS = [
    "id",
    "document",
    "level",
    "question",
    "answer",
    "steps",
    "evidence",
    "company",
    "year",
    "table",
    "rubric",
]


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_two_files_are_a_mirror(tmp_path: Path) -> None:
    made = filing_outputs(3, CorpusOptions(pages=2, questions=6, seed=4))
    assert write_corpus(made, tmp_path)["questions"] == 18
    questions = pq.read_table(tmp_path / "tablequest/questions.parquet").to_pylist()
    documents = pq.read_table(tmp_path / "tablequest/documents.parquet").to_pylist()
    assert list(questions[0]) == COLUMNS
    assert {row["path"] for row in documents} == {f"{row['document']}.html" for row in questions}
    assert {row["level"] for row in questions} == {"extraction", "calculation", "analysis"}
    assert len({row["id"] for row in questions}) == 18
    tables = {row["path"]: read_filing(row["content"]).tables for row in documents}
    for row in questions:
        assert row["table"] < len(tables[f"{row['document']}.html"])
        assert (row["rubric"] is not None) == (row["level"] == "analysis")
        assert row["rubric"] is None or all(isinstance(fact, str) for fact in json.loads(row["rubric"]))


def test_a_smaller_corpus_is_the_beginning_of_a_larger_one() -> None:
    options = CorpusOptions(pages=1, questions=2)
    assert list(filing_outputs(1, options)) == list(filing_outputs(2, options))[:1]


@pytest.mark.full
def test_files_are_the_same_for_any_number_of_workers(torr: Torr, tmp_path: Path) -> None:
    for workers in ("1", "3"):
        torr(*SMALL, "--workers", workers, "--html", "--out", workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "3")
    assert len(contents(tmp_path / "1")) == 6


def test_the_command_says_what_it_made(torr: Torr, tmp_path: Path) -> None:
    done = torr(*SMALL, "--levels", "extraction", "--out", "made", "--json")
    result = json.loads(done.stdout)
    assert (result["documents"], result["questions"]) == (3, 18)
    assert set(contents(tmp_path / "made")) == {
        "dataset.yaml", "tablequest/documents.parquet", "tablequest/questions.parquet"
    }  # fmt: skip
    levels = pq.read_table(tmp_path / "made/tablequest/questions.parquet").column("level").to_pylist()
    assert set(levels) == {"extraction"}


def test_work_in_order_keeps_no_more_than_it_must() -> None:
    taken = []

    def items() -> range:
        taken.append(1)
        return range(5)

    assert list(in_order(str, items())) == [(n, str(n)) for n in range(5)]
    assert list(in_order(str, range(7), workers=2, chunk=2)) == [(n, str(n)) for n in range(7)]
