"""A folder with two documents, and models by script."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from torr_plugin.recipes import ModelEntry
from torr_plugin.running import add_model
from torr_plugin.workflows.synth_qa import SynthesisOptions, SynthesisTask, synthesis_task

ACME = """<h1>Acme Corp.</h1>
<p>Our commitments were the following (in millions):</p>
<table><tr><th></th><th>2023</th><th>2022</th></tr>
<tr><td>Leases</td><td>$ 410</td><td>$ 380</td></tr>
<tr><td>Purchases</td><td>311</td><td>(20)</td></tr>
<tr><td>Total</td><td>$ 721</td><td>$ 360</td></tr></table>
<p>Total commitments rose to $721 million in 2023.</p>"""
PLAIN = "<h1>Letter</h1><p>There is no table in it.</p>"


@pytest.fixture(scope="session", autouse=True)
def _models() -> None:
    add_model("test-writer", "tests.workflows.synth_qa.models:ScriptedWriter", origin="the tests")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "acme.html").write_text(ACME)
    (tmp_path / "docs" / "letter.html").write_text(PLAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def entry(name: str, **args: str) -> ModelEntry:
    """A scripted model."""
    return ModelEntry(model="test-writer", name=name, args=args)


def scripted(docs: Path, *models: ModelEntry, **options: Any) -> SynthesisTask:
    """A task for a writer and a filter by script."""
    return synthesis_task(docs, models or (entry("w"), entry("f")), SynthesisOptions(**options))
