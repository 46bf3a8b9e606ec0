"""Every answer is found again in the text that a model sees, in every lossless format, by an own solver."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.catalog.examples import Example, read_rows
from torr_plugin.catalog.generated import generate
from torr_plugin.papers.suc.structural_questions import TASKS, ask, text_around
from torr_plugin.prompts import PromptBuilder
from torr_plugin.recipes import Configuration, load
from torr_plugin.scoring import score_example
from torr_plugin.scoring.metrics import metrics
from torr_plugin.tables import Cell, Table, serializers
from torr_plugin.testing import hierarchical_tables, tables

from .sheets import READERS, Sheet
from .solver import header, said, solve, spans


def equal(one: str, other: str) -> bool:
    """Whether the metric of most tasks takes the texts for the same."""
    return metrics.get("value_list").scores(one, [other])["value_list"] == 1


def assert_answered(table: Table, question: str, answer: str, formats: list[str]) -> None:
    for name in formats:
        text = serializers.get(name).serialize(table)
        assert solve(READERS[name](text), question) == answer, f"{name}:\n{text}"


def assert_unambiguous(sheet: Sheet, question: str, answer: str) -> None:
    """No other cell or column could be meant, and no part of a list can be left out."""
    if question.startswith("Where in the table"):
        value = question.partition('"')[2].rpartition('"? Write')[0]
        texts = {said(text) for line in sheet.lines for text, _ in line}
        assert [text for text in texts if equal(text, value)] == [value]
        assert not any(equal(text, value) for line in sheet.lines[: sheet.header_rows] for text, _ in line)
    elif question.startswith("What do the cells of the column"):
        name = question.partition('"')[2].partition('"')[0]
        paths = [header(sheet, column) for column in range(len(sheet.lines[0]))]
        assert sum(equal(" | ".join(path), name) for path in paths) == 1
    if question.startswith(("What do", "What does", "What is", "The text")):
        parts = answer.split(" | ")
        assert equal(answer, answer)
        for at in range(len(parts)):
            assert not equal(" | ".join([*parts[:at], *parts[at + 1 :]]), answer)


def generated(task: str, count: int) -> Iterator[tuple[Table, str, str]]:
    for row in generate(f"suc_{task}", seed=5, sizes={"test": count})["test"]:
        yield row["table"], row["question"], row["answer"]  # type: ignore[misc]


@pytest.mark.full
@pytest.mark.parametrize("task", sorted(TASKS))
def test_generated_questions_are_answered_from_every_format(task: str) -> None:
    answers = set()
    for table, question, answer in generated(task, 15):
        assert_answered(table, question, answer, sorted(READERS))
        assert_unambiguous(READERS["html"](serializers.get("html").serialize(table)), question, answer)
        answers.add(answer)
    assert len(answers) > 5


@pytest.mark.full
@settings(max_examples=40)
@given(hierarchical_tables() | tables(), st.sampled_from(sorted(TASKS)), st.integers(0, 99))
def test_questions_on_any_table_are_answered_from_every_format(table: Table, task: str, seed: int) -> None:
    made = ask(task, table, Random(seed))
    if made is not None:
        assert_answered(table, made.question, made.answer, sorted(READERS))
        sheet = READERS["html"](serializers.get("html").serialize(table))
        assert_unambiguous(sheet, made.question, made.answer)
        if task == "merged_cell_detection":
            assert [list(each) for each in spans(sheet)] == json.loads(made.merged_text)


SPELLINGS = [
    (("Yes", "b"), ("yes", "d")),  # by case
    (("26", "b"), ("26.0", "d")),  # as numbers
    (("1,000", "b"), ("1000", "d")),
    (("a", "b"), ("'a'", "d")),  # by quotation marks
    (("11", "b"), ("+ 11", "d")),  # as an item of a list
    (("name", "b"), ("c", "d")),  # a header's
]


@pytest.mark.parametrize("rows", SPELLINGS)
def test_values_that_could_be_another_are_not_looked_up(rows: tuple[tuple[str, str], ...]) -> None:
    table = Table.flat(header=["Name", "Note"], rows=rows)
    asked = {ask("cell_lookup", table, Random(seed)) for seed in range(30)}
    said_values = {made.question.split('"')[1] for made in asked if made}
    assert said_values == {text for row in rows for text in row} - {rows[0][0], rows[1][0]} | (
        {"c"} if rows[1][0] == "c" else set()
    )


def columns_asked(*header_rows: list[Cell]) -> set[str]:
    width = sum(cell.colspan for cell in header_rows[0])
    lines = (*map(tuple, header_rows), tuple(Cell(str(number)) for number in range(width)))
    table = Table(lines, header_rows=len(header_rows))
    asked = (ask("column_values", table, Random(seed)) for seed in range(40))
    return {made.question.split('"')[1] for made in asked if made}


def test_columns_are_named_by_what_no_other_header_has() -> None:
    assert columns_asked([Cell("Total"), Cell("TOTAL"), Cell("26"), Cell("26.0"), Cell("x")]) == {"x"}
    assert columns_asked([Cell("")]) == set()
    years = [Cell("Total", 2, 1), Cell("2019", 1, 2), Cell("2020", 1, 2)]
    assert columns_asked(years, [Cell("m"), Cell("f"), Cell("m"), Cell("total")]) == {
        *("2019 | m", "2019 | f", "2020 | m", "2020 | total")  # Total alone could be either
    }


def test_where_a_merged_cell_crosses_the_edge_of_the_header_only_that_is_asked_which_needs_none() -> None:
    crossing = Table(((Cell("a", 2, 1), Cell("b")), (Cell("c"),), (Cell("d"), Cell("e"))), header_rows=1)
    allowed = {task for task in TASKS if ask(task, crossing, Random(1))}
    assert allowed == {"table_partition", "merged_cell_detection"}


@pytest.mark.parametrize("text", ["a|b", "a\nb", "a\u2028b"])
def test_tables_with_what_divides_answers_are_not_asked_about(text: str) -> None:
    table = Table.flat(header=["a", "b"], rows=[["1", text]])
    assert not any(ask(task, table, Random(1)) for task in TASKS)


@given(
    st.dictionaries(
        st.sampled_from(["Description", "Statement", "User query"]), st.lists(st.text(max_size=9))
    ),
    st.integers(0, 99),
)
def test_all_text_stands_around_the_table_on_both_sides(texts: Mapping[str, list[str]], seed: int) -> None:
    before, after = text_around(texts, Random(seed))
    lines = [f"{what}: {said(text)}" for what, each in texts.items() for text in each if text.strip()]
    found = [line for side in (before, after) for line in side.split("\n") if side]
    assert Counter(found) == Counter(lines)
    assert len(lines) < 2 or (before and after)


def examples(name: str, count: int) -> list[Example]:
    card = load_card(name)
    rows = generate(card.loader.generator, seed=card.loader.seed, sizes={"train": 1, "test": count})["test"]  # type: ignore[union-attr]
    return list(read_rows(card.reading, rows, split="test", card=card.name))


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_reference_is_what_the_prompt_says(task: str) -> None:
    """As a model is asked, through the card."""
    builder = PromptBuilder(load_card(f"suc.{task}"), (), shots=0)
    for example in examples(f"suc.{task}", 4):
        text = builder.build(example, Configuration("html", "none", "suc_question_last"))[0].content
        table = text[text.rindex("<table") :].partition("</table>")[0]
        question = text.rpartition("Question: ")[2].partition("\n")[0]
        assert (solve(READERS["html"](table), question),) == example.references


def test_any_column_of_each_merged_cell_is_right() -> None:
    card = load_card("suc.merged_cell_detection")
    none = 0
    for example in examples(card.name, 60):
        cells = json.loads(example.facts["merged"])
        for end in (0, 1):  # the first columns are right, and so are the last
            answer = " | ".join(str(span[end]) for span in cells) or "None"
            assert score_example(card, answer, example.references, example.facts) == dict.fromkeys(
                ("merged_columns", "merged_columns.lenient"), 1
            )
        none += not cells
    assert 10 < none < 35  # every fourth table is flat, and some others have no merged cell


def test_a_looked_up_value_often_stands_in_several_places() -> None:
    assert {answer.count("(") for *_, answer in generated("cell_lookup", 60)} == {1, 2, 3}


def test_the_table_stands_among_text_that_names_its_values() -> None:
    builder = PromptBuilder(load_card("suc.table_partition"), (), shots=0)
    for example in examples("suc.table_partition", 12):
        text = builder.build(example, Configuration("html", "none", "suc_no_demonstration"))[0].content
        before, _, rest = text.partition("<<< the table begins")
        after = rest.partition("the table ends >>>")[2]
        assert any(cell.text in before for row in example.table.body for cell in row)
        assert "Statement: " in after
        assert "User query: " in after


@pytest.mark.release
@pytest.mark.usefixtures("mirror")
@pytest.mark.parametrize("cards", ["suc", "suc.real"])
def test_thousands_of_questions_have_one_answer_that_every_format_shows(cards: str) -> None:
    """A tenth of them, in one format each; `tests.papers.suc.everything` asks all in all formats."""
    formats = sorted(READERS)
    longest = 0
    for task in sorted(TASKS):
        found = read_examples(load_card(f"{cards}.{task}"), "test")
        assert len(found) >= 1500
        for at, example in enumerate(found[::10]):
            question, name = example.fields["question"], formats[at % len(formats)]
            assert_answered(example.table, question, example.target, [name])
            assert_unambiguous(
                READERS[name](serializers.get(name).serialize(example.table)), question, example.target
            )
        longest = max(longest, *(len(example.target) for example in found))
    recipe = load(cards.replace(".", "_"))
    assert longest <= 2 * recipe.generation.max_tokens  # figures and signs are short tokens
