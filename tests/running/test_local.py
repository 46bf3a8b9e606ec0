"""The executor in this process: models one after the other, and one that cannot be loaded stops no other."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from torr_plugin.core.errors import EngineBrokenError, ModelError
from torr_plugin.prompts.message import Message
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import runner
from torr_plugin.running.answer import Answer
from torr_plugin.running.loaded_model import Model
from torr_plugin.running.progress import Progress
from torr_plugin.running.request_sources import ListedRequests, PendingRequest
from torr_plugin.running.runner import AskedModel, open_executor
from torr_plugin.running.store.shards import AnswerStore, list_shards

from .made import entry, stored_keys

GENERATION = {"max_tokens": 16, "temperature": 0.0, "until": ["\n"]}


def job(kind: ModelEntry, count: int = 3) -> AskedModel:
    source = ListedRequests(PendingRequest(f"k{n}", (Message("user", f"say w{n}"),)) for n in range(count))
    return AskedModel(kind, GENERATION, source, AnswerStore(Path("unused")))


def run(*jobs: AskedModel) -> list[tuple[str, Any]]:
    """The predictions of each model, or its error, in their order."""
    found: list[tuple[str, Any]] = []
    with open_executor("local") as executor:
        for label, given in executor(jobs):
            if isinstance(given, ModelError):
                found.append((label, given))
            elif found and found[-1][0] == label:
                found[-1][1].extend(answer.prediction for answer in given)
            elif given:
                found.append((label, [answer.prediction for answer in given]))
    return found


@pytest.mark.parametrize("awaited", [False, True])
def test_answers_are_gathered_unless_requests_follow_from_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, awaited: bool
) -> None:
    monkeypatch.setattr(runner, "SECONDS_A_BATCH", 1000.0)
    monkeypatch.setattr(runner, "SECONDS_A_BATCH_AWAITED", 0.0)
    asked = job(entry("test-echo", name="a"), count=500)
    if awaited:
        monkeypatch.setattr(type(asked.source), "done", False)
    asked.store = AnswerStore.resume(tmp_path / "answers")
    stored: list[int] = []

    def executor(models: Any) -> Any:
        for each in asked.source.take(500):
            yield "a", [Answer(each.key, "x")]
        stored.append(len(list_shards(asked.store.folder)))
        assert asked.source.take(1) == []
        yield "a", []
        stored.append(len(list_shards(asked.store.folder)))

    runner.ask([asked], executor, Progress())
    assert (stored, len(asked.store.answered)) == ([0, int(awaited)], 500)


def test_an_interruption_while_answers_are_stored_doubles_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, append = job(entry("test-echo", name="a"), count=9), AnswerStore.append
    asked.store = AnswerStore.resume(tmp_path / "answers")

    def interrupted(self: AnswerStore, answers: Any) -> None:
        append(self, answers)
        raise KeyboardInterrupt

    monkeypatch.setattr(AnswerStore, "append", interrupted)
    with pytest.raises(KeyboardInterrupt), open_executor("local") as executor:
        runner.ask([asked], executor, Progress())
    stored = stored_keys(asked.store.folder)
    assert 0 < len(stored) == len(set(stored))


def test_a_model_that_cannot_be_loaded_is_given_as_its_error() -> None:
    found = run(
        job(entry("test-echo", name="a")),
        job(entry("test-unloadable", name="b")),
        job(entry("test-needspackage", name="c")),
        job(entry("test-echo", name="d")),
    )
    assert [label for label, _ in found] == ["a", "b", "c", "d"]
    assert found[0][1] == found[3][1] == ["W0", "W1", "W2"]
    assert "model 'b' (test-unloadable) cannot be loaded: ValueError" in str(found[1][1])
    assert "needs package 'a_package_that_is_nowhere'" in str(found[2][1])
    for _, error in found[1:3]:
        assert (error.__traceback__, error.__cause__, error.__context__) == (None, None, None)


def test_a_broken_engine_is_given_after_what_it_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.running.engines.lm_eval import LmEvalEngine

    step = LmEvalEngine.step

    def breaks(self: LmEvalEngine) -> Any:
        if self._requests[0].number:
            raise RuntimeError("device lost")
        return step(self)

    monkeypatch.setattr(LmEvalEngine, "step", breaks)
    monkeypatch.setattr(LmEvalEngine, "room", lambda self: 0 if self._requests else 2)
    label, first = run(job(entry("test-echo", name="a")))[0]
    assert (label, first) == ("a", ["W0", "W1"])
    found = run(job(entry("test-echo", name="a")), job(entry("test-echo", name="b"), count=2))
    assert [label for label, _ in found] == ["a", "a", "b"]
    assert isinstance(found[1][1], EngineBrokenError)
    assert found[2][1] == ["W0", "W1"]


def test_a_model_is_gone_before_the_next_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = list[Any]()
    load = runner.load_model

    def noting(kind: ModelEntry, generation: Any) -> Model:
        gc.collect()
        assert [reference() for reference in loaded] == [None] * len(loaded), "two models in memory"
        model = load(kind, generation)
        loaded.append(weakref.ref(model._lm))
        return model

    monkeypatch.setattr(runner, "load_model", noting)
    found = run(*(job(entry("test-echo", name=name)) for name in "abc"))
    assert [label for label, _ in found] == ["a", "b", "c"]
    assert len(loaded) == 3


def test_the_engine_is_closed_also_when_the_caller_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.running.engines.lm_eval import LmEvalEngine

    closed = list[Any]()

    def close(self: LmEvalEngine) -> None:
        closed.append(self)

    monkeypatch.setattr(LmEvalEngine, "close", close)
    with open_executor("local") as executor:
        running = executor([job(entry("test-echo", name="a"))])
        next(running)
        running.close()
    assert len(closed) == 1


def test_an_engine_that_does_not_close_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def dead(self: object) -> None:
        raise OSError("the engine process is dead")

    monkeypatch.setattr("torr_plugin.running.engines.lm_eval.LmEvalEngine.close", dead)
    found = run(job(entry("test-echo", name="a")), job(entry("test-echo", name="b")))
    assert found == [("a", ["W0", "W1", "W2"]), ("b", ["W0", "W1", "W2"])]
    assert "did not close cleanly: OSError: the engine process is dead" in caplog.text


def test_a_device_that_broke_under_one_model_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise RuntimeError("CUDA error: device-side assert triggered")

    cuda = SimpleNamespace(is_available=lambda: True, empty_cache=broken)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    assert len(run(job(entry("test-echo", name="a")), job(entry("test-echo", name="b")))) == 2
