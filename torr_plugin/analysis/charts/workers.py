"""Processes that draw charts: vl-convert holds Python's lock, so that threads in one process gain nothing.

A worker needs half a second of a processor to start and some 150 MB; it starts at once, so that it is ready
when the charts are.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import IO, Any

from ...core.atomic_files import write_file
from .rendering import to_pdf, to_png, to_svg
from .vega import Spec

Job = tuple[str, Spec]
"""A file name without its ending, "" for none, and the chart's specification."""

ENDINGS = (".svg", ".png", ".pdf")

MOST_WORKERS = 4

_SMALLEST: Spec = {"data": {"values": [{}]}, "mark": "point"}


def draw_chart(stem: str, specification: Spec) -> str | None:
    """Draw a chart as SVG, PNG and PDF; return the error as a line, or None."""
    try:
        svg = to_svg(specification)
        write_file(Path(f"{stem}.svg"), svg.encode("utf-8"))
        write_file(Path(f"{stem}.png"), to_png(svg))
        write_file(Path(f"{stem}.pdf"), to_pdf(svg))
    except Exception as error:  # vl-convert passes on any error of its JavaScript
        return _line(error)
    return None


def _answered(job: Job) -> tuple[str | None, str]:
    """Draw a chart; the error as a line, or None, and the SVG where it has no file."""
    stem, specification = job
    if stem:
        return draw_chart(stem, specification), ""
    try:
        return None, to_svg(specification)
    except Exception as error:  # as above
        return _line(error), ""


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


class ChartWorker:
    """A process that draws one chart after the other."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", __name__]
        self._process = subprocess.Popen(  # noqa: S603 (our own module)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="ascii",
        )

    def draw(self, job: Job) -> tuple[str | None, str]:
        """Draw a chart in the process; in this one where that has ended."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018 (they are pipes)
        try:
            stdin.write(json.dumps(job) + "\n")
            stdin.flush()
            answer = stdout.readline()
        except OSError:
            answer = ""
        return tuple(json.loads(answer)) if answer else _answered(job)

    def stop(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()


class ChartWorkers:
    """Draws charts on several processors.

    Args:
        workers: the processes; without one, charts are drawn here.
        folder: where charts that are drawn ahead wait; without one, none is.
    """

    def __init__(self, workers: Sequence[ChartWorker], folder: Path | None = None) -> None:
        self._threads = ThreadPoolExecutor(max(1, len(workers)))
        self._idle: SimpleQueue[Callable[[Job], tuple[str | None, str]]] = SimpleQueue()
        for draw in [worker.draw for worker in workers] or [_answered]:
            self._idle.put(draw)
        self._folder = folder
        self._numbers = itertools.count()  # figures that are computed at the same time ask at the same time
        self._ahead: dict[str, tuple[str, Future[str | None]]] = {}

    def draw_ahead(self, specification: Spec) -> None:
        """Start to draw a chart that :meth:`draw` is likely to be asked for."""
        key = json.dumps(specification)
        if self._folder is not None and key not in self._ahead:
            stem = str(self._folder / str(next(self._numbers)))
            self._ahead[key] = stem, self._threads.submit(self._draw, (stem, specification))

    def draw(self, jobs: Sequence[Job]) -> dict[str, str]:
        """Draw them all; the file name of each that cannot be drawn, and why."""
        # the largest first, so that no worker is left with it at the end
        ordered = sorted(jobs, key=lambda job: -len(job[1].get("datasets", {}).get("rows", ())))
        failures = list(self._threads.map(self._drawn, ordered))
        return {stem: why for (stem, _), why in zip(ordered, failures, strict=True) if why is not None}

    def svg(self, specification: Mapping[str, Any]) -> str:
        """A chart as SVG, without a file.

        Raises:
            RuntimeError: it cannot be drawn.
        """
        failure, svg = self._answer(("", dict(specification)))
        if failure is not None:
            raise RuntimeError(failure)
        return svg

    def close(self) -> None:
        """Draw no more of what was asked for ahead."""
        self._threads.shutdown(cancel_futures=True)

    def _drawn(self, job: Job) -> str | None:
        stem, specification = job
        ahead, failure = self._ahead.get(json.dumps(specification), ("", None))
        if failure is None:
            return self._draw(job)
        why = failure.result()
        for ending in ENDINGS if why is None else ():
            write_file(Path(stem + ending), Path(ahead + ending).read_bytes())
        return why

    def _draw(self, job: Job) -> str | None:
        return self._answer(job)[0]

    def _answer(self, job: Job) -> tuple[str | None, str]:
        draw = self._idle.get()
        try:
            return draw(job)
        finally:
            self._idle.put(draw)


@contextmanager
def chart_workers(count: int | None = None) -> Iterator[ChartWorkers]:
    """Start processes that draw charts, as many as there are processors, and end them after the body."""
    wanted = min(os.cpu_count() or 1, MOST_WORKERS) if count is None else count
    started: list[ChartWorker] = []
    with TemporaryDirectory() as folder:
        try:
            for _ in range(wanted):
                try:
                    started.append(ChartWorker())
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


def _work(jobs: IO[str], answers: IO[str]) -> None:
    to_png(to_svg(_SMALLEST))  # pays for the first chart's start-up while the figures are computed
    for line in jobs:
        stem, specification = json.loads(line)
        answers.write(json.dumps(_answered((stem, specification))) + "\n")
        answers.flush()


if __name__ == "__main__":
    _work(sys.stdin, sys.stdout)
