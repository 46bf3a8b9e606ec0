"""The baselines on prompts that show a document with several tables, and ask for JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.running.baselines.answers import lexical_answer, majority_answer, random_cell_answer
from torr_plugin.tables import Cell, Table, serializers
from torr_plugin.tables.documents import Document, TextBlock

from ..timing import quickly

FORMATS = [name for name in serializers.text_names() if not name.endswith("concat")]
ASSETS = Table(
    rows=(
        (Cell(""), Cell("December 31, 2023"), Cell("December 31, 2022")),
        (Cell("Current assets:"), Cell(""), Cell("")),
        (Cell("Cash and cash equivalents"), Cell("$ 1,204"), Cell("$ 980")),
        (Cell("Inventories"), Cell("310"), Cell("400")),
        (Cell("Other"), Cell("(12)"), Cell("20")),
        (Cell("Total current assets"), Cell("$ 1,502"), Cell("$ 1,400")),
    ),
    header_rows=1,
    header_columns=1,
)
SALES = Table(
    rows=(
        (Cell("Region", rowspan=2), Cell("Net sales", colspan=2), Cell("Operating margin", colspan=2)),
        (Cell("2023"), Cell("2022"), Cell("2023"), Cell("2022")),
        (Cell("Europe"), Cell("250"), Cell("200"), Cell("15.4%"), Cell("15.2%")),
        (Cell("Asia"), Cell("150"), Cell("200"), Cell("9.0%"), Cell("11.0%")),
        (Cell("Total"), Cell("400"), Cell("400"), Cell("13.0%"), Cell("13.1%")),
    ),
    header_rows=2,
    header_columns=1,
)
DEBT = Table.flat(["Year", "Notes due"], [["2024", "70"], ["2025", "35"], ["Thereafter", "8"]])
DOCUMENT = Document(
    (
        TextBlock("Item 8. Statements", "heading", 1),
        TextBlock("We make lamps, shades, and the bulbs in them, and sell them, mostly, in shops."),
        TextBlock("Our current assets were the following (in millions):"),
        ASSETS,
        TextBlock("(1) Inventories are stated at cost.", "note"),
        TextBlock("Segments", "heading", 2),
        TextBlock("Sales and margins by region are below (dollars in thousands):"),
        SALES,
        TextBlock("Borrowings", "heading", 2),
        TextBlock("Notes fall due as follows (in millions of dollars):"),
        DEBT,
    )
)
EXAMPLE = (
    'The form:\nQuestion: How many loaves were sold in 2022?\nJSON: {"steps": "48 + 13 = 61", "answer": "61"}'
)


def prompt(question: str, name: str = "html", document: Document = DOCUMENT, example: str = EXAMPLE) -> str:
    shown = document.written(serializers.get(name).serialize)
    return f"Answer in JSON.\n\n{example}\n\nReport:\n{shown}\n\nQuestion: {question}\nJSON:"


def answer(question: str, name: str = "html") -> str:
    found: dict[str, str] = json.loads(lexical_answer(prompt(question, name)))
    assert list(found) == ["steps", "answer"]
    return found["answer"]


CASES = {
    "What were inventories at December 31, 2022?": "$400 million",
    "What was the amount of other current assets at the end of 2023?": "-$12 million",
    "What were net sales in Asia in 2023?": "$150 thousand",
    "What was the operating margin of Europe in 2022?": "15.2%",
    "Which amount of notes falls due in 2025?": "$35 million",
    "By what percentage did cash and cash equivalents grow from 2022 to 2023?": "22.86%",
    "By how much did inventories decrease from 2022 to 2023?": "$90 million",
    "What is the difference in the operating margin of Europe between 2022 and 2023?": "0.2%",
    "What percentage of total current assets were inventories in 2022?": "28.57%",
    "What is the sum of cash and cash equivalents and inventories at December 31, 2023?": "$1,514 million",
    "What is the average of the net sales in Asia over 2022 and 2023?": "$175 thousand",
    "What was the ratio of inventories to total current assets in 2023?": "0.21",
}


@pytest.mark.parametrize("name", ["html", "markdown", "csv", "json", "torr.html", "latex"])
def test_lexical_finds_the_table_and_calculates(name: str) -> None:
    assert {question: answer(question, name) for question in CASES} == CASES


@pytest.mark.parametrize("name", FORMATS)
def test_lexical_reads_documents_in_every_format(name: str) -> None:
    assert answer("What were inventories at December 31, 2022?", name) == "$400 million"


def test_the_steps_show_the_cells() -> None:
    found = json.loads(lexical_answer(prompt("By how much did inventories decrease from 2022 to 2023?")))
    assert found["steps"] == (
        "Inventories, December 31, 2022: 400; Inventories, December 31, 2023: 310; 310 - 400 = -90"
    )


def test_an_analysis_is_sentences() -> None:
    long = EXAMPLE.replace(
        '"61"', '"Sales of loaves grew, as the shop made up for what the market stall lost in 2022."'
    )
    found = json.loads(lexical_answer(prompt("Assess the inventories.", example=long)))
    assert found["answer"].startswith(
        "Inventories was $310 million in December 31, 2023, and $400 million in"
    )


def test_several_tables_without_json() -> None:
    shown = DOCUMENT.written(serializers.get("markdown").serialize)
    text = f"Read the report.\nReport:\n{shown}\n\nQuestion: What were net sales in Asia in 2023?\nAnswer:"
    assert lexical_answer(text) == "$150 thousand"


def test_json_asked_by_the_instruction_alone() -> None:
    shown = DOCUMENT.written(serializers.get("markdown").serialize)
    question = "Question: What were inventories in 2022?\nReply:"
    text = f'Reply in JSON, with "steps" and "answer".\n\nReport:\n{shown}\n\n{question}'
    assert json.loads(lexical_answer(text))["answer"] == "$400 million"


@given(st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_random_cells_come_from_all_tables(seed: int) -> None:
    cells = {cell.text for table in DOCUMENT.tables for row in table.body for cell in row}
    drawn = json.loads(random_cell_answer(prompt("What were inventories?"), seed))
    assert drawn["answer"] in cells


def test_random_cells_are_spread_over_the_tables() -> None:
    drawn = {json.loads(random_cell_answer(prompt("What?"), seed))["answer"] for seed in range(60)}
    for table in DOCUMENT.tables:
        assert drawn & {cell.text for row in table.body for cell in row}


def test_the_worked_example_is_majority_s_answer() -> None:
    assert json.loads(majority_answer(prompt("What?")))["answer"] == "61"


def test_a_document_without_tables_gets_a_well_formed_answer() -> None:
    found = json.loads(lexical_answer(prompt("What were sales?", document=Document((TextBlock("None."),)))))
    assert set(found) == {"steps", "answer"}


@pytest.mark.full
@pytest.mark.parametrize("name", ["html", "csv", "concat"])
def test_long_documents_take_linear_time(name: str) -> None:
    # half a second; time that grew as the square of the length would be a minute
    text = prompt("What were net sales in Asia in 2023?", name, Document(DOCUMENT.blocks * 1_000))
    quickly(lambda: lexical_answer(text))
