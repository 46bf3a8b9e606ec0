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
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import LeaseSettingsMismatch, SoftFileLease, Timeout

from ...core.atomic_files import make_directory, read_error, write_error
from ...core.errors import RunError

_log = logging.getLogger(__name__)

LOCK_FILE = ".lock"
SILENCE = 35.0
"""So many seconds without a heartbeat, and a holder on another host is taken for dead."""

_HELD: ContextVar[frozenset[Path]] = ContextVar("_HELD", default=frozenset())


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
        if self.host != this_process().host:
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
def exclusive(directory: Path, silence: float = SILENCE) -> Iterator[None]:
    """Hold the directory's lock. A killed process leaves it behind, and the next one takes it over.

    Within the block, a further block on the same directory holds the same lock. The directory is made if it
    does not exist, so that others see who begins what; if the block fails before anything was written, what
    was made is removed again. If this process was suspended for so long that another one took over, it is
    interrupted as by SIGTERM.

    Raises:
        RunError: another process holds it (the message names host and process), or took it over meanwhile;
            or the directory cannot be made.
    """
    held, path = _HELD.get(), directory.resolve()
    if path in held:
        yield
        return
    missing = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    try:
        make_directory(directory)
        lease = _acquire(directory, silence)
        _HELD.set(held | {path})
        try:
            yield
        finally:
            _HELD.set(_HELD.get() - {path})
            _release(lease, directory)
    except BaseException:
        with suppress(OSError):  # a directory that holds something stays
            for folder in missing:
                folder.rmdir()
        raise


def _acquire(directory: Path, silence: float) -> SoftFileLease:
    lease = SoftFileLease(
        directory / LOCK_FILE,
        lease_duration=silence,
        on_compromise=lambda _: _thread.interrupt_main(signal.SIGTERM),
        thread_local=False,
    )
    try:
        if _tried(lease):
            return lease
        holder, before = recorded_holder(directory), _heartbeat(directory)
        if holder is None or not holder.alive:
            who = holder or "an unknown process"
            waiting = "%s: %s has the lock of this run; waiting up to %.0f s for a sign of life"
            _log.warning(waiting, directory, who, silence)
            if _tried(lease, silence * 1.2, lambda: _heartbeat(directory) not in (None, before)):
                return lease
            if _heartbeat(directory) == before and lease.owner is None:  # its maker died before it wrote
                lease.force_break()
                if _tried(lease):
                    return lease
    except OSError as error:
        raise write_error(directory, error) from error
    who = recorded_holder(directory) or "another process"
    raise RunError(f"{directory}: {who} is writing this run; wait for it, or choose another --out")


def _tried(lease: SoftFileLease, seconds: float = 0.0, cancelled: Callable[[], bool] = lambda: False) -> bool:
    """Whether the lock could be taken within the time."""
    with suppress(Timeout, LeaseSettingsMismatch):
        lease.acquire(timeout=seconds, poll_interval=min(seconds / 40, 1.0), cancel_check=cancelled)
        return True
    return False


def _release(lease: SoftFileLease, directory: Path) -> None:
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


def _heartbeat(directory: Path) -> int | None:
    """When the lock was last touched, by its file server's clock; None where there is no lock."""
    try:
        # opened, so that a network file system asks its server
        with (directory / LOCK_FILE).open("rb") as file:
            return os.fstat(file.fileno()).st_mtime_ns
    except OSError:
        return None


class WriterWatch:
    """Looks at a run's lock again and again, and reports who writes the run.

    A holder on another host is dead if its heartbeat has stopped for as long as another process would wait
    before it takes over. The first look cannot know that.

    Args:
        directory: the run.
        now: seconds on a clock that only goes forward.
    """

    def __init__(self, directory: Path, now: Callable[[], float] = time.monotonic) -> None:
        self._directory, self._now = directory, now
        self._heartbeat: int | None = None
        self._seen_at = 0.0

    def writer(self) -> LockHolder | None:
        """The process that writes the run now; None where there is none, or it is dead."""
        heartbeat = _heartbeat(self._directory)
        if heartbeat != self._heartbeat:
            self._heartbeat, self._seen_at = heartbeat, self._now()
        holder = recorded_holder(self._directory)
        alive = holder is not None and holder.alive
        if alive is None:
            alive = self._now() - self._seen_at < SILENCE
        return holder if alive else None
