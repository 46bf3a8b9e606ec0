"""study.yaml: how studies are told apart, what a hostile one cannot do, and safe names for model folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.recipes.made import CARD
from tests.running.asked_models import Plan
from tests.running.made import answers, entry
from torr_plugin.core.errors import RunError
from torr_plugin.recipes import Recipe, plan
from torr_plugin.running import Run, execute
from torr_plugin.running.store.manifest import MOST_BYTES, read_study
from torr_plugin.running.store.shards import folder_name

ECHO = entry("test-echo")
_MODEL = "format: 1\nmodels:\n- {{label: a, folder: a, model: m, chat: null, args: {args}}}\n"


def study(serializers: list[str], count: int = 3):
    recipe = {
        "name": "small",
        "cards": [CARD],
        "configurations": {"serializers": serializers},
        "examples": {"count": count},
    }
    return plan(Recipe.model_validate(recipe))


def test_configurations_in_another_order_are_the_same_study(tmp_path: Path) -> None:
    Run.create_or_resume(tmp_path, study(["html", "csv"]), [ECHO])
    Run.create_or_resume(tmp_path, study(["csv", "html"]), [ECHO])
    with pytest.raises(RunError, match=r"\(datasets\.[a-z_.]+\.examples: 3 there, 2 here\)"):
        Run.create_or_resume(tmp_path, study(["html", "csv"], 2), [ECHO])


def test_an_edited_seed_is_said_and_not_put_back(tmp_path: Path) -> None:
    execute(Plan(["say a"]), [ECHO], tmp_path)
    path = tmp_path / "study.yaml"
    edited = path.read_text().replace("seed: 0", "seed: 7")
    path.write_text(edited)
    with pytest.raises(RunError, match=r"study\.yaml: seed: found 7; expected 0, with which the requests"):
        execute(Plan(["say a"]), [ECHO], tmp_path)
    assert path.read_text() == edited


def test_a_file_without_end(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text("#" * (MOST_BYTES + 1))
    with pytest.raises(RunError, match=r"study\.yaml: the file is larger than 16,777,216 bytes"):
        read_study(tmp_path)


def test_a_half_of_a_character_is_read_as_it_was_written(tmp_path: Path) -> None:
    """An answer may end in one, and YAML writes it by its code; libyaml refuses it."""
    text = _MODEL.format(args="{}") + 'notes: ["\\uD800x", "y\\uDC00"]\n'
    (tmp_path / "study.yaml").write_text(text, encoding="utf-8")
    assert read_study(tmp_path)["notes"] == ["\ud800x", "y\udc00"]


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
