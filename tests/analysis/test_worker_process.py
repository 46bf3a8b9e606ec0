"""A process that runs functions for another."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from torr_plugin.analysis.charts.worker_process import WorkerProcess
from torr_plugin.core.errors import RunError


class TwoWordsError(Exception):
    """An error that pickle makes anew in vain: it passes on one argument of two."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} {other}")


def fail_with_ours() -> None:
    raise RunError("run: found nothing; expected a study")


def fail_with_two_words() -> None:
    raise TwoWordsError("no", "luck")


def say_and_add(one: int, other: int) -> int:
    print("what a library says")
    return one + other


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    found = WorkerProcess(os.getpid)
    yield found
    found.stop()


def test_it_runs_functions_elsewhere_one_after_the_other(worker: WorkerProcess) -> None:
    elsewhere = worker.call(os.getpid)
    assert elsewhere != os.getpid()
    assert worker.call(math.hypot, 3, 4) == 5
    assert worker.call(os.getpid) == elsewhere


def test_large_arguments_and_results_go_through(worker: WorkerProcess) -> None:
    text = "table" * 1_000_000
    assert worker.call(str.upper, text) == text.upper()


def test_what_functions_raise_is_raised_here(worker: WorkerProcess) -> None:
    with pytest.raises(RunError, match="expected a study"):
        worker.call(fail_with_ours)
    with pytest.raises(RuntimeError, match="TwoWordsError: no luck"):
        worker.call(fail_with_two_words)
    assert worker.call(math.sqrt, 4) == 2


def test_a_result_that_cannot_be_pickled_is_an_error(worker: WorkerProcess) -> None:
    with pytest.raises((TypeError, RuntimeError), match="pickle"):
        worker.call(open, os.devnull)
    assert worker.call(math.sqrt, 4) == 2


class FoundHereAlone:
    """A class that another process does not find."""

    def process(self) -> int:
        return os.getpid()


def test_what_the_other_process_cannot_have_runs_here(
    worker: WorkerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def process() -> int:
        return os.getpid()

    assert worker.call(process) == os.getpid()
    module = ModuleType("found_here_alone")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(module, "FoundHereAlone", FoundHereAlone, raising=False)
    monkeypatch.setattr(FoundHereAlone, "__module__", module.__name__)
    assert worker.call(FoundHereAlone.process, FoundHereAlone()) == os.getpid()
    assert worker.call(os.getpid) != os.getpid()


def return_two_words() -> TwoWordsError:
    return TwoWordsError("no", "luck")


def test_an_answer_that_is_not_understood_is_not_taken_for_the_next_calls() -> None:
    found = WorkerProcess(os.getpid)
    with pytest.raises(TypeError):
        found.call(return_two_words)
    assert found.call(math.sqrt, 4) == 2
    assert found.call(os.getpid) == os.getpid(), "it was ended"
    found.stop()


def test_what_is_printed_does_not_get_among_the_answers(worker: WorkerProcess) -> None:
    assert worker.call(say_and_add, 1, 2) == 3


def test_once_it_has_ended_functions_run_here() -> None:
    killed = WorkerProcess(os.getpid)
    with pytest.raises(SystemExit):
        killed.call(sys.exit)  # the process ends without an answer, so that the call is made here
    assert killed.call(os.getpid) == os.getpid()
    killed.stop()


def test_a_script_needs_no_guard(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from torr_plugin.analysis.charts.worker_process import WorkerProcess\n"
        "print('once')\n"
        "worker = WorkerProcess(os.getpid)\n"
        "print(worker.call(os.getpid) != os.getpid())\n"
        "worker.stop()\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["once", "True"]
