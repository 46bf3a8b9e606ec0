"""One writer a run directory: a second command on it is refused while the first one works.

The lock is a file in the directory, so that it holds between hosts. It rests on what local and network file
systems promise alike: a name is given to one process alone, with ``link``, or where there are no hard links
by making a file that must be new (``O_EXCL``, which NFS promises from version 3 on); a file that is opened
anew shows what another host had flushed; a folder that was changed from here is listed as it is. It needs no
``fcntl`` or ``flock``, which network file systems may lack, grant to everyone, or lose when their server is
started again.

A holder on this host is there or not; one elsewhere is watched: it counts up in its lock every few seconds,
and only a count that stands still for much longer lets another process take over. Clocks are never compared.

MERGED: The place of a run from the moment that somebody begins it.
MERGED: Whether a holder of a run's lock that cannot be seen from this host still gives signs of life.
MERGED: Who writes a run: a process, told apart from every other on any host.
"""

from __future__ import annotations

import _thread
import json
import logging
import os
import random
import re
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from pathlib import Path

from ...core.atomic_files import create_exclusively, make_directory, read_error, write_error
from ...core.errors import RunError

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
    def holder(self) -> LockHolder | None:
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


def held_by(directory: Path) -> list[tuple[LockHolder, str]]:
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
        raise read_error(directory, error) from error
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
        raise read_error(path, error) from error
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


def _refused(directory: Path, holder: LockHolder | None) -> RunError:
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
    if not create_exclusively(path, text.encode()):
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
        raise write_error(directory, error) from error
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


_TRIES = 5


@contextmanager
def reserved(directory: Path) -> Iterator[None]:
    """Hold a run's lock (:func:`.lock.exclusive`), also while its data are read and it is planned.

    The directory is made where it is not there, so that others see who begins what; where an error ends the
    block and nothing was written, what was made is taken away again.

    Raises:
        RunError: another process has the run, or the directory cannot be made.
    """
    made: list[Path] = []
    try:
        with ExitStack() as held:
            for left in reversed(range(_TRIES)):
                made = max(made, _missing(directory), key=len)
                if _took(held, directory, last=not left):
                    break
            yield
    except BaseException:
        with suppress(OSError):  # one that holds something stays
            for path in made:
                path.rmdir()
        raise


def _took(held: ExitStack, directory: Path, *, last: bool) -> bool:
    """Make the directory and take its lock; False where another's failed attempt took it away in between."""
    try:
        make_directory(directory)
        held.enter_context(exclusive(directory))
    except RunError:
        if last or directory.exists():
            raise
        return False
    return True


def _missing(directory: Path) -> list[Path]:
    """The directory and those above it that are not there yet, the innermost first."""
    return [path for path in (directory, *directory.parents) if not path.exists()]


class SignsOfLife:
    """Looks at a run's lock again and again.

    A holder elsewhere counts up in its lock; one that has not done so for as long as another process waits
    before it takes the run over is gone. Nothing is known of it at the first look.

    Args:
        directory: the run.
        silence: so many seconds without a sign.
        now: seconds on a clock that only goes forward.
    """

    def __init__(
        self, directory: Path, silence: float = TIMING.silence, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._directory, self._silence, self._now = directory, silence, now
        self._seen: dict[str, tuple[str, float]] = {}

    def writer(self) -> LockHolder | None:
        """Who writes the run now; None where nobody, or nobody that lives."""
        found = held_by(self._directory)
        self._seen = {holder.token: self._since(holder.token, text) for holder, text in found}
        living = (holder for holder, _ in found if self._lives(holder))
        return next(living, None)

    def _since(self, token: str, text: str) -> tuple[str, float]:
        """What stands in a lock, and since when it was seen to stand there."""
        before = self._seen.get(token)
        return before if before is not None and before[0] == text else (text, self._now())

    def _lives(self, holder: LockHolder) -> bool:
        if holder.alive is not None:
            return holder.alive
        return self._now() - self._seen[holder.token][1] < self._silence


_PROC = Path("/proc")
_LAST_PID = 2**31 - 1
_SHOWN = ("host", "since", "token")
_LONGEST_WORD = 255


@dataclass(frozen=True, slots=True)
class LockHolder:
    """A process that holds a lock.

    Attributes:
        host: the name of its host.
        pid: its number there.
        started: when it began, in ticks since the boot: another process may have its number by now.
        boot: the kernel's name for the time since the host was started; no two hosts share it.
        namespace: in which process numbers count (a container has its own).
        since: when it took the lock, for people; no decision rests on a clock.
        token: its own for each time the lock is taken.
    """

    host: str
    pid: int
    started: int | None
    boot: str | None
    namespace: str | None
    since: str
    token: str

    def __str__(self) -> str:
        return f"host {self.host}, process {self.pid}"

    @property
    def alive(self) -> bool | None:
        """Whether the process is there; None where that cannot be seen from here, as on another host."""
        if self.boot is None or (self.boot, self.namespace) != (_boot(), _namespace()):
            return None
        state, started = _process(self.pid)
        if state is None:
            return _answers(self.pid)
        return state not in "ZX" and started == self.started  # a zombie writes nothing any more

    def text(self) -> str:
        """One line, which :func:`holder_of` reads."""
        return json.dumps(asdict(self))


def this_process() -> LockHolder:
    """This process as the holder of a lock that it takes now."""
    return LockHolder(
        host=socket.gethostname(),
        pid=os.getpid(),
        started=_process(os.getpid())[1],
        boot=_boot(),
        namespace=_namespace(),
        since=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        token=uuid.uuid4().hex,
    )


def holder_of(text: str) -> LockHolder | None:
    """The holder that a line names; None where it names none."""
    try:
        said = json.loads(text)
        known = {field.name: said[field.name] for field in fields(LockHolder)}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    numbered = isinstance(known["pid"], int) and 0 < known["pid"] <= _LAST_PID
    return LockHolder(**known) if numbered and all(map(_is_word, map(known.get, _SHOWN))) else None


def _is_word(value: object) -> bool:
    """Whether a value can be shown as it is: a host's name has at most 255 characters (RFC 1123)."""
    return isinstance(value, str) and len(value) <= _LONGEST_WORD and value.isprintable()


def _boot() -> str | None:
    return _read_holder(_PROC / "sys/kernel/random/boot_id")


def _namespace() -> str | None:
    try:
        return os.readlink(_PROC / "self/ns/pid")
    except OSError:
        return None


def _process(pid: int) -> tuple[str | None, int | None]:
    """State and start of a process (``proc_pid_stat(5)``, fields 3 and 22); None where they are not shown."""
    text = _read_holder(_PROC / str(pid) / "stat")
    if text is None:
        return None, None
    rest = text.rpartition(")")[2].split()  # the name before it may hold anything
    return rest[0], int(rest[19])


def _answers(pid: int) -> bool:
    """Whether a process that is not shown is there all the same: another user's may be hidden."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _read_holder(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
