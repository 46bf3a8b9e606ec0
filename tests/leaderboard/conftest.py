"""What tests of the site share: runs, and sites of every kind of page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from torr_plugin.leaderboard import build_site, building
from torr_plugin.leaderboard.study import Study
from torr_plugin.plugins import registered

from ..conftest import MadeOnce
from .battling import with_battles
from .everywhere import STUDIES, opened_everywhere, study_everywhere
from .hostile import HTML
from .hostile_run import hostile_run, hostile_sections
from .rendered import opened as study_of_run
from .shown_everywhere import StudyEverywhere
from .simulated import DATASETS, MODELS, simulate

Only = Callable[..., None]


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Only:
    """Leaves a site these modules of ``pages/`` alone: a whole site takes seconds."""

    def leave(*pages: ModuleType) -> None:
        monkeypatch.setattr(building, "PAGES", pages)

    return leave


@pytest.fixture(scope="session")
def simulated_run(made_once: MadeOnce) -> Path:
    """Five models, three data sets, 35 configurations, six examples, some failed requests, and battles."""

    def fill(folder: Path) -> None:
        run = simulate(
            folder / "run",
            models=[MODELS[place] for place in (0, 2, 3, 4, 9)],
            datasets=DATASETS[:3],
            examples=6,
            rows=4,
            failing=0.01,
            resamples=100,
        )
        with_battles(run)

    return made_once("simulated", fill) / "run"


@pytest.fixture(scope="session")
def small_run(made_once: MadeOnce) -> Path:
    """Five models, two data sets, 35 configurations, five examples, no holes; to be read only."""
    sizes: dict[str, int] = {"examples": 5, "rows": 3, "resamples": 50}
    folder = made_once(
        "small", lambda at: simulate(at / "run", models=MODELS[:5], datasets=DATASETS[:2], **sizes)
    )
    return folder / "run"


@pytest.fixture(scope="session")
def small_study(small_run: Path) -> Study:
    """The study of ``small_run``."""
    return study_of_run(small_run)


@pytest.fixture(scope="session")
def toon(shared_data: Path, made_once: MadeOnce) -> Study:
    """Four real models, 244 questions, six formats; csv was asked on the 109 about flat tables alone."""

    def fill(folder: Path) -> None:
        answers = pd.read_parquet(shared_data / "toon" / "answers.parquet")
        names = {"questionId": "example", "format": "serializer", "isCorrect": "score"}
        scores = answers.rename(columns=names)[["model", *names.values()]].assign(
            dataset="toon", perturbation="none", design="default", metric="correct"
        )
        scores["config"] = scores["serializer"] + "/none/default"
        scores.assign(score=scores["score"].astype(float)).to_parquet(folder / "toon.parquet")

    return study_of_run(made_once("toon", fill) / "toon.parquet")


@pytest.fixture(scope="session", params=STUDIES)
def everywhere(request: pytest.FixtureRequest, made_once: MadeOnce) -> StudyEverywhere:
    """The quickstart, ten simulated models, and TOON's answers of real ones: terminal, files and site."""
    shared = request.getfixturevalue("shared_data") if request.param == STUDIES[-1] else None
    name = request.param.replace(" ", "-")
    return opened_everywhere(made_once(name, lambda at: study_everywhere(request.param, at, shared)))


@pytest.fixture(scope="session")
def site(simulated_run: Path, made_once: MadeOnce) -> Path:
    """The folder of a site of one study, with every page it can have."""
    return made_once("site", lambda folder: build_site([simulated_run], folder / "one")) / "one"


@pytest.fixture(scope="session")
def hostile_site(made_once: MadeOnce) -> Path:
    """The folder of a site of a run whose every text is hostile, and of a plugin."""
    return made_once("hostile", _hostile_site) / "site"


def _hostile_site(folder: Path) -> None:
    run = hostile_run(folder / "run")
    with registered(hostile_sections(), HTML[0]):
        build_site([run], folder / "site")
