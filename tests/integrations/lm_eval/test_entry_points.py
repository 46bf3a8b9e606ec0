"""What releases of lm-eval after 0.4.13 find by entry point, taken as they take it.

Models: lm-eval's main branch (pull request 4013, merged; its ``docs/plugins.md``) puts the entry points of
``lm_eval.models``, ``module:Class`` each, into its registry under their names, and imports one when it is
asked for. Tasks: pull request 4015, which is open, takes the value of an entry point as a package, and its
folder as one of ``--include_path``.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.integrations.lm_eval.task_files import task_folder
from torr_plugin.running import registry

OURS = "torr_plugin"


def own(group: str) -> list[EntryPoint]:
    return [each for each in entry_points(group=group) if each.value.startswith(OURS)]


def test_each_baseline_is_a_model_by_its_name() -> None:
    from lm_eval.api.model import LM

    found = {each.name: each for each in own("lm_eval.models")}
    assert set(found) == registry.baselines()
    for name, entry in found.items():
        assert issubclass(entry.load(), LM)
        assert entry.value == registry.models.get(name)


def test_a_registry_that_read_the_entry_points_is_left_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    import lm_eval.models  # noqa: F401 - fills the registry
    from lm_eval.api.registry import model_registry

    given: dict[str, Any] = {each.name: each for each in own("lm_eval.models")}
    monkeypatch.setattr(model_registry, "_objs", {**model_registry._objs, **given})
    monkeypatch.setattr(registry, "_registered", set())
    assert registry.lm_class("torr-lexical").__name__ == "Lexical"
    assert "torr-lexical" in registry.models


@pytest.mark.full
def test_the_package_of_tasks_is_a_folder_to_include() -> None:
    from lm_eval.tasks import TaskManager

    (entry,) = own("lm_eval.tasks")
    spec = find_spec(entry.value)
    assert spec is not None
    assert spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    whole = task_folder(singles=False)
    assert set(manager.all_subtasks) == set(whole.tasks)
    assert set(manager.all_groups) == set(whole.groups)
    loaded = manager.load_task_or_group("quickstart_bundled_aggregation")
    (task,) = loaded.values()
    assert type(task).__name__ == "TableTask"
    assert len(task.test_docs()) == 20
