"""What tests of the site share: Chromium, a site of every kind of page, and pages opened and watched."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from filelock import FileLock

from torr_plugin.leaderboard import build_site, building, planner
from torr_plugin.leaderboard.pages import history as history_page
from torr_plugin.leaderboard.study import Study
from torr_plugin.plugins import registered

from .battling import with_battles
from .browser.opened import Opened
from .hostile import HTML
from .hostile_run import age_history, hostile_run, hostile_sections
from .rendered import opened as study_of_run
from .simulated import DATASETS, MODELS, simulate

OpenPage = Callable[..., Opened]


Only = Callable[..., None]
MadeOnce = Callable[[str, Callable[[Path], object]], Path]

ALL_PLANNED = {name: getattr(planner, name) for name in ("TARGETS", "CONFIGURATIONS", "EXAMPLES")}


@pytest.fixture(autouse=True, scope="module")
def _quick_sites(quick_sites: None) -> None:
    """All tests here want them."""


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Only:
    """Leaves a site these modules of ``pages/`` alone: a whole site takes seconds."""

    def leave(*pages: ModuleType) -> None:
        monkeypatch.setattr(building, "PAGES", pages)

    return leave


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Fills a folder of some name once for all processes of the session, which then only read it."""
    own = tmp_path_factory.getbasetemp()
    root = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = root / name, root / f"{name}.done"
        with FileLock(root / f"{name}.lock"):
            if not done.exists():
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


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


@pytest.fixture(scope="session")
def site(simulated_run: Path, made_once: MadeOnce) -> Path:
    """The folder of a site of one study, with every page it can have."""
    return made_once("site", lambda folder: build_site([simulated_run], folder / "one")) / "one"


@pytest.fixture(scope="session")
def several(simulated_run: Path, made_once: MadeOnce) -> Path:
    """The folder of a site of two studies."""

    def fill(folder: Path) -> None:
        other = simulate(
            folder / "run",
            models=MODELS[:2],
            datasets=DATASETS[:1],
            examples=4,
            rows=3,
            name="another study",
            described=False,
            resamples=50,
        )
        build_site([simulated_run, other], folder / "site", charts=False)

    return made_once("several", fill) / "site"


@pytest.fixture(scope="session")
def planned(made_once: MadeOnce) -> Path:
    """The folder of a site with a budget planner, which needs a study without holes."""

    def fill(folder: Path) -> None:
        sizes: dict[str, int] = {"examples": 6, "rows": 3, "resamples": 60}
        run = simulate(folder / "run", models=MODELS[:5], datasets=DATASETS[:2], **sizes)
        with pytest.MonkeyPatch.context() as patch:
            for name, value in ALL_PLANNED.items():
                patch.setattr(planner, name, value)
            build_site([run], folder / "site", charts=False)

    return made_once("planned", fill) / "site"


@pytest.fixture(scope="session")
def hostile_site(made_once: MadeOnce) -> Path:
    """The folder of a site, published twice, of a run whose every text is hostile, and of a plugin."""
    return made_once("hostile", lambda folder: _hostile_site(folder, charts=False)) / "site"


@pytest.fixture(scope="session")
def hostile_charts(made_once: MadeOnce) -> Path:
    """As ``hostile_site``, with its charts as files."""
    return made_once("hostile-charts", lambda folder: _hostile_site(folder, charts=True)) / "site"


def _hostile_site(folder: Path, *, charts: bool) -> None:
    run = hostile_run(folder / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "PAGES", (history_page,))
        build_site([run], folder / "site", charts=False)
    age_history(folder / "site")
    with registered(hostile_sections(), HTML[0]):
        build_site([run], folder / "site", charts=charts)


@pytest.fixture
def open_page(browser: Any) -> Iterator[OpenPage]:
    """Opens pages: a path, or an address with a fragment; at the end none of them may have complained.

    Options are those of ``Opened``: ``width`` of the window, ``theme`` (light or dark), ``script``.
    """
    found: list[Opened] = []

    def open_it(address: Path | str, **options: Any) -> Opened:
        found.append(Opened(browser, address.as_uri() if isinstance(address, Path) else address, **options))
        return found[-1]

    yield open_it
    problems = []
    for opened in found:
        problems += [f"{opened.page.url}: {problem}" for problem in opened.problems()]
        opened.context.close()
    assert not problems, "\n".join(problems)


@pytest.fixture(scope="session")
def pages_of() -> Callable[[Path], list[Path]]:
    """All pages that a site's folder has."""

    def pages(folder: Path) -> list[Path]:
        found = sorted(folder.rglob("*.html"))
        assert found, f"no page in {folder}"
        return found

    return pages
