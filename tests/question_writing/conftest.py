"""A folder with two tables and two documents, and models by script."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.question_writing.made import ACME, RIVERS, TOWNS, register
from tests.question_writing.models import Scripted


@pytest.fixture(scope="session", autouse=True)
def _models() -> None:
    register()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "tables/rivers.csv": RIVERS,
        "tables/towns.html": TOWNS,
        "docs/acme.html": ACME,
        "docs/letter.html": "<h1>Letter</h1><p>There is no table in it.</p>",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORR_DATA", raising=False)
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every prompt, as it comes."""
    texts: list[str] = []
    monkeypatch.setattr(Scripted, "maybe_end", lambda self, text: texts.append(text))
    return texts
