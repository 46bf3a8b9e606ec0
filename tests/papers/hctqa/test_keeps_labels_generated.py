"""What the generated cards say of perturbations, proved: answers worked out again from perturbed tables.

The reader here knows tables as people read them (a blank label goes on with the one above) and shares
nothing with the header trees by which the perturbations work.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.papers.hctqa.grid_oracle import Cell, answer
from torr_plugin.catalog import Example, load_card
from torr_plugin.catalog.generated import generate
from torr_plugin.core.seeds import generator
from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable
from torr_plugin.papers.hctqa.generator.dataset import generate as generate_tables
from torr_plugin.papers.hctqa.generator.parameters.loading import load_parameters
from torr_plugin.papers.hctqa.generator.sql import read_answer
from torr_plugin.prompts.builder import perturb_example
from torr_plugin.tables import Table, perturbations, readers
from torr_plugin.tables.perturbations.base import renamer

EVERY = sorted({*perturbations.names()} - {"none"})
BUNDLED = ("bundled.aggregation", "bundled.cell_lookup", "bundled.fact_verification")
Read = tuple[tuple[str, ...], tuple[str, ...], str]


def read(table: Table, *, turned: bool = False) -> Iterator[Read]:
    """Row labels, column labels and text of every value; of a transposed table as before it was."""
    grid = [[cell.text.strip() for cell in line] for line in table.grid]
    top, side = table.header_rows, table.header_columns
    if turned:
        grid, top, side = [list(line) for line in zip(*grid, strict=True)], side, top
    group = ""
    for line in grid[top:]:
        labels, values = line[:side], line[side:]
        group = labels[0] or group
        for column, value in enumerate(values, side):
            if value and value not in labels:  # else empty, or the label of a group over the whole row
                above = tuple(grid[level][column] for level in range(top))
                yield (group, *labels[1:]), above, value


def example(table: Table, question: str = "", reference: str = "") -> Example:
    return Example("x", table, {"question": question}, (reference,), reference, {})


def perturbed(name: str, table: Table, key: str = "") -> tuple[Table, Mapping[str, str]]:
    """The table as a run has it, and the words that are renamed."""
    chosen = perturbations.get(name)
    made = perturb_example(replace(example(table), id=key), chosen, 0, "d").table
    return made, chosen.renames(table, generator(0, "d", key, name))


def same(name: str, before: Table, after: Table, renames: Mapping[str, str]) -> bool:
    """Whether every value has the labels that it had, by their new names."""
    rename = renamer(renames)
    expected = Counter(
        (tuple(map(rename, said(row))), tuple(map(rename, said(column))), value)
        for row, column, value in read(before)
    )
    found = read(after, turned=name == "transpose")
    return Counter((said(row), said(column), value) for row, column, value in found) == expected


def said(labels: tuple[str, ...]) -> tuple[str, ...]:
    """The labels without blanks, one that covers several levels once."""
    return tuple(dict.fromkeys(label for label in labels if label.strip()))


def oracle_cells(made: GeneratedTable, table: Table, name: str, renames: Mapping[str, str]) -> list[Cell]:
    """The cells for the oracle: the SQL names of levels with labels as they stand, aggregates left out."""
    instance, rename = made.instance, renamer(renames)
    total = rename(instance.aggregate.name) if instance.aggregate else None
    names = [
        re.sub(r"[^A-Za-z0-9]", "_", level)
        for level in (*instance.rows.attributes, *instance.columns.attributes)
    ]
    found = []
    for row, column, value in read(table, turned=name == "transpose"):
        labels = (*row, *column)
        if total in labels or "" in labels:  # behind a group's label in its own row stands its aggregate
            continue
        if made.instance.row_format == "indent" and is_own_row(made, labels, renames):
            continue
        found.append({**dict(zip(names, labels, strict=True)), "Value": Decimal(value)})
    return found


def is_own_row(made: GeneratedTable, labels: tuple[str, ...], renames: Mapping[str, str]) -> bool:
    """Whether these are the labels of no line of the instance, but of a group's own row."""
    rename, instance = renamer(renames), made.instance
    return labels[: len(instance.rows.attributes)] not in {
        tuple(map(rename, p)) for p in instance.rows.leaves
    }


def renamed_sql(sql: str, renames: Mapping[str, str]) -> str:
    rename = renamer(renames)
    return re.sub(r"'([^']*)'", lambda text: f"'{rename(text[1])}'", sql)


@pytest.fixture(scope="module")
def tables() -> list[GeneratedTable]:
    return list(generate_tables(load_parameters(), tables=8, seed=5))


def kept(card: str) -> set[str]:
    return {*load_card(card).keeps_labels} - {"none"}


def test_the_card_of_generated_tables_keeps_all() -> None:
    assert kept("hctqa.synthetic") == set(EVERY)


@pytest.mark.parametrize("name", EVERY)
def test_answers_are_the_same_under_every_perturbation(name: str, tables: list[GeneratedTable]) -> None:
    asked = changed = 0
    for index, made in enumerate(tables):
        table, renames = perturbed(name, made.table, str(index))
        changed += table != made.table
        cells = oracle_cells(made, table, name, renames)
        assert len(cells) == len(made.instance.columns.leaves) * len(made.instance.rows.leaves)
        for question in made.questions:
            shown = perturb_example(
                replace(example(made.table, question.question, question.answer), id=str(index)),
                perturbations.get(name), 0, "d",
            )  # fmt: skip
            sql = renamed_sql(question.sql, renames)
            expected, _ = answer(sql, cells)
            assert sorted(read_answer(shown.references[0])) == sorted(expected), question.question
            thresholds = re.findall(r"[<>] (-?[\d.]+)", question.sql)
            assert all(number in shown.fields["question"] for number in thresholds), shown.fields
            asked += 1
    assert asked > 85
    assert changed >= len(tables) / 3


@pytest.mark.full
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("card", BUNDLED)
def test_bundled_tables_keep_every_value_with_its_labels(card: str, name: str) -> None:
    assert name in kept(card)
    generator = card.removeprefix("bundled.")
    rows = {row["table_id"]: row["table"] for row in generate(generator, seed=3, sizes={"test": 40})["test"]}
    assert len(rows) >= 10
    for key, table in rows.items():
        assert isinstance(table, Table)
        after, renames = perturbed(name, table, key)
        assert same(name, table, after, renames), key


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[str, Table]:
    path = shared_data / "hctqa" / "synthetic_sample.parquet"
    rows = pq.read_table(path, columns=["table_id", "table_html"]).to_pylist()
    texts = {row["table_id"]: row["table_html"] for row in rows}
    return {key: readers.get("html")(text) for key, text in list(texts.items())[::3]}


@pytest.mark.full
@pytest.mark.parametrize("name", sorted({*EVERY} - {"nonsense"}))
def test_published_tables_keep_every_value_with_its_labels(name: str, published: dict[str, Table]) -> None:
    assert name in kept("hctqa.synthetic_published")
    assert len(published) == 40
    for key, table in published.items():
        after, renames = perturbed(name, table, key)
        assert same(name, table, after, renames), key


def test_real_tables_are_not_said_to_bear_what_may_part_rows_or_rename_words() -> None:
    parting = {"shuffle_rows", "shuffle_row_groups", "exchange_row_groups", "exchange_sub_tables"}
    assert kept("hctqa.real") == {*EVERY} - parting - {"nonsense"}
