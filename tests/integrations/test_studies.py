"""A study in parts: their names, and that their prompts are those of the whole study."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.catalog import load_card
from torr_plugin.core.errors import InputError, UnknownNameError
from torr_plugin.integrations.studies import (
    dataset_entry,
    file_state,
    plan_of,
    requests_of,
    study_part,
    study_parts,
)
from torr_plugin.recipes import Configuration, load, plan, recipe_names

STUDY = """
name: small
cards: [cards.bundled.cell_lookup, cards.bundled.aggregation]
configurations:
  serializers: [torr.html, csv]
  perturbations: [none, transpose]
demonstrations: {shots: 1}
examples: {count: 4}
models: []
"""


@pytest.fixture
def study(tmp_path: Path) -> str:
    path = tmp_path / "small.yaml"
    path.write_text(STUDY)
    return str(path)


def test_a_part_for_all_configurations_and_one_for_each(study: str) -> None:
    parts = study_parts(study)
    assert [part.task for part in parts[:3]] == [
        "small_bundled_cell_lookup",
        "small_bundled_cell_lookup_html_none",
        "small_bundled_cell_lookup_html_transpose",
    ]
    assert parts[1].recipe == "recipes.small.bundled.cell_lookup.html.none"
    assert len(parts) == 2 * (1 + 4)
    assert [part.config for part in parts].count(None) == 2


def test_every_known_study_has_parts_whose_names_are_its_own() -> None:
    parts = [part for name in recipe_names() for part in study_parts(name)]
    tasks, recipes = [part.task for part in parts], [part.recipe for part in parts]
    assert len(set(tasks)) == len(tasks) > 500
    assert len(set(recipes)) == len(recipes)
    assert all(re.fullmatch(r"\w+", task) for task in tasks)
    assert {"torr_wikitq", "torr_wikitq_html_transpose", "hctqa_real_pak_markdown_none"} <= set(tasks)


def test_a_dialect_keeps_its_name_where_the_study_has_both(tmp_path: Path) -> None:
    path = tmp_path / "both.yaml"
    path.write_text(STUDY.replace("[torr.html, csv]", "[torr.html, html]").replace("small", "both"))
    tasks = [part.task for part in study_parts(str(path))]
    assert "both_bundled_aggregation_torr_html_none" in tasks
    assert "both_bundled_aggregation_html_none" in tasks
    assert len(set(tasks)) == len(tasks)


def test_designs_are_named_where_there_are_several(tmp_path: Path) -> None:
    path = tmp_path / "designs.yaml"
    path.write_text(STUDY.replace("perturbations: [", "designs: [default, hctqa]\n  perturbations: ["))
    tasks = [part.task for part in study_parts(str(path))]
    assert "small_bundled_aggregation_csv_none_hctqa" in tasks
    assert len(set(tasks)) == len(tasks) == 2 * (1 + 8)


NAMES = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,9}", fullmatch=True)


@pytest.mark.full
@given(name=NAMES)
def test_any_name_of_a_study_makes_names_of_tasks(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("named") / "study.yaml"
    path.write_text(STUDY.replace("small", json.dumps(name)))
    tasks = [part.task for part in study_parts(str(path))]
    assert len(set(tasks)) == len(tasks)
    assert all(re.fullmatch(r"\w+", task) for task in tasks)


def test_the_prompts_of_the_parts_are_those_of_the_study(study: str) -> None:
    whole = plan(load(study))
    cells = {(each.dataset, each.config.id, each.example): each for each in whole.requests()}
    found = {}
    for part in study_parts(study):
        if part.config is None:
            continue
        for each in requests_of(plan_of(study, part.dataset), part):
            found[each.dataset, each.config.id, each.example] = each
    assert found == cells
    assert len(found) == 2 * 4 * 4


def test_all_configurations_are_those_of_the_single_parts(study: str) -> None:
    planned = plan_of(study, "bundled.aggregation")
    together = list(requests_of(planned, study_part(study, "bundled.aggregation")))
    apart = [
        each
        for config in planned.configurations
        for each in requests_of(planned, study_part(study, "bundled.aggregation", config))
    ]
    assert together == apart


def test_a_limit_asks_the_first_of_the_same_examples(study: str) -> None:
    part = study_part(study, "bundled.aggregation", Configuration.of("csv/transpose/default"))
    few = list(requests_of(plan_of(study, part.dataset, 2), part))
    assert few == list(requests_of(plan_of(study, part.dataset), part))[:2]


def test_real_data_asks_what_the_study_asks(mirror: Path, tmp_path: Path) -> None:
    study = tmp_path / "some.yaml"
    study.write_text(
        re.sub("cards: .*", "cards: [cards.wikitq, cards.tab_fact]", STUDY).replace("csv", "torr.json")
    )
    whole = plan(load(study), limit=1)
    config = Configuration.of("torr.json/transpose/default")
    for dataset in ("wikitq", "tab_fact"):
        mine = list(requests_of(plan_of(str(study), dataset, 1), study_part(str(study), dataset, config)))
        assert mine == list(whole.requests_of(dataset, config))


def test_unknown_parts(study: str) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown data set 'wikitq'.*bundled"):
        study_part(study, "wikitq")
    with pytest.raises(UnknownNameError, match="unknown configuration 'json/none/default'"):
        study_part(study, "bundled.aggregation", Configuration.of("json/none/default"))


def test_designs_of_several_calls_are_parts_like_others(tmp_path: Path) -> None:
    path = tmp_path / "calls.yaml"
    several = "designs: [default, self_augmented_all]\n  perturbations: ["
    path.write_text(STUDY.replace("perturbations: [", several))
    parts = study_parts(str(path))
    assert {part.config.design for part in parts if part.config} == {"default", "self_augmented_all"}
    requests = list(requests_of(plan_of(str(path), "bundled.aggregation"), parts[-9]))
    assert Counter(each.config.id for each in requests) == Counter(
        {config.id: 4 for config in load(path).expanded()}
    )
    assert {each.stage for each in requests} == {0}


def test_a_data_set_s_entry_has_the_study_s_metrics_and_demonstrations() -> None:
    entry = dataset_entry("torr", "wikitq")
    assert (entry.card.main_metric, entry.shots, entry.seed) == ("f1_strings", 1, 0)
    with pytest.raises(InputError, match="recipe 'torr': unknown data set 'pets'"):
        dataset_entry("torr", "pets")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A study that asks a card file beside it."""
    (tmp_path / "mine.json").write_text(load_card("bundled.cell_lookup").path.read_text())
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\ncards: [{card: mine.json}]\n"
        "configurations: {serializers: [torr.html], perturbations: [none]}\n"
        "demonstrations: {shots: 0}\nexamples: {count: 2}\nmodels: []\n"
    )
    return path


def test_an_edited_recipe_is_asked_as_it_is_now(own: Path) -> None:
    study = str(own)
    assert plan_of(study, "mine") is plan_of(study, "mine")
    assert study_parts(study) is study_parts(study)
    own.write_text(own.read_text().replace("torr.html", "csv").replace("shots: 0", "shots: 1"))
    (config,) = plan_of(study, "mine").configurations
    assert config.id == "csv/none/default"
    assert dataset_entry(study, "mine").shots == 1
    assert len(list(requests_of(plan_of(study, "mine"), study_part(study, "mine", config)))) == 2


def test_an_edited_card_is_asked_as_it_is_now(own: Path) -> None:
    study = str(own)
    before, seed = plan_of(study, "mine").examples["mine"], dataset_entry(study, "mine").card.loader.seed
    path = own.with_suffix(".json")
    card = json.loads(path.read_text())
    card["loader"]["seed"] = seed + 1
    path.write_text(json.dumps(card))
    assert plan_of(study, "mine").examples["mine"] != before
    assert dataset_entry(study, "mine").card.loader.seed == seed + 1


def test_another_mirror_is_another_state(study: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORR_DATA", raising=False)
    before = file_state(study)
    assert file_state(study) == before
    monkeypatch.setenv("TORR_DATA", "elsewhere")
    assert file_state(study) != before
    with pytest.raises(InputError, match="not-here"):
        file_state("not-here")
