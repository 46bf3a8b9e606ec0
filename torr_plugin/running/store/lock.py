"""One writer a run directory: a second command on it is refused while the first one works.

The lock is a lease of ``filelock``: a file in the directory, so that it holds between hosts, created
exclusively and touched by its holder every few seconds. It needs no ``fcntl`` or ``flock``, which network
file systems may lack, grant to everyone, or lose when their server restarts. A holder on this host is alive
or not; one on another host is watched, and another process takes over only when its heartbeat has stopped
for much longer. Clocks of two hosts are never compared.
"""

from __future__ import annotations

import _thread
import json
import logging
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from filelock import LeaseSettingsMismatch, SoftFileLease, Timeout

from ...core.atomic_files import make_directory, read_error, remove, write_atomically, write_error
from ...core.errors import RunError

_log = logging.getLogger(__name__)

LOCK_FILE, HOLDER_FILE = ".lock", ".lock-holder.json"
_MOST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds between two heartbeats, and without one until a holder elsewhere is taken for dead."""

    heartbeat: float = 10.0
    silence: float = 35.0


TIMING = Timing()


@dataclass(frozen=True, slots=True)
class LockHolder:
    """The process that holds a lock.

    Attributes:
        host: the name of its host.
        pid: its number there.
        started: when it began, in ticks since the boot: another process may have its number by now.
        namespace: in which process numbers count (a container has its own).
        since: when it took the lock, for people; no decision rests on a clock.
    """

    host: str
    pid: int
    started: str | None = None
    namespace: str | None = None
    since: str | None = None

    def __str__(self) -> str:
        return f"host {self.host}, process {self.pid}"

    @property
    def alive(self) -> bool | None:
        """Whether the process is there; None where that cannot be seen from here, as on another host."""
        if (self.host, self.namespace) != (socket.gethostname(), _namespace()):
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:  # another user's
            return True
        return self.started is None or str(self.started) == _started(self.pid)


def this_process() -> LockHolder:
    """This process as the holder of a lock that it takes now."""
    pid, now = os.getpid(), datetime.now(timezone.utc)
    return LockHolder(
        socket.gethostname(), pid, _started(pid), _namespace(), now.isoformat(timespec="seconds")
    )


def _namespace() -> str | None:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return None


def _started(pid: int) -> str | None:
    """When a process began (``proc_pid_stat(5)``, field 22); None for one that only waits to be buried."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold anything
    return None if fields[0] in "ZX" else fields[19]


@contextmanager
def exclusive(directory: Path, timing: Timing = TIMING) -> Iterator[None]:
    """Hold the directory's lock. A killed process leaves it behind, and the next one takes it over.

    If this process was suspended for so long that another one took over, it is interrupted as by SIGTERM.

    Raises:
        RunError: another process holds it (the message names host and process), or took it over meanwhile.
    """
    lease = _acquire(directory, timing)
    try:
        write_atomically(directory / HOLDER_FILE, json.dumps(asdict(this_process())).encode())
        yield
    finally:
        owner = lease.owner
        lost = lease.compromise is not None or owner is None or owner.token != lease.token
        if not lost:
            with suppress(RunError):
                remove(directory / HOLDER_FILE)
        lease.release()
        if not directory.exists():
            raise RunError(
                f"{directory}: was removed while this command wrote it, and the answers in it are gone; "
                "run the same command again to ask anew"
            )
        if lost:
            raise RunError(
                f"{directory}: this command lost its lock: it was suspended and another one took the run "
                "over, or the lock was removed; what is in the directory is kept; run the same command again"
            )


@contextmanager
def reserved(directory: Path) -> Iterator[None]:
    """Hold a run's lock from the moment a command begins, while data are read and the study is planned.

    The directory is made if it does not exist, so that others see who begins what; if the block fails before
    anything was written, what was made is removed again.

    Raises:
        RunError: another process has the run, or the directory cannot be made.
    """
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        make_directory(directory)
        with exclusive(directory):
            yield
    except BaseException:
        with suppress(OSError):  # a directory that holds something stays
            for path in made:
                path.rmdir()
        raise


def recorded_holder(directory: Path) -> LockHolder | None:
    """The process that took the lock and did not give it back, alive or not; None where nobody did.

    Raises:
        RunError: the directory cannot be read.
    """
    path = directory / LOCK_FILE
    try:
        if not path.exists():
            return None
    except OSError as error:
        raise read_error(directory, error) from error
    owner = SoftFileLease(path).owner
    if owner is None:
        return None
    holder = _read_holder(directory / HOLDER_FILE)
    if holder is not None and holder.pid == owner.pid:
        return holder
    return LockHolder(owner.hostname, owner.pid)


class WriterWatch:
    """Looks at a run's lock again and again, and reports who writes the run.

    A holder on another host is dead if its heartbeat has stopped for as long as another process would wait
    before it takes over. The first look cannot know that.

    Args:
        directory: the run.
        silence: seconds without a heartbeat.
        now: seconds on a clock that only goes forward.
    """

    def __init__(
        self, directory: Path, silence: float = TIMING.silence, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._directory, self._silence, self._now = directory, silence, now
        self._heartbeat: int | None = None
        self._seen_at = 0.0

    def writer(self) -> LockHolder | None:
        """The process that writes the run now; None where there is none, or it is dead."""
        heartbeat = _heartbeat(self._directory)
        if heartbeat != self._heartbeat:
            self._heartbeat, self._seen_at = heartbeat, self._now()
        holder = recorded_holder(self._directory)
        if holder is None:
            return None
        alive = holder.alive
        if alive is None:
            alive = self._now() - self._seen_at < self._silence
        return holder if alive else None


def _acquire(directory: Path, timing: Timing) -> SoftFileLease:
    lease = SoftFileLease(
        directory / LOCK_FILE,
        lease_duration=timing.silence,
        heartbeat_interval=timing.heartbeat,
        on_compromise=lambda _: _thread.interrupt_main(signal.SIGTERM),
        thread_local=False,
    )
    try:
        if _tried(lease):
            return lease
        holder = recorded_holder(directory)
        if holder is not None and holder.alive:
            raise _refusal(directory, holder)
        if _waited(lease, directory, holder, timing):
            return lease
    except OSError as error:
        raise write_error(directory, error) from error
    raise _refusal(directory, recorded_holder(directory))


def _waited(lease: SoftFileLease, directory: Path, holder: LockHolder | None, timing: Timing) -> bool:
    """Take the lock over once its heartbeat has stopped for long enough; False at its next heartbeat."""
    _log.warning(
        "%s: %s has the lock of this run; waiting up to %.0f s for a sign of life",
        directory,
        holder or "an unknown process",
        timing.silence,
    )
    before = _heartbeat(directory)
    poll = min(timing.silence / 35, 1.0)
    if _tried(
        lease,
        timeout=timing.silence + 4 * poll,
        poll_interval=poll,
        cancel_check=lambda: _heartbeat(directory) not in (None, before),
    ):
        return True
    if _heartbeat(directory) == before and lease.owner is None:  # made by a process killed before it wrote
        lease.force_break()
        return _tried(lease)
    return False


def _tried(
    lease: SoftFileLease,
    timeout: float = 0,
    poll_interval: float = 0.05,
    cancel_check: Callable[[], bool] | None = None,
) -> bool:
    try:
        lease.acquire(timeout=timeout, poll_interval=poll_interval, cancel_check=cancel_check)
    except (Timeout, LeaseSettingsMismatch):
        return False
    return True


def _refusal(directory: Path, holder: LockHolder | None) -> RunError:
    since = f" since {holder.since}" if holder and holder.since else ""
    who = f"{holder} is writing this run{since}" if holder else "another process is writing this run"
    return RunError(f"{directory}: {who}; wait for it, or choose another --out")


def _heartbeat(directory: Path) -> int | None:
    """When the lock was last touched, by its file server's clock; None where there is no lock."""
    try:
        # opened, so that a network file system asks its server
        with (directory / LOCK_FILE).open("rb") as file:
            return os.fstat(file.fileno()).st_mtime_ns
    except OSError:
        return None


def _read_holder(path: Path) -> LockHolder | None:
    """The holder as it recorded itself; None where the file is damaged or not ours."""
    try:
        with path.open("rb") as file:
            holder = LockHolder(**json.loads(file.read(_MOST_BYTES)))
    except (OSError, ValueError, TypeError, RecursionError):
        return None
    names = (holder.host, holder.since)  # shown to people
    return holder if all(isinstance(name, str) and name[:255].isprintable() for name in names) else None
