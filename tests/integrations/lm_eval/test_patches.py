"""What our command changes in lm-eval, and in which cases; these fail where a release has moved it."""

from __future__ import annotations

import inspect
import sys
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


def test_the_places_that_are_patched_are_there() -> None:
    from lm_eval import evaluator
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    assert inspect.signature(TaskManager.__init__).parameters["include_defaults"].default is True
    assert "getattr(lm, reqtype)" in inspect.getsource(evaluator.evaluate)
    assert callable(LM.generate_until)


@pytest.fixture(scope="session")
def ours(cache: Path) -> Path:
    return tasks_folder()


@pytest.fixture
def reads_all(managers_read: list[bool], ours: Path, monkeypatch: pytest.MonkeyPatch) -> ReadsAll:
    """Whether lm-eval would read its own files for ``--tasks`` and ``--include_path``."""

    def stop(*given: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lm_eval.utils.setup_logging", lambda: None)
    monkeypatch.setattr("lm_eval.simple_evaluate", stop)

    def ask(*arguments: str | Path) -> bool:
        monkeypatch.setattr(sys, "argv", ["lm_eval", *map(str, arguments)])
        with suppress(ValueError, KeyboardInterrupt):  # a task that is none of ours is not found here
            command._lm_eval(ours, [])
        return managers_read[-1]

    return ask


@pytest.mark.parametrize("tasks", [TASK, "torr_quickstart", f"{TASK},{OTHER}"])
def test_its_own_tasks_stay_unread_for_tasks_and_groups_of_ours(
    reads_all: ReadsAll, tasks: str, ours: Path, tmp_path: Path
) -> None:
    assert not reads_all("--model", "torr-lexical", "--tasks", tasks, "--include_path", ours)
    config = tmp_path / "run.yaml"
    config.write_text(f"model: torr-lexical\ntasks: [{tasks}]\n")
    assert not reads_all("--config", config)


@pytest.mark.parametrize(
    "tasks", ["hellaswag", f"{TASK},hellaswag", "torr_quick*", "quickstart", "mine.yaml"]
)
def test_they_are_read_for_all_others(reads_all: ReadsAll, tasks: str) -> None:
    assert reads_all("--model", "torr-lexical", "--tasks", tasks)


def test_they_are_read_for_a_folder_of_the_user_s(reads_all: ReadsAll, tmp_path: Path) -> None:
    """Its groups may have lm-eval's tasks in them."""
    assert reads_all("--model", "torr-lexical", "--tasks", TASK, "--include_path", tmp_path)
    config = tmp_path / "run.yaml"
    config.write_text(f"model: torr-lexical\ntasks: {TASK}\ninclude_path: {tmp_path}\n")
    assert reads_all("--config", config)


def test_they_are_read_where_no_task_is_asked_for(reads_all: ReadsAll) -> None:
    assert reads_all("ls", "groups")


def test_a_folder_holds_tasks_and_groups_by_name(ours: Path) -> None:
    assert holds_all(ours, [TASK, "torr_quickstart"])
    assert not holds_all(ours, [TASK, "hellaswag"])
    assert not holds_all(ours, [])
