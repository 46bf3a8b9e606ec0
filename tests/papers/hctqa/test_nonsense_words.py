"""Words without meaning: the same everywhere, numbers left alone."""

from __future__ import annotations

import csv
import io
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.papers.hctqa.nonsense_names import attribute_codes, nonsense_names
from torr_plugin.tables import Cell, Table, perturbations, readers, serializers
from torr_plugin.tables.perturbations.base import renamer
from torr_plugin.testing import hierarchical_tables, tables

NONSENSE = perturbations.get("nonsense")
CODE = re.compile(r"[A-Z]{2}[b-z]{2,}")
seeds = st.integers(0, 2**32)


def rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


ACCIDENTS = Table(
    (
        (Cell("", 2, 2), Cell("2016", 1, 2), Cell("Total", 2)),
        (Cell("Male"), Cell("Female")),
        (Cell("Fire", 2), Cell("Slight"), Cell("2"), Cell("1,204"), Cell("4.5 %")),
        (Cell("Very serious"), Cell("5"), Cell("-"), Cell("12kg")),
    ),
    header_rows=2,
    header_columns=2,
    title="Accidents of 2016",
)


def test_what_becomes_of_a_table_and_its_question() -> None:
    table, words = NONSENSE.perturb(ACCIDENTS, rng(1)), NONSENSE.renames(ACCIDENTS, rng(1))
    year, male, female, fire, slight, serious = (
        words[word] for word in ("2016", "Male", "Female", "Fire", "Slight", "serious")
    )
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["", year, "Total"],
        [male, female],
        [fire, slight, "2", "1,204", "4.5 %"],
        [f"Very {serious}", "5", "-", "12kg"],
    ]
    assert table.title == f"Accidents of {year}"
    assert (year[:2], male[:2], female[:2], fire[:2], slight[:2]) == ("AA", "BB", "BB", "CC", "DD")
    question = "What is the total number of very Serious fire accidents with female casualties in 2016?"
    assert renamer(words)(question) == (
        f"What is the total number of very {serious} {fire} accidents with {female} casualties in {year}?"
    )


def test_the_names_of_a_flat_table_are_words_too_and_its_numbers_are_not() -> None:
    table = Table.flat(["Name", "Year", "Age"], [["Al Khor", 2016, 26], ["x-y", "2017", "no"]])
    changed = NONSENSE.perturb(table, rng(0))
    assert [cell.raw for cell in changed.rows[1][1:]] == [2016, 26]
    assert (changed.rows[2][1].text, changed.rows[2][2].text) == ("2017", "no")
    assert all(CODE.fullmatch(word) for cell in changed.rows[0] for word in cell.text.split())
    assert len(changed.rows[1][0].text.split()) == 2
    assert CODE.fullmatch(changed.rows[2][0].text)


def test_a_year_that_a_value_reads_the_same_as_stays() -> None:
    table = Table.flat(["Place", "2016", "2017"], [["a1", "2016", "5"]])
    assert [cell.text for cell in NONSENSE.perturb(table, rng(0)).rows[0]][1] == "2016"
    assert {"2017", "Place"} <= set(NONSENSE.renames(table, rng(0)))
    assert not {"2016", "5"} & set(NONSENSE.renames(table, rng(0)))


@given(table=st.one_of(tables(), hierarchical_tables()), seed=seeds)
def test_the_shape_stays_and_table_and_mapping_agree(table: Table, seed: int) -> None:
    before, words = repr(table), NONSENSE.renames(table, rng(seed))
    result = NONSENSE.perturb(table, rng(seed))
    assert result == NONSENSE.perturb(table, rng(seed))
    assert words == NONSENSE.renames(table, rng(seed))
    assert repr(table) == before
    assert result.origins == table.origins
    assert (result.header_rows, result.header_columns) == (table.header_rows, table.header_columns)
    rename = renamer(words)
    for r, line in enumerate(table.grid):
        for c, cell in enumerate(line):
            assert result.grid[r][c].text in (rename(cell.text), cell.text)
    assert all(CODE.fullmatch(word) for word in words.values())


@given(table=hierarchical_tables(), seed=seeds)
def test_different_words_stay_different_and_can_be_turned_back(table: Table, seed: int) -> None:
    words = NONSENSE.renames(table, rng(seed))
    result = NONSENSE.perturb(table, rng(seed))
    written = " ".join(cell.text for row in table.rows for cell in row)
    used = {old: new for old, new in words.items() if re.search(rf"(?<!\w){re.escape(old)}(?!\w)", written)}
    assert len(set(used.values())) == len(used)
    back = renamer({new: old for old, new in used.items()})
    assert [[back(cell.text) for cell in row] for row in result.rows] == [
        [cell.text for cell in row] for row in table.rows
    ]


attributes = st.dictionaries(st.text(max_size=4), st.lists(st.text(max_size=4), max_size=30), max_size=40)


@given(attributes=attributes, seed=seeds, avoid=st.sets(st.sampled_from(["AA", "bb", "AAbb", "CCxy"])))
@settings(max_examples=60)
def test_names_of_attributes_and_values(attributes: dict[str, list[str]], seed: int, avoid: set[str]) -> None:
    names = nonsense_names(attributes, random.Random(seed), avoid=avoid)
    codes = [*names.attributes.values(), *(new for each in names.values.values() for new in each.values())]
    assert len(set(codes)) == len(codes)
    assert not {word.casefold() for word in avoid} & {code.casefold() for code in codes}
    assert {name: set(each) for name, each in names.values.items()} == {
        name: set(values) for name, values in attributes.items()
    }
    for name, each in names.values.items():
        assert all(re.fullmatch(f"{names.attributes[name]}[b-z]{{2}}", new) for new in each.values())
    assert names == nonsense_names(attributes, random.Random(seed), avoid=avoid)


def test_codes_never_run_out() -> None:
    codes = attribute_codes()
    first = [next(codes) for _ in range(2000)]
    assert first[:3] == ["AA", "BB", "CC"]
    assert len(set(first)) == 2000
    many = nonsense_names({"a": list(map(str, range(3000)))}, random.Random(0)).values["a"]
    assert len(set(many.values())) == 3000


def told(text: str) -> str:
    """A text with its nonsense words all alike."""
    return re.sub(r"\b[A-Z]{2}[b-z]{2,3}\b|\b([A-Z])\1\b", "@", text)


@pytest.mark.full
def test_as_the_benchmark_did_it(shared_data: Path) -> None:
    """The same words are replaced in tables, questions and answers, attributes' names in questions apart."""
    import pyarrow.parquet as pq

    rows = pq.read_table(shared_data / "hctqa" / "synthetic_sample.parquet").to_pylist()
    attribute = re.compile(r"\b(?:Year|Gender|Event|Quarter|Nationality|Severity|School type)\b")
    rename = {}
    for row in {row["table_id"]: row for row in rows}.values():
        table = readers.get("html")(row["table_html"])
        rename[row["table_id"]] = renamer(NONSENSE.renames(table, rng(0)))
        ours = serializers.get("canonical_csv").serialize(NONSENSE.perturb(table, rng(0)))
        found, published = (
            [line for line in csv.reader(io.StringIO(text)) if line]
            for text in (ours, row["table_csv_nonsem"])
        )
        assert [[told(re.sub("^Non-", "", text)) for text in line] for line in published] == [
            list(map(told, line)) for line in found
        ]
    same = Counter()
    for row in rows:
        for field in ("question", "answer"):
            ours = told(rename[row["table_id"]](attribute.sub("AA", row[field])))
            same[field, ours == told(row[f"{field}_nonsem"]).replace("Non-@", "@")] += 1
    assert same == {("question", True): 1733, ("answer", True): 1733}


@pytest.mark.parametrize("seed", range(3))
def test_real_tables_keep_their_numbers(seed: int, shared_data: Path) -> None:
    import pyarrow.parquet as pq

    rows = pq.read_table(shared_data / "hctqa" / "real.parquet", columns=["table_csv"]).to_pylist()
    for text in sorted({row["table_csv"] for row in rows})[seed::60]:
        table = readers.get("hctqa_csv")(text)
        result = NONSENSE.perturb(table, rng(seed))
        for line, after in zip(table.body, result.body, strict=True):
            for cell, other in zip(line[table.header_columns :], after[table.header_columns :], strict=True):
                if not any(map(str.isalpha, cell.text)) and "-" not in cell.text and "/" not in cell.text:
                    assert cell.text == other.text
