"""Warm processes behind the walls that bubblewrap makes, which fork one for each chart.

:mod:`.inside` is what runs there.
"""

from __future__ import annotations

import atexit
import importlib.util
import json
import os
import select
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from ...core.errors import SandboxError
from ...core.versions import install_hint
from .inside import syscall_filter

Kind: TypeAlias = Literal["line", "bar", "scatter", "pie"]
"""A kind of mark on a chart; the bars of a horizontal bar chart are bars."""

_Process: TypeAlias = "subprocess.Popen[bytes]"

_MIB = 2**20
_START_SECONDS = 60
_GRACE = 5  # seconds that a process has to answer after a chart's deadline
_NEEDED = ("matplotlib", "numpy", "openpyxl", "pandas")
_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/etc/ld.so.cache",
    "/usr/share/fonts",
    "/usr/share/zoneinfo",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_FOLDER = "/chart"
_USER = "1000"
_LONGEST_LINE = 300
_TRIAL = "import matplotlib.pyplot as plt; plt.plot([1, 2])"
_HERE = Path(__file__).resolve().parent
_START = "import json, sys; given = json.loads(sys.argv[1]); sys.path[:] = given['path']; \
from inside.program import serve; serve(given)"


@dataclass(frozen=True)
class ChartLimits:
    """The limits of one chart. A program that goes beyond one ends, with an error of its own or by a signal.

    Attributes:
        seconds: of wall-clock time, kept from outside; 15 is RealHiTBench's own.
        processor_seconds: of processor time, all threads together.
        memory: bytes of address space, that of Python and its libraries (some 700 MiB) included.
        disk: bytes of all files in its temporary folder, and of each.
        entries: files and folders in its temporary folder.
        files: open ones.
        threads: in its one process, none where we are root, whom the kernel does not limit; it can start no
            other process.
        values: y values of a kind of mark that are read from a figure.
        report: bytes that are read from the program's process.
    """

    seconds: float = 15
    processor_seconds: int = 15
    memory: int = 2048 * _MIB
    disk: int = 64 * _MIB
    entries: int = 2048
    files: int = 256
    threads: int = 64
    values: int = 20_000
    report: int = 2 * _MIB


@dataclass(frozen=True)
class ChartRun:
    """One run of a chart's program; nothing that it says is taken on trust but its own score.

    Attributes:
        error: why it did not run to its end, as one line of at most 300 characters; empty if it did.
        values: kind of mark -> the y values of the chart it showed, in the figure's units (of a pie, each
            wedge's share of the circle); None for a missing value.
        unreadable: kind of mark -> why its values could not be read.
    """

    error: str = ""
    values: Mapping[Kind, tuple[float | None, ...]] = field(default_factory=dict)
    unreadable: Mapping[Kind, str] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        """Whether the program ran to its end without an error."""
        return not self.error


class _LostError(Exception):
    """A process that could not be started, or is gone; the message is what it said last."""


class ChartSandbox:
    """Runs charts' programs one at a time, each in a process of its own; threads may share it.

    A warm process is started when it is first needed and forks one for each of many charts. One that is lost
    is replaced, and its chart is run once more.

    Args:
        limits: of each chart.
    """

    def __init__(self, *, limits: ChartLimits | None = None) -> None:
        self.limits = limits or ChartLimits()
        self._free = threading.Lock()
        self._warm: _Process | None = None

    def __enter__(self) -> ChartSandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def check(self) -> None:
        """Start a process and draw a trial chart, if none is there.

        Raises:
            SandboxError: a package or bubblewrap is not installed, or the system gives no namespaces.
        """
        with self._free:
            self._process()

    def run(self, program: str, workbook: bytes = b"") -> ChartRun:
        """Run a program.

        Args:
            program: Python; the worst that a model can write.
            workbook: the XLSX file that it finds as ``table.xlsx``; empty for none.

        Returns:
            How it went, and the values of the chart it showed. Nothing that a program does is an error here.

        Raises:
            SandboxError: as :meth:`check`.
        """
        with self._free:
            for _ in range(2):
                process = self._process()
                try:
                    return _ask(process, self.limits, program, workbook)
                except BaseException as error:
                    self.close()
                    if not isinstance(error, _LostError):
                        raise
                    lost = error
        return ChartRun(error=f"the program's process was lost twice: {lost}")

    def close(self) -> None:
        """End the warm process."""
        if self._warm is not None:
            _end(self._warm)
            self._warm = None

    def _process(self) -> _Process:
        if self._warm is None:
            self._warm = self._started()
        return self._warm

    def _started(self) -> _Process:
        missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            raise SandboxError(
                f"charts: programs that models write need {missing[0]}, which is not installed: "
                f"{install_hint('.[charts]')}"
            )
        if reason := _reason_against():
            raise _refused(reason)
        process = _start(self.limits)
        try:
            _read(process, 1, time.monotonic() + _START_SECONDS)
            tried = _ask(process, self.limits, _TRIAL, b"")
        except _LostError as error:
            _end(process)
            raise _refused(f"bwrap: {error}") from error
        except BaseException:
            _end(process)
            raise
        if tried.values.get("line") != (1.0, 2.0):
            _end(process)
            raise _refused(f"bwrap: {tried.error or 'a trial chart has no values'}")
        return process


def _ask(process: _Process, limits: ChartLimits, program: str, workbook: bytes) -> ChartRun:
    """Have a warm process run a program.

    Raises:
        _LostError: it is gone, or did not answer in time.
    """
    text = program.encode(errors="replace")
    try:
        process.stdin.write(struct.pack("=2Q", len(text), len(workbook)) + text + workbook)  # type: ignore[union-attr]
    except BrokenPipeError:
        raise _LostError(_last_words(process)) from None
    end = time.monotonic() + limits.seconds + _GRACE
    status, in_time, size = struct.unpack("=iiQ", _read(process, 16, end))
    report = _read(process, size, end)
    if size > limits.report:
        return ChartRun(error=f"the program sent more than {limits.report:,} bytes")
    if not in_time:
        return ChartRun(error=f"the program did not end within {limits.seconds:g} s")
    return read_report(report) if report else ChartRun(error=_ended(status))


def _read(process: _Process, size: int, end: float) -> bytes:
    source, data = process.stdout.fileno(), b""  # type: ignore[union-attr]
    while len(data) < size:
        part = b""
        if select.select([source], [], [], max(end - time.monotonic(), 0))[0]:
            part = os.read(source, size - len(data))
        if not part:
            raise _LostError(_last_words(process))
        data += part
    return data


def _last_words(process: _Process) -> str:
    """The last line that a process wrote as an error, which ends it."""
    process.kill()
    said = process.stderr.read().decode(errors="replace")  # type: ignore[union-attr]
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "no answer")[:200]


def _end(process: _Process) -> None:
    """Kill it, and with it all that it started."""
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()  # type: ignore[union-attr]


def read_report(data: bytes) -> ChartRun:
    """A report as the program's process wrote it; one that is no report is an error of the program."""
    try:
        report = json.loads(data, parse_int=float)
        marks = {kind: found for kind, found in report["values"].items() if kind in get_args(Kind)}
        return ChartRun(
            error=_line(report["error"]),
            values={kind: _values(found) for kind, found in marks.items() if isinstance(found, list)},
            unreadable={kind: _line(found) for kind, found in marks.items() if isinstance(found, str)},
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return ChartRun(error="the program sent a false report")


def _values(found: list[Any]) -> tuple[float | None, ...]:
    if not all(value is None or type(value) is float for value in found):
        raise TypeError
    return tuple(found)


def _line(text: Any) -> str:
    """A text by a program, as one line without control characters."""
    if not isinstance(text, str):
        raise TypeError
    shown = "".join(each if each.isprintable() else " " for each in text[:_LONGEST_LINE])
    return " ".join(shown.split()) or ("an error without a text" if text else "")


def _ended(status: int) -> str:
    """What is said of a program that ended without a report."""
    number = status & 0x7F
    with suppress(ValueError):
        return f"the program was ended by the signal {signal.Signals(number).name}"
    return f"the program was ended by the signal {number}" if number else "the program ended its process"


def _start(limits: ChartLimits) -> _Process:
    """Start a warm process; see :func:`.inside.program.serve`."""
    paths = _visible_paths()
    threads = limits.threads if os.geteuid() else 0
    given = {**asdict(limits), "threads": threads, "path": [str(_HERE), *_module_path()], "folder": _FOLDER}
    environment = {
        "HOME": _FOLDER,
        "LC_ALL": "C.UTF-8",
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": _FOLDER,
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
    }
    command = [
        shutil.which("bwrap") or "bwrap",
        *("--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--as-pid-1"),
        *("--uid", _USER, "--gid", _USER, "--hostname", "sandbox"),
        # to cover its folder by one with limits; given up in a chart's process
        *("--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETPCAP"),
        *(part for path in paths for part in ("--ro-bind", path, path)),
        *(part for device in _DEVICES for part in ("--dev-bind", device, device)),
        *("--size", str(limits.disk), "--tmpfs", _FOLDER, "--remount-ro", "/", "--chdir", _FOLDER),
        *("--", _executable(), "-S", "-s", "-B", "-c", _START, json.dumps(given)),
    ]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=environment)  # noqa: S603


def _visible_paths() -> list[str]:
    """What a program sees of the system: Python, the packages that charts need, system libraries, fonts."""
    prefixes = sorted({sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix})
    libraries = [str(Path(prefix) / name) for prefix in prefixes for name in ("lib", "lib64")]
    wanted = [*_SYSTEM, *libraries, *_module_path(), _executable(), str(_HERE / "inside")]
    there = dict.fromkeys(path for path in wanted if os.path.exists(path))
    return [path for path in there if not any(path.startswith(f"{other}/") for other in there)]


def _executable() -> str:
    return os.path.realpath(sys.executable)


def _module_path() -> list[str]:
    """The entries of Python's path with the standard library, and with packages that charts need."""
    standard = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    return list(dict.fromkeys([*standard, sysconfig.get_config_var("DESTSHARED"), *_package_folders()]))


def _package_folders() -> Iterator[str]:
    for name in _NEEDED:
        found = importlib.util.find_spec(name)
        if found is not None and found.origin:
            yield str(Path(found.origin).parents[1])
    yield from (entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages"))


def _reason_against() -> str:
    """Why there can be no sandbox on this system; empty if it may be tried."""
    if sys.platform != "linux":
        return "not on Linux"
    if not syscall_filter.is_known():
        return f"no filter of system calls for {os.uname().machine}"
    return "" if shutil.which("bwrap") else "bwrap: not installed"


def _refused(reason: str) -> SandboxError:
    return SandboxError(
        f"charts: no sandbox here ({reason}), so that a program written by a model could read and change "
        "your files, reach your other programs, and use up the machine; expected Linux with bubblewrap "
        "and namespaces"
    )


def shared_sandbox() -> ChartSandbox:
    """This process's sandbox of one worker, made when first needed and ended with the process."""
    return _sandbox_of(os.getpid())


@lru_cache(maxsize=1)
def _sandbox_of(process: int) -> ChartSandbox:
    """One that a forked process inherits is its parent's; it makes another."""
    sandbox = ChartSandbox()
    atexit.register(lambda: sandbox.close() if os.getpid() == process else None)
    return sandbox
