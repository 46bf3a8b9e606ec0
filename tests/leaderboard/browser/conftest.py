"""What tests in a browser share: sites with every kind of page, and a window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.leaderboard import build_site

from ...conftest import MadeOnce
from ..designed import scores_of
from ..hostile import HTML
from ..rendered import noise, scored
from ..simulated import DATASETS, MODELS, simulate
from .opened import Opened

OpenPage = Callable[..., Opened]


@pytest.fixture(scope="session")
def several(simulated_run: Path, made_once: MadeOnce) -> Path:
    """The folder of a site of two studies, of which the first has kinds of examples."""

    def fill(folder: Path) -> None:
        sizes: dict[str, int] = {"examples": 12, "rows": 4, "resamples": 50}
        run = simulate(folder / "run", models=MODELS[:4], datasets=DATASETS[:2], **sizes)
        other = simulate(
            folder / "other",
            models=MODELS[:2],
            datasets=DATASETS[:1],
            examples=4,
            rows=3,
            name="another study",
            described=False,
            resamples=50,
        )
        build_site([run, other], folder / "site", charts=False)

    return made_once("several", fill) / "site"


@pytest.fixture(scope="session")
def planned(several: Path) -> Path:
    """The pages of a study without holes, and with enough examples."""
    return several / "simulated-torr"


@pytest.fixture(scope="session")
def designs_site(made_once: MadeOnce) -> Path:
    """The folder of a site of three models, two data sets and three formats, each in several designs.

    An injection stands for the name of a model and of a design.
    """

    def fill(folder: Path) -> None:
        scores = scores_of(("html", "xml", "nl_sep"), ("alpha", "beta", HTML[0]))
        renamed = scores["design"].replace("suc_no_marks", HTML[0])
        scores = scores.assign(design=renamed, config=scores["serializer"] + "/none/" + renamed)
        scores.to_parquet(folder / "scores.parquet")
        build_site([folder / "scores.parquet"], folder / "site", charts=False)

    return made_once("designs", fill) / "site"


@pytest.fixture(scope="session")
def many_models(made_once: MadeOnce) -> Path:
    """The folder of a site of 45 models."""

    def fill(folder: Path) -> None:
        names = [f"m{number:02}" for number in range(45)]

        def score(model: str, example: int, fmt: str, change: str) -> float:
            return float(noise(model, example, fmt, change) < 0.9 - names.index(model) / 60)

        scored(folder, score, names, changes=("none",))
        build_site([folder / "scores.parquet"], folder / "site", charts=False)

    return made_once("many_models", fill) / "site"


@pytest.fixture
def open_page(window: Opened) -> Iterator[OpenPage]:
    """Opens pages in one window, which at the end may not have complained of any.

    A path, or an address with a fragment, and options of ``Opened.go``.
    """
    window.clear()

    def open_it(address: Path | str, **options: Any) -> Opened:
        return window.go(address.as_uri() if isinstance(address, Path) else address, **options)

    yield open_it
    assert not window.problems(), "\n".join(window.problems())
