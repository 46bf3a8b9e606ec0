"""Several right answers, answers of several values, tolerances: from the file to the score."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.catalog.own_tables.places import COMMAND, made
from tests.cli.in_process import here
from torr_plugin.catalog import Example, load_card, read_examples
from torr_plugin.core.errors import DataError
from torr_plugin.scoring import score_example

HEAD = "id,table,question,answer,any_of,all_of,absolute_tolerance,relative_tolerance,split\n"
ROWS = """\
q1,rivers,How long is the Heron?,"1,205",,,,1%,test
q2,rivers,Which river is long?,,Heron | the Heron,,,,test
q3,rivers,Which rivers are there?,,,"[""Heron"", ""Linden""]",,,test
q4,ferries,How many passengers in both years?,,,18200 | 19750,5,,test
q5,ferries,Which line?,North,,,,,train
"""


@pytest.fixture
def examples(place: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Example]]:
    (place / "questions.csv").write_text(HEAD + ROWS)
    card = load_card(made(place).card)
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    return card, {example.id: example for example in read_examples(card, "test")}


def test_the_card_has_the_metric_that_fits(examples: tuple[Any, dict[str, Example]]) -> None:
    card, found = examples
    assert (card.main_metric, card.metrics) == ("number_match", ("number_match",))
    assert "Write | between several values." in card.template.instruction
    assert found["q2"].references == ("Heron", "the Heron")
    assert found["q4"].references == ("18200 | 19750",)
    nothing = {"absolute_tolerance": "0", "decimal_mark": ".", "relative_tolerance": "0"}
    assert found["q1"].facts == {**nothing, "relative_tolerance": "1%"}
    assert found["q4"].facts == {**nothing, "absolute_tolerance": "5"}


@pytest.mark.parametrize(
    ("example", "answer", "score"),
    [
        ("q1", "about 1200 km", 1),
        ("q1", "1190", 0),
        ("q2", "The Heron", 1),
        ("q2", "Linden", 0),
        ("q3", "Linden, Heron", 1),
        ("q3", "Linden", 0),
        ("q4", "19,752 | 18,200", 1),
        ("q4", "19,756 | 18,200", 0),
    ],
)
def test_answers_are_scored_by_it(
    examples: tuple[Any, dict[str, Example]], example: str, answer: str, score: int
) -> None:
    card, found = examples
    asked = found[example]
    assert score_example(card, answer, asked.references, asked.facts)["number_match"] == score


def test_json_lines_have_lists_and_numbers(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        {"table": "rivers", "question": "How long?", "answer": 1205, "split": "test"},
        {
            "table": "rivers",
            "question": "Which?",
            "any_of": ["Heron", "a | b"],
            "split": "test",
            "comment": [1],
        },
        {"table": "rivers", "question": "All?", "all_of": ["Heron", 733], "split": "test", "id": "x"},
    ]
    text = "\n\n".join(map(json.dumps, lines)).replace("1205", "0.00001").replace("733", "1.50")
    (place / "questions.jsonl").write_text(text)
    done = here(*COMMAND[:-1], "questions.jsonl", "--json")
    assert (done.exit_code, json.loads(done.stdout)["metric"]) == (0, "number_match"), done.stderr
    monkeypatch.setenv("TORR_DATA", str(place / "data"))
    found = read_examples(load_card("towns.json"), "test")
    assert [each.references for each in found] == [("0.00001",), ("Heron", "a | b"), ("Heron | 1.50",)]
    assert [each.id for each in found] == ["q1", "q2", "x"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"1,205",,', '"1,205",5,', "question 1: any_of: found answer and any_of; expected one of them"),
        ('"1,205",,', ",,", "question 1: answer and any_of and all_of is empty; expected a text"),
        (",1%,", ",some,", "question 1: relative_tolerance: found 'some'; expected a number such as"),
        ("Heron | the Heron", "Heron | ", "question 2: any_of: found 'Heron |'; expected values with |"),
        ('""Linden""', '""a|b""', "question 3: all_of: found 'a|b'; expected values without"),
        ('""Linden""', "[1]", "question 3: all_of: found \"['1']\"; expected a text"),
        ("relative_tolerance,", "relative_tolerence,", "unknown column 'relative_tolerence'; did you mean"),
        ("any_of,", "anyof,", "unknown column 'anyof'; did you mean 'any_of'"),
    ],
)  # fmt: skip
def test_a_wrong_answer_or_tolerance(place: Path, old: str, new: str, message: str) -> None:
    (place / "questions.csv").write_text((HEAD + ROWS).replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        made(place)
    assert str(caught.value).startswith(f"{place / 'questions.csv'}: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"table": "rivers"', ":1: not JSON: "),
        ("[1]", ":1: found '[1]'; expected an object"),
        (
            '{"table": "rivers", "question": "?", "answer": ["a"]}',
            ": question 1: answer: found \"['a']\"; expected a text; several right answers go into any_of or",
        ),
        ('{"table": "rivers", "question": "?", "any_of": {}}', ": question 1: any_of: found '{}'; expected"),
        ('{"table": "rivers", "question": "?"}', ": no column 'answer'; found: 'table', 'question'; "),
        (
            '{"table": "rivers", "question": "?", "answer": 1, "split": "test"}\n'
            '{"table": "rivers", "question": "?", "answer": 1}',
            ": question 2: split: found ''; expected 'test' (asked) or 'train'",
        ),
        ("", ": no column 'table', 'question', 'answer'; found: ; expected"),
        (
            '{"table": "rivers", "question": "\\ud800?", "answer": 1}',
            ": question 1: question: found '\\ud800?'; expected text without lone surrogates",
        ),
    ],
)  # fmt: skip
def test_a_wrong_line_of_json(place: Path, line: str, message: str) -> None:
    path = place / "questions.jsonl"
    path.write_text(line)
    done = here(*COMMAND[:-1], str(path))
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"torr: {path}{message}")


@pytest.mark.parametrize(
    ("metric", "named", "main"),
    [
        ("value_set", "metrics.torr.value_set", "value_set"),
        ("metrics.rouge", "metrics.torr.rouge", "rougeL"),
        pytest.param("unitxt:metrics.accuracy", "metrics.accuracy", "accuracy", marks=pytest.mark.full),
    ],
)
def test_a_metric_may_be_named(place: Path, metric: str, named: str, main: str) -> None:
    done = here(*COMMAND, "--metric", metric)
    assert done.exit_code == 0, done.stderr
    card = json.loads((place / "towns.json").read_text())
    assert (card["task"], card["main_metric"]) == (f"tasks.torr.table_qa[metrics=[{named}]]", main)
    done = here(*COMMAND, "--metric", "exact_match", "--json")
    assert json.loads(done.stdout)["notes"] == [
        f"towns.json: left as found, with the metric {main}; edit it, or remove it to have it made again"
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--metric", "number_mach"), "unknown metric 'number_mach'; did you mean 'number_match'"),
        (("--metric", "finqa"), "--metric: finqa needs answer, table of each example, which tables lack"),
        (
            ("--metric", "rouge"),
            "questions.csv: question 'q1' has a tolerance, which rougeL does not take into",
        ),
        (("--encoding", "utf-9"), "--encoding: found 'utf-9'; expected one such as utf-8, latin-1, cp1250"),
    ],
)
def test_an_option_that_cannot_be(place: Path, options: tuple[str, ...], message: str) -> None:
    (place / "questions.csv").write_text(HEAD + ROWS)
    done = here(*COMMAND, *options)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith(f"torr: {message}")
    assert not (place / "data").exists()


def test_several_values_are_not_compared_as_one_text(place: Path) -> None:
    (place / "questions.csv").write_text("table,question,all_of\nrivers,Which?,Heron | Linden\n")
    done = here(*COMMAND, "--metric", "exact_match")
    assert (done.exit_code, "expected --metric value_set or number_match" in done.stderr) == (2, True)


def test_a_card_that_was_there_and_does_not_read_what_is_new(place: Path) -> None:
    made(place)
    (place / "questions.csv").write_text(HEAD + ROWS)
    note, *_ = json.loads(here(*COMMAND, "--json").stdout)["notes"]
    assert note == (
        "towns.json: left as found, with the metric number_match and without absolute_tolerance, answers, "
        "relative_tolerance; edit it, or remove it to have it made again"
    )


def test_a_decimal_mark_that_a_card_lacks_is_told(place: Path) -> None:
    (place / "questions.csv").write_text(HEAD + ROWS)
    assert here(*COMMAND).exit_code == 0
    assert "left as found" not in here(*COMMAND).stderr
    done = here(*COMMAND, "--decimal-mark", ",")
    assert "towns.json: left as found" in done.stderr
    assert "without --decimal-mark ,;" in " ".join(done.stderr.split())


def test_a_number_that_may_have_a_decimal_comma_is_told(place: Path) -> None:
    rows = 't1,rivers,How long?,"1,234",test\nt2,rivers,How wide?,"12,5",test\n'
    (place / "questions.csv").write_text("id,table,question,answer,split\n" + rows)
    said = " ".join(here(*COMMAND, "--decimal-mark", ".").stderr.split())
    assert "the right answer 1,234 is read as 1234, though 12,5 has a decimal comma" in said
    assert "is read as" not in here(*COMMAND).stderr  # the card is there, and may have been edited
    (place / "towns.json").unlink()
    assert "is read as" not in here(*COMMAND, "--decimal-mark", ",").stderr
    (place / "towns.json").unlink()
    assert "is read as" not in here(*COMMAND, "--metric", "exact_match").stderr


def test_the_decimal_mark_goes_into_the_card(place: Path) -> None:
    (place / "questions.csv").write_text(HEAD + ROWS)
    assert here(*COMMAND, "--decimal-mark", ",").exit_code == 0
    (step,) = json.loads((place / "towns.json").read_text())["preprocess_steps"]
    assert step["facts"]["decimal_mark"] == {"default": ","}
    (place / "towns.json").unlink()
    done = here(
        *COMMAND, "--decimal-mark", ",", "--questions", "questions.csv", "--metric", "number_match", "--json"
    )
    assert json.loads(done.stdout)["metric"] == "number_match"
