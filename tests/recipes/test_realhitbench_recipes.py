"""RealHiTBench's recipes: what they ask, on generated tables in the layout of its mirror."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from torr_plugin.catalog import load_card, read_examples
from torr_plugin.core.errors import RecipeError, SerializationError
from torr_plugin.recipes import Recipe, load, plan
from torr_plugin.tables import Table, serializers

from ..catalog import realhitbench
from ..conftest import Torr

CARDS = [
    f"realhitbench.{name}"
    for name in (
        "fact_checking",
        "numerical_reasoning",
        "structure_comprehending",
        "data_analysis",
        "chart_generation",
    )
]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return realhitbench.write_mirror(tmp_path_factory.mktemp("mirror"), 3)


@pytest.fixture
def made_mirror(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TORR_DATA", str(made))
    return made


def test_the_recipes_ask_five_types_as_text_and_as_pictures() -> None:
    text, pictures = load("realhitbench"), load("realhitbench_pictures")
    for recipe in (text, pictures):
        assert [entry.card.removeprefix("cards.") for entry in recipe.cards] == CARDS
        assert (recipe.generation.max_tokens, recipe.generation.temperature) == (4096, 0)
    direct = [each.serializer for each in text.expanded() if each.design == "default"]
    assert direct == ["latex", "html", "csv", "markdown"]
    seen = [each.serializer for each in pictures.expanded() if each.design == "default"]
    assert seen == ["latex", "image", "image+latex"]


def refusing(monkeypatch: pytest.MonkeyPatch, *refused: str) -> None:
    """Makes XML refuse the tables of these names."""
    tables = {
        example.table
        for card in CARDS
        for example in read_examples(load_card(card), "test")
        if example.groups["table"] in refused and example.groups.get("side") != "original"
    }
    xml = serializers.get("xml")
    whole = type(xml).serialize

    def serialize(self: object, table: Table) -> str:
        if table in tables:
            raise SerializationError("xml: too large")
        return str(whole(self, table))

    monkeypatch.setattr(type(xml), "serialize", serialize)


def study(card: str, **options: object) -> Recipe:
    examples = {"count": 2, **options}
    return Recipe.model_validate(
        {
            "name": "r",
            "cards": [card],
            "configurations": [{"serializers": ["csv", "xml"]}],
            "examples": examples,
        }
    )


@pytest.mark.parametrize("card", [CARDS[0], CARDS[2]])
def test_what_a_configuration_refuses_is_left_out_of_all(
    made_mirror: Path, monkeypatch: pytest.MonkeyPatch, card: str
) -> None:
    before = plan(study(card, count="all"))
    first = before.examples[card][0]
    refusing(monkeypatch, first.groups["table"])
    with pytest.raises(RecipeError, match="in configuration xml/none/default: xml: too large"):
        list(plan(study(card)).requests())
    planned = plan(study(card, refused="leave_out"))
    rest = [each.id for each in before.examples[card] if each.groups["table"] != first.groups["table"]]
    assert [each.id for each in planned.examples[card]] == rest[:2]
    assert len(list(planned.requests())) == 2 * 2
    (note,) = planned.notes
    left_out = "2 examples" if card == CARDS[2] else "1 example"
    assert note.startswith(
        f"cards.{card}: {left_out} left out in all configurations; the first: cards.{card}: "
    )


def with_demonstrations(*serializers: str, **examples: object) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "r",
            "cards": ["bundled.cell_lookup"],
            "configurations": [{"serializers": serializers}],
            "demonstrations": {"shots": 2},
            "examples": {"count": 8, **examples},
        }
    )


def drawn(recipe: Recipe) -> dict[str, list[str]]:
    """Of each asked example its demonstrations; all of its prompts are built."""
    planned = plan(recipe)
    (dataset,) = planned.examples
    assert all(request.prompt for request in planned.requests())
    builder = planned.builders[dataset]
    return {
        each.id: [shown.id for shown in builder.demonstrations(each)] for each in planned.examples[dataset]
    }


def test_a_demonstration_that_a_configuration_refuses_is_drawn_past(monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn(with_demonstrations("csv"))
    (refused, *_) = [shown[0] for shown in before.values()]
    pool = read_examples(load_card("bundled.cell_lookup"), "train")
    table = next(each.table for each in pool if each.id == refused)
    csv = type(serializers.get("csv"))

    def draw(self: object, drawn: Table) -> bytes:
        if drawn == table:
            raise SerializationError("too large")
        return csv().serialize(drawn).encode()

    monkeypatch.setattr(type(serializers.get("image")), "draw", draw)
    with pytest.raises(
        RecipeError, match=f"example {refused!r} in configuration image.csv/none/default: too"
    ):
        drawn(with_demonstrations("csv", "image+csv"))
    past = drawn(with_demonstrations("csv", "image+csv", refused="leave_out"))
    lost = {each.id for each in pool if each.table == table}
    assert past.keys() == before.keys()
    for example, shown in past.items():
        kept = [each for each in before[example] if each not in lost]
        assert (shown[: len(kept)], len(shown)) == (kept, 2)
        assert not lost & set(shown)
    assert drawn(with_demonstrations("csv", refused="leave_out")) == before


def test_where_every_table_is_refused_the_study_stops(
    made_mirror: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusing(monkeypatch, "made-0", "made-1", "made-2")
    with pytest.raises(RecipeError, match="in configuration xml/none/default: xml: too large"):
        plan(study(CARDS[0], refused="leave_out"))


@pytest.mark.full
def test_a_study_of_all_types_is_scored_and_shown_by_kind(torr: Torr, made: Path, tmp_path: Path) -> None:
    """Charts and all, by a baseline, whose answers hold no program."""
    run = tmp_path / "run"
    models = ["--model", "torr-lexical", "--model", "torr-random-cell"]
    done = torr("run", "realhitbench", *models, "--out", run, data=made)
    assert done.returncode == 0, done.stderr
    scores = pd.read_parquet(run / "scores.parquet")
    scores = scores[~scores["metric"].astype(str).str.endswith(".lenient")]
    by_card = {str(name): set(part.metric) for name, part in scores.groupby("dataset", observed=True)}
    tree = {"tree_f1", "path_f1"}
    assert by_card == {
        CARDS[0]: {"f1", "exact_match", *tree},
        CARDS[1]: {"f1", "exact_match", *tree},
        CARDS[2]: {"f1", "exact_match", "consistency_f1", "consistency", "both_right", *tree},
        CARDS[3]: {"rougeL", "f1", "exact_match", *tree},
        CARDS[4]: {"chart_pass", "chart_ecr", *tree},
    }
    assert set(Counter(scores[scores.main].dataset).values()) == {2 * 8 * 3, 2 * 8 * 6}
    found = json.loads((run / "analysis.json").read_text())
    assert set(found["slices"]["overall"]["groups"]) == {"type", "subtype", "structure", "source", "side"}
    assert set(found["slices"]["overall"]["values"]["table"]) >= {"complexity", "length"}
    compared = found["designs"]["differences"]["overall"]["torr-lexical"]
    assert list(compared) == [f"tree_thinker{part}" for part in ("", "_gold", "_no_reasoning", "_no_tree")]
