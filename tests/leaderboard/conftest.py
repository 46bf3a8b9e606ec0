"""What tests of the site share: Chromium, a site of every kind of page, and pages opened and watched."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from torr_plugin.leaderboard import build_site, planner
from torr_plugin.leaderboard import site as site_module
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

ALL_PLANNED = {name: getattr(planner, name) for name in ("TARGETS", "CONFIGURATIONS", "EXAMPLES")}


@pytest.fixture(autouse=True, scope="module")
def _quick_sites(quick_sites: None) -> None:
    """All tests here want them."""


@pytest.fixture
def only(monkeypatch: pytest.MonkeyPatch) -> Only:
    """Leaves a site these modules of ``pages/`` alone: a whole site takes seconds."""

    def leave(*pages: ModuleType) -> None:
        monkeypatch.setattr(site_module, "PAGES", pages)

    return leave


@pytest.fixture(scope="session")
def simulated_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five models, three data sets, 35 configurations, six examples, some failed requests, and battles."""
    path = tmp_path_factory.mktemp("simulated") / "run"
    run = simulate(
        path,
        models=[MODELS[place] for place in (0, 2, 3, 4, 9)],
        datasets=DATASETS[:3],
        examples=6,
        rows=4,
        failing=0.01,
        resamples=100,
    )
    with_battles(run)
    return run


@pytest.fixture(scope="session")
def small_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five models, two data sets, 35 configurations, five examples, no holes; to be read only."""
    path = tmp_path_factory.mktemp("small") / "run"
    return simulate(path, models=MODELS[:5], datasets=DATASETS[:2], examples=5, rows=3, resamples=50)


@pytest.fixture(scope="session")
def small_study(small_run: Path) -> Study:
    """The study of ``small_run``."""
    return study_of_run(small_run)


@pytest.fixture(scope="session")
def site(simulated_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site of one study, with every page it can have."""
    return build_site([simulated_run], tmp_path_factory.mktemp("site") / "one").parent


@pytest.fixture(scope="session")
def several(simulated_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site of two studies."""
    folder = tmp_path_factory.mktemp("several")
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
    return build_site([simulated_run, other], folder / "site", charts=False).parent


@pytest.fixture(scope="session")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with a budget planner, which needs a study without holes."""
    folder = tmp_path_factory.mktemp("planned")
    run = simulate(folder / "run", models=MODELS[:5], datasets=DATASETS[:2], examples=6, rows=3, resamples=60)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ALL_PLANNED.items():
            patch.setattr(planner, name, value)
        return build_site([run], folder / "site", charts=False).parent


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site, published twice, of a run whose every text is hostile, and of a plugin."""
    return _hostile_site(tmp_path_factory.mktemp("hostile"), charts=False)


@pytest.fixture(scope="session")
def hostile_charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As ``hostile_site``, with its charts as files."""
    return _hostile_site(tmp_path_factory.mktemp("hostile-charts"), charts=True)


def _hostile_site(folder: Path, *, charts: bool) -> Path:
    run = hostile_run(folder / "run")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site_module, "PAGES", (history_page,))
        build_site([run], folder / "site", charts=False)
    age_history(folder / "site")
    with registered(hostile_sections(), HTML[0]):
        return build_site([run], folder / "site", charts=charts).parent


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
