"""What releases of lm-eval after 0.4.13 find by entry point, taken as they take it.

Models: lm-eval's main branch (pull request 4013, merged; its ``docs/plugins.md``) puts the entry points of
``lm_eval.models``, ``module:Class`` each, into its registry under their names, and imports one when it is
asked for.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import pytest

from torr_plugin.running import model_classes as registry

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
