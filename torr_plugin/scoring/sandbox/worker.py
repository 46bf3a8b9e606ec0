"""Our end of a warm worker: starting it, sending it a chart, killing it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import IO

from .launching import environment
from .limits import ChartLimits
from .reports import ChartRun, read_report, without_report

_START_SECONDS = 60
_GRACE = 5  # seconds that a worker has to end a chart after its deadline
_TRIAL = "import matplotlib.pyplot as plt; plt.plot([1, 2])"


class WorkerLostError(Exception):
    """A worker that could not be started, or is gone; the message is what it said last."""


class Worker:
    """A process behind walls, with matplotlib loaded, that forks a child for each chart.

    Args:
        command: what starts it (see :mod:`launching`).
        limits: of each chart.

    Raises:
        WorkerLostError: it does not start.
    """

    def __init__(self, command: Sequence[str], limits: ChartLimits) -> None:
        self._limits = limits
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (closed by close)
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 (our own command)
                command,
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                env=environment(),
                start_new_session=True,
            )
        try:
            self._try()
        except BaseException:
            self.close()
            raise

    def _try(self) -> None:
        if self._answer(time.monotonic() + _START_SECONDS) != b"ready":
            raise WorkerLostError(self._last_words())
        tried = self.run(_TRIAL, b"")
        if tried.values.get("line") != (1.0, 2.0):
            raise WorkerLostError(tried.error or "a trial chart has no values")

    def run(self, program: str, workbook: bytes) -> ChartRun:
        """Run a chart's program.

        Raises:
            WorkerLostError: the worker is gone, or was killed because it did not end the chart in time.
        """
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb", buffering=0) as report:
            try:
                with _request(program, workbook) as request:
                    socket.send_fds(self._socket, [b"chart"], [request.fileno(), writing])
            except OSError as error:
                raise WorkerLostError(self._last_words()) from error
            finally:
                os.close(writing)
            end = time.monotonic() + self._limits.seconds + _GRACE
            data = self._report(report, end)
        answer = self._answer(end)
        if not answer:
            raise WorkerLostError(self._last_words())
        if not data.startswith(b"+"):  # see STARTS inside: no wall may be missing
            raise WorkerLostError(self._last_words())
        if len(data) > self._limits.report:
            return ChartRun(error=f"the program sent more than {self._limits.report:,} bytes")
        told = json.loads(answer)
        if len(data) == 1 or not told["in_time"]:
            return without_report(told["status"], in_time=told["in_time"], seconds=self._limits.seconds)
        return read_report(data[1:])

    def close(self) -> None:
        """Kill the worker, and with it all that it started."""
        self._socket.close()
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._said.close()

    def _report(self, report: IO[bytes], end: float) -> bytes:
        """What the child writes until it ends, and one byte more than the limit at most."""
        data = bytearray()
        while len(data) <= self._limits.report:
            if not select.select([report], [], [], max(end - time.monotonic(), 0))[0]:
                break
            part = report.read(2**16)
            if not part:
                break
            data += part
        return bytes(data)

    def _answer(self, end: float) -> bytes:
        """The worker's next message; empty if it is gone, or says nothing in time."""
        if not select.select([self._socket], [], [], max(end - time.monotonic(), 0))[0]:
            return b""
        with suppress(ConnectionError):
            return self._socket.recv(4096)
        return b""

    def _last_words(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        self._said.seek(0)
        lines = self._said.read(2**16).decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "no answer")[:200]


def _request(program: str, workbook: bytes) -> IO[bytes]:
    """An open file with the program and its workbook, to be read by the child."""
    text = program.encode(errors="replace")
    file = tempfile.TemporaryFile()  # noqa: SIM115 (the caller's)
    file.write(struct.pack("=2Q", len(text), len(workbook)) + text + workbook)
    file.flush()
    file.seek(0)
    return file
