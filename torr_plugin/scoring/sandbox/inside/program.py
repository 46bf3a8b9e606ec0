"""A warm process with all that charts need, which forks one for each chart, behind walls of its own."""

from __future__ import annotations

import builtins
import ctypes
import gc
import json
import os
import random
import resource
import select
import signal
import struct
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import openpyxl  # noqa: F401 (for programs that read the workbook)
import pandas as pd
from matplotlib import pyplot

from .figures import FirstShown
from .syscall_filter import drawing_alone

_LONGEST_ERROR = 300
_NO_SUID_DEVICES_EXEC = 2 | 4 | 8
_NEW_MOUNTS_AND_PIDS = 0x0002_0000 | 0x2000_0000
_SET_DUMPABLE, _SET_SECCOMP, _DROP_BOUND, _NO_NEW_PRIVILEGES, _AMBIENT = 4, 22, 24, 38, 47
_CAPABILITIES = 41
_REPORT = 3

_libc = ctypes.CDLL(None, use_errno=True)
_encode, _write, _exit = json.JSONEncoder().encode, os.write, os._exit


def serve(given: dict[str, Any]) -> None:
    """Load what charts need, then answer requests: two lengths, a program and its workbook.

    The answer is the status of the program's process, whether it ended in time, the length of its report,
    and that.
    """
    pd.DataFrame({"x": [1]}).plot(kind="bar")  # loads what plotting loads late
    pyplot.close("all")
    os.environ.clear()
    tempfile.tempdir = given["folder"]
    gc.collect()
    gc.freeze()
    _write(1, b"+")
    while select.select([0], [], [])[0]:
        _fork(_supervise, given)  # which reads the request, so that no chart finds anything of another
        if os.wait()[1]:
            _exit(1)


def _fork(act: Callable[..., None], *arguments: object) -> int:
    """Start a process that does this and nothing after it."""
    child = os.fork()
    if child:
        return child
    try:
        act(*arguments)
    except BaseException:
        traceback.print_exc()
        _exit(1)
    _exit(0)
    raise AssertionError("unreachable")


def _supervise(given: dict[str, Any]) -> None:
    """Run a program as the first process of namespaces that end with it, and answer when it has ended."""
    with os.fdopen(0, "rb", closefd=False) as request:
        header = request.read(16)
        if not header:  # the other side is gone
            _exit(1)
        program, workbook = (request.read(length) for length in struct.unpack("=2Q", header))
    _call("unshare", _NEW_MOUNTS_AND_PIDS)
    reading, writing = os.pipe()
    child = _fork(_run, given, program, workbook, writing)
    os.close(writing)
    end, data, part = time.monotonic() + given["seconds"], b"", b"+"
    while part and len(data) <= given["report"] + 1 and _is_readable(reading, end):
        part = os.read(reading, 2**16)
        data += part
    ended, status = os.waitpid(child, os.WNOHANG)
    while not ended and not part and time.monotonic() < end:
        time.sleep(0.002)
        ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    if not data.startswith(b"+"):
        raise RuntimeError("a wall could not be built")
    answer = struct.pack("=iiQ", status, bool(ended), len(data) - 1) + data[1:]
    while answer:
        answer = answer[os.write(1, answer) :]


def _is_readable(source: int, end: float) -> bool:
    return bool(select.select([source], [], [], max(end - time.monotonic(), 0))[0])


def _run(given: dict[str, Any], program: bytes, workbook: bytes, report: int) -> None:
    """Give up what this process could do, run the program, and write its report."""
    os.setsid()
    _enter_own_folder(given)
    _drop_privileges()
    if workbook:
        with open("table.xlsx", "wb") as table:
            table.write(workbook)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(report, _REPORT)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.closerange(_REPORT + 1, 1024)
    _limit(given)
    _install_filter(drawing_alone(threads=given["threads"] > 0))
    _write(_REPORT, b"+")  # all walls stand
    outcome = memoryview(_encode(_outcome(str(program, "utf-8", "replace"), given["values"])).encode())
    while outcome:
        outcome = outcome[_write(_REPORT, outcome) :]


def _enter_own_folder(given: dict[str, Any]) -> None:
    """Cover the temporary folder by one with limits, from which nothing can be run."""
    options = f"size={given['disk']},nr_inodes={given['entries']},mode=700"
    folder = given["folder"].encode()
    _call("mount", b"tmpfs", folder, b"tmpfs", ctypes.c_ulong(_NO_SUID_DEVICES_EXEC), options.encode())
    os.chdir(folder)


def _drop_privileges() -> None:
    """Keep no privilege, and gain none by any program; nothing of this process is ever dumped."""
    for capability in range(_CAPABILITIES):
        _libc.prctl(_DROP_BOUND, ctypes.c_ulong(capability), 0, 0, 0)  # fails for those it does not know
    _call("prctl", _AMBIENT, ctypes.c_ulong(4), ctypes.c_ulong(0), ctypes.c_ulong(0), 0)
    _call("capset", struct.pack("=Ii", 0x2008_0522, 0), bytes(24))
    _call("prctl", _NO_NEW_PRIVILEGES, ctypes.c_ulong(1), ctypes.c_ulong(0), ctypes.c_ulong(0), 0)
    _call("prctl", _SET_DUMPABLE, ctypes.c_ulong(0), 0, 0, 0)


def _limit(given: dict[str, Any]) -> None:
    limits = {
        resource.RLIMIT_AS: given["memory"],
        resource.RLIMIT_CPU: given["processor_seconds"],
        resource.RLIMIT_FSIZE: given["disk"],
        resource.RLIMIT_NOFILE: given["files"],
        resource.RLIMIT_CORE: 1,  # 0 would still hand a crash to the system's crash reporter
        resource.RLIMIT_NPROC: given["threads"],
    }
    for which, most in limits.items():
        hard = resource.getrlimit(which)[1]
        within = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (within, within))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a file that is too long is an error, not a death


def _install_filter(program: bytes) -> None:
    """Install a filter of system calls, instructions of classic BPF, for the rest of this process's life."""
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _call("prctl", _SET_SECCOMP, ctypes.c_ulong(2), filter_, 0, 0)


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _outcome(program: str, most: int) -> dict[str, Any]:
    """What the report says: ``error`` (empty if there is none) and ``values`` by kind of mark."""
    random.seed(0)
    np.random.seed(0)
    shown = FirstShown(most)
    try:
        code = compile(program, "program.py", "exec", dont_inherit=True)
        exec(code, {"__name__": "__main__", "__builtins__": builtins})  # noqa: S102
    except SystemExit as end:
        if end.code not in (None, 0):
            return {"error": f"SystemExit: {end.code}"[:_LONGEST_ERROR], "values": {}}
    except BaseException as error:
        return {"error": _described(error), "values": {}}
    return {"error": "", "values": shown.values()}


def _described(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:_LONGEST_ERROR]
    except BaseException:  # its own text may fail too
        return "an error without a text"
