"""What all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from shutil import rmtree
from typing import Any
from unittest import mock

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from typer.main import get_command

# Before anything imports datasets: no network, and no cache that another version of it may have written.
os.environ["HF_HUB_OFFLINE"] = "1"
# Before anything imports numpy or Ray: there are as many processes as cores, and no usage is reported.
os.environ.update(OPENBLAS_NUM_THREADS="1", RAY_USAGE_STATS_ENABLED="0")
# a search for garbage at every 700 new objects takes an eighth of the tests' time
gc.set_threshold(40_000, 20, 100)
_CACHE = tempfile.TemporaryDirectory(prefix="torr-tests-")
os.environ["HF_DATASETS_CACHE"] = _CACHE.name

# A slow or busy machine must find no fault that a quick one does not. On top of what hypothesis chose itself:
# in CI, the same examples every time, so without constants of modules: earlier tests import more or fewer.
if "CI" in os.environ:
    from hypothesis.internal.conjecture import providers

    none_more = {"return_value": providers.GLOBAL_CONSTANTS}
    mock.patch.object(providers, "_get_local_constants", **none_more).start()
settings.register_profile(
    "torr",
    parent=settings(),
    deadline=None,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("torr")

ROOT = Path(__file__).resolve().parents[1]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of tests that can be run for longer; pytest asks for them here alone."""
    parser.addoption(
        "--killed-runs",
        type=int,
        default=9,
        metavar="N",
        help="runs killed at random moments (marker release)",
    )


@pytest.fixture(autouse=True, scope="module")
def _older_objects_are_no_garbage() -> None:
    """A run looks for garbage after each model: among the objects of its own test, not all of the suite's."""
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _unsynced() -> Iterator[None]:
    """Nobody cuts the power here, and each small file would be waited for: a fourth of a short run's time."""
    with mock.patch("os.fsync", return_value=None):
        yield


@pytest.fixture(autouse=True, scope="session")
def _commands_read_once() -> Iterator[None]:
    """typer reads the signatures of all commands again for each line that a test runs in this process."""
    with mock.patch("typer.testing._get_command", cache(get_command)):
        yield


def missing(reason: str) -> None:
    """Skip for want of something outside the project; where everything must be there (CI), fail instead."""
    if os.environ.get("TORR_REQUIRE_ALL") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The mirror of real data sets, named by TORR_DATA or lying beside the checkout."""
    for place in (os.environ.get("TORR_DATA"), ROOT.parent / "shared" / "data"):
        if place and (Path(place) / "wikitq").is_dir():
            return Path(place).resolve()
    missing("the data mirror is not here: set TORR_DATA to a folder with wikitq/test.parquet and the others")
    raise AssertionError("unreachable")


@pytest.fixture
def mirror(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``shared_data`` with TORR_DATA pointing at it."""
    monkeypatch.setenv("TORR_DATA", str(shared_data))
    return shared_data


@pytest.fixture
def unitxt_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """unitxt's own catalogs only: once registered, our cards stand before its cards of the same names."""
    from unitxt.artifact import Catalogs

    own = [catalog for catalog in Catalogs().catalogs if type(catalog).__name__ != "TorrCatalog"]
    monkeypatch.setattr(Catalogs(), "catalogs", own)


MadeOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Fills a folder of some name once for all processes of the session, which then only read it."""
    own = tmp_path_factory.getbasetemp()
    root = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def make(name: str, fill: Callable[[Path], object]) -> Path:
        folder, done = root / name, root / f"{name}.done"
        with FileLock(root / f"{name}.lock"):
            if not done.exists():
                rmtree(folder, ignore_errors=True)  # of a process that failed to fill it
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return make


Torr = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def torr(tmp_path: Path) -> Torr:
    """Runs a command of ``torr`` in this process and a directory of its own; ``data`` becomes TORR_DATA."""
    from typer.testing import CliRunner

    from torr_plugin.cli.app import app

    def run(
        *arguments: str | Path, data: Path | None = None, cwd: Path = tmp_path
    ) -> subprocess.CompletedProcess[str]:
        given = list(map(str, arguments))
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(cwd)
            patch.setenv("COLUMNS", "80")
            if data is None:
                patch.delenv("TORR_DATA", raising=False)
            else:
                patch.setenv("TORR_DATA", str(data))
            done = CliRunner().invoke(app, given)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return subprocess.CompletedProcess(given, done.exit_code, done.stdout, done.stderr)

    return run


CHROMIUM = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium of the system, else playwright's own."""
    from tests.leaderboard.browser.opened import ARGUMENTS

    try:
        from playwright.sync_api import Error, sync_playwright
    except ModuleNotFoundError:
        missing("playwright is not installed: pip install '.[test]'")
    named = os.environ.get("TORR_CHROMIUM")
    system = named or next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as playwright:
        try:
            launched = playwright.chromium.launch(executable_path=system, args=ARGUMENTS)
        except Error as error:
            missing(
                f"no Chromium to open the site with (install it, or set TORR_CHROMIUM): {str(error)[:200]}"
            )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def window(browser: Any) -> Iterator[Any]:
    """A window (``Opened``) for one test after the other: to make one takes longer than to open a page."""
    from tests.leaderboard.browser.opened import Opened

    made = Opened(browser)
    yield made
    made.context.close()
