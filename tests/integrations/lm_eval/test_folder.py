"""The folder for ``--include_path``: what is in it, where it lies, and who may write it."""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import yaml

from torr_plugin.catalog import load_card
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.lm_eval import task_files, tasks_folder
from torr_plugin.integrations.lm_eval.task_files import TaskFolder, task_folder, written
from torr_plugin.integrations.studies import known_studies
from torr_plugin.recipes import add_recipe_folder, recipe_file, recipe_names
from torr_plugin.recipes.schema import recipe_folders

from ...conftest import Torr
from .conftest import STUDY

TASKS = {"torr_task.py": "", "one.yaml": "task: one", "_all.yaml": "group: all"}


@pytest.fixture
def no_shipped_recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The 900 tasks of the recipes that come with the package are no part of a test."""
    monkeypatch.setattr(task_files, "known_studies", list)


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's cache of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_every_study_is_a_group_and_every_part_a_task(shipped: TaskFolder) -> None:
    studies = set(recipe_names()) - {"realhitbench_pictures"}  # lm-eval cannot mix them
    assert set(shipped.groups) == {"torr", *(f"torr_{study}" for study in studies - {"torr"})}
    assert "realhitbench_pictures_realhitbench_fact_checking_image_none_default" in shipped.tasks
    assert {"torr_wikitq", "torr_wikitq_html_transpose", "hctqa_real_pak"} <= set(shipped.tasks)
    assert len(shipped.files) == len(shipped.tasks) + len(shipped.groups) + 1
    assert shipped.left_out == []


def test_the_index_of_lm_eval_has_them_all(shipped: TaskFolder, shipped_manager: Any) -> None:
    assert set(shipped_manager.all_groups) == set(shipped.groups)
    assert set(shipped_manager.all_subtasks) == set(shipped.tasks)


def test_the_folder_is_made_once_and_named_by_what_is_in_it(own: Path) -> None:
    first = written(TASKS)
    assert first.is_relative_to(own)
    marks = {path: path.stat().st_mtime_ns for path in first.iterdir()}
    assert written(TASKS) == first
    assert {path: path.stat().st_mtime_ns for path in first.iterdir()} == marks
    assert written(TASKS | {"two.yaml": "task: two"}) != first
    assert not [path.name for path in first.parent.iterdir() if path.name.startswith(".")]


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(InputError, match=r"cannot be written: .*; give a folder with --out"):
        written(TASKS)


def test_several_at_once(own: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(written, [TASKS] * 64))
    (made,) = found
    assert {path.name: path.read_text() for path in made.iterdir()} == TASKS


def test_the_command_prints_the_path_alone_or_json(
    own: Path, tmp_path: Path, torr: Torr, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = TaskFolder(TASKS, ["one"], ["all"], [])
    monkeypatch.setattr(task_files, "task_folder", lambda recipes: made)
    out = tmp_path / "tasks"
    said = json.loads(torr("lm-eval-path", "--out", out, "--json").stdout)
    assert said == {"path": str(out), "groups": ["all"], "tasks": ["one"]}
    assert torr("lm-eval-path", "--out", out).stdout == f"{out}\n"
    assert not own.exists()
    assert torr("lm-eval-path").stdout == f"{written(TASKS)}\n"


@pytest.mark.usefixtures("no_shipped_recipes")
def test_a_folder_of_another_recipe_of_that_name_is_not_kept(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "small.yaml").write_text(STUDY)
        made = tasks_folder([tmp_path / place / "small.yaml"], out=tmp_path / "tasks")
        task = yaml.safe_load((made / "small_bundled_cell_lookup.yaml").read_text().replace("!function", ""))
        assert task["metadata"]["torr"]["study"] == str(tmp_path / place / "small.yaml")


@pytest.mark.parametrize("held", ["notes.txt", "other.yaml"])
def test_a_folder_with_something_else_is_left_alone(held: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / held).write_text("mine")
    with pytest.raises(InputError, match=f"holds '{held}', not our tasks; expected a new or empty folder"):
        written(TASKS, out)
    assert [path.name for path in out.iterdir()] == [held]
    with pytest.raises(InputError, match="cannot be written: Not a directory"):
        written(TASKS, out / held)


def test_a_recipe_that_cannot_be_read(tmp_path: Path, torr: Torr) -> None:
    (tmp_path / "bad.yaml").write_text("name: bad\n")
    done = torr("lm-eval-path", "bad.yaml")
    assert done.returncode == 2
    assert "bad.yaml" in done.stderr
    assert "cards" in done.stderr


def test_a_known_recipe_that_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torr_plugin.recipes import schema

    (tmp_path / "broken.yaml").write_text("name: broken\n")
    monkeypatch.setattr(schema.recipe_folders, "_values", {str(tmp_path): tmp_path})
    found = task_folder()
    assert "torr" in found.groups
    assert len(found.left_out) == 1
    assert found.left_out[0].startswith("recipe 'broken' has no tasks in lm-eval: ")


def test_any_name_of_a_study_is_a_group(tmp_path: Path) -> None:
    study = tmp_path / "named.yaml"
    study.write_text(STUDY.replace("small", "My-study.1"))
    found = task_folder([str(study)])
    assert "My_study_1" in found.groups
    read = yaml.safe_load(found.files["_My_study_1.yaml"])
    assert read["task"][0] == "My_study_1_bundled_cell_lookup"


def test_a_plugin_s_recipe_that_takes_a_name_is_left_out(tmp_path: Path, shipped: TaskFolder) -> None:
    path = tmp_path / "a_copy.yaml"  # before all others by its file, and the study ``quickstart`` by its name
    path.write_text(recipe_file("quickstart").read_text())
    add_recipe_folder(tmp_path, origin="a plugin")
    try:
        found, studies = task_folder(), known_studies()
    finally:
        recipe_folders.remove(str(tmp_path))
    assert studies[-1] == "a_copy"
    assert found.files == shipped.files
    (line,) = found.left_out
    assert "'a_copy' has no tasks in lm-eval: lm-eval would have two tasks or groups called 'quick" in line


@pytest.mark.parametrize("name", ["torr_real", "torr_wikitq"])
def test_a_name_that_is_taken(tmp_path: Path, name: str) -> None:
    """By a group (a study), or by a task."""
    (tmp_path / "mine.yaml").write_text(STUDY.replace("small", name))
    with pytest.raises(
        InputError, match=rf"called '{name}': of recipe '\w+' and of .*mine.yaml'; rename one"
    ):
        task_folder([str(tmp_path / "mine.yaml")])


def test_two_data_sets_of_one_recipe_whose_tasks_would_be_called_alike(tmp_path: Path) -> None:
    card = load_card("bundled.cell_lookup").path.read_text()
    for name in ("a.b", "a_b"):
        (tmp_path / f"{name}.json").write_text(card)
    cards = f"cards: [{{card: {tmp_path / 'a.b.json'}}}, {{card: {tmp_path / 'a_b.json'}}}]"
    (tmp_path / "mine.yaml").write_text(re.sub(r"cards: .*", lambda _: cards, STUDY))
    with pytest.raises(InputError, match="two tasks or groups called 'small_a_b'"):
        task_folder([str(tmp_path / "mine.yaml")])
