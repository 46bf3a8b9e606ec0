"""One writer a run directory: a second command on it is refused while the first one works.

The lock is a lease of ``filelock``: a file in the directory, so that it holds between hosts, created
exclusively and touched by its holder every few seconds. It needs no ``fcntl`` or ``flock``, which network
file systems may lack, grant to everyone, or lose when their server restarts. A holder on this host is alive
or not; one on another host is watched, and another process takes over only when its heartbeat has stopped
for much longer. Clocks of two hosts are never compared.
"""

from __future__ import annotations

import _thread
import logging
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import LeaseSettingsMismatch, SoftFileLease, Timeout

from ...core.atomic_files import make_directory, read_error, write_error
from ...core.errors import RunError

_log = logging.getLogger(__name__)

LOCK_FILE = ".lock"


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
        host: its host as ``filelock`` writes it, with a mark of its own for each container.
        pid: its number there.
    """

    host: str
    pid: int

    @property
    def name(self) -> str:
        """The name of its host."""
        return self.host.partition("?")[0]

    def __str__(self) -> str:
        return f"host {self.name}, process {self.pid}"

    @property
    def alive(self) -> bool | None:
        """Whether the process is there; None where that cannot be seen from here, as on another host."""
        if self.host != _this_host():
            return None
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except OSError:  # another user's
            return True
        return not _is_zombie(self.pid)


def this_process() -> LockHolder:
    """This process as the holder of a lock."""
    return LockHolder(_this_host(), os.getpid())


@lru_cache(maxsize=1)
def _this_host() -> str:
    """What locks say of the host, and of the container, of this process."""
    with TemporaryDirectory() as folder, SoftFileLease(Path(folder) / LOCK_FILE) as lease:
        return str(lease.owner.hostname if lease.owner else "")


def _is_zombie(pid: int) -> bool:
    """Whether a process has ended and only waits to be buried (``proc_pid_stat(5)``, field 3)."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] in "ZX"  # the name before it may hold anything


@contextmanager
def exclusive(directory: Path, timing: Timing = TIMING) -> Iterator[None]:
    """Hold the directory's lock. A killed process leaves it behind, and the next one takes it over.

    If this process was suspended for so long that another one took over, it is interrupted as by SIGTERM.

    Raises:
        RunError: another process holds it (the message names host and process), or took it over meanwhile.
    """
    lease = _acquire(directory, timing)
    try:
        yield
    finally:
        owner = lease.owner
        lost = lease.compromise is not None or owner is None or owner.token != lease.token
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
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        make_directory(directory)
        with exclusive(directory):
            yield
    except BaseException:
        with suppress(OSError):  # a directory that holds something stays
            for path in missing:
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
    return None if owner is None else LockHolder(owner.hostname, owner.pid)


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
    who = holder or "another process"
    return RunError(f"{directory}: {who} is writing this run; wait for it, or choose another --out")


def _heartbeat(directory: Path) -> int | None:
    """When the lock was last touched, by its file server's clock; None where there is no lock."""
    try:
        # opened, so that a network file system asks its server
        with (directory / LOCK_FILE).open("rb") as file:
            return os.fstat(file.fileno()).st_mtime_ns
    except OSError:
        return None
