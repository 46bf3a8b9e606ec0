"""What each of the fifteen types asks, and the properties that follow from it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable
from torr_plugin.papers.hctqa.generator.questions import Question
from torr_plugin.papers.hctqa.generator.sql import read_answer

from ..grid_oracle import cells, selected_cells


def _of(made: list[GeneratedTable], *kinds: int) -> Iterator[tuple[GeneratedTable, Question]]:
    return ((each, question) for each in made for question in each.questions if question.template in kinds)


def test_no_question_is_without_answer_and_none_is_endless(made: list[GeneratedTable]) -> None:
    asked = [question for each in made for question in each.questions]
    assert all(value for question in asked for row in read_answer(question.answer) for value in row)
    assert max(len(read_answer(question.answer)) for question in asked) <= 40
    assert max(len(question.question) for question in asked) < 1500
    assert len({question.question_id for question in asked}) == len(asked)


def test_a_question_is_a_sentence(made: list[GeneratedTable]) -> None:
    for _, question in _of(made, *range(1, 16)):
        text = question.question
        assert text.endswith(("?", "."))
        assert not any(
            mark in text for mark in ("$", "_", "==", "((", "  ", " ?", " ,", ",,", ",?", "/an", "is/")
        )


@pytest.mark.full
def test_the_shape_of_each_selection(made: list[GeneratedTable]) -> None:
    lines = {1: (1, 1), 2: (1, 2), 3: (2, 1), 4: (2, 1), 7: (1, 2), 12: (1, 2), 13: (1, 2)}
    for each, question in _of(made, *lines):
        axis = each.instance
        name = axis.aggregate.name if axis.aggregate else None
        grid = cells(each.table, axis.columns.attributes, axis.rows.attributes, name)
        chosen = selected_cells(question.sql, grid)
        counts = []
        for side in (axis.columns, axis.rows):
            names = [attribute.replace(" ", "_").replace("-", "_") for attribute in side.attributes]
            counts.append(len({tuple(cell[name] for name in names) for cell in chosen}))
        wanted = lines[question.template]
        assert all(
            count == 1 if most == 1 else count >= 2 for count, most in zip(counts, wanted, strict=True)
        )
        assert len(chosen) == counts[0] * counts[1]


def test_type_five_asks_what_the_table_shows_and_types_four_and_seven_do_not(
    made: list[GeneratedTable],
) -> None:
    shown = 0
    for each, question in _of(made, 4, 5, 7):
        texts = {cell.text for row in each.table.grid for cell in row}
        numbers = {float(text) for text in texts if text.replace(".", "").lstrip("-").isdigit()}
        found = [float(value) for value in read_answer(question.answer)[0]]
        if question.template == 5:
            assert found[0] in numbers
            assert each.instance.aggregate is not None
            assert each.instance.aggregate.columns != "none"
            shown += 1
        assert question.properties["Returned Columns Expression In Table Present"] == (question.template == 5)
        assert question.properties["Aggregation Aggregation In Table Not Present"] == (question.template == 7)
    assert shown > 20


def test_a_comparison_finds_some_rows_and_the_nested_question_the_same_ones(
    made: list[GeneratedTable],
) -> None:
    some = 0
    for each in made:
        own = {question.template: question for question in each.questions}
        found, nested = read_answer(own[14].answer), read_answer(own[15].answer)
        assert [row[:-1] for row in nested] == found
        some += len(found) < len(each.instance.rows.leaves)
    assert some > 0.9 * len(made)


def test_properties_have_the_benchmarks_keys(made: list[GeneratedTable], shared_data: Path) -> None:
    import pandas as pd

    real = pd.read_parquet(shared_data / "hctqa" / "real.parquet", columns=["question_properties"])
    keys = {key for text in real.question_properties for key in json.loads(text)}
    for _, question in _of(made, *range(1, 16)):
        assert set(question.properties) == keys


EXPECTED = {
    "Rank": {12, 13},
    "Aggregation": {7, 8, 9, 10, 11},
    "Aggregation Grouping Local": {8, 9, 10, 11},
    "Aggregation Grouping Global": {7},
    "Row Filter Condition Type Expression": {14, 15},
    "Returned Columns Project On Expression": {4, 5},
    "Yes/No": set(),
    "Row Filter": set(range(1, 16)),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_which_types_have_a_property(made: list[GeneratedTable], name: str) -> None:
    having = {question.template for _, question in _of(made, *range(1, 16)) if question.properties[name]}
    never = {question.template for _, question in _of(made, *range(1, 16)) if not question.properties[name]}
    assert having == EXPECTED[name]
    assert not having & never


def test_properties_follow_the_sql(made: list[GeneratedTable]) -> None:
    for _, question in _of(made, *range(1, 16)):
        properties, sql = question.properties, question.sql
        if properties["Aggregation"]:
            for name, function in (("Min", "min("), ("Max", "max("), ("Sum", "sum("), ("Avg", "avg(")):
                assert properties[f"Aggregation Aggregation Type {name}"] == (function in sql)
        if question.template == 12:
            assert properties["Rank Report Top"] == int(sql.split("LIMIT ")[1])
        if properties["Aggregation"] or question.template in (4, 5, 14, 15):
            assert properties["Returned Columns Num Of Output Columns"] == len(
                read_answer(question.answer)[0]
            )
