"""The lock of a run directory: held by one process, taken over from a dead one, whatever clocks say."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.running.store import lock as lock_module
from torr_plugin.running.store.lock import LockHolder, SignsOfLife, Timing, exclusive, holder_of, this_process

from ...timing import PATIENCE, until

QUICK = Timing(beat=0.05, silence=0.6, look=0.05)
# for what counts and must not be taken for dead where it is slow
PATIENT = Timing(beat=0.05, silence=PATIENCE, look=0.05)
HOLD = """
import sys, time
from pathlib import Path
from torr_plugin.running.store.lock import Timing, exclusive
with exclusive(Path(sys.argv[1]), Timing(beat=0.05)):
    print("held", flush=True)
    time.sleep(1000)
"""


def hold(directory: Path) -> subprocess.Popen[str]:
    code = [sys.executable, "-c", HOLD, str(directory)]
    process = subprocess.Popen(code, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def try_it(directory: Path, timing: Timing = QUICK) -> None:
    with exclusive(directory, timing):
        pass


def writer(directory: Path) -> LockHolder | None:
    return SignsOfLife(directory).writer()


def locks(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.glob(".lock-*"))


def forge(directory: Path, holder: LockHolder | None = None, count: int = 0, number: int = 1) -> Path:
    """A lock as a process on another host would have it."""
    elsewhere = holder or dataclasses.replace(
        this_process(), host="node-7", pid=4711, boot="another", token="t"
    )
    path = directory / f".lock-{number:06d}"
    path.write_text(f"{elsewhere.text()}\n{count:012d}\n")
    return path


def test_it_is_held_and_then_gone(tmp_path: Path) -> None:
    assert writer(tmp_path) is None
    with exclusive(tmp_path):
        holder = writer(tmp_path)
        assert holder is not None
        assert holder.pid == os.getpid()
        with pytest.raises(RunError, match=rf"process {os.getpid()} is writing"), exclusive(tmp_path):
            pass
    assert list(tmp_path.iterdir()) == []
    assert writer(tmp_path) is None


def test_it_is_given_back_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), exclusive(tmp_path):
        1 / 0  # noqa: B018
    assert list(tmp_path.iterdir()) == []


def test_a_killed_holder_is_taken_over_from_at_once(tmp_path: Path) -> None:
    process = hold(tmp_path)
    with pytest.raises(RunError, match=rf"host .+, process {process.pid} is writing this run since 20"):
        try_it(tmp_path)
    process.send_signal(signal.SIGKILL)
    until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE)  # nobody has asked after it
    started = time.monotonic()
    with exclusive(tmp_path, PATIENT):
        assert time.monotonic() - started < PATIENT.silence
        assert locks(tmp_path) == [".lock-000002"]
    process.communicate()
    assert locks(tmp_path) == []


def test_a_number_that_is_another_process_by_now(tmp_path: Path) -> None:
    before = this_process()
    forge(tmp_path, dataclasses.replace(before, started=before.started - 1))
    with exclusive(tmp_path):
        assert locks(tmp_path) == [".lock-000002"]


def test_a_stopped_holder_on_this_host_keeps_it(tmp_path: Path) -> None:
    process = hold(tmp_path)
    try:
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(RunError, match=rf"process {process.pid}"), exclusive(tmp_path, QUICK):
            pass
    finally:
        process.kill()
        process.communicate()


def test_a_silent_holder_elsewhere_is_watched_and_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    forge(tmp_path)
    started = time.monotonic()
    with exclusive(tmp_path, QUICK):
        assert time.monotonic() - started >= QUICK.silence * 0.9
        assert locks(tmp_path) == [".lock-000002"]
    assert "host node-7, process 4711 has the lock of this run; waiting" in caplog.text


def test_a_holder_elsewhere_that_counts_is_refused(tmp_path: Path) -> None:
    path, ended = forge(tmp_path), threading.Event()

    def beat() -> None:
        count = 0
        while not ended.wait(0.1):
            count += 1
            forge(tmp_path, count=count)

    thread = threading.Thread(target=beat)
    thread.start()
    try:
        with pytest.raises(RunError, match=r"host node-7, process 4711 is writing"):
            try_it(tmp_path, PATIENT)
    finally:
        ended.set()
        thread.join()
    assert path.exists()


def test_a_holder_in_another_container_is_watched(tmp_path: Path) -> None:
    """Its number counts in a namespace of its own, so that nothing is known of the process of that number."""
    forge(tmp_path, dataclasses.replace(this_process(), namespace="pid:[1]", token="t"))
    holder = holder_of((tmp_path / ".lock-000001").read_text().splitlines()[0])
    assert holder is not None
    assert holder.alive is None
    with exclusive(tmp_path, QUICK):
        assert locks(tmp_path) == [".lock-000002"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "{}\n",
        '{"host": 1}',
        "[]",
        '{"pid": "x"}',
        "\x00" * 50,
        "[" * 50_000,
        "9" * 5000,
        "x" * 99_999,
    ],
    ids=lambda text: text[:9],
)
def test_a_lock_that_cannot_be_read_is_waited_for_and_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / ".lock-000003").write_text(text)
    with exclusive(tmp_path, QUICK):
        assert locks(tmp_path) == [".lock-000004"]


@pytest.mark.parametrize(
    "more",
    [{"host": "a\x1b[2J"}, {"host": "a" * 256}, {"since": {"x": 1}}, {"since": None}, {"token": ["t"]}],
)
def test_words_that_no_process_writes(tmp_path: Path, more: dict[str, object]) -> None:
    elsewhere = dataclasses.replace(this_process(), boot="another")
    forge(tmp_path, dataclasses.replace(elsewhere, **more))  # type: ignore[arg-type]
    assert writer(tmp_path) is None
    try_it(tmp_path)


@pytest.mark.parametrize("pid", [0, -1, 2**31, 10**30])
def test_numbers_that_no_process_has(tmp_path: Path, pid: int) -> None:
    forge(tmp_path, dataclasses.replace(this_process(), pid=pid, token="t"))
    assert writer(tmp_path) is None
    with exclusive(tmp_path, QUICK):
        assert locks(tmp_path) == [".lock-000002"]


def test_a_holder_that_finishes_while_it_is_watched(tmp_path: Path) -> None:
    path = forge(tmp_path)
    threading.Timer(0.2, path.unlink).start()
    with exclusive(tmp_path, PATIENT):
        assert locks(tmp_path) == [".lock-000001"]


def test_a_clock_that_jumps_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, jumps = time.time, iter([10**6, -(10**6)] * 1000)
    monkeypatch.setattr(time, "time", lambda: real() + next(jumps))
    process = hold(tmp_path)
    try:
        with pytest.raises(RunError, match=r"is writing this run"), exclusive(tmp_path, QUICK):
            pass
    finally:
        process.kill()
        process.communicate()
    forge(tmp_path, number=2)
    with exclusive(tmp_path, QUICK):
        assert locks(tmp_path) == [".lock-000003"]


def test_several_dead_ones_are_cleared_away(tmp_path: Path) -> None:
    forge(tmp_path, number=1)
    forge(tmp_path, dataclasses.replace(this_process(), started=1, token="u"), number=4)
    with exclusive(tmp_path, QUICK):
        assert locks(tmp_path) == [".lock-000005"]


def test_the_count_goes_up_in_place(tmp_path: Path) -> None:
    with exclusive(tmp_path, QUICK):
        path = tmp_path / ".lock-000001"
        before, file = path.read_text(), path.stat().st_ino
        until(lambda: path.read_text() != before)
        after = path.read_text()
        assert path.stat().st_ino == file
    assert after.splitlines()[0] == before.splitlines()[0]
    assert int(after.splitlines()[1]) > int(before.splitlines()[1])


def test_a_holder_that_was_taken_over_from_is_told(tmp_path: Path) -> None:
    told = []
    before = signal.signal(signal.SIGTERM, lambda *_: told.append("told"))

    def lose() -> None:
        with exclusive(tmp_path, QUICK):
            (tmp_path / ".lock-000001").unlink()
            forge(tmp_path, number=2)
            until(lambda: told)

    try:
        with pytest.raises(RunError, match=r"lost its lock"):
            lose()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert locks(tmp_path) == [".lock-000002"]  # the new holder's


def test_the_new_holder_under_the_same_number_is_left_alone(tmp_path: Path) -> None:
    def lose() -> None:
        with exclusive(tmp_path):
            (tmp_path / ".lock-000001").unlink()
            forge(tmp_path)

    with pytest.raises(RunError, match=r"lost its lock"):
        lose()
    assert "node-7" in (tmp_path / ".lock-000001").read_text()


RACE = """
import os, sys, time
from pathlib import Path
from torr_plugin.core.errors import RunError
from torr_plugin.running.store.lock import Timing, exclusive
run, go, log = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
print("here", flush=True)
while not go.exists():
    time.sleep(0.001)
entered = 0
while entered < int(sys.argv[4]):
    try:
        with exclusive(run, Timing(beat=0.05, silence=0.2, look=0.02)):
            with log.open("a") as file:
                print("in", os.getpid(), file=file, flush=True)
                time.sleep(0.002)
                print("out", os.getpid(), file=file, flush=True)
            entered += 1
    except RunError:
        time.sleep(0.001)
"""


def test_of_several_newcomers_one_at_a_time_has_it(tmp_path: Path) -> None:
    run, go, log = tmp_path / "run", tmp_path / "go", tmp_path / "log"
    run.mkdir()
    forge(run)  # dead: all of them watch it, and all find at once that it is
    code = [sys.executable, "-c", RACE, str(run), str(go), str(log), "8"]
    processes = [subprocess.Popen(code, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.stdout and process.stdout.readline() for process in processes] == [b"here\n"] * 4
    go.touch()
    for process in processes:
        process.communicate(timeout=PATIENCE)
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    lines = [line.split() for line in log.read_text().splitlines()]
    assert len(lines) == 4 * 8 * 2
    for entered, left in zip(lines[::2], lines[1::2], strict=True):
        assert (entered[0], left[0]) == ("in", "out")
        assert entered[1] == left[1]
    assert locks(run) == []


def test_a_slow_newcomer_does_not_displace_who_was_quicker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It judged a lock, slept, and makes the next number after others came, went and began at 1 again."""
    judged = lock_module._read(forge(tmp_path))
    (tmp_path / ".lock-000001").unlink()
    with exclusive(tmp_path):
        assert lock_module._claim(tmp_path, [judged]) is None
        assert locks(tmp_path) == [".lock-000001"]


def test_of_a_lock_of_any_length_little_is_read(tmp_path: Path) -> None:
    path = forge(tmp_path)
    path.write_text(path.read_text() + "x" * 10_000_000)
    found = lock_module._read(path)
    assert len(found.text) <= 4096
    assert found.holder.pid == 4711


def test_where_there_are_no_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", none)
    with exclusive(tmp_path):
        with pytest.raises(RunError, match=r"is writing this run"), exclusive(tmp_path):
            pass
        assert locks(tmp_path) == [".lock-000001"]
    assert list(tmp_path.iterdir()) == []
