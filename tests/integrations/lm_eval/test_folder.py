"""The folder for ``--include_path``: what is in it, where it lies, and who may write it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from torr_plugin.catalog import load_card
from torr_plugin.core.errors import InputError
from torr_plugin.integrations.lm_eval import as_list, folder, task_files, tasks_folder
from torr_plugin.integrations.lm_eval.task_files import FOLDER, TaskFolder, shipped_files, task_folder
from torr_plugin.integrations.studies import known_studies
from torr_plugin.recipes import add_recipe_folder, recipe_file, recipe_names, remove_recipe_folder

from ...conftest import Torr
from ...timing import PATIENCE
from .conftest import STUDY


@pytest.fixture(scope="module")
def shipped() -> TaskFolder:
    """The tasks of the recipes that come with the package."""
    return task_folder()


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shipped: TaskFolder) -> Path:
    """A user's cache of this test's own; the shipped tasks are not made up anew for each of its folders."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        task_files, "task_folder", lambda recipes=(): task_folder(recipes) if recipes else shipped
    )
    return tmp_path / "cache"


def test_every_study_is_a_group_and_every_part_a_task() -> None:
    found = task_folder()
    assert set(found.groups) == set(recipe_names())
    assert {"torr_wikitq", "torr_wikitq_html_transpose", "hctqa_real_pak"} <= set(found.tasks)
    assert len(found.files) == len(found.tasks) + len(found.groups) + 1
    assert found.left_out == ()


def test_the_index_of_lm_eval_has_them_all() -> None:
    from lm_eval.tasks import TaskManager

    found = task_folder()
    manager = TaskManager(include_path=str(tasks_folder()), include_defaults=False)
    assert set(manager.all_groups) == set(found.groups)
    assert set(manager.all_subtasks) == set(found.tasks)


def test_the_entry_point_has_the_whole_tasks_as_they_are_now() -> None:
    files = shipped_files()
    lying = {path.name: path.read_text() for path in FOLDER.iterdir() if path.suffix in (".yaml", ".py")}
    del lying["__init__.py"]
    assert lying == files, "run: python -m torr_plugin.integrations.lm_eval.task_files"
    assert {"torr_wikitq.yaml", "_torr.yaml"} <= set(files)


def test_the_folder_is_made_once_and_named_by_what_is_in_it(own: Path, tmp_path: Path) -> None:
    first = tasks_folder()
    assert first.is_relative_to(own)
    marks = {path: path.stat().st_mtime_ns for path in first.iterdir()}
    assert tasks_folder() == first
    assert {path: path.stat().st_mtime_ns for path in first.iterdir()} == marks
    study = tmp_path / "small.yaml"
    study.write_text(STUDY)
    other = tasks_folder([study])
    assert other != first
    assert (other / "small_bundled_cell_lookup.yaml").is_file()
    assert [path.name for path in first.parent.iterdir() if path.name.startswith(".")] == []


def test_folders_that_nobody_used_for_a_month_go(own: Path, tmp_path: Path) -> None:
    study = tmp_path / "small.yaml"
    study.write_text(STUDY)
    other, ours = tasks_folder([study]), tasks_folder()
    left, exchanged = (
        ours.parent / f".{ours.name[:16]}-ab_12cd3",
        ours.parent / f".{ours.name}.{'a' * 12}.tmp",
    )
    left.mkdir()
    (left / "half.yaml").write_text("task: half")
    shutil.copytree(ours, exchanged)
    (ours / "__pycache__").mkdir()
    (ours / "__pycache__" / "torr_task.cpython-311.pyc").write_bytes(b"")
    (ours.parent / "a-file").write_text("")
    long_ago = time.time() - 31 * 86400
    for each in (other, ours, left, exchanged, ours.parent / "a-file"):
        os.utime(each, (long_ago, long_ago))
    assert tasks_folder([study]) == other
    assert sorted(each.name for each in ours.parent.iterdir()) == sorted(["a-file", other.name])
    assert tasks_folder([study]) == other, "it is used, and so stays"
    assert tasks_folder() == ours


OWN_FOLDERS = (
    ("mine", "mine.yaml"),
    (".mine", "torr_task.py"),
    ("0123456789abcdef01234560", "mine.yaml"),
    ("0123456789abcdef01234561", "torr_task.py results.json"),
    ("0123456789abcdef01234562", "torr_task.py __pycache__/other.cpython-311.pyc"),
    ("0123456789abcdef01234563", "torr_task.py sub/mine.yaml"),
    (".0123456789abcdef-abcd1234", "old/mine.txt"),
    (".fedcba9876543210-abcd1234", "old/torr_task.py mine.yaml"),
)


def test_a_user_s_own_folder_stays_however_old(own: Path) -> None:
    ours, long_ago = tasks_folder(), time.time() - 99 * 86400
    held = [ours.parent / name / each for name, files in OWN_FOLDERS for each in files.split()]
    for path in held:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    for name, _ in OWN_FOLDERS:
        os.utime(ours.parent / name, (long_ago, long_ago))
    tasks_folder()
    for path in held:
        assert path.read_text() == "mine"


def test_a_folder_that_lm_eval_runs_from_stays(own: Path, tmp_path: Path) -> None:
    from lm_eval.tasks import TaskManager

    study = tmp_path / "small.yaml"
    study.write_text(STUDY)
    kept, long_ago = tasks_folder([study]), time.time() - 31 * 86400
    os.utime(kept, (long_ago, long_ago))
    TaskManager(include_path=str(kept), include_defaults=False).load(["small_bundled_cell_lookup"])
    assert kept.stat().st_mtime > time.time() - 3600
    tasks_folder()
    assert kept.is_dir()


def test_use_is_noted_of_folders_of_the_cache_alone(own: Path, tmp_path: Path) -> None:
    made = tasks_folder(out=tmp_path / "tasks")
    gone = tmp_path / "lm-eval" / "0123456789abcdef01234567" / "torr_task.py"
    before = made.stat().st_mtime_ns
    for module in (made / "torr_task.py", gone):
        folder.note_use(str(module))
    assert made.stat().st_mtime_ns == before


def test_a_damaged_folder_is_made_anew(own: Path) -> None:
    made = tasks_folder()
    (made / "torr_wikitq.yaml").unlink()
    (made / "_torr.yaml").write_text("")
    assert tasks_folder() == made
    assert yaml.safe_load((made / "_torr.yaml").read_text())["group"] == "torr"
    assert (made / "torr_wikitq.yaml").is_file()


def test_two_processes_at_once(own: Path) -> None:
    code = "from torr_plugin.integrations.lm_eval import tasks_folder as f; print(f())"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "XDG_CACHE_HOME": str(own)},
        )
        for _ in range(2)
    ]
    found = {process.communicate(timeout=PATIENCE)[0].strip() for process in processes}
    assert [process.returncode for process in processes] == [0, 0]
    assert len(found) == 1
    assert len(list(Path(found.pop()).iterdir())) == len(task_folder().files)


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(folder.tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    assert tasks_folder().is_relative_to(tmp_path / "temporary")
    monkeypatch.setattr(folder.tempfile, "tempdir", str(tmp_path / "cache"))
    with pytest.raises(InputError, match=r"cannot be written: .*; give a folder with --out"):
        tasks_folder()


@pytest.mark.skipif(os.name == "nt", reason="owners and modes of folders are POSIX's")
def test_a_temporary_folder_that_others_can_write_is_not_run_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(folder.tempfile, "tempdir", str(tmp_path))
    made = tasks_folder()
    mine = tmp_path / f"torr-plugin-{os.getuid()}"
    assert made.is_relative_to(mine)
    mine.chmod(0o777)
    with pytest.raises(InputError, match=r"others can write it; give a folder with --out"):
        tasks_folder()
    mine.rename(tmp_path / "elsewhere")
    mine.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match=r"others can write it; give a folder with --out"):
        tasks_folder()


def test_a_folder_of_ones_own(own: Path, tmp_path: Path, torr: Torr) -> None:
    done = torr("lm-eval-path", "--out", tmp_path / "tasks", "--json")
    said = json.loads(done.stdout)
    assert said["path"] == str(tmp_path / "tasks")
    assert (len(said["tasks"]), len(said["groups"])) == (len(task_folder().tasks), len(task_folder().groups))
    assert torr("lm-eval-path", "--out", tmp_path / "tasks").stdout == f"{tmp_path / 'tasks'}\n"
    assert not own.exists()


def test_a_folder_of_another_recipe_of_that_name_is_not_kept(tmp_path: Path) -> None:
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "small.yaml").write_text(STUDY)
        made = tasks_folder([tmp_path / place / "small.yaml"], out=tmp_path / "tasks")
        task = yaml.safe_load((made / "small_bundled_cell_lookup.yaml").read_text().replace("!function", ""))
        assert task["metadata"]["torr"]["study"] == str(tmp_path / place / "small.yaml")


def test_the_command_prints_the_path_alone(own: Path, torr: Torr) -> None:
    done = torr("lm-eval-path")
    assert done.returncode == 0
    assert done.stdout == f"{tasks_folder()}\n"


@pytest.mark.parametrize("held", ["notes.txt", "other.yaml"])
def test_a_folder_with_something_else_is_left_alone(held: str, tmp_path: Path, torr: Torr) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / held).write_text("mine")
    done = torr("lm-eval-path", "--out", out)
    assert (done.returncode, done.stdout) == (2, "")
    assert re.search(
        rf"holds '{held}', which is no task of ours; expected a new or empty folder", done.stderr
    )
    assert [path.name for path in out.iterdir()] == [held]


def test_a_file_in_the_folder_s_place(tmp_path: Path, torr: Torr) -> None:
    (tmp_path / "out").write_text("mine")
    done = torr("lm-eval-path", "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "a file; expected a folder to write tasks in" in done.stderr


def test_a_recipe_that_cannot_be_read(tmp_path: Path, torr: Torr) -> None:
    (tmp_path / "bad.yaml").write_text("name: bad\n")
    done = torr("lm-eval-path", "bad.yaml")
    assert done.returncode == 2
    assert "bad.yaml" in done.stderr
    assert "cards" in done.stderr


def test_a_recipe_whose_tasks_would_be_called_as_others_are(tmp_path: Path, torr: Torr) -> None:
    (tmp_path / "mine.yaml").write_text(STUDY.replace("small", "real"))
    done = torr("lm-eval-path", "mine.yaml")
    assert done.returncode == 2
    assert "lm-eval would have two tasks called 'real'" in done.stderr
    assert "rename one" in done.stderr


def test_a_known_recipe_that_cannot_be_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from torr_plugin.recipes import loading

    (tmp_path / "broken.yaml").write_text("name: broken\n")
    monkeypatch.setattr(loading.recipe_folders, "_values", {str(tmp_path): tmp_path})
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


def test_include_paths_of_lm_eval_s_kinds() -> None:
    assert as_list(None) == []
    assert as_list("a") == ["a"]
    assert as_list([Path("a"), "b"]) == ["a", "b"]


def test_a_plugin_s_recipe_that_takes_a_name_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a_copy.yaml"  # before all others by its file, and the study ``quickstart`` by its name
    path.write_text(recipe_file("quickstart").read_text())
    whole = task_folder()
    add_recipe_folder(tmp_path, origin="a plugin")
    try:
        found, studies = task_folder(), known_studies()
    finally:
        remove_recipe_folder(tmp_path)
    assert studies[-1] == "a_copy"
    assert found.files == whole.files
    assert len(found.left_out) == 1
    assert "'a_copy' has no tasks in lm-eval: lm-eval would have two tasks called 'quick" in found.left_out[0]


def test_two_data_sets_of_one_recipe_whose_tasks_would_be_called_alike(tmp_path: Path) -> None:
    card = load_card("bundled.cell_lookup").path.read_text()
    for name in ("a.b", "a_b"):
        (tmp_path / f"{name}.json").write_text(card)
    cards = f"cards: [{{card: {tmp_path / 'a.b.json'}}}, {{card: {tmp_path / 'a_b.json'}}}]"
    (tmp_path / "mine.yaml").write_text(re.sub(r"cards: .*", lambda _: cards, STUDY))
    with pytest.raises(InputError, match="two tasks called 'small_a_b'"):
        task_folder([str(tmp_path / "mine.yaml")])


def test_a_group_that_is_called_as_a_task(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(STUDY.replace("small", "torr_wikitq"))
    with pytest.raises(InputError, match=r"mine\.yaml' is called as a task of recipe 'torr': torr_wikitq"):
        task_folder([str(tmp_path / "mine.yaml")])
