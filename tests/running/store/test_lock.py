"""The lock of a run directory: held by one process, taken over from a dead one, whatever clocks say."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.running.store.lock import (
    LOCK_FILE,
    LockHolder,
    WriterWatch,
    exclusive,
    this_process,
)

from ...timing import PATIENCE, until

QUICK = 0.3
# for what has a heartbeat and must not be taken for dead where it is slow
PATIENT = PATIENCE
# polls every 0.3 s, and waits long enough for a thread that beats all the time
WATCHFUL = 10.0
ELSEWHERE = LockHolder("node-7", 4711)
HOLD = """
import sys, time
from pathlib import Path
from torr_plugin.running.store.lock import exclusive
with exclusive(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(1000)
"""


def hold(directory: Path) -> subprocess.Popen[str]:
    code = [sys.executable, "-c", HOLD, str(directory)]
    process = subprocess.Popen(code, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def try_it(directory: Path, silence: float = QUICK) -> None:
    with exclusive(directory, silence):
        pass


def in_another_thread(call: Callable[..., object], *arguments: object) -> object:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call, *arguments).result()


def writer(directory: Path) -> LockHolder | None:
    return WriterWatch(directory).writer()


def forge(directory: Path, holder: LockHolder = ELSEWHERE, silence: float = QUICK) -> Path:
    """A lock as a process on another host would have it."""
    path = directory / LOCK_FILE
    lines = [
        "filelock/2",
        f"pid={holder.pid}",
        f"host={holder.host}",
        "mode=lease",
        "token=t",
        f"duration={silence!r}",
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def beat(path: Path) -> None:
    later = path.stat().st_mtime_ns + 10**9
    os.utime(path, ns=(later, later))


def test_it_is_held_and_then_gone(tmp_path: Path) -> None:
    assert writer(tmp_path) is None
    with exclusive(tmp_path):
        holder = writer(tmp_path)
        assert holder is not None
        assert (holder.pid, holder.alive) == (os.getpid(), True)
        with pytest.raises(RunError, match=rf"process {os.getpid()} is writing this run; wait"):
            in_another_thread(try_it, tmp_path)
        try_it(tmp_path)
        assert writer(tmp_path) == holder
    assert list(tmp_path.iterdir()) == []
    assert writer(tmp_path) is None


def test_a_killed_holder_is_taken_over_from_at_once(tmp_path: Path) -> None:
    process = hold(tmp_path)
    with pytest.raises(RunError, match=rf"host .+, process {process.pid} is writing this run; wait"):
        try_it(tmp_path)
    process.send_signal(signal.SIGKILL)
    until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE)  # nobody has asked after it
    assert writer(tmp_path) is None
    process.communicate()
    started = time.monotonic()
    with exclusive(tmp_path, PATIENT):
        assert time.monotonic() - started < PATIENT
        found = writer(tmp_path)
        assert found is not None
        assert found.pid == os.getpid()
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_holder_on_this_host_keeps_it(tmp_path: Path) -> None:
    process = hold(tmp_path)
    try:
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(RunError, match=rf"process {process.pid}"):
            try_it(tmp_path)
    finally:
        process.kill()
        process.communicate()


def test_a_silent_holder_elsewhere_is_watched_and_replaced(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    forge(tmp_path)
    started = time.monotonic()
    with exclusive(tmp_path, QUICK):
        assert time.monotonic() - started >= QUICK * 0.9
        assert writer(tmp_path) is not None
    assert "host node-7, process 4711 has the lock of this run; waiting" in caplog.text


def test_a_holder_elsewhere_with_a_heartbeat_is_refused(tmp_path: Path) -> None:
    path, ended = forge(tmp_path, silence=WATCHFUL), threading.Event()

    def beat_until_the_end() -> None:
        while not ended.wait(0.05):
            beat(path)

    beating = threading.Thread(target=beat_until_the_end)
    beating.start()
    try:
        with pytest.raises(RunError, match=r"host node-7, process 4711 is writing"):
            try_it(tmp_path, WATCHFUL)
    finally:
        ended.set()
        beating.join()
    assert path.exists()


def test_a_holder_in_another_container_is_watched(tmp_path: Path) -> None:
    """Its number counts in a namespace of its own, so that nothing is known of the process of that number."""
    forge(tmp_path, LockHolder(f"{this_process().name}?pidns-1", os.getpid()))
    found = writer(tmp_path)
    assert found is not None
    assert found.alive is None
    try_it(tmp_path)


@pytest.mark.parametrize("text", ["", "garbage"], ids=lambda text: text[:9])
def test_a_lock_that_cannot_be_read_is_waited_for_and_replaced(tmp_path: Path, text: str) -> None:
    (tmp_path / LOCK_FILE).write_text(text)
    assert writer(tmp_path) is None
    try_it(tmp_path)


def test_a_holder_that_finishes_while_it_is_watched(tmp_path: Path) -> None:
    path = forge(tmp_path, silence=WATCHFUL)
    threading.Timer(0.1, path.unlink).start()
    try_it(tmp_path, WATCHFUL)


def test_a_holder_that_was_taken_over_from_is_interrupted(tmp_path: Path) -> None:
    signals = []
    before = signal.signal(signal.SIGTERM, lambda *_: signals.append("SIGTERM"))

    def lose() -> None:
        with exclusive(tmp_path, QUICK):
            (tmp_path / LOCK_FILE).unlink()
            forge(tmp_path)
            until(lambda: signals)

    try:
        with pytest.raises(RunError, match=r"lost its lock"):
            lose()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert "node-7" in (tmp_path / LOCK_FILE).read_text()  # the new holder's stays


def test_a_lock_that_was_removed_is_noticed_at_the_end(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"lost its lock"), exclusive(tmp_path):
        (tmp_path / LOCK_FILE).unlink()


RACE = """
import os, sys, time
from pathlib import Path
from torr_plugin.core.errors import RunError
from torr_plugin.running.store.lock import exclusive
run, go, log = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
print("here", flush=True)
while not go.exists():
    time.sleep(0.001)
entered = 0
while entered < int(sys.argv[4]):
    try:
        with exclusive(run):
            with log.open("a") as file:
                print("in", os.getpid(), file=file, flush=True)
                time.sleep(0.002)
                print("out", os.getpid(), file=file, flush=True)
            entered += 1
    except RunError:
        time.sleep(0.001)
"""


@pytest.mark.full
def test_of_several_newcomers_one_at_a_time_has_it(tmp_path: Path) -> None:
    run, go, log = tmp_path / "run", tmp_path / "go", tmp_path / "log"
    run.mkdir()
    dead = hold(run)  # all of them find at once that it is
    dead.kill()
    dead.communicate()
    code = [sys.executable, "-c", RACE, str(run), str(go), str(log), "5"]
    processes = [subprocess.Popen(code, stdout=subprocess.PIPE) for _ in range(4)]
    assert [process.stdout and process.stdout.readline() for process in processes] == [b"here\n"] * 4
    go.touch()
    for process in processes:
        process.communicate(timeout=PATIENCE)
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    lines = [line.split() for line in log.read_text().splitlines()]
    assert len(lines) == 4 * 5 * 2
    for entered, left in zip(lines[::2], lines[1::2], strict=True):
        assert (entered[0], left[0]) == ("in", "out")
        assert entered[1] == left[1]
    assert not (run / LOCK_FILE).exists()


class Clock:
    """Goes forward when told to."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_a_writer_without_a_heartbeat_is_dead_until_it_has_one_again(tmp_path: Path) -> None:
    path = forge(tmp_path)
    clock = Clock()
    watch = WriterWatch(tmp_path, clock)
    for seconds, there in ((0, True), (34, True), (1, False), (10, False)):
        clock.seconds += seconds
        assert (watch.writer() is not None) is there
    for _ in range(3):
        beat(path)
        found = watch.writer()
        assert found is not None
        assert (found.host, found.alive) == ("node-7", None)
        clock.seconds += 34
    path.unlink()
    assert watch.writer() is None
    with exclusive(tmp_path):
        for _ in range(2):
            found = watch.writer()
            assert found is not None
            assert (found.pid, found.alive) == (os.getpid(), True)
            clock.seconds += 100


def test_a_lock_in_a_new_place_that_fails_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    for place in ("a/b/c", "there/d", "there"):
        with pytest.raises(KeyboardInterrupt), exclusive(tmp_path / place):
            raise KeyboardInterrupt
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]


def test_what_was_written_in_a_new_place_stays(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError), exclusive(tmp_path / "a" / "b"):
        (tmp_path / "a" / "b" / "study.yaml").write_text("x") and (tmp_path / "a").read_text()
    assert (tmp_path / "a" / "b" / "study.yaml").exists()


def test_a_file_in_the_place_of_a_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(RunError, match="file: is a file"), exclusive(tmp_path / "file"):
        raise AssertionError
    with pytest.raises(RunError, match="lies below a file"), exclusive(tmp_path / "file" / "below"):
        raise AssertionError
    assert (tmp_path / "file").read_text() == "mine"
