"""A study asked again after its files were edited, in a process that stays open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torr_plugin.catalog import load_card
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.studies import dataset_entry, file_state, plan_of, requests_of, study_part

STUDY = """
name: mine
cards: [{card: %s}]
configurations: {serializers: [torr.html], perturbations: [none]}
demonstrations: {shots: 0}
examples: {count: 2}
models: []
"""
CARD = load_card("bundled.cell_lookup")


@pytest.fixture
def study(tmp_path: Path) -> str:
    (tmp_path / "mine.json").write_text(CARD.path.read_text())
    (tmp_path / "mine.yaml").write_text(STUDY % (tmp_path / "mine.json"))
    return str(tmp_path / "mine.yaml")


def test_an_edited_recipe_is_asked_as_it_is_now(study: str) -> None:
    assert plan_of(study, "mine") is plan_of(study, "mine")
    path = Path(study)
    path.write_text(path.read_text().replace("torr.html", "csv").replace("shots: 0", "shots: 1"))
    (config,) = plan_of(study, "mine").configurations
    assert config.id == "csv/none/default"
    assert dataset_entry(study, "mine").shots == 1
    assert len(list(requests_of(plan_of(study, "mine"), study_part(study, "mine", config)))) == 2


def test_an_edited_card_is_asked_as_it_is_now(study: str) -> None:
    before, seed = plan_of(study, "mine").examples["mine"], dataset_entry(study, "mine").card.loader.seed
    path = Path(study).with_suffix(".json")
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


def test_a_study_that_is_not_there() -> None:
    with pytest.raises(InputError, match="not-here"):
        file_state("not-here")
