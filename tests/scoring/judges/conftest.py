"""A run whose answers are judged, and judges that need no weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from torr_plugin.recipes import ModelEntry, Recipe
from torr_plugin.running import add_model
from torr_plugin.workflows.study import run_study

from ...catalog import tiny

ANSWERS = {"right": "1 || 2", "half": "1", "wordy": "It is 1 || 2 I say", "wrong": "nothing"}


@pytest.fixture(scope="session", autouse=True)
def _judges() -> None:
    add_model("test-judge", "tests.scoring.judges.models:Judge", origin="the tests")
    add_model("test-grader", "tests.scoring.judges.models:Grader", origin="the tests")


def study() -> Recipe:
    return Recipe.model_validate(
        {
            "name": "judged",
            "cards": ["hctqa.real"],
            "configurations": {"serializers": ["html", "csv"]},
            "analysis": {"resamples": 5},
        }
    )


def models(*names: str) -> list[ModelEntry]:
    return [ModelEntry(model="torr-constant", name=name, args={"answer": ANSWERS[name]}) for name in names]


@pytest.fixture(scope="package")
def answered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A mirror of the data, and a run of it that tests copy."""
    place = tmp_path_factory.mktemp("judged")
    mirror = tiny.write(place / "mirror")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORR_DATA", str(mirror))
        run_study(study(), models(*ANSWERS), place / "run")
    return mirror, place / "run"


@pytest.fixture
def run(answered: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four models' answers to the real card's one made example in two configurations."""
    mirror, made = answered
    monkeypatch.setenv("TORR_DATA", str(mirror))
    return Path(shutil.copytree(made, tmp_path / "run"))
