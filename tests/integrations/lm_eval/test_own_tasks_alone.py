"""Our command of lm-eval reads lm-eval's own 14,000 task files where it may need them, and only there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.lm_eval import __main__ as command
from torr_plugin.integrations.lm_eval import tasks_folder
from torr_plugin.integrations.lm_eval.folder import holds_all

TASK, OTHER = "quickstart_bundled_aggregation", "quickstart_bundled_cell_lookup"
ReadsAll = Callable[..., bool]


@pytest.fixture(scope="session")
def ours(cache: Path) -> Path:
    return tasks_folder()


@pytest.fixture
def reads_all(managers_read: list[bool], ours: Path) -> ReadsAll:
    """Whether lm-eval would read its own files for ``--tasks`` and ``--include_path``."""
    from lm_eval.config.evaluate_config import EvaluatorConfig
    from lm_eval.tasks import TaskManager

    command._include(str(ours), [])

    def ask(tasks: Any, include_path: Path | None = None) -> bool:
        path = include_path and str(include_path)
        if tasks is None:
            TaskManager(include_path=path)
        else:
            with suppress(ValueError):  # a task that is none of ours is not found here
                EvaluatorConfig(tasks=tasks, include_path=path).process_tasks({})
        return managers_read[-1]

    return ask


@pytest.mark.parametrize("tasks", [TASK, "torr_quickstart", f"{TASK},{OTHER}", [TASK, f"{OTHER},torr_hctqa"]])
def test_not_for_tasks_and_groups_of_ours(reads_all: ReadsAll, tasks: Any, ours: Path) -> None:
    assert not reads_all(tasks)
    assert not reads_all(tasks, ours)


@pytest.mark.parametrize(
    "tasks", ["hellaswag", f"{TASK},hellaswag", [TASK, "hellaswag"], "torr_quick*", "quickstart", "mine.yaml"]
)
def test_for_all_others(reads_all: ReadsAll, tasks: Any) -> None:
    assert reads_all(tasks)


@pytest.mark.full
def test_for_a_folder_of_the_user_s(reads_all: ReadsAll, tmp_path: Path, ours: Path) -> None:
    """Its groups may have lm-eval's tasks in them, those of our names too."""
    assert reads_all(TASK, tmp_path)
    assert reads_all(TASK, shutil.copytree(ours, tmp_path / "tasks"))


def test_where_no_task_is_asked_for(reads_all: ReadsAll) -> None:
    """As ``ls`` does."""
    assert reads_all(None)


def test_a_folder_that_others_may_write_in_holds_none_for_sure(tmp_path: Path, ours: Path) -> None:
    (tmp_path / f"{TASK}.yaml").write_text("task: something else")
    assert not holds_all(tmp_path, [TASK])
    assert holds_all(ours, [TASK, "torr_quickstart"])
    assert not holds_all(ours, [TASK, "hellaswag"])
