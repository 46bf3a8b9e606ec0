"""Running a plan: failures, interruptions, kills, progress."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from torr_plugin.core.errors import ModelError
from torr_plugin.running import Interrupted, Run, execute, run_status
from torr_plugin.running.engines.lm_eval import LmEvalEngine
from torr_plugin.running.progress import ModelProgress, Progress
from torr_plugin.running.request_sources import StopRequest
from torr_plugin.running.runner import open_executor

from .asked_models import Plan, Slow
from .made import answers, entry, stored_keys


class SummedProgress(Progress):
    """A progress that remembers what it was shown: model, total, done, failed, and whether it ended."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, int, int, bool]] = []

    def show(self, model: str, each: ModelProgress) -> None:
        self.calls.append((model, each.total, each.done, each.failed, each.ended))


class Stops(SummedProgress):
    """Requests a stop once something is stored."""

    def __init__(self, stop: StopRequest) -> None:
        super().__init__()
        self.stop = stop

    def show(self, model: str, each: ModelProgress) -> None:
        super().show(model, each)
        self.stop.requested |= each.asked > 0


def test_the_run_is_held_before_an_executor_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ray takes long to start, and two commands that both start it would find each other only then."""

    def opened(where: object) -> object:
        assert run_status(tmp_path / "run").state == "running"
        return open_executor(where)

    monkeypatch.setattr("torr_plugin.running.runner.open_executor", opened)
    assert execute(Plan(["say a"]), [entry("test-echo")], tmp_path / "run").answered == 1


def test_progress_is_told(tmp_path: Path) -> None:
    told = SummedProgress()
    execute(Plan(["say a", "say bad", "say c"]), [entry("test-failing")], tmp_path / "run", progress=told)
    name = "test-failing"
    assert told.calls == [(name, 3, 0, 0, False), (name, 3, 3, 1, False), (name, 3, 3, 1, True)]
    told.calls.clear()
    execute(Plan(["say a", "say bad", "say c"]), [entry("test-failing")], tmp_path / "run", progress=told)
    assert told.calls == [(name, 3, 3, 0, False), (name, 3, 3, 0, True)]


@pytest.mark.parametrize("forgets", [True, False])
def test_a_request_that_fails_costs_no_other(tmp_path: Path, forgets: bool) -> None:
    texts = [f"say {'bad' if n % 40 == 7 else ''} w{n}" for n in range(150)]
    model = entry("test-failing", forgets=forgets)
    summary = execute(Plan(texts), [model], tmp_path / "run")
    assert (summary.requests, summary.answered, summary.failed) == (150, 146, 4)
    rows = Run.open(tmp_path / "run").predictions("test-failing").to_pylist()
    assert {row["prediction"] for row in rows if row["error"] is None} == {
        f"W{n}" for n in range(150) if n % 40 != 7
    }
    assert {row["error"] for row in rows if row["prediction"] is None} == {"RuntimeError: cannot answer bad"}
    assert all((row["prediction"] is None) != (row["error"] is None) for row in rows)


def test_failed_requests_are_asked_again_only_if_wished_and_an_answer_found_then_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, model, run = Plan(["say a", "say bad"]), entry("test-failing"), tmp_path / "run"
    assert execute(plan, [model], run).failed == 1
    folder = Run.open(run).folder("test-failing")
    assert execute(plan, [model], run).failed == 1
    assert len(stored_keys(folder)) == 2
    again = execute(plan, [model], run, retry_failed=True)
    assert (again.answered, again.failed) == (1, 1)
    assert len(stored_keys(folder)) == 3
    assert len(answers(run, "test-failing")) == 2
    monkeypatch.setattr("tests.running.asked_models.Failing.answer", lambda self, context: "mended")
    assert execute(plan, [model], run, retry_failed=True).failed == 0
    assert sorted(answers(run, "test-failing").values()) == ["A", "mended"]
    assert execute(plan, [model], run).failed == 0


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    plan = Plan()
    with pytest.raises(Interrupted) as caught:
        execute(plan, [entry("test-stopped", name="m")], tmp_path / "run")
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.run == tmp_path / "run"
    assert str(tmp_path / "run") in str(caught.value)
    # all before the interruption, those of the unfinished batch too; prompts are asked in their order
    before = sorted(f"w{n}" for n in range(300))[: sorted(f"w{n}" for n in range(300)).index("w100")]
    assert set(answers(tmp_path / "run", "m").values()) == {word.upper() for word in before}


def test_a_model_that_cannot_be_loaded_keeps_the_others_answers(tmp_path: Path) -> None:
    told = SummedProgress()
    models = [entry("test-unloadable"), entry("test-echo")]
    summary = execute(Plan(["say a"]), models, tmp_path / "run", progress=told)
    assert list(answers(tmp_path / "run", "test-echo").values()) == ["A"]
    assert (summary.requests, summary.answered, summary.failed) == (2, 1, 0)
    (reason,) = summary.unloaded.values()
    assert list(summary.unloaded) == ["test-unloadable"]
    assert "cannot be loaded: ValueError: no weights found there" in reason
    assert told.calls.count(("test-unloadable", 1, 0, 0, True)) == 1


def test_one_that_has_all_its_answers_is_not_loaded(tmp_path: Path) -> None:
    execute(Plan(["say a"]), [entry("test-echo")], tmp_path / "run")
    with pytest.raises(ModelError, match="cannot be loaded"):
        execute(Plan(["say a"]), [entry("test-unloadable")], tmp_path / "run")
    summary = execute(Plan(["say a"]), [entry("test-echo"), entry("test-unloadable")], tmp_path / "run")
    assert (summary.answered, list(summary.unloaded)) == (1, ["test-unloadable"])


def test_a_stop_finishes_what_is_in_flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torr_plugin.running.runner.SECONDS_A_BATCH", 0.05)
    stop = StopRequest()

    told = Stops(stop)
    with pytest.raises(Interrupted) as caught:
        execute(Plan(), [entry("test-slow", seconds=0.001)], tmp_path / "run", progress=told, stop=stop)
    assert caught.value.run == tmp_path / "run"
    stored = len(answers(tmp_path / "run", "test-slow"))
    assert 0 < stored < 300
    assert told.calls[-1] == ("test-slow", 300, stored, 0, True)
    assert execute(Plan(), [entry("test-slow", seconds=0.001)], tmp_path / "run").answered == 300
    assert len(stored_keys(Run.open(tmp_path / "run").folder("test-slow"))) == 300


def test_after_a_stop_no_further_model_is_loaded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stop = StopRequest()

    models = [entry("test-echo"), entry("test-unloadable")]
    with pytest.raises(Interrupted):
        execute(Plan(), models, tmp_path / "run", progress=Stops(stop), stop=stop)
    assert "cannot be loaded" not in caplog.text


def test_a_signal_finishes_what_is_in_flight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def signalled(self: object, context: object) -> str:
        if str(context).endswith(" w100"):
            signal.raise_signal(signal.SIGTERM)
        return "heard"

    monkeypatch.setattr("tests.running.asked_models.Echo.answer", signalled)
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(Interrupted):
        execute(Plan(), [entry("test-echo")], tmp_path / "run")
    assert signal.getsignal(signal.SIGTERM) is before
    assert len(answers(tmp_path / "run", "test-echo")) == 1 + 4  # the whole batch in which it came
    monkeypatch.undo()
    assert execute(Plan(), [entry("test-echo")], tmp_path / "run").answered == 300
    assert len(stored_keys(Run.open(tmp_path / "run").folder("test-echo"))) == 300


def test_equal_prompts_are_asked_once_and_neighbours_share_their_beginnings(tmp_path: Path) -> None:
    texts = [f"say {letter}{n}" for n in range(50) for letter in "xyx"]
    summary = execute(Plan(texts), [entry("test-echo")], tmp_path / "run")
    assert (summary.requests, summary.answered) == (100, 100)
    opened = Run.open(tmp_path / "run")
    assert opened.requests().num_rows == 150
    assert sorted(stored_keys(opened.folder("test-echo"))) == sorted(answers(opened, "test-echo"))
    rows = opened.predictions("test-echo")["prediction"].to_pylist()
    assert rows == sorted(rows)


class Killed(BaseException):
    """As SIGKILL, nothing is done after it."""


def test_of_a_slow_model_only_the_batch_in_flight_is_not_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torr_plugin.running.engines.lm_eval.SECONDS", 0.02)
    monkeypatch.setattr("torr_plugin.running.runner.SECONDS_AN_OUTCOME", 0.02)
    own, add, asked, missing = Slow.answer, LmEvalEngine.add, [], list[tuple[int, int]]()

    def added(self: LmEvalEngine, requests: Sequence[Any]) -> None:
        missing.append((len(asked), len(answers(tmp_path / "run", "test-slow"))))
        add(self, requests)

    def answer(self: Slow, context: object) -> str:
        asked.append(context)
        if len(asked) == 100:
            raise Killed
        return own(self, context)

    monkeypatch.setattr(LmEvalEngine, "add", added)
    monkeypatch.setattr(Slow, "answer", answer)
    with pytest.raises(Killed):
        execute(Plan(), [entry("test-slow", seconds=0.03)], tmp_path / "run")
    assert len(missing) > 2
    assert all(answered == stored for answered, stored in missing)
    assert len(answers(tmp_path / "run", "test-slow")) == missing[-1][1]


def test_a_model_that_breaks_by_the_signal_that_stops_is_a_stop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where SIGTERM goes to every process of a run, engines' own ones too."""
    stop = StopRequest()

    def broken(self: object) -> None:
        stop.requested = True
        raise RuntimeError("the engine process ended")

    monkeypatch.setattr("torr_plugin.running.engines.lm_eval.LmEvalEngine.step", broken)
    with pytest.raises(Interrupted):
        execute(Plan(), [entry("test-echo")], tmp_path / "run", stop=stop)
