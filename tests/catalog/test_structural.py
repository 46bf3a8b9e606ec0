"""Structural questions about the tables of a data set: right, one a table, and independent of other rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.loading import stream_rows
from torr_plugin.catalog.reading import read_rows
from torr_plugin.catalog.rows import Row
from torr_plugin.core.errors import CardError
from torr_plugin.integrations.unitxt import register
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration, load

from ..synthesis.suc.page import question_of, rows_of
from ..synthesis.suc.test_answers import ORACLES
from . import tiny
from .conftest import Changed

TASKS = sorted(set(ORACLES) - {"table_partition"})
ROW = {"table_id": "t1", "table_text": "boat#seats\ntern#12\ngull#7\n", "table_caption": "boats"}


@pytest.fixture(scope="module")
def rows(shared_data: Path) -> list[Row]:
    """Some real rows, most about different tables."""
    card = load_card("suc.tab_fact.cell_lookup")
    return list(stream_rows(card.loader, "test", card.name, shared_data))[::40]


@pytest.mark.parametrize("name", TASKS)
def test_answers_about_real_tables_hold(name: str, rows: list[Row]) -> None:
    card = load_card(f"suc.tab_fact.{name}")
    examples = list(read_rows(card.reading, rows, split="test", card=card.name))
    assert len(examples) == len({example.groups["table"] for example in examples}) > 200
    builder = PromptBuilder(card, (), shots=0)
    for example in examples:
        text = builder.build(example, Configuration("html", "none", "suc_question_last"))[0].content
        plain = text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")
        assert (ORACLES[name](rows_of(text), question_of(plain)),) == example.references


def test_the_recipe_leaves_room_for_the_longest_answer(rows: list[Row]) -> None:
    recipe = load("suc_wikipedia")
    steps = [load_card(entry.card).reading for entry in recipe.cards]
    examples = [example for step in steps for example in read_rows(step, rows, split="test", card="x")]
    # figures and signs are short tokens
    assert max(len(example.target) for example in examples) <= 2 * recipe.generation.max_tokens


def asked(name: str, *rows: dict[str, str]) -> list[tuple[str, str]]:
    step = load_card(f"suc.tab_fact.{name}").reading
    found = read_rows(step, rows, split="test", card="made")
    return [(example.id, example.fields["question"]) for example in found]


def test_a_table_is_asked_about_once_and_as_it_would_be_alone() -> None:
    other = {**ROW, "table_id": "t2", "table_text": "a#b\nc#d\ne#f\ng#h"}
    (alone,) = asked("cell_lookup", ROW)
    both = asked("cell_lookup", other, ROW, {**ROW, "table_caption": "again"}, other)
    assert [name for name, _ in both] == ["t2", "t1"]
    assert both[1] == alone


@pytest.mark.parametrize("text", ["boat#seats\ntern#\ngull#7", "boat#seats\ntern#1|2\ngull#7"])
def test_tables_with_empty_cells_or_bars_are_left_out(text: str) -> None:
    assert asked("row_retrieval", {**ROW, "table_text": text}) == []


def test_another_seed_asks_other_questions() -> None:
    step = load_card("suc.tab_fact.cell_lookup").reading
    other = step.model_copy(update={"structure": step.structure.model_copy(update={"seed": 99})})
    rows = [{**ROW, "table_id": f"t{number}"} for number in range(20)]
    one, two = ([replace(each) for each in read_rows(s, rows, split="test", card="x")] for s in (step, other))
    assert [each.fields for each in one] != [each.fields for each in two]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"preprocess_steps.0.structure.task": "cell_lokup"},
            "unknown task 'cell_lokup'; did you mean 'cell_lookup'",
        ),
        (
            {"preprocess_steps.0.groups": {}},
            "'structure' asks once about each table; expected a group 'table'",
        ),
        ({"preprocess_steps.0.structure": ...}, "column 'question' is read, but loader.columns has only"),
    ],
)
def test_wrong_cards(changed_card: Changed, changes: dict[str, object], said: str) -> None:
    with pytest.raises(CardError, match=said):
        load_card(changed_card("suc/tab_fact/cell_lookup", changes))


@pytest.mark.usefixtures("tiny_mirror")
def test_a_mirror_of_the_data_set_serves_these_cards_too() -> None:
    found = read_examples(load_card("suc.tab_fact.size_detection"), "test")
    assert [example.target for example in found] == [
        f"{tiny.TAB_FACT[0]['table_text'].count(chr(10)) - 1} | 2"
    ]


@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize(
    "name",
    ["suc.table_partition", "suc.merged_cell_detection", "suc.tab_fact.cell_lookup"],
)
def test_the_cards_are_unitxts_too(name: str) -> None:
    from .test_unitxt import HOW_MANY, assert_same, instances

    register()
    card = load_card(name)
    assert_same(card, instances(card), read_examples(card, "test")[:HOW_MANY])
