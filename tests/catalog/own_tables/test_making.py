"""Tables and questions in CSV files become a data set, a card and a study that fit each other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.catalog.own_tables.places import COMMAND, QUESTIONS, made
from tests.cli.in_process import here
from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import DataError
from torr_plugin.prompts.builder import draw_demonstrations
from torr_plugin.recipes import load


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


def said(text: str) -> list[str]:
    """The lines, those that were too long for the terminal put together."""
    return re.sub(r"\n(?!\d+ tables|metric |data/|towns|Next)", " ", text.rstrip()).splitlines()


@pytest.mark.full
def test_three_commands_lead_to_a_leaderboard(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = here(*COMMAND)
    assert done.exit_code == 0, done.stderr
    made, metric, *files = said(done.stderr)
    assert made == "2 tables; 2 questions to ask, 1 for demonstrations"
    assert metric.startswith("metric number_match: 2 of 3 right values are numbers, such as 1,205; ")
    assert files == [
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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("copy.csv", 'River,Country,"Length, km"\nHeron,Norland,"1,205"\nLinden,Südmark,733\n'),
        ("copy.tsv", "River\tCountry\tLength, km\r\nHeron\tNorland\t1,205 \r\nLinden\tSu\u0308dmark\t733"),
        ("copy.html", "<table><caption>Rivers<tr><th>River<th>Country<th>Length, km<tr><td>Heron<td>Norland"
         "<td>1,205<tr><td>Linden<td>Südmark<td>733</table>"),
        ("copy.csv", 'sep=;\nRiver;Country;Length, km\nHeron;Norland;1,205\nLinden;Südmark;733'),
    ],
)  # fmt: skip
def test_equal_tables_are_one_and_demonstrate_nothing_to_each_other(
    place: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: str
) -> None:
    (place / "tables" / name).write_text(content, newline="")
    more = 'q4,copy,How long is the Heron?,"1,205",train\n'
    (place / "questions.csv").write_text(QUESTIONS + more)
    found = made(place)
    assert found.tables == 2
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    card = load_card(found.card)
    examples = {each.id: each for split in ("test", "train") for each in read_examples(card, split)}
    assert examples["q4"].groups["table"] == examples["q1"].groups["table"]
    pool = read_examples(card, "train")
    shown = draw_demonstrations(examples["q1"], pool, card=card, seed=1, shots=1)
    assert [each.id for each in shown] == ["q3"]


def test_one_table_has_no_demonstrations(place: Path) -> None:
    (place / "questions.csv").write_text("Table,Question,Answer\nrivers,Which?,Heron\nrivers,And?,Linden\n")
    found = made(place)
    assert (found.asked, found.shown, [path.name for path in found.data]) == (2, 0, ["test.parquet"])
    assert "shots: 0" in found.recipe.read_text()
    assert load_card(found.card).demo_split is None


def test_a_table_in_both_splits_is_said(place: Path) -> None:
    more = "q4,rivers,Which is the shorter?,Linden,train\n"
    (place / "questions.csv").write_text(QUESTIONS + more)
    assert made(place).notes[0].startswith("the table 'rivers' is in both splits")
    (place / "questions.csv").write_text(QUESTIONS.replace("q3,ferries", "q3,rivers"))
    assert made(place).notes[0].endswith("the study shows no demonstrations")


@pytest.mark.parametrize("name", ["Towns", "../towns", ""])
def test_a_name_that_cannot_be_one(place: Path, name: str) -> None:
    with pytest.raises(DataError, match="name: found"):
        made(place, name)


@pytest.mark.parametrize("name", ["no", "null"])
def test_a_name_that_yaml_reads_as_something_else_is_still_a_name(place: Path, name: str) -> None:
    recipe = load(made(place, name).recipe)
    assert (recipe.name, [entry.card for entry in recipe.cards]) == (name, [str(place / f"{name}.json")])


@pytest.mark.parametrize("content", [b"someone's", None])
def test_the_data_of_others_are_never_touched(place: Path, content: bytes | None) -> None:
    theirs = place / "data" / "towns" / "validation.parquet"
    theirs.parent.mkdir(parents=True)
    if content is None:
        pq.write_table(pa.table({"id": ["1"]}), theirs)
    else:
        theirs.write_bytes(content)
    before = theirs.read_bytes()
    done = here(*COMMAND)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "torr: data/towns/validation.parquet: belongs to another data set; expected an unused name or --to\n"
    )
    assert [path.name for path in theirs.parent.iterdir()] == ["validation.parquet"]
    assert theirs.read_bytes() == before
    assert not (place / "towns.json").exists()


def test_a_split_of_an_earlier_make_does_not_stay(place: Path) -> None:
    made(place)
    (place / "questions.csv").write_text(QUESTIONS.replace(",train", ",test"))
    again = here(*COMMAND)
    assert again.exit_code == 0, again.stderr
    assert [path.name for path in (place / "data" / "towns").iterdir()] == ["test.parquet"]


def test_what_was_edited_past_reading_is_not_judged(place: Path) -> None:
    made(place)
    (place / "towns.json").write_text("{")
    (place / "towns.yaml").write_text("mine")
    (place / "questions.csv").write_text(QUESTIONS.replace(",train", ",test"))
    done = here(*COMMAND, "--json")
    assert (done.exit_code, json.loads(done.stdout)["notes"]) == (0, [])


@pytest.mark.parametrize(
    ("more", "shots"),
    [
        ("", 0),
        ("q4,ferries,Which year was first?,2021,train\n", 1),
        ("q4,ferries,Which year was first?,2021,test\n", 0),
    ],
)
def test_the_study_that_is_made_can_run(
    place: Path, monkeypatch: pytest.MonkeyPatch, more: str, shots: int
) -> None:
    (place / "questions.csv").write_text(QUESTIONS.replace("q3,ferries", "q3,rivers") + more)
    found = made(place)
    assert load(found.recipe).demonstrations.shots == shots
    (note,) = found.notes
    assert ("the study shows no demonstrations" in note) == (shots == 0)
    monkeypatch.setenv("TORR_DATA", "data")
    done = here("prompts", "towns.yaml", "--limit", "1", "--out", "prompts.jsonl")
    assert done.exit_code == 0, done.stderr


def test_card_and_recipe_are_there_whole_or_not_at_all(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fails, write = "towns.json", Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if fails in path.name:
            write(path, content[:20])
            raise OSError(28, "No space left on device", str(path))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    done = here(*COMMAND)
    assert done.exit_code == 2
    assert ": No space left" in done.stderr
    assert not [path for path in place.iterdir() if fails in path.name]


def test_a_mirror_whose_name_is_no_utf8(place: Path) -> None:
    done = here(*COMMAND, "--to", "m\udce9")
    assert done.exit_code == 0, done.stderr
    assert here(*COMMAND, "--to", "m\udce9").exit_code == 0
