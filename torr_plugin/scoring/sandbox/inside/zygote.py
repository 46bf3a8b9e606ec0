"""A warm worker: a process with everything loaded, which forks a child for each chart.

It sees neither programs nor tables: descriptors come by its socket, and go to the child.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import tempfile
import time
import traceback
from contextlib import suppress
from typing import Any

from . import kernel
from .programs import own_memory, prepare, run_alone

_SOCKET = 0


def serve(given: dict[str, Any]) -> None:
    """Answer requests until the other side of the socket is closed.

    A request is two descriptors, the program's and the report's; its answer, when the child is gone, is JSON:
    ``status`` (as ``os.waitpid`` gives it) and ``in_time``.
    """
    os.environ.clear()
    tempfile.tempdir = given["folder"]
    prepare()
    given["own_memory"] = own_memory()
    control = socket.socket(fileno=_SOCKET)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    woken, wake = os.pipe()
    os.set_blocking(woken, False)
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    control.send(b"ready")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 16, 2)
        if not message:
            return
        child = _child(given, *descriptors)
        for each in descriptors:
            os.close(each)
        status, in_time = _wait(child, woken, given["seconds"])
        control.send(json.dumps({"status": status, "in_time": in_time}).encode())


def _child(given: dict[str, Any], request: int, report: int) -> int:
    """Fork the process of one chart, the first of a namespace that dies with it."""
    myself = os.pidfd_open(os.getpid())
    try:
        kernel.unshare(kernel.NEW_PIDS)
        child = os.fork() or _run(given, request, report)
        kernel.own_children_again(myself)
    finally:
        os.close(myself)
    return child


def _run(given: dict[str, Any], request: int, report: int) -> int:
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        run_alone(given, request, report)
    except BaseException:
        with suppress(BaseException):
            traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _wait(child: int, woken: int, seconds: float) -> tuple[int, bool]:
    """Wait until the child ends; kill it at the deadline, and when nobody waits for its chart any more."""
    end = time.monotonic() + seconds
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return status, True
        left = end - time.monotonic()
        ready = select.select([_SOCKET, woken], [], [], max(left, 0))[0]
        if not ready or _SOCKET in ready:
            os.kill(child, signal.SIGKILL)
            return os.waitpid(child, 0)[1], False
        os.read(woken, 64)
