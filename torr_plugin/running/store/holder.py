"""Who writes a run: a process, told apart from every other on any host."""

from __future__ import annotations

import json
import os
import socket
import uuid
from dataclasses import asdict, dataclass, fields
from datetime import datetime, timezone
from pathlib import Path

_PROC = Path("/proc")
_LAST_PID = 2**31 - 1
_SHOWN = ("host", "since", "token")
_LONGEST_WORD = 255


@dataclass(frozen=True, slots=True)
class Holder:
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


def this_process() -> Holder:
    """This process as the holder of a lock that it takes now."""
    return Holder(
        host=socket.gethostname(),
        pid=os.getpid(),
        started=_process(os.getpid())[1],
        boot=_boot(),
        namespace=_namespace(),
        since=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        token=uuid.uuid4().hex,
    )


def holder_of(text: str) -> Holder | None:
    """The holder that a line names; None where it names none."""
    try:
        said = json.loads(text)
        known = {field.name: said[field.name] for field in fields(Holder)}
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    numbered = isinstance(known["pid"], int) and 0 < known["pid"] <= _LAST_PID
    return Holder(**known) if numbered and all(map(_is_word, map(known.get, _SHOWN))) else None


def _is_word(value: object) -> bool:
    """Whether a value can be shown as it is: a host's name has at most 255 characters (RFC 1123)."""
    return isinstance(value, str) and len(value) <= _LONGEST_WORD and value.isprintable()


def _boot() -> str | None:
    return _read(_PROC / "sys/kernel/random/boot_id")


def _namespace() -> str | None:
    try:
        return os.readlink(_PROC / "self/ns/pid")
    except OSError:
        return None


def _process(pid: int) -> tuple[str | None, int | None]:
    """State and start of a process (``proc_pid_stat(5)``, fields 3 and 22); None where they are not shown."""
    text = _read(_PROC / str(pid) / "stat")
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


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
