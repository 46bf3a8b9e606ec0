"""The undisturbed run that all others are held against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .study import Study


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Study:
    study = Study(tmp_path_factory.mktemp("undisturbed"))
    study.finish()
    return study


@pytest.fixture
def new_study(tmp_path: Path) -> Iterator[Callable[..., Study]]:
    made: list[Study] = []

    def make(**settings: object) -> Study:
        made.append(Study(tmp_path / str(len(made)), **settings))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for study in made:
        study.end()
