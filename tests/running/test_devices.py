"""A model of transformers goes to the device that is there, when nobody names one."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from torr_plugin.running.model_class import model_class_of


class HFLM:
    pass


class BuiltOnIt(HFLM):
    pass


class Other:
    pass


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Stands in for torch which need not be installed."""

    def has(*, cuda: bool, mps: bool) -> None:
        torch: Any = ModuleType("torch")
        torch.cuda, torch.backends = ModuleType("cuda"), ModuleType("backends")
        torch.backends.mps = ModuleType("mps")
        torch.cuda.is_available = lambda: cuda
        torch.backends.mps.is_available = lambda: mps
        monkeypatch.setitem(sys.modules, "torch", torch)

    return has


@pytest.mark.parametrize(
    ("cuda", "mps", "added"),
    [(True, False, {}), (False, False, {"device": "cpu"}), (False, True, {"device": "mps"})],
)
def test_what_is_there_is_taken(machine: Any, cuda: bool, mps: bool, added: dict[str, str]) -> None:
    machine(cuda=cuda, mps=mps)
    assert model_class_of(BuiltOnIt).with_device({"pretrained": "a"}) == {"pretrained": "a", **added}


def test_a_device_that_is_named_is_kept(machine: Any) -> None:
    machine(cuda=False, mps=False)
    assert model_class_of(BuiltOnIt).with_device({"device": "npu:0"}) == {"device": "npu:0"}


def test_other_kinds_of_models_are_left_alone(machine: Any) -> None:
    machine(cuda=False, mps=False)
    assert model_class_of(Other).with_device({"model": "a"}) == {"model": "a"}
