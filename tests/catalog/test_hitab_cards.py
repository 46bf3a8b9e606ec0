"""HiTab's cards: on a table of our own, and on the published questions."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from tests.tables.test_hitab import content, line_paths
from torr_plugin.catalog import Example, load_card, read_examples
from torr_plugin.core.errors import DataError
from torr_plugin.scoring import score_example
from torr_plugin.tables import Table, perturbations

from . import tiny
from .conftest import Changed

NAMES = ("hitab.test", "hitab.corrected_2025")


def row(number: int, answer: str, aggregation: str = "['none']") -> dict[str, str]:
    return {
        "id": f"q{number}",
        "table_id": "ferries",
        "table_source": "ours",
        "question": "how many ferries left the bay in 2019?",
        "answer": answer,
        "aggregation": aggregation,
        "table_content": str(content()),
    }


@pytest.fixture
def ferries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A mirror of four questions about one table."""
    rows = [
        row(1, "[2.0]"),
        row(2, "[0.333333]", "['diff', 'div']"),
        row(3, "['lake', 'bay']", "['topk-argmax']"),
        row(4, "[0.5, 'bay']"),
    ]
    files = {f"hitab/{name}": rows for name in ("test", "validation", "corrected_2025")}
    place = tiny.write(tmp_path / "mirror", files)
    monkeypatch.setenv("TORR_DATA", str(place))
    return place


@pytest.mark.usefixtures("ferries")
@pytest.mark.parametrize("name", NAMES)
def test_answers_are_lists_as_python_writes_them(name: str) -> None:
    examples = read_examples(load_card(name), "test")
    assert [each.references for each in examples] == [("2",), ("0.333333",), ("lake | bay",), ("0.5 | bay",)]
    assert examples[1].groups == {"table": "ferries", "source": "ours", "aggregation": "diff and div"}
    assert examples[0].table is examples[1].table
    assert examples[0].table.grid[4][0].text == "  bay", "indented, as left_root says"
    assert dict(examples[0].properties["table"])["length"] == "under 10K"


@pytest.mark.usefixtures("ferries")
@pytest.mark.parametrize(
    ("number", "answer", "score"),
    [
        (1, "2", 1.0),
        (1, "2.01", 0.0),
        (2, "0.333", 1.0),
        (2, "33.3%", 1.0),
        (2, "33.3", 0.0),
        (3, "Bay | Lake", 1.0),
        (3, "lake", 0.0),
    ],
)
def test_answers_are_right_within_three_decimals_and_in_any_order(
    number: int, answer: str, score: float
) -> None:
    card = load_card("hitab.test")
    example = read_examples(card, "test")[number - 1]
    assert score_example(card, answer, example.references, example.facts)["number_match"] == score


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("{'a': 1}", "column 'answer': found \"{'a': 1}\", expected a list as Python writes it"),
        ("[1", "column 'answer' starts with '[1'; expected a list as Python writes it"),
    ],
)
def test_an_answer_that_is_no_list_is_one_clear_line(ferries: Path, value: str, message: str) -> None:
    tiny.write(ferries, {"hitab/test": [row(1, value)]})
    with pytest.raises(DataError, match=r"hitab\.test: split 'test', example 'q1'") as raised:
        read_examples(load_card("hitab.test"), "test")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_literal_is_yes_or_no(changed_card: Changed) -> None:
    path = changed_card("hitab/test", {"preprocess_steps.0.references.0.literal": "list"})
    with pytest.raises(Exception, match=r"references\.0\.literal: found 'list'"):
        load_card(path)


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
class TestPublished:
    @pytest.fixture(scope="class")
    def examples(self, shared_data: Path) -> dict[str, list[Example]]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TORR_DATA", str(shared_data))
            return {name: read_examples(load_card(name), "test") for name in NAMES}

    def test_all_are_read_and_their_targets_right(self, examples: dict[str, list[Example]]) -> None:
        for name, own in examples.items():
            card = load_card(name)
            assert (len(own), len({each.groups["table"] for each in own})) == (1539, 498)
            assert all(
                score_example(card, each.target, each.references, each.facts)["number_match"] == 1.0
                for each in own
            )
            assert {each.groups["source"] for each in own} == {"statcan", "nsf", "totto"}

    def test_the_correction_changed_some_questions_and_answers(
        self, examples: dict[str, list[Example]]
    ) -> None:
        before, after = (examples[name] for name in NAMES)
        assert [each.id for each in before] == [each.id for each in after]
        changed = [
            (a.fields, a.references) != (b.fields, b.references) for a, b in zip(before, after, strict=True)
        ]
        assert 200 <= sum(changed) <= 229

    def test_every_table_is_measured(self, examples: dict[str, list[Example]]) -> None:
        levels = [each.properties["table"]["complexity"] for each in examples[NAMES[0]]]
        assert {level: levels.count(level) for level in ("low", "medium", "high")} == {
            "low": 269,
            "medium": 439,
            "high": 831,
        }

    def test_hardly_a_question_speaks_of_places(self, shared_data: Path) -> None:
        for name in ("test", "corrected_2025"):
            questions = pq.read_table(shared_data / f"hitab/{name}.parquet").column("question").to_pylist()
            about = [each for each in questions if re.search(r"\b(rows?|columns?|table|first one)\b", each)]
            assert len(about) <= 3

    @pytest.mark.parametrize("name", [each for each in load_card(NAMES[0]).keeps_labels if each != "none"])
    def test_values_stay_under_their_labels(self, examples: dict[str, list[Example]], name: str) -> None:
        tables = list({each.groups["table"]: each.table for each in examples[NAMES[0]]}.values())[::4]
        perturbation = perturbations.get(name)
        kept = [
            values(table) == values(perturbation.perturb(table, np.random.default_rng(number)))
            for number, table in enumerate(tables)
        ]
        assert sum(kept) / len(kept) > 0.99


def values(table: Table) -> list[tuple[tuple[str, ...], tuple[str, ...], str]]:
    """Every text of the body with the labels of its row and of its column."""
    rows, columns = line_paths(table.row_tree), line_paths(table.column_tree)
    return sorted(
        (row_path, column_path, text)
        for line, row_path in zip(table.grid[table.header_rows :], rows, strict=True)
        for cell, column_path in zip(line[table.header_columns :], columns, strict=True)
        if (text := cell.text.strip())
    )
