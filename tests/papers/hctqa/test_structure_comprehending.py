"""Answers on places of groups, worked out again by a reader that goes over the grid as people do."""

from __future__ import annotations

import re

import pytest

from torr_plugin.catalog import Example, load_card, read_examples
from torr_plugin.prompts import Configuration, PromptBuilder
from torr_plugin.prompts.builder import perturb_example
from torr_plugin.tables import Table, perturbations

CARD = load_card("bundled.structure_comprehending")
NAMED = re.compile(r"What is the value in the row (.+) and in the column (.+)\?")
IN_ROWS = re.compile(
    r"What is the value in the column (.+) and in the first row of the (\w+) group of rows .+"
)
IN_COLUMNS = re.compile(r"What is the value in the row (.+) and in the first column of the (\w+) group .+")
GROUP = re.compile(r"What is the label of the (\w+) group of (rows|columns) .+")
NUMBERS = {"first": 0, "second": 1, "last": -1}


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    return read_examples(CARD, "test")[:150]


def headers(table: Table) -> tuple[dict[int, tuple[str, ...]], dict[int, tuple[str, ...]]]:
    """The labels of every row with values, and of every column."""
    grid = [[cell.text for cell in line] for line in table.grid]
    top, side = table.header_rows, table.header_columns
    rows, group = {}, ""
    for r in range(top, len(grid)):
        labels = grid[r][:side]
        group = labels[0] or group
        if any(grid[r][side:]) and set(grid[r]) != {group}:
            rows[r] = tuple(dict.fromkeys([group, *filter(None, labels[1:])]))
    columns = {c: tuple(grid[level][c] for level in range(top)) for c in range(side, len(grid[0]))}
    return rows, columns


def answer(question: str, table: Table) -> str:
    rows, columns = headers(table)
    if match := IN_ROWS.fullmatch(question):
        row, column = first_of(rows, match[2]), line(columns, match[1])
    elif match := IN_COLUMNS.fullmatch(question):
        row, column = line(rows, match[1]), first_of(columns, match[2])
    elif match := NAMED.fullmatch(question):
        row, column = line(rows, match[1]), line(columns, match[2])
    else:
        match = GROUP.fullmatch(question)
        assert match
        return groups(rows if match[2] == "rows" else columns)[NUMBERS[match[1]]]
    return table.grid[row][column].text


def line(lines: dict[int, tuple[str, ...]], said: str) -> int:
    (found,) = [at for at, path in lines.items() if " / ".join(path) == said]
    return found


def groups(lines: dict[int, tuple[str, ...]]) -> list[str]:
    return list(dict.fromkeys(path[0] for path in lines.values()))


def first_of(lines: dict[int, tuple[str, ...]], ordinal: str) -> int:
    group = groups(lines)[NUMBERS[ordinal]]
    return next(at for at, path in lines.items() if path[0] == group)


@pytest.mark.full
@pytest.mark.parametrize("name", CARD.keeps_labels)
def test_references_are_right_on_every_table_that_keeps_labels(name: str, examples: list[Example]) -> None:
    changed = 0
    for example in examples:
        shown = perturb_example(example, perturbations.get(name), 0, CARD.dataset)
        assert shown.references == (answer(example.fields["question"], shown.table),) == (shown.target,)
        changed += shown.references != example.references
    assert (changed > 10) == name.startswith(("exchange", "shuffle"))


def test_an_answer_that_cannot_be_worked_out_stays(examples: list[Example]) -> None:
    named = next(each for each in examples if each.groups["kind"] == "named")
    shown = perturb_example(named, perturbations.get("transpose"), 0, CARD.dataset)
    assert shown.table != named.table
    assert shown.references == named.references


def test_prompts_demonstrate_and_score_the_answers_of_the_table_shown(examples: list[Example]) -> None:
    pool = read_examples(CARD, "train")[:30]
    builder = PromptBuilder(CARD, pool, shots=3)
    configuration = Configuration.of("html/exchange_row_groups/default")
    exchanged = 0
    for example in examples[:40]:
        for each in (example, *builder.demonstrations(example, configuration)):
            shown = perturb_example(each, perturbations.get("exchange_row_groups"), 0, CARD.dataset)
            assert builder.references(each, configuration) == shown.references
            exchanged += shown.references != each.references
            assert f"Answer: {shown.target}" in builder.build(example, configuration)[-1].content or (
                each is example
            )
    assert exchanged


def test_kinds_of_questions(examples: list[Example]) -> None:
    kinds = {"named", "row group", "column group", "in a row group", "in a column group"}
    assert {example.groups["kind"] for example in examples} == kinds
    sub_tables = [
        each for each in examples if any(cell.colspan > 3 for row in each.table.body for cell in row)
    ]
    assert sub_tables
