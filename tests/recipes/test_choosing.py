"""Some of a recipe's cards and configurations, and what is said where data is missing."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.core.errors import DataError, RecipeError
from torr_plugin.recipes import load, plan, recipe_names, with_cards, with_configurations

from ..conftest import ROOT, Torr

TWO = """\
name: two
cards: [cards.bundled.cell_lookup, cards.scigen, cards.qtsumm]
configurations: torr.csv/none/torr
"""


def test_with_cards_keeps_the_recipes_order() -> None:
    chosen = with_cards(load("torr"), " cards.wikitq ,scigen")
    assert [entry.card for entry in chosen.cards] == ["cards.scigen", "cards.wikitq"]
    assert chosen.cards[1].shots == 1
    assert with_cards(chosen, None) is chosen


@pytest.mark.full
@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("wikitk", "--cards: the recipe 'torr' asks no 'wikitk'; did you mean 'wikitq'?"),
        (" , ", "--cards: found ' , '; expected names of cards, divided by commas"),
    ],
)
def test_a_card_that_is_not_asked(names: str, message: str) -> None:
    with pytest.raises(RecipeError) as error:
        with_cards(load("torr"), names)
    assert str(error.value) == message


@given(st.lists(st.sampled_from(["torr.markdown", "*/none/*", "*.j*", "*/transpose/default"]), min_size=1))
@settings(max_examples=5, deadline=None)
def test_some_configurations_ask_their_own_part_of_the_study(names: list[str]) -> None:
    recipe = with_cards(load("quickstart"), "bundled.cell_lookup")
    everything = {(each.example, each.config): each.prompt for each in plan(recipe, limit=2).requests()}
    chosen = with_configurations(recipe, ",".join(names))
    ids = [each.id for each in recipe.expanded()]
    assert [each.id for each in chosen.expanded()] == [
        name
        for name in ids
        if any(fnmatch(name, pattern if "/" in pattern else f"{pattern}/*") for pattern in names)
    ]
    asked = {(each.example, each.config): each.prompt for each in plan(chosen, limit=2).requests()}
    assert asked
    assert asked.items() <= everything.items()


def test_configurations_are_named_by_formats_and_ids_in_the_recipe_s_order() -> None:
    chosen = with_configurations(load("quickstart"), " */none/*, torr.csv/transpose/default ,torr.json")
    assert [
        each.id.removesuffix("/default") for each in chosen.expanded() if each.serializer == "torr.csv"
    ] == [
        "torr.csv/none",
        "torr.csv/transpose",
    ]
    assert len(chosen.expanded()) == 7 + 1 + 4
    assert with_configurations(chosen, None) is chosen


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            "torr.markdwn",
            "--configurations: the recipe 'quickstart' has no 'torr.markdwn'; did you mean 'torr.markdown'",
        ),
        (
            "torr.csv/transposed/default",
            "--configurations: the recipe 'quickstart' has no 'torr.csv/transposed/default'; "
            "did you mean 'torr.csv/transpose/default'",
        ),
        (",", "--configurations: found ','; expected formats or ids, divided by commas"),
    ],
)
def test_a_configuration_that_is_not_asked(names: str, message: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(message)):
        with_configurations(load("quickstart"), names)


_CHOSEN = re.compile(r"torr (?:plan|run|prompts) (?:recipes/)?(\w+)(?:\.yaml)? --cards ([\w.,]+)")


@pytest.mark.full
def test_cards_that_texts_name_are_in_their_recipes() -> None:
    """Of commands that stand within a line too, which no other test runs."""
    found = 0
    for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("recipes/*.yaml")]:
        for name, cards in _CHOSEN.findall(path.read_text(encoding="utf-8")):
            if name in recipe_names():
                with_cards(load(name), cards)
                found += 1
    assert found > 5


def test_data_sets_that_are_missing_are_said_at_once(tmp_path: Path, torr: Torr) -> None:
    recipe, data = tmp_path / "two.yaml", tmp_path / "data"
    data.mkdir()
    recipe.write_text(TWO)
    told = torr("plan", recipe, data=data)
    assert told.returncode == 2
    assert told.stderr == (
        f"torr: cards.scigen: split 'test': expected {data}/scigen/test.parquet, which 'torr data pull "
        f"cards.scigen' makes; the folder {data} that TORR_DATA names has nothing "
        "(2 of 3 data sets cannot be read, as for qtsumm; "
        "--cards bundled.cell_lookup asks about the others only)\n"
    )
    assert torr("plan", recipe, "--cards", "bundled.cell_lookup", "--limit", "2", data=data).returncode == 0
    out = tmp_path / "prompts.jsonl"
    done = torr("prompts", recipe, "--cards", "bundled.cell_lookup", "--limit", "2", "--out", out, data=data)
    assert (done.returncode, len(out.read_text().splitlines())) == (0, 2)


def test_one_card_alone_is_said_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORR_DATA", str(tmp_path))
    with pytest.raises(DataError) as error:
        plan(with_cards(load("torr"), "scigen"))
    assert str(error.value).endswith("that TORR_DATA names has nothing")


def test_unitxts_draw_of_a_card_without_a_twin(tmp_path: Path, torr: Torr) -> None:
    recipe = tmp_path / "draw.yaml"
    recipe.write_text(
        "name: draw\ncards: [cards.bundled.cell_lookup]\nconfigurations: torr.csv/none/torr\n"
        "demonstrations: {shots: 1, draw: unitxt}\n"
    )
    told = torr("plan", recipe)
    assert told.returncode == 2
    assert told.stderr.startswith("torr: cards.bundled.cell_lookup: the card names no card of unitxt's (")
    assert told.stderr.count("\n") == 1


@pytest.mark.full
@pytest.mark.usefixtures("mirror")
def test_the_notes_and_the_record_of_unitxts_draws() -> None:
    recipe = with_cards(load("torr"), "scigen")
    drawn = recipe.model_copy(
        update={
            "demonstrations": recipe.demonstrations.model_copy(update={"draw": "unitxt"}),
            "examples": recipe.examples.model_copy(update={"draw": "unitxt", "count": 3}),
        }
    )
    planned, other = plan(drawn), plan(recipe, limit=3)
    assert "luck of that draw" in planned.notes[0]
    assert "insert_empty_rows" not in planned.notes[1]
    assert [example.id for example in planned.examples["scigen"]] == ["test-0", "test-1", "test-2"]
    record = planned.record()["datasets"]["scigen"]
    assert record["demo_split"] == "train"
    assert record["unitxt"]["card"] == "cards.scigen"
    assert planned.fingerprint != other.fingerprint
    assert other.notes == ()
