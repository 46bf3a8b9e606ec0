"""Every answer is worked out again from the prompt as a model sees it, by other code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration, load
from torr_plugin.scoring import score_example
from torr_plugin.synthesis.suc import TASKS

from .page import Cell, columns_of_merged, question_of, rows_of

Rows = list[list[Cell]]


def parts(rows: Rows) -> tuple[list[str], list[list[str]]]:
    header = [text for text, *_ in rows[0]]
    return header, [[text for text, *_ in row] for row in rows[1:]]


def numbers(question: str) -> list[int]:
    return [int(number) for number in re.findall(r"(?:row|column) (\d+)", question)]


def named(question: str) -> str:
    (name,) = re.findall(r'"(.*)"', question)
    return name


def partition(rows: Rows, question: str) -> str:
    header, body = parts(rows)
    return f"{header[0]} | {body[-1][-1]}"


def size(rows: Rows, question: str) -> str:
    header, body = parts(rows)
    assert {len(row) for row in body} == {len(header)}
    return f"{len(body)} | {len(header)}"


def lookup(rows: Rows, question: str) -> str:
    _, body = parts(rows)
    value = named(question)
    return " | ".join(
        f"({r}, {c})" for r, row in enumerate(body) for c, text in enumerate(row) if text == value
    )


def reverse(rows: Rows, question: str) -> str:
    row, column = numbers(question)
    return parts(rows)[1][row][column]


def column(rows: Rows, question: str) -> str:
    (number,) = numbers(question)
    return parts(rows)[0][number]


def column_values(rows: Rows, question: str) -> str:
    header, body = parts(rows)
    assert header.count(named(question)) == 1
    return " | ".join(row[header.index(named(question))] for row in body)


def row_values(rows: Rows, question: str) -> str:
    (number,) = numbers(question)
    return " | ".join(parts(rows)[1][number])


ORACLES: dict[str, Callable[[Rows, str], str]] = {
    "table_partition": partition,
    "size_detection": size,
    "cell_lookup": lookup,
    "reverse_lookup": reverse,
    "column_retrieval": column,
    "column_values": column_values,
    "row_retrieval": row_values,
}


def prompts(name: str, design: str = "suc_question_last") -> list[tuple[str, object]]:
    card = load_card(f"suc.{name}")
    builder = PromptBuilder(card, read_examples(card, "train"), seed=1, shots=1)
    configuration = Configuration("html", "none", design)
    examples = read_examples(card, "test")
    return [(builder.build(each, configuration)[0].content, each) for each in examples[::3]]


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_the_reference_is_what_the_prompt_says(name: str) -> None:
    answers = set()
    for text, example in prompts(name):
        assert (ORACLES[name](rows_of(text), question_of(text)),) == example.references  # type: ignore[attr-defined]
        answers.add(example.target)  # type: ignore[attr-defined]
    assert len(answers) > 12


def test_merged_cells_are_those_of_the_prompt() -> None:
    card = load_card("suc.merged_cell_detection")
    none = 0
    for text, example in prompts("merged_cell_detection"):
        spans = columns_of_merged(rows_of(text))
        assert {tuple(span) for span in json.loads(example.facts["merged"])} == spans  # type: ignore[attr-defined]
        for end in (0, 1):  # the first columns are right, and so are the last
            answer = " | ".join(str(span[end]) for span in sorted(spans)) or "None"
            scores = score_example(card, answer, example.references, example.facts)  # type: ignore[attr-defined]
            assert scores == {"merged_columns": 1}
        none += not spans
    assert 100 // 5 <= none < 100 // 2  # every fourth table is flat, and some others have no merged cell


def test_a_looked_up_value_often_stands_in_several_places() -> None:
    found = read_examples(load_card("suc.cell_lookup"), "test")
    assert {example.target.count("(") for example in found} == {1, 2, 3}


def test_the_table_stands_among_text_that_names_its_values() -> None:
    for text, example in prompts("table_partition", "suc_no_demonstration"):
        before, _, rest = text.partition("<<< the table begins")
        after = rest.partition("the table ends >>>")[2]
        values = {cell.text for row in example.table.body for cell in row}  # type: ignore[attr-defined]
        assert any(value in before for value in values)
        assert "Statement: " in after
        assert "User query: " in after


@pytest.mark.parametrize("name", sorted(TASKS))
def test_sizes_differ_and_no_cell_holds_the_separator(name: str) -> None:
    tables = [example.table for example in read_examples(load_card(f"suc.{name}"), "test")]
    assert len({(table.n_rows, table.n_columns) for table in tables}) > 20
    assert not any("|" in cell.text for table in tables for row in table.rows for cell in row)


def test_the_recipe_leaves_room_for_the_longest_answer() -> None:
    recipe = load("suc")
    cards = [load_card(entry.card) for entry in recipe.cards]
    longest = max(len(example.target) for card in cards for example in read_examples(card, card.test_split))
    assert longest <= 2 * recipe.generation.max_tokens  # figures and signs are short tokens
