from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.scoring import score_example

from ..timing import quickly
from . import tiny

COUNTS = [
    ("hctqa.real", "test", 9835, 1880),
    ("tab_fact", "test", 12779, 1695),
    ("scigen", "test", 492, None),
    ("numeric_nlg", "test", 135, 135),
    ("wikitq", "test", 3593, None),
]


@pytest.mark.full
@pytest.mark.parametrize(("name", "split", "count", "tables"), COUNTS)
def test_all_examples_of_the_test_split_are_read(
    mirror: Path, name: str, split: str, count: int, tables: int | None
) -> None:
    examples = quickly(lambda: read_examples(load_card(name), split), within=60)
    assert len(examples) == len({each.id for each in examples}) == count
    if tables is not None:
        assert (
            len({each.groups["table"] for each in examples})
            == len({id(each.table) for each in examples})
            == tables
        )
    assert all(each.references and each.target for each in examples)


@pytest.mark.full
@pytest.mark.parametrize("name", tiny.REAL)
def test_demonstrations_do_not_share_ids_with_what_is_asked(mirror: Path, name: str) -> None:
    card = load_card(name)
    if card.demo_split != card.test_split:
        shown = {each.id for each in read_examples(card, card.demo_split)}
        assert shown
        assert not shown & {each.id for each in read_examples(card, card.test_split)}


@pytest.mark.full
def test_wikitq_keeps_tables_of_at_most_200_cells(mirror: Path) -> None:
    rows = {row["id"]: row for row in pq.read_table(mirror / "wikitq" / "test.parquet").to_pylist()}
    examples = read_examples(load_card("wikitq"), "test")
    small = [
        name for name, row in rows.items() if len(row["table"]["header"]) * len(row["table"]["rows"]) <= 200
    ]
    assert [each.id for each in examples] == small
    for each in examples[::37]:
        row = rows[each.id]
        assert each.table.to_unitxt() == {key: row["table"][key] for key in ("header", "rows")}
        assert each.target == ", ".join(row["answers"])


@pytest.mark.full
def test_hctqa_answers_as_demonstrated_are_right_by_the_published_scorer(mirror: Path) -> None:
    card = load_card("hctqa.real")
    examples = read_examples(card, "test")
    assert {each.groups["source"] for each in examples} == {"psa", "arxiv", "pak", "census"}
    wrong = [
        each.id
        for each in examples
        if score_example(card, each.target, each.references)["f1"] != 1 or "{" in each.target
    ]
    assert wrong == []
