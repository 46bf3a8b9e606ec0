"""What we change in lm-eval; these fail where a release has moved it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.lm_eval.patches import know_our_tasks_alone

from .conftest import STUDY

TASK = "quickstart_bundled_aggregation"


def test_the_places_that_are_patched_are_there() -> None:
    from lm_eval import evaluator
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    assert inspect.signature(TaskManager.__init__).parameters["include_defaults"].default is True
    assert list(inspect.signature(TaskManager.__init__).parameters)[2] == "include_path"
    assert "getattr(lm, reqtype)" in inspect.getsource(evaluator.evaluate)
    assert callable(LM.generate_until)


@pytest.fixture
def manager(cache: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """lm-eval's ``TaskManager`` as our command changes it."""
    from lm_eval.tasks import TaskManager

    monkeypatch.setattr(TaskManager, "__init__", TaskManager.__init__)  # put back at the end
    know_our_tasks_alone()
    return TaskManager


def test_our_tasks_and_those_of_the_user_are_known(manager: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(f"group: mine\ntask: [{TASK}]\n")
    assert TASK in manager().all_tasks
    assert "hellaswag" not in manager().all_tasks
    assert {TASK, "mine"} <= set(manager(include_path=str(tmp_path)).all_tasks)


def test_a_folder_of_our_tasks_takes_the_place_of_ours(manager: Any, tmp_path: Path) -> None:
    from torr_plugin.integrations.lm_eval import tasks_folder

    (tmp_path / "small.yaml").write_text(STUDY)
    folder = tasks_folder([tmp_path / "small.yaml"])
    assert manager(include_path=str(folder)).include_path == [str(folder)]
