"""Tables and questions in CSV files become a data set; what is wrong with a line is said of that line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import here
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.own_tables import Made, make
from torr_plugin.catalog.own_tables.questions import Question, _dealt
from torr_plugin.errors import DataError

QUESTIONS = """\
id,table,question,answer,split
q1,rivers,How long is the Heron?,"1,205",test
q2,rivers.csv,In which country is the Linden?,Südmark,test
q3,ferries,In which year had the line North more passengers?,2022,train
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "rivers.csv").write_bytes(
        '\ufeffRiver,Country,"Length, km"\r\nHeron,Norland,"1,205"\r\n\r\nLinden,Südmark,733\r\n'.encode()
    )
    (tables / "ferries.tsv").write_text("Line\tYear\tPassengers\nNorth\t2021\t18,200\nNorth\t2022\t19,750\n")
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORR_DATA", raising=False)
    return tmp_path


def made(place: Path, name: str = "towns") -> Made:
    tables, questions = place / "tables", place / "questions.csv"
    return make(name, questions, tables, place / "data", beside=place, licence="CC0-1.0")


def test_it_can_be_read_as_any_data_set(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(place)
    assert (found.asked, found.shown, found.tables, found.kept, found.notes) == (2, 1, 2, (), ())
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    card = load_card(found.card)
    first, second = read_examples(card, "test")
    assert (first.id, list(first.references), second.references[0]) == ("q1", ["1,205"], "Südmark")
    assert [[cell.text for cell in row] for row in first.table.body] == [
        ["Heron", "Norland", "1,205"],
        ["Linden", "Südmark", "733"],
    ]
    (shown,) = read_examples(card, "train")
    assert shown.table.column_paths[2] == ("Passengers",)
    assert card.licence == "CC0-1.0"


def test_three_commands_lead_to_a_leaderboard(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = here("data", "make", "towns", "--tables", "tables", "--questions", "questions.csv")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.splitlines() == [
        "2 tables; 2 questions to ask, 1 for demonstrations",
        "data/towns/train.parquet",
        "data/towns/test.parquet",
        "towns.json",
        "towns.yaml",
        "Next: TORR_DATA=data torr run towns.yaml",
    ]
    monkeypatch.setenv("TORR_DATA", "data")
    done = here("run", "towns.yaml", "--json")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["requests"] == 16
    done = here("publish", "runs/towns", "--no-charts", "--anyway")
    assert done.exit_code in (0, 1), done.stderr
    assert (place / "site" / "index.html").is_file()


def test_made_again_the_data_are_new_and_the_rest_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made(place)
    (place / "towns.yaml").write_text("mine")
    (place / "questions.csv").write_text(QUESTIONS.replace("1,205", "1,206"))
    again = made(place)
    assert [path.name for path in again.kept] == ["towns.json", "towns.yaml"]
    assert (place / "towns.yaml").read_text() == "mine"
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    assert next(iter(read_examples(load_card(again.card), "test"))).references[0] == "1,206"


def test_one_table_has_no_demonstrations(place: Path) -> None:
    (place / "questions.csv").write_text("Table,Question,Answer\nrivers,Which?,Heron\nrivers,And?,Linden\n")
    found = made(place)
    assert (found.asked, found.shown, [path.name for path in found.data]) == (2, 0, ["test.parquet"])
    assert "shots: 0" in found.recipe.read_text()
    assert load_card(found.card).demo_split == "test"


def test_a_table_in_both_splits_is_said(place: Path) -> None:
    (place / "questions.csv").write_text(QUESTIONS.replace("q3,ferries", "q3,rivers"))
    assert made(place).notes[0].startswith("the table 'rivers' is in both splits")


@given(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, max_size=40))
def test_whole_tables_are_set_aside_and_one_is_always_asked(tables: list[str]) -> None:
    found = _dealt([Question(str(n), table, [], "?", "!") for n, table in enumerate(tables)])
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
    done = here("data", "make", "towns", "--tables", "tables", "--questions", "questions.csv")
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"torr: {message}")
    assert not (place / "data").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "tables/rivers.csv: is empty; expected a row of headings"),
        (b"a,b\n1\n", "tables/rivers.csv:2: found 1 cells; expected 2, as in its first row"),
        (b"a,b\n\xff,1\n", "tables/rivers.csv: cannot be read: it is not UTF-8"),
        (b'a,b\n"1,2\n', "tables/rivers.csv:2: not CSV: "),
    ],
)
def test_a_wrong_table(place: Path, content: bytes, message: str) -> None:
    (place / "tables" / "rivers.csv").write_bytes(content)
    done = here("data", "make", "towns", "--tables", "tables", "--questions", "questions.csv")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"torr: {message}")


def test_semicolons_part_cells_where_the_head_has_no_comma(place: Path) -> None:
    (place / "tables" / "rivers.csv").write_text("River;Length\nHeron;1205,5\n")
    assert made(place).asked == 2


@pytest.mark.parametrize("name", ["Towns", "to wns", "../towns", "", "1a", "cards.towns"])
def test_a_name_that_cannot_be_one(place: Path, name: str) -> None:
    with pytest.raises(DataError, match="name: found"):
        made(place, name)


@pytest.mark.parametrize(("folder", "said"), [("gone", "no such folder"), ("empty", "holds no table")])
def test_no_tables(place: Path, folder: str, said: str) -> None:
    (place / "empty").mkdir()
    done = here("data", "make", "towns", "--tables", folder, "--questions", "questions.csv")
    assert (done.exit_code, done.stderr.startswith(f"torr: {folder}: {said}")) == (2, True)
