"""vLLM in a Ray actor: the same answers as in this process, and nothing of vLLM's left afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from torr_plugin.running import Run, execute
from torr_plugin.running.model import Model
from torr_plugin.running.pending_request import PendingRequest

from ..running.asked_models import Plan
from ..timing import PATIENCE
from .conftest import entry

pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings("default")]

PROMPTS = [f"Question {n}: what is {n}+{n}? " + "the table has a row " * (n % 40) for n in range(60)]
TOO_LONG = "long " * 2000
TOLD = ("prediction", "error", "prompt_tokens", "completion_tokens", "finish_reason")


@pytest.fixture
def _ray(model: Model, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Ray, begun after the engine in this process, which would take what is set here for itself."""
    import ray

    assert model

    # set by a driver that ran vLLM before; an engine that saw it would wait for its brothers
    monkeypatch.setenv("VLLM_DP_SIZE", "2")
    monkeypatch.setenv("VLLM_DP_RANK", "1")
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.mark.usefixtures("_ray")
def test_the_same_answers_under_ray(tiny: Path, model: Model, tmp_path: Path) -> None:
    plan, before = Plan([*PROMPTS, TOO_LONG]), _engines()
    summary = execute(plan, [entry(tiny)], tmp_path / "ray", executor="ray")
    assert (summary.requests, summary.answered, summary.failed) == (61, 60, 1)
    assert psutil.wait_procs(_engines() - before, timeout=PATIENCE)[1] == []
    rows = {row["key"]: row for row in Run.open(tmp_path / "ray").predictions("tiny").to_pylist()}
    asked = [PendingRequest(request.key, request.prompt, plan.generation) for request in plan.requests()]
    for answer in model.answers(asked):
        told = {name: getattr(answer, name) for name in TOLD}
        assert {name: rows[answer.key][name] for name in TOLD} == told


def _engines() -> set[psutil.Process]:
    return {each for each in psutil.process_iter(["name"]) if "EngineCore" in (each.info["name"] or "")}
