"""A file of questions: each with its table, its answer and its split, or one line that says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.catalog.own_tables.places import COMMAND, QUESTIONS, made
from tests.cli.in_process import here
from torr_plugin.catalog.own_tables.questions import OwnQuestion, with_splits
from torr_plugin.tables import Table

NONE = Table.flat(["a"], [["1"]])


@given(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=40))
def test_whole_tables_are_set_aside_and_one_is_always_asked(tables: list[str]) -> None:
    found = with_splits([OwnQuestion(str(n), table, NONE, "?", ("!",)) for n, table in enumerate(tables)])
    of = {split: {each.table for each in found if each.split == split} for split in ("test", "train")}
    several = len(set(tables))
    assert not of["test"] & of["train"]
    assert of["test"]
    assert len(of["train"]) == (several // 4 or min(several - 1, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("answer,split", "reply,split", "questions.csv: no column 'answer'; found: 'id', 'table',"),
        ("q2,rivers.csv", "q2,river", "questions.csv: question 2: tables has no table 'river'; did you"),
        ("q2,", "q1,", "questions.csv: question 2: the id 'q1' was another's; expected each once"),
        ("Südmark", " ", "questions.csv: question 2: answer is empty; expected a text"),
        (",train", ",dev", "questions.csv: question 3: split: found 'dev'; expected 'test' (asked) or"),
        (",test", ",train", "questions.csv: no question to ask; expected one at least with the split 'test'"),
        (",2022,train", ",2022", "questions.csv:4: found 4 cells; expected 5, as in its first row"),
        ('"1,205"', '"1,205"x', "questions.csv:2: not CSV: "),
    ],
)  # fmt: skip
def test_a_wrong_line_of_the_questions(place: Path, old: str, new: str, message: str) -> None:
    (place / "questions.csv").write_text(QUESTIONS.replace(old, new))
    done = here(*COMMAND)
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"torr: {message}")
    assert not (place / "data").exists()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("answer,split", "answer,Answer ", "column 'answer' is there twice; expected once"),
        ("id,", "Split,", "column 'split' is there twice; expected once"),
    ],
)
def test_what_would_be_lost_is_refused(place: Path, old: str, new: str, message: str) -> None:
    (place / "questions.csv").write_bytes(QUESTIONS.replace(old, new).encode())
    done = here(*COMMAND)
    assert (done.exit_code, done.stderr) == (2, f"torr: questions.csv: {message}\n")
    assert not (place / "data").exists()


def test_rows_of_empty_cells_are_no_questions(place: Path) -> None:
    (place / "questions.csv").write_text(QUESTIONS + ",,,,\n , ,,,\n")
    assert made(place).asked == 2


def test_other_columns_may_be_there_as_often_as_they_like(place: Path) -> None:
    lines = QUESTIONS.splitlines()
    (place / "questions.csv").write_text("\n".join([lines[0] + ",,", *(line + ",," for line in lines[1:])]))
    assert made(place).asked == 2


def test_line_ends_around_an_answer_are_no_lines(place: Path) -> None:
    (place / "questions.csv").write_text(QUESTIONS.replace("Südmark", '"Südmark\n"'))
    assert made(place).asked == 2
