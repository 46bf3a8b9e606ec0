"""Warm workers, kept for one chart after another."""

from __future__ import annotations

import atexit
import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import TracebackType

from ...core.errors import SandboxError
from ...core.versions import install_hint
from .launching import bubblewrap, missing_packages, reason_against
from .limits import ChartLimits
from .reports import ChartRun
from .worker import Worker, WorkerLostError


class ChartSandbox:
    """Runs charts' programs in warm workers; threads may share it.

    A worker is started when it is first needed and serves many charts, each in a child process of its own.
    One that is lost is replaced, and its chart is run once more.

    Args:
        workers: how many charts run at a time.
        limits: of each chart.
    """

    def __init__(self, *, workers: int = 1, limits: ChartLimits | None = None) -> None:
        self.limits = limits or ChartLimits()
        self._workers = workers
        self._free = threading.BoundedSemaphore(workers)
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()

    def __enter__(self) -> ChartSandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def check(self) -> None:
        """Start a worker if none is there.

        Raises:
            SandboxError: a package or bubblewrap is not installed, or the system gives no namespaces.
        """
        with self._free:
            self._idle.put(self._worker())

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
            for attempt in range(2):
                worker = self._worker()
                try:
                    found = worker.run(program, workbook)
                except WorkerLostError as error:
                    worker.close()
                    if attempt:
                        return ChartRun(error=f"the program's worker was lost twice: {error}")
                except BaseException:
                    worker.close()
                    raise
                else:
                    self._idle.put(worker)
                    return found
        raise AssertionError("unreachable")

    def run_all(self, charts: Sequence[tuple[str, bytes]]) -> list[ChartRun]:
        """Run programs, each with its workbook, as many at a time as there are workers."""
        with ThreadPoolExecutor(self._workers) as pool:
            return list(pool.map(lambda chart: self.run(*chart), charts))

    def close(self) -> None:
        """End the workers that are idle."""
        while True:
            try:
                self._idle.get_nowait().close()
            except queue.Empty:
                return

    def _worker(self) -> Worker:
        try:
            return self._idle.get_nowait()
        except queue.Empty:
            pass
        _check_system()
        try:
            return Worker(bubblewrap(self.limits), self.limits)
        except (WorkerLostError, OSError) as error:
            raise _refused(f"bwrap: {error}") from error


def _check_system() -> None:
    missing = missing_packages()
    if missing:
        raise SandboxError(
            f"charts: programs that models write need {missing[0]}, which is not installed: "
            f"{install_hint('.[charts]')}"
        )
    if reason := reason_against():
        raise _refused(reason)


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
    _at_exit(sandbox.close, process)
    return sandbox


def _at_exit(close: Callable[[], None], process: int) -> None:
    atexit.register(lambda: close() if os.getpid() == process else None)
