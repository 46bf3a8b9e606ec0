"""Unitxt's draw and words: small cases against unitxt's own functions, and bad input."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.catalog import load_card, read_unitxt_examples, unitxt_template
from torr_plugin.catalog.unitxt_examples import UnitxtExample
from torr_plugin.core.errors import CardError, DataError, RecipeError
from torr_plugin.prompts import PromptBuilder
from torr_plugin.prompts.unitxt_draw import UnitxtDraw, perturb_as_unitxt
from torr_plugin.recipes import Configuration
from torr_plugin.tables import Table

from ..timing import PATIENCE
from .made_rows import write_made_mirror

TABLES = [{"header": ["a", "b"], "rows": [["1", str(row)] for row in range(at)]} for at in range(1, 7)]


def example(number: int, table: dict[str, Any], question: str) -> UnitxtExample:
    return UnitxtExample(
        id=str(number),
        table=Table.from_unitxt(table),
        fields={"question": question},
        references=("x",),
        target="x",
        inputs={"context": table, "context_type": "table", "question": question},
        table_input="context",
    )


def perturbed(each: UnitxtExample, name: str) -> UnitxtExample:
    return perturb_as_unitxt(each, name)


def drawn_by_unitxt(
    asked: UnitxtExample, pool: list[UnitxtExample], shots: int, perturbation: str
) -> list[str]:
    """By unitxt's own steps: augmentor, pool without repeats, sampler."""
    from unitxt.artifact import fetch_artifact
    from unitxt.splitters import ConstantSizeSample, RandomSampler
    from unitxt.standard import CreateDemosPool
    from unitxt.stream import MultiStream

    def instances(of: list[UnitxtExample]) -> list[dict[str, Any]]:
        return [{"id": each.id, "input_fields": dict(each.inputs)} for each in of]

    streams = MultiStream.from_iterables({"train": instances(pool), "test": instances([asked])}, copying=True)
    if perturbation != "none":
        augmentor, _ = fetch_artifact(f"augmentors.table.{perturbation}")
        augmentor.set_fields(["context"])
        streams = augmentor(streams)
    size = 2**62
    streams = CreateDemosPool(from_stream="train", demos_pool_size=size, demos_removed_from_data=False)(
        streams
    )
    sample = ConstantSizeSample(
        from_field="_demos_pool_", to_field="demos", sampler=RandomSampler(), sample_size=shots
    )
    sample.from_field = next(key for key in next(iter(streams["test"])) if "demos" in key)
    (chosen,) = sample(streams)["test"]
    return [each["id"] for each in chosen["demos"]]


@pytest.mark.full
@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("pqr")), min_size=4, max_size=14),
    st.tuples(st.integers(0, 5), st.sampled_from("pqr")),
    st.sampled_from(["none", "shuffle_rows", "shuffle_cols", "transpose"]),
)
def test_pools_with_repeats_and_the_asked_one(
    made: list[tuple[int, str]], asked: tuple[int, str], perturbation: str
) -> None:
    pool = [example(number, TABLES[table], question) for number, (table, question) in enumerate(made)]
    one = example(99, TABLES[asked[0]], asked[1])
    shots = 2
    draw = UnitxtDraw(pool, shots, perturbed, "cards.made")
    if len({*made} - {asked}) < shots:
        with pytest.raises(RecipeError, match="unitxt's pool may demonstrate example '99', 2 are needed"):
            draw.draw(one, perturbation)
        return
    assert [each.id for each in draw.draw(one, perturbation)] == drawn_by_unitxt(
        one, pool, shots, perturbation
    )


def test_tables_that_a_shuffle_makes_equal_are_one() -> None:
    rows = [["1"], ["2"]]
    pool = [example(at, {"header": ["a"], "rows": rows[::step]}, "q") for at, step in enumerate((1, -1))]
    pool += [example(at, TABLES[at], "q") for at in range(2, 6)]
    one = example(99, TABLES[0], "another")
    for perturbation in ("none", "shuffle_rows"):
        draw = UnitxtDraw(pool, 3, perturbed, "cards.made")
        ours = [each.id for each in draw.draw(one, perturbation)]
        assert ours == drawn_by_unitxt(one, pool, 3, perturbation)


def test_global_chance_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    write_made_mirror(tmp_path)
    random.seed(3)
    before = random.getstate()
    card = load_card("qtsumm")
    builder = PromptBuilder(card, read_unitxt_examples(card, "train"), shots=2, draw="unitxt")
    builder.build(read_unitxt_examples(card, "test")[0], Configuration("torr.csv", "shuffle_rows", "torr"))
    assert random.getstate() == before


IMPORTING = """
import os, random, sys
from torr_plugin.catalog import load_card, read_unitxt_examples
assert "unitxt" not in sys.modules
state, environment = random.getstate(), dict(os.environ)
assert read_unitxt_examples(load_card("qtsumm"), "test")
assert "unitxt" in sys.modules
assert random.getstate() == state and dict(os.environ) == environment
"""


@pytest.mark.full
def test_importing_unitxt_leaves_global_chance_alone(tmp_path: Path) -> None:
    """Importing unitxt seeds Python's generator for the whole process."""
    write_made_mirror(tmp_path)
    environment = {**os.environ, "TORR_DATA": str(tmp_path)}
    subprocess.run([sys.executable, "-c", IMPORTING], env=environment, check=True, timeout=PATIENCE)


def test_an_example_keeps_its_id_references_and_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torr_plugin.catalog import read_examples

    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    write_made_mirror(tmp_path)
    for name in ("finqa", "qtsumm", "tablebench_fact_checking", "turl_col_type"):
        card = load_card(name)
        ours = {each.id: each for each in read_examples(card, "test")}
        theirs = read_unitxt_examples(card, "test")
        assert [each.id for each in theirs] == list(ours)
        for each in theirs:
            own = ours[each.id]
            assert (each.references, each.groups, each.facts) == (own.references, own.groups, own.facts)
            assert each.fields.keys() == own.fields.keys()


def test_the_words_are_unitxts_with_our_places() -> None:
    template = unitxt_template(load_card("scigen"))
    assert template.input_format == "table: \n{table} \ncaption: \n{caption} \ntext description:"
    assert "{types}" not in unitxt_template(load_card("turl_col_type")).instruction
    assert "{answer_format}" in unitxt_template(load_card("tablebench_fact_checking")).instruction
    assert unitxt_template(load_card("qtsumm")).input_format.startswith("Table:\n{table}")


def test_a_card_without_a_twin() -> None:
    with pytest.raises(CardError, match=r"cards.hctqa.real: the card names no card of unitxt's"):
        read_unitxt_examples(load_card("hctqa.real"), "test")


def test_a_twin_that_unitxt_has_not() -> None:
    card = load_card("scigen")
    assert card.unitxt is not None
    for twin, message in (
        (card.unitxt.model_copy(update={"card": "cards.scigenn"}), "unitxt's catalog has no 'cards.scigenn'"),
        (card.unitxt.model_copy(update={"fields": {"input_c": "table"}}), "has no input 'input_c'"),
    ):
        with pytest.raises(CardError, match=message):
            unitxt_template(replace(card, unitxt=twin, fingerprint=message))


def test_a_step_of_unitxts_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    columns = ["paper_id", "table_caption", "table_column_names", "table_content_values", "text"]
    (tmp_path / "scigen").mkdir()
    pq.write_table(
        pa.Table.from_pylist([dict.fromkeys(columns, "no list")]), tmp_path / "scigen" / "test.parquet"
    )
    with pytest.raises(DataError, match=r"cards.scigen: split 'test': unitxt's steps of cards.scigen fail: "):
        read_unitxt_examples(load_card("scigen"), "test")
