"""The Ray executor: the same answers, and what becomes of actors that die."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conftest import missing
from torr_plugin.errors import ModelError, RunError
from torr_plugin.running import Run, execute
from torr_plugin.running.executors.resources import Resources, engine_arguments, resources

from .asked_models import Plan
from .made import answers, entry, stored_keys


@pytest.mark.parametrize(
    ("model", "cluster", "expected"),
    [
        (entry("torr-lexical"), {"CPU": 8.0}, Resources(4, 1, 0)),
        (entry("torr-lexical"), {"CPU": 2.0}, Resources(2, 1, 0)),
        (entry("local-chat-completions"), {"CPU": 8.0, "GPU": 8.0}, Resources(1, 1, 0)),
        (entry("vllm", tensor_parallel_size=2), {"CPU": 8.0, "GPU": 8.0}, Resources(4, 1, 2)),
        (entry("vllm"), {"CPU": 8.0, "GPU": 1.0}, Resources(1, 1, 1)),
        (entry("vllm"), {"CPU": 8.0}, Resources(1, 1, 0)),
        (entry("sglang", tp_size="4"), {"CPU": 8.0, "GPU": 4.0}, Resources(1, 1, 4)),
        (entry("hf", device="cpu"), {"CPU": 8.0, "GPU": 4.0}, Resources(1, 1, 0)),
        (entry("hf", parallelize=True), {"CPU": 8.0, "GPU": 4.0}, Resources(1, 1, 4)),
        (entry("hf"), {"CPU": 8.0, "GPU": 16.0}, Resources(4, 1, 1)),
    ],
)
def test_resources(model, cluster: dict[str, float], expected: Resources) -> None:
    assert resources(model, 1000, cluster) == expected


def test_resources_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="wants 4 GPUs an actor, the Ray cluster has 2"):
        resources(entry("vllm", tensor_parallel_size=4), 10, {"GPU": 2.0})
    with pytest.raises(ModelError, match="tensor_parallel_size is 'two', expected a whole number"):
        resources(entry("vllm", tensor_parallel_size="two"), 10, {"GPU": 2.0})


def test_no_ray_inside_an_actor() -> None:
    with pytest.raises(ModelError, match="data_parallel_size starts Ray in a Ray actor"):
        engine_arguments(entry("vllm", data_parallel_size=2))
    with pytest.raises(ModelError, match="distributed_executor_backend=ray starts Ray"):
        engine_arguments(entry("vllm", distributed_executor_backend="ray"))
    assert engine_arguments(entry("vllm", tensor_parallel_size=2))["distributed_executor_backend"] == "mp"
    assert engine_arguments(entry("vllm", pretrained="x")) == {"pretrained": "x"}


def test_ray_that_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RunError, match=r"pip install 'torr-plugin\[ray\]'"):
        execute(Plan(), [entry("torr-lexical")], tmp_path / "run", executor="ray")


def test_ray_gives_what_is_given_here(tmp_path: Path) -> None:
    """One test for all, since Ray takes seconds to start."""
    try:
        import ray
    except ImportError:
        missing("Ray is not installed: pip install 'torr-plugin[ray]'")
    plan = Plan(
        [f"Table:\n|a|b|\n|---|---|\n|x{n}|{n}|\nQuestion: what is b of x{n}?\nsay w{n}" for n in range(300)]
    )
    models = [entry("torr-lexical"), entry("torr-random-cell", seed=3), entry("test-failing", word="x77|")]
    execute(plan, models, tmp_path / "here")
    ray.init(include_dashboard=False, log_to_driver=False, num_cpus=2)
    try:
        summary = execute(plan, models, tmp_path / "ray", executor="ray")
        assert ray.is_initialized()  # it was not started by the run, and so is not stopped by it
        assert (summary.requests, summary.failed) == (900, 1)
        for model in models:
            assert answers(tmp_path / "ray", model.label) == answers(tmp_path / "here", model.label)
            assert len(stored_keys(Run.open(tmp_path / "ray").folder(model.label))) == 300
        _dying(tmp_path / "dying")
        with pytest.raises(ModelError, match="no weights found there"):
            execute(plan, [entry("test-unloadable")], tmp_path / "unloadable", executor="ray")
    finally:
        ray.shutdown()


def _dying(run: Path) -> None:
    """A request that ends the actor costs its own batch; the others are answered."""
    summary = execute(Plan(), [entry("test-dying")], run, executor="ray")
    assert summary.requests == 300
    assert summary.answered + summary.failed == 300
    rows = Run.open(run).predictions("test-dying").to_pylist()
    failed = [row for row in rows if row["error"] is not None]
    assert 0 < len(failed) <= 64
    assert all("the process that held the model ended" in row["error"] for row in failed)
