"""What is known of a class of lm-eval models, and the device that its models get."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from torr_plugin.running.model_classes import ModelClass


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
    assert ModelClass(BuiltOnIt).with_device({"pretrained": "a"}) == {"pretrained": "a", **added}


def test_a_device_that_is_named_is_kept(machine: Any) -> None:
    machine(cuda=False, mps=False)
    assert ModelClass(BuiltOnIt).with_device({"device": "npu:0"}) == {"device": "npu:0"}


def test_other_kinds_of_models_are_left_alone(machine: Any) -> None:
    machine(cuda=False, mps=False)
    assert ModelClass(Other).with_device({"model": "a"}) == {"model": "a"}


class TemplateAPI:
    MULTIMODAL = True
    model_call = amodel_call = get_batched_requests = generate_until = None


class LocalCompletions(TemplateAPI):
    pass


class LocalChatCompletion(LocalCompletions):
    pass


class SendsItself(LocalChatCompletion):
    def amodel_call(self) -> None: ...


class ReadsItself(LocalChatCompletion):
    @staticmethod
    def parse_generations() -> None: ...


class Sees(HFLM):
    MULTIMODAL = True


class HFAUDIOLMQWEN(HFLM):
    MULTIMODAL = True


class VLLM:
    pass


VLLM.__module__ = "lm_eval.models.vllm_causallms"


class SeesOnVllm(VLLM):
    MULTIMODAL = True


FACTS = ("server", "chat_only", "multimodal", "images")


@pytest.mark.parametrize(
    ("lm_class", "engine", "is_true"),
    [
        (Other, "lm-eval", set()),
        (BuiltOnIt, "lm-eval", set()),
        (Sees, "lm-eval", {"multimodal", "images"}),
        (HFAUDIOLMQWEN, "lm-eval", {"multimodal"}),
        (VLLM, "vllm", set()),
        (SeesOnVllm, "lm-eval", {"multimodal", "images"}),
        (LocalCompletions, "server", {"server", "multimodal"}),
        (LocalChatCompletion, "server", {"server", "multimodal", "chat_only", "images"}),
        (SendsItself, "lm-eval", {"server", "multimodal", "chat_only", "images"}),
        (ReadsItself, "lm-eval", {"server", "multimodal", "chat_only", "images"}),
    ],
)
def test_what_a_class_is(lm_class: type[Any], engine: str, is_true: set[str]) -> None:
    known = ModelClass(lm_class)
    assert known.engine == engine
    assert {name for name in FACTS if getattr(known, name)} == is_true
