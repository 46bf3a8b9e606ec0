"""Generated tables that several test files share."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.papers.hctqa.generator.dataset import GeneratedTable, generate
from torr_plugin.papers.hctqa.generator.parameters.loading import Parameters, load_parameters


@pytest.fixture(scope="session")
def ours() -> Parameters:
    """The shipped parameters."""
    return load_parameters()


@pytest.fixture(scope="session")
def made(ours: Parameters) -> list[GeneratedTable]:
    """150 tables of the shipped parameters, with seed 5."""
    return list(generate(ours, tables=150, seed=5))


@pytest.fixture(scope="session")
def theirs(shared_data: Path) -> Parameters:
    """The benchmark's own parameters."""
    return load_parameters(shared_data / "hctqa" / "generator_params")


@pytest.fixture(scope="session")
def theirs_made(theirs: Parameters) -> list[GeneratedTable]:
    """70 tables of the benchmark's parameters, with seed 3."""
    return list(generate(theirs, tables=70, seed=3))
