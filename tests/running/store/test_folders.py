"""The folder of a model's answers: any label has a safe one, and no two share it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torr_plugin.running import Run, execute
from torr_plugin.running.store.manifest import folder_name

from ..asked_models import Plan
from ..made import answers, entry


@pytest.mark.parametrize(
    "label", ["../../x", "x" * 300, "名前", "a/b\\c", ".", "..", "nul", "con.txt", "CON", "-", "a b", "\n"]
)
def test_hostile_labels_have_safe_folders(tmp_path: Path, label: str) -> None:
    execute(Plan(["say a"]), [entry("test-echo", name=label)], tmp_path / "run")
    folders = list((tmp_path / "run" / "predictions").iterdir())
    assert len(folders) == 1
    assert folders[0].name == folder_name(label)
    opened = Run.open(tmp_path / "run")
    assert opened.models() == [label]
    assert list(answers(opened, label).values()) == ["A"]
    assert {path.name for path in tmp_path.iterdir()} == {"run"}


@given(st.lists(st.text(min_size=1), unique=True, min_size=1, max_size=8))
def test_labels_never_share_a_folder(labels: list[str]) -> None:
    taken: list[str] = []
    for label in labels:
        name = folder_name(label, taken)
        assert Path(name).name == name
        assert name == name.lower()
        assert name.isascii()
        assert len(name) <= 130
        assert name not in taken
        taken.append(name)


def test_a_label_cannot_take_anothers_folder() -> None:
    first = folder_name("A model")
    assert folder_name(first, [first]) != first
