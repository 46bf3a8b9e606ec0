"""A folder with two tables, and models by script."""

from __future__ import annotations

from pathlib import Path

import pytest

from torr_plugin.recipes import ModelEntry
from torr_plugin.running import add_model
from torr_plugin.workflows.annotation import AnnotationTask, annotation_task

RIVERS = "River,Country,Length (km)\nOtter,Norland,412\nHeron,Norland,1205\nLinden,Sudmark,733\n"
TOWNS = "<table><tr><th>Town</th><th>River</th></tr><tr><td>Ottery</td><td>Otter</td></tr></table>"
NO_CHARTS = ("fact_checking", "numerical_reasoning", "data_analysis", "structure_comprehending")


@pytest.fixture(scope="session", autouse=True)
def _models() -> None:
    add_model("test-annotator", "tests.workflows.annotation.models:Scripted", origin="the tests")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "rivers.csv").write_text(RIVERS)
    (tmp_path / "tables" / "towns.html").write_text(TOWNS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORR_DATA", raising=False)
    return tmp_path


def entry(name: str, **args: str) -> ModelEntry:
    """A scripted model."""
    return ModelEntry(model="test-annotator", name=name, args=args)


def scripted(tables: Path, *models: ModelEntry, types: tuple[str, ...] = NO_CHARTS) -> AnnotationTask:
    """A task for models by script; for three that answer differently where none are given."""
    asked = models or (entry("a"), entry("b", kind="b"), entry("c", kind="c"))
    return annotation_task(tables, asked, types=types, most=3)
