"""Running a plan: failures, interruptions, kills, progress."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from torr_plugin.errors import ModelError
from torr_plugin.running import Interrupted, Run, execute
from torr_plugin.running.executors.pace import FEWEST, MOST, Pace

from .asked_models import Plan
from .made import answers, entry, stored_keys


class Told:
    """A progress that remembers what it was told."""

    def __init__(self) -> None:
        self.calls: list[tuple[object, ...]] = []

    def start(self, model: str, total: int, done: int) -> None:
        self.calls.append(("start", model, total, done))

    def advance(self, model: str, n: int, failed: int) -> None:
        self.calls.append(("advance", model, n, failed))

    def finish(self, model: str) -> None:
        self.calls.append(("finish", model))


def test_progress_is_told(tmp_path: Path) -> None:
    told = Told()
    execute(Plan(["say a", "say bad", "say c"]), [entry("test-failing")], tmp_path / "run", progress=told)
    assert told.calls == [
        ("start", "test-failing", 3, 0),
        ("advance", "test-failing", 3, 1),
        ("finish", "test-failing"),
    ]
    told.calls.clear()
    execute(Plan(["say a", "say bad", "say c"]), [entry("test-failing")], tmp_path / "run", progress=told)
    assert told.calls == [("start", "test-failing", 3, 3), ("finish", "test-failing")]


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


def test_failed_requests_are_asked_again_only_if_wished(tmp_path: Path) -> None:
    plan, model, run = Plan(["say a", "say bad"]), entry("test-failing"), tmp_path / "run"
    assert execute(plan, [model], run).failed == 1
    folder = Run.open(run).folder("test-failing")
    assert execute(plan, [model], run).failed == 1
    assert len(stored_keys(folder)) == 2
    again = execute(plan, [model], run, retry_failed=True)
    assert (again.answered, again.failed) == (1, 1)
    assert len(stored_keys(folder)) == 3
    assert len(answers(run, "test-failing")) == 2


def test_an_answer_found_later_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, model, run = Plan(["say a", "say bad"]), entry("test-failing"), tmp_path / "run"
    execute(plan, [model], run)
    monkeypatch.setattr("tests.running.asked_models.Failing.answer", lambda self, context: "mended")
    again = execute(plan, [model], run, retry_failed=True)
    assert (again.answered, again.failed) == (2, 0)
    assert sorted(answers(run, "test-failing").values()) == ["A", "mended"]
    assert execute(plan, [model], run).failed == 0


def test_what_is_not_text_is_an_error(tmp_path: Path) -> None:
    summary = execute(Plan(["say a", "say odd"]), [entry("test-mumbling")], tmp_path / "run")
    assert (summary.answered, summary.failed) == (1, 1)
    errors = Run.open(tmp_path / "run").predictions("test-mumbling")["error"].to_pylist()
    assert "the model gave a value of type int, expected text" in errors


def test_too_few_answers_are_asked_one_by_one(tmp_path: Path) -> None:
    plan = Plan()
    summary = execute(plan, [entry("test-short")], tmp_path / "run")
    assert summary.answered == 300
    assert set(answers(tmp_path / "run", "test-short").values()) == {f"W{n}" for n in range(300)}


def test_ctrl_c_keeps_what_was_answered(tmp_path: Path) -> None:
    plan = Plan()
    with pytest.raises(Interrupted) as caught:
        execute(plan, [entry("test-stopped", name="m")], tmp_path / "run")
    assert isinstance(caught.value, KeyboardInterrupt)
    assert caught.value.run == tmp_path / "run"
    assert str(tmp_path / "run") in str(caught.value)
    # all before the interruption, those of the unfinished batch too
    assert set(answers(tmp_path / "run", "m").values()) == {f"W{n}" for n in range(100)}


def test_ctrl_c_while_a_shard_is_written_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from torr_plugin.running import predictions

    real, calls = predictions.write_shard, []

    def interrupted(*args: object) -> Path:
        calls.append(args)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(predictions, "write_shard", interrupted)
    with pytest.raises(Interrupted):
        execute(Plan(), [entry("test-echo")], tmp_path / "run")
    stored = len(answers(tmp_path / "run", "test-echo"))
    assert stored > Pace().size
    assert execute(Plan(), [entry("test-echo")], tmp_path / "run").answered == 300
    assert len(stored_keys(Run.open(tmp_path / "run").folder("test-echo"))) == 300


def test_a_model_that_cannot_be_loaded_keeps_the_others_answers(tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"'test-unloadable'.*cannot be loaded: ValueError: no weights found there"
    ):
        execute(Plan(["say a"]), [entry("test-echo"), entry("test-unloadable")], tmp_path / "run")
    assert list(answers(tmp_path / "run", "test-echo").values()) == ["A"]


def test_two_models_of_one_name_are_told_apart(tmp_path: Path) -> None:
    models = [entry("torr-constant", answer="a"), entry("torr-constant", answer="b")]
    execute(Plan(["x"]), models, tmp_path / "run")
    opened = Run.open(tmp_path / "run")
    assert sorted(value for label in opened.models() for value in answers(opened, label).values()) == [
        "a",
        "b",
    ]


def test_pace_aims_at_shards_of_seconds() -> None:
    fast, slow = Pace(), Pace()
    sizes = []
    for _ in range(10):
        fast.record(fast.size, fast.size / 100_000)
        slow.record(slow.size, slow.size * 2.0)
        sizes.append(fast.size)
    assert fast.size == MOST
    assert sizes[:3] == [256, 1024, 4096]
    assert slow.size == FEWEST


KILLED = """
import sys
from pathlib import Path
from torr_plugin.recipes import ModelEntry
from torr_plugin.running import add_model, execute
from tests.running.asked_models import Plan
add_model("test-slow", "tests.running.asked_models:Slow")
class Waiting(Plan):
    def requests(self):
        import time
        for number, request in enumerate(super().requests()):
            time.sleep(0.001)
            yield request
plan = Waiting([f"say w{n}" for n in range(700)])
summary = execute(plan, [ModelEntry(model="test-slow")], Path(sys.argv[1]))
print(summary.requests, summary.answered, summary.failed)
"""


def start(run: Path) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[2]
    return subprocess.Popen(
        [sys.executable, "-c", KILLED, str(run)], cwd=root, stdout=subprocess.PIPE, text=True
    )


def wait_for(found: object, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + 60
    while not found() and process.poll() is None:  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.002)


def test_killed_three_times_and_resumed(tmp_path: Path) -> None:
    run, undisturbed, chance = tmp_path / "run", tmp_path / "undisturbed", random.Random(0)
    folder = run / "predictions" / "test-slow"
    moments = [
        (run / "study.yaml").exists,  # while requests are written
        lambda: bool(list(folder.glob("part-*.parquet"))),
        lambda: len(list(folder.glob("part-*.parquet"))) > 1,
    ]
    stored: set[str] = set()
    for moment in moments:
        process = start(run)
        wait_for(moment, process)
        time.sleep(chance.random() * 0.3)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        assert process.returncode == -signal.SIGKILL
        kept = set(stored_keys(folder))
        assert stored <= kept  # nothing stored is lost
        stored = kept
    assert 0 < len(stored) < 700
    other = start(undisturbed)
    last = start(run)
    assert last.communicate(timeout=60)[0] == "700 700 0\n"
    assert other.communicate(timeout=60)[0] == "700 700 0\n"
    keys = stored_keys(folder)
    assert len(keys) == len(set(keys)) == 700  # nothing doubled
    assert answers(run, "test-slow") == answers(undisturbed, "test-slow")
    assert Run.open(run).requests().equals(Run.open(undisturbed).requests())
    assert not list(run.rglob("*.tmp"))
