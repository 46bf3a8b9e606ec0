"""One chart: a process that gives up what it could do, runs the program, and reports its values."""

from __future__ import annotations

import builtins
import gc
import json
import mmap
import os
import random
import resource
import signal
import struct
import sys
from typing import Any

import numpy as np

from . import kernel
from .figures import FirstShown
from .filters import drawing_alone

STARTS = b"+"
"""What the report begins with, written before the program runs: all walls and limits stand."""

_LONGEST_ERROR = 300
_encode = json.JSONEncoder().encode


def run_alone(given: dict[str, Any], request: int, report: int) -> None:
    """Run one program in this process, which has been forked for it, and write its report.

    Args:
        given: what the worker was started with.
        request: a descriptor of the file with the program and its workbook: two lengths, then the two.
        report: a descriptor to write the report to, as JSON.
    """
    os.setsid()  # no signal to a group reaches the worker's
    _enter_own_folder(given)
    kernel.drop_privileges(given["user"])
    os.chdir(given["folder"])
    program = _read(request)
    report = _only(report)
    _limit(given)
    kernel.install_filter(drawing_alone(threads=given["threads"] > 0))
    os.write(report, STARTS)
    _write(report, _outcome(program, given["values"]))


def _enter_own_folder(given: dict[str, Any]) -> None:
    """Cover the temporary folder by a file system that ends with this process."""
    kernel.unshare(kernel.NEW_MOUNTS)
    owner = "" if given["user"] is None else f",uid={given['user']},gid={given['user']}"
    options = f"size={given['disk']},nr_inodes={given['entries']},mode=700{owner}"
    kernel.mount(
        "tmpfs", given["folder"], "tmpfs", kernel.NO_SUID | kernel.NO_DEVICES | kernel.NO_EXEC, options
    )


def _read(request: int) -> str:
    """The program; its workbook is written beside it as ``table.xlsx``."""
    with os.fdopen(request, "rb") as file:
        lengths = struct.unpack("=2Q", file.read(16))
        program, workbook = (file.read(length) for length in lengths)
    if workbook:
        with open("table.xlsx", "wb") as table:
            table.write(workbook)
    return str(program, "utf-8", "replace")


def _only(report: int) -> int:
    """Close every file but the report's; nothing is read from or printed to."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nothing, stream)
    os.dup2(report, 3)
    os.closerange(4, 1024)
    return 3


def _limit(given: dict[str, Any]) -> None:
    limits = {
        resource.RLIMIT_AS: given["memory"] + given["own_memory"],
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


def _write(report: int, outcome: dict[str, Any]) -> None:
    data = memoryview(_encode(outcome).encode())
    while data:
        data = data[os.write(report, data) :]


def own_memory() -> int:
    """This process's address space in bytes, to a mebibyte: the least limit at which it gets a page more."""
    low, high = 0, 2**42
    before = resource.getrlimit(resource.RLIMIT_AS)
    while high - low > 2**20:
        middle = (low + high) // 2
        resource.setrlimit(resource.RLIMIT_AS, (middle, before[1]))
        try:
            mmap.mmap(-1, mmap.PAGESIZE).close()
        except (OSError, MemoryError):
            low = middle
        else:
            high = middle
    resource.setrlimit(resource.RLIMIT_AS, before)
    return high


def prepare() -> None:
    """Load what charts need, and draw one, so that no program waits for it."""
    import io

    import openpyxl
    import pandas as pd
    from matplotlib import pyplot as plt

    book = openpyxl.Workbook()
    book.active.append(["x", "y"])
    book.active.append([1, 2])
    data = io.BytesIO()
    book.save(data)
    frame = pd.read_excel(data)
    frame.plot(x="x", y="y", kind="bar")
    plt.legend()
    plt.tight_layout()
    plt.savefig(io.BytesIO())
    plt.close("all")
    sys.stdout.flush()
    gc.collect()
    gc.freeze()
