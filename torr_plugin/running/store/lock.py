"""One writer a run directory: a second command on it is refused while the first one works.

The lock is a file in the directory, so that it holds between hosts. It rests on what local and network file
systems promise alike: a name is given to one process alone, with ``link``, or where there are no hard links
by making a file that must be new (``O_EXCL``, which NFS promises from version 3 on); a file that is opened
anew shows what another host had flushed; a folder that was changed from here is listed as it is. It needs no
``fcntl`` or ``flock``, which network file systems may lack, grant to everyone, or lose when their server is
started again.

A holder on this host is there or not; one elsewhere is watched: it counts up in its lock every few seconds,
and only a count that stands still for much longer lets another process take over. Clocks are never compared.
"""

from __future__ import annotations

import _thread
import logging
import os
import random
import re
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...core.atomic_files import unreadable, unwritable, write_new
from ...core.errors import RunError
from .holder import Holder, holder_of, this_process

_log = logging.getLogger(__name__)

_NAME = re.compile(r"\.lock-(\d{6,})")
_COUNT = "{:012d}\n"
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds between two signs of life, for how long none must come, and between two looks."""

    beat: float = 10.0
    silence: float = 35.0
    look: float = 1.0


TIMING = Timing()


@dataclass(frozen=True, slots=True)
class _Lock:
    """A lock file as it was found."""

    path: Path
    number: int
    text: str

    @property
    def holder(self) -> Holder | None:
        return holder_of(self.text.partition("\n")[0])

    @property
    def owner(self) -> str:
        """What stays the same while one process has it."""
        return self.text.partition("\n")[0]


@contextmanager
def exclusive(directory: Path, timing: Timing = TIMING) -> Iterator[None]:
    """Hold the directory's lock. A process that is killed leaves it behind, and the next one takes it over.

    Where this process stood still for so long that another one took over, it is interrupted as by SIGTERM.

    Raises:
        RunError: another process holds it (host and process are said), or took it over meanwhile.
    """
    held = _acquire(directory, timing)
    beating = _begun(directory, held, timing)
    try:
        yield
    finally:
        beating.end()
        if beating.lost:
            raise RunError(
                f"{directory}: this command lost its lock: it stood still and another one took the run over, "
                "or the lock was removed; what was answered is kept, the same command resumes"
            )
        _remove(held)


def held_by(directory: Path) -> list[tuple[Holder, str]]:
    """Who took the lock and did not give it back, alive or not, the latest first; and what the lock says."""
    return [(holder, lock.text) for lock in _locks(directory) if (holder := lock.holder) is not None]


def _acquire(directory: Path, timing: Timing) -> _Lock:
    while True:
        before = _locks(directory)
        if all(_is_over(directory, lock, timing) for lock in before):
            held = _claim(directory, before)
            if held is not None:
                return held
        time.sleep(random.uniform(0.01, 0.1))  # noqa: S311 - two that yield to each other must not keep pace


def _locks(directory: Path) -> list[_Lock]:
    """The lock files, the latest first."""
    try:
        names = os.listdir(directory)
    except OSError as error:
        raise unreadable(directory, error) from error
    found = [_read(directory / name) for name in names if _NAME.fullmatch(name)]
    return sorted((lock for lock in found if lock is not None), key=lambda lock: -lock.number)


def _read(path: Path) -> _Lock | None:
    """A lock file; None where it is gone."""
    match = _NAME.fullmatch(path.name)
    try:
        # opened anew each time, which makes a network file system ask its server
        with path.open("rb") as file:
            text = file.read(_MOST_BYTES).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(path, error) from error
    return _Lock(path, int(match.group(1)) if match else 0, text)


def _is_over(directory: Path, lock: _Lock, timing: Timing) -> bool:
    """Whether its holder is gone for good; False where it is to be looked at again.

    Raises:
        RunError: it is not.
    """
    holder = lock.holder
    alive = holder.alive if holder is not None else None
    if alive is None:
        return _stands_still(directory, lock, timing)
    if alive:
        raise _refused(directory, holder)
    return True


def _stands_still(directory: Path, lock: _Lock, timing: Timing) -> bool:
    """Watch a lock for as long as its holder may be silent; False where it vanished."""
    _log.warning(
        "%s: %s has the lock of this run; waiting up to %.0f s for a sign of life",
        directory,
        lock.holder or "a process that cannot be made out",
        timing.silence,
    )
    for _ in range(max(1, round(timing.silence / timing.look))):
        time.sleep(timing.look)
        now = _read(lock.path)
        if now is None:
            return False
        if now.text != lock.text:
            raise _refused(directory, now.holder)
    return True


def _refused(directory: Path, holder: Holder | None) -> RunError:
    who = f"{holder} is writing this run since {holder.since}" if holder else "another is writing this run"
    return RunError(f"{directory}: {who}; wait for it, or choose another --out")


def _claim(directory: Path, before: Sequence[_Lock]) -> _Lock | None:
    """Take the lock after those whose holders are gone; None where another process was quicker.

    The file under the next number is made by one process alone. Whoever made one looks at what else is
    there, and has the lock only if that is nothing but the dead ones: of two that made files under different
    numbers, the one that looks last sees the other's.
    """
    number = max((lock.number for lock in before), default=0) + 1
    path = directory / f".lock-{number:06d}"
    text = f"{this_process().text()}\n{_COUNT.format(0)}"
    if not write_new(path, text.encode()):
        return None
    held = _Lock(path, number, text)
    others = [lock for lock in _locks(directory) if lock.owner != held.owner]
    if {lock.owner for lock in others} - {lock.owner for lock in before}:
        _remove(held)
        return None
    for lock in others:
        _remove(lock)
    return held


def _remove(lock: _Lock) -> None:
    """Remove a lock file unless it is another's by now."""
    with suppress(OSError, RunError):
        now = _read(lock.path)
        if now is not None and now.owner == lock.owner:
            lock.path.unlink(missing_ok=True)


def _begun(directory: Path, held: _Lock, timing: Timing) -> _Beating:
    try:
        beating = _Beating(held, timing)
    except OSError as error:
        raise unwritable(directory, error) from error
    beating.start()
    return beating


class _Beating:
    """Counts up in a lock, in a thread, as long as it is held."""

    def __init__(self, held: _Lock, timing: Timing) -> None:
        self._held, self._timing = held, timing
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="torr-lock", daemon=True)
        # kept open: what is written through it never reaches another process's lock under the same name
        self._file = held.path.open("r+b", buffering=0)
        self.lost = False

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        self._file.close()
        self.lost = self.lost or self._is_lost()

    def _run(self) -> None:
        count = 0
        while not self._ended.wait(self._timing.beat):
            if self._is_lost():
                self.lost = True
                # as a signal would: does nothing where the process has no handler for it
                _thread.interrupt_main(signal.SIGTERM)
                return
            count += 1
            with suppress(OSError):  # a disk that is full or away for a while; the next beat may do
                self._file.seek(len(self._held.owner.encode()) + 1)
                self._file.write(_COUNT.format(count).encode())
                os.fsync(self._file.fileno())

    def _is_lost(self) -> bool:
        try:
            now = _read(self._held.path)
        except RunError:
            return False  # cannot be told now
        return now is None or now.owner != self._held.owner
