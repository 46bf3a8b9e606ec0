"""Finding a recipe, and what a right one says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from torr_plugin.core.errors import InputError, RecipeError
from torr_plugin.core.validation import models_in
from torr_plugin.core.versions import shipped_folder
from torr_plugin.recipes import Configuration, Recipe, load, recipe_names, schema
from torr_plugin.recipes.schema import TORR_PERTURBATIONS, TORR_SERIALIZERS

from .made import CARD, SMALL, written


@pytest.fixture
def no_plugin_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema.recipe_folders, "_values", {})


HEAD = f"name: x\ncards: [{CARD}]\nconfigurations: html/none/default\n"


@pytest.mark.parametrize(
    ("short", "shots"),
    [
        ("demos: unitxt\nexamples: unitxt\n", 0),
        ("demonstrations: {shots: 5}\ndemos: unitxt\nexamples: unitxt\n", 5),
        ("demonstrations: {shots: 5, draw: unitxt}\ndemos: unitxt\nexamples: unitxt\n", 5),
    ],
)
def test_draws_in_short(tmp_path: Path, short: str, shots: int) -> None:
    recipe = load(written(tmp_path, HEAD + short))
    assert (recipe.demonstrations.shots, recipe.demonstrations.draw) == (shots, "unitxt")
    assert (recipe.examples.count, recipe.examples.draw) == (100, "unitxt")
    long = f"demonstrations: {{shots: {shots}, draw: unitxt}}\nexamples: {{draw: unitxt}}\n"
    said = load(written(tmp_path, HEAD + long)).model_dump(mode="json")
    assert recipe.model_dump(mode="json") == said  # so study.yaml and fingerprint are the same
    assert Recipe.model_validate(said).demonstrations == recipe.demonstrations


def test_defaults(tmp_path: Path) -> None:
    recipe = load(written(tmp_path, f"name: x\ncards: [{CARD}]\nconfigurations: html/none/default\n"))
    assert recipe.seed == 0
    assert (recipe.demonstrations.shots, recipe.demonstrations.draw) == (0, "paired")
    assert (recipe.examples.count, recipe.examples.draw) == (100, "seeded")
    assert recipe.generation.model_dump() == {"max_tokens": 100, "temperature": 0.0, "until": ()}
    assert recipe.analysis.model_dump() == {"resamples": 1000, "level": 0.95}
    assert recipe.models == ()


@pytest.mark.parametrize("name", ["quickstart", "real"])
def test_shipped_recipes_have_the_35_configurations_and_three_baselines(name: str) -> None:
    recipe = load(name)
    assert recipe.name == name
    expected = {(s, p, "default") for s in TORR_SERIALIZERS for p in TORR_PERTURBATIONS}
    assert {(c.serializer, c.perturbation, c.design) for c in recipe.expanded()} == expected
    assert len(recipe.expanded()) == 35
    assert [model.label for model in recipe.models] == ["torr-majority", "torr-random-cell", "torr-lexical"]


@pytest.mark.full
@pytest.mark.parametrize("name", ["real", "real.yaml", "recipes/real.yaml"])
def test_a_shipped_recipe_by_name_or_by_the_path_it_has_in_the_repository(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load(name) == load("real")


def test_a_file_that_exists_goes_before_a_shipped_recipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, SMALL, "real.yaml")
    assert load("real.yaml").name == "small"
    assert load("real").name == "real"


@pytest.mark.parametrize("card", ["cards/mine.json", "{card: cards/mine.json, shots: 0}"])
def test_a_card_file_beside_the_recipe_is_found_from_any_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, card: str
) -> None:
    for place in ("study", "elsewhere"):
        (tmp_path / place / "cards").mkdir(parents=True)
    text = (shipped_folder("cards") / "bundled" / "cell_lookup.json").read_text(encoding="utf-8")
    (tmp_path / "study/cards/mine.json").write_text(text, encoding="utf-8")
    recipe = tmp_path / "study/mine.yaml"
    recipe.write_text(f"name: mine\ncards: [{card}]\nconfigurations: html/none/default\n")
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert [each.card for each in load(recipe).cards] == [str(tmp_path / "study/cards/mine.json")]
    recipe.write_text(recipe.read_text().replace("mine.json", "other.json"))
    with pytest.raises(RecipeError, match=r"cards/other\.json: no such card file"):
        load(recipe)
    (tmp_path / "elsewhere/cards/other.json").write_text(text, encoding="utf-8")
    assert [each.card for each in load(recipe).cards] == ["cards/other.json"]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        RecipeError,
        match=r"^recipe 'quikstart': no such file, and no shipped recipe; did you mean 'quickstart'\?$",
    ):
        load("quikstart")
    with pytest.raises(RecipeError, match="no such file"):
        load(tmp_path / "deep" / "real.yaml")
    with pytest.raises(RecipeError, match="a folder; expected a recipe file"):
        load(tmp_path)


def test_names_are_sorted_and_load() -> None:
    assert recipe_names() == sorted(recipe_names())
    assert {"quickstart", "real"} <= set(recipe_names())


@pytest.mark.usefixtures("no_plugin_folders")
def test_a_plugin_brings_recipes(tmp_path: Path) -> None:
    written(tmp_path, SMALL, "mine.yaml")
    schema.recipe_folders.register("", tmp_path, origin="someone")
    assert "mine" in recipe_names()
    assert load("mine").name == "small"
    schema.recipe_folders.register("", tmp_path, origin="someone")


@pytest.mark.usefixtures("no_plugin_folders")
def test_a_plugin_cannot_take_a_name(tmp_path: Path) -> None:
    written(tmp_path, SMALL, "real.yaml")
    with pytest.raises(InputError, match=r"two recipes are called 'real'.*someone"):
        schema.recipe_folders.register("", tmp_path, origin="someone")
    with pytest.raises(InputError, match=r"none: no such folder of recipes"):
        schema.recipe_folders.register("", tmp_path / "none", origin="someone")


def test_configurations_from_ids_and_products_come_once_and_in_order(tmp_path: Path) -> None:
    text = f"""\
name: x
cards: [{CARD}]
configurations:
  - json/transpose/torr
  - {{serializers: [html, json], perturbations: [none, transpose], designs: [default, torr]}}
  - html/none/default
"""
    assert [c.id for c in load(written(tmp_path, text)).expanded()] == [
        "json/transpose/torr",
        "html/none/default",
        "html/none/torr",
        "html/transpose/default",
        "html/transpose/torr",
        "json/none/default",
        "json/none/torr",
        "json/transpose/default",
    ]


@pytest.mark.parametrize(
    ("serializers", "expected"),
    [
        ("torr", TORR_SERIALIZERS),
        ("[torr]", TORR_SERIALIZERS),
        ("[html, torr, torr.csv]", ("html", *TORR_SERIALIZERS)),
        ("csv", ("csv",)),
    ],
)
def test_the_shorthand_for_serializers(tmp_path: Path, serializers: str, expected: tuple[str, ...]) -> None:
    text = f"name: x\ncards: {CARD}\nconfigurations: {{serializers: {serializers}}}\n"
    assert tuple(c.serializer for c in load(written(tmp_path, text)).expanded()) == expected


def test_a_recipe_as_run_reads_back_the_same(tmp_path: Path) -> None:
    import yaml

    for name in ("real", "quickstart"):
        recipe = load(name)
        text = yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False)
        assert load(written(tmp_path, text)) == recipe


def test_aliases_and_merges_work(tmp_path: Path) -> None:
    text = f"""\
name: x
cards: [{CARD}]
configurations:
  - &one {{serializers: [html], perturbations: [none]}}
  - {{<<: *one, perturbations: [transpose]}}
"""
    assert [c.id for c in load(written(tmp_path, text)).expanded()] == [
        "html/none/default",
        "html/transpose/default",
    ]


def test_every_field_says_what_it_is() -> None:
    def parts(schema: type[BaseModel]) -> set[type[BaseModel]]:
        inner = {model for field in schema.model_fields.values() for model in models_in(field.annotation)}
        return {schema}.union(*map(parts, inner))

    undescribed = [
        f"{part.__name__}.{name}"
        for part in parts(Recipe)
        for name, field in part.model_fields.items()
        if not field.description
    ]
    assert undescribed == []
    assert len(parts(Recipe)) == 13


def test_configuration_ids_go_there_and_back() -> None:
    one = Configuration("torr.html", "transpose", "default")
    assert one.id == "torr.html/transpose/default"
    assert Configuration.of(one.id) == one
    for wrong in ("html", "html/none", "html//default", "a/b/c/d", ""):
        with pytest.raises(
            RecipeError,
            match=f"configuration {re.escape(repr(wrong))}.*expected serializer/perturbation/design",
        ):
            Configuration.of(wrong)
