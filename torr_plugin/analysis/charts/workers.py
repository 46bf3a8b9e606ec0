"""Processes that draw charts: vl-convert holds Python's lock, so that threads in one process gain nothing.

A worker needs half a second of a processor to start and some 150 MB to draw; it starts at once, so that it is
ready when the charts are. A site has workers compute figures, too.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Condition
from typing import Any

from ...core.atomic_files import write_file
from .rendering import to_pdf, to_png, to_svg
from .vega import Spec
from .worker_process import WorkerProcess

Job = tuple[str, Spec]
"""A file name without its ending, and the chart's specification."""

ENDINGS = (".svg", ".png", ".pdf")

MOST_WORKERS = 4

_SMALLEST: Spec = {"data": {"values": [{}]}, "mark": "point"}


def draw_chart(stem: str, specification: Spec) -> str | None:
    """Draw a chart as SVG, PNG and PDF; return the error as a line, or None."""
    try:
        svg = to_svg(specification)
        for ending, content in zip(ENDINGS, (svg.encode("utf-8"), to_png(svg), to_pdf(svg)), strict=True):
            write_file(Path(stem + ending), content, flush=False)
    except Exception as error:  # vl-convert passes on any error of its JavaScript
        return _line(error)
    return None


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


def call_here(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns, computed in this process."""
    return function(*arguments)


def _warm_up(modules: Sequence[str]) -> None:
    """Pay for the first chart's start-up, and for imports, while the figures are computed."""
    to_png(to_svg(_SMALLEST))
    for name in modules:
        with suppress(Exception):  # whatever an import raises; who needs the module is told
            import_module(name)


class _Urgency(IntEnum):
    """What a worker that is free does first: what a page waits for."""

    PAGE = 0
    FIGURE = 1
    FILE = 2


class ChartWorkers:
    """Draws charts on several processors.

    Args:
        workers: the processes; without one, charts are drawn here.
        folder: where charts that are drawn ahead wait; without one, none is.
    """

    def __init__(self, workers: Sequence[WorkerProcess], folder: Path | None = None) -> None:
        self._threads = ThreadPoolExecutor(max(1, len(workers)))
        self._computing = ThreadPoolExecutor(len(workers)) if workers else None
        self._idle: list[Callable[..., Any]] = [worker.call for worker in workers] or [call_here]
        self._asking: Counter[_Urgency] = Counter()
        self._freed = Condition()
        self._folder = folder
        self._numbers = itertools.count()  # figures that are computed at the same time ask at the same time
        self._ahead: dict[str, tuple[str, Future[str | None]]] = {}

    def draw_ahead(self, specification: Spec) -> None:
        """Start to draw a chart that :meth:`draw` is likely to be asked for."""
        key = json.dumps(specification)
        if self._folder is not None and key not in self._ahead:
            stem = str(self._folder / str(next(self._numbers)))
            self._ahead[key] = stem, self._threads.submit(self._draw, (stem, specification))

    def draw(self, jobs: Sequence[Job], on_drawn: Callable[[str], object] | None = None) -> dict[str, str]:
        """Draw them all; the file name of each that cannot be drawn, and why.

        ``on_drawn`` is called with the file name of each other one, in any thread, as soon as it is there.
        """
        # the largest first, so that no worker is left with it at the end
        ordered = sorted(jobs, key=lambda job: -len(job[1].get("datasets", {}).get("rows", ())))
        failures = list(self._threads.map(partial(self._draw_or_copy, on_drawn), ordered))
        return {stem: why for (stem, _), why in zip(ordered, failures, strict=True) if why is not None}

    def svg(self, specification: Mapping[str, Any]) -> str:
        """A chart as SVG, without a file.

        Raises:
            ValueError: it cannot be drawn.
        """
        found: str = self._call(_Urgency.PAGE, to_svg, dict(specification))
        return found

    def ahead(self, function: Callable[..., Any], *arguments: Any) -> Callable[[], Any]:
        """Start to compute what the returned function gives; without processes it is computed when asked for.

        Args:
            function: a module's, so that a process can import it.
            arguments: that can be pickled. The process knows nothing that was registered in this one.
        """
        if self._computing is None:
            return partial(function, *arguments)
        return self._computing.submit(self._call, _Urgency.FIGURE, function, *arguments).result

    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a module's function returns, for a page: computed by the next process that is free.

        It is computed here where another page waits for a process already, so that the work is shared.
        """
        with self._freed:
            awaited = self._asking[_Urgency.PAGE] > 0
        return function(*arguments) if awaited else self._call(_Urgency.PAGE, function, *arguments)

    def close(self) -> None:
        """Draw and compute no more of what was asked for."""
        pools = [each for each in (self._threads, self._computing) if each is not None]
        for pool in pools:  # all of them before one is waited for, as charts wait for figures
            pool.shutdown(wait=False, cancel_futures=True)
        for pool in pools:
            pool.shutdown()

    def _draw_or_copy(self, on_drawn: Callable[[str], object] | None, job: Job) -> str | None:
        stem, specification = job
        ahead, failure = self._ahead.get(json.dumps(specification), ("", None))
        why = self._draw(job) if failure is None else failure.result()
        for ending in ENDINGS if failure is not None and why is None else ():
            write_file(Path(stem + ending), Path(ahead + ending).read_bytes(), flush=False)
        if why is None and on_drawn is not None:
            on_drawn(stem)
        return why

    def _draw(self, job: Job) -> str | None:
        failure: str | None = self._call(_Urgency.FILE, draw_chart, *job)
        return failure

    def _call(self, urgency: _Urgency, function: Callable[..., Any], *arguments: Any) -> Any:
        with self._freed:
            self._asking[urgency] += 1
            try:
                self._freed.wait_for(
                    lambda: self._idle and not any(self._asking[each] for each in _Urgency if each < urgency)
                )
            finally:
                self._asking[urgency] -= 1
                self._freed.notify_all()  # another may be idle for what is less urgent
            call = self._idle.pop()
        try:
            return call(function, *arguments)
        finally:
            with self._freed:
                self._idle.append(call)
                self._freed.notify_all()


@contextmanager
def chart_workers(count: int | None = None, modules: Sequence[str] = ()) -> Iterator[ChartWorkers]:
    """Start processes that draw charts, as many as there are processors, and end them after the body.

    Each imports ``modules`` when it starts: those of the functions that it is likely to be given.
    """
    wanted = min(os.cpu_count() or 1, MOST_WORKERS) if count is None else count
    started: list[WorkerProcess] = []
    with TemporaryDirectory() as folder:
        try:
            for _ in range(wanted):
                try:
                    started.append(WorkerProcess(partial(_warm_up, modules)))
                except OSError:  # no more processes here: the rest does
                    break
            workers = ChartWorkers(started, Path(folder) if started else None)
            try:
                yield workers
            finally:
                workers.close()
        finally:
            for worker in started:
                worker.stop()
