"""Progress on stderr while prompts are counted and models are asked: bars in a terminal, else lines."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from ...running.progress import ModelProgress
from ...running.traffic import ServerTraffic
from ..command import say

_SECONDS_A_LINE = 60.0
_SILENT_SECONDS = 3.0
_SECONDS_A_COUNT = 5.0
_LABEL = Column(max_width=18, no_wrap=True, overflow="ellipsis")


class RunProgress:
    """Draws a bar a model with its rates and the time left; where there is no terminal, a line a minute."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.fields[label]}", markup=False, table_column=_LABEL),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[done]}"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[rate]}", markup=False),
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._models: dict[str, ModelProgress] = {}
        self._tasks: dict[str, Any] = {}
        self._next_line = time.monotonic() + _SECONDS_A_LINE

    def __enter__(self) -> RunProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()

    def start(self, model: str, total: int, done: int) -> None:
        """A model begins: ``done`` of ``total`` unique requests were answered in an earlier run."""
        self._models[model] = ModelProgress(total, done)
        self._tasks[model] = self._progress.add_task(
            "",
            total=total,
            completed=done,
            label=model,
            rate="",
            left="",
            done=_share(done, total),
        )
        if not self._console.is_terminal:
            before = f"{done:,} of {total:,} requests already answered"
            say(f"{model}: {before if done else f'{total:,} requests'}")

    def grow(self, model: str, n: int) -> None:
        """``n`` more requests are to be asked: they follow from answers."""
        self._models[model].total += n

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """``n`` more requests are stored, ``failed`` of them with an error; their answers have ``tokens``."""
        each = self._models[model]
        each.add(n, failed, tokens)
        self._progress.update(
            self._tasks[model],
            completed=each.done,
            total=each.total,
            rate=_rates(each),
            left=remaining(each.seconds_left),
            done=_share(each.done, each.total),
        )
        if not self._console.is_terminal and time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _SECONDS_A_LINE
            self._say_all()

    def traffic(self, model: str, traffic: ServerTraffic) -> None:
        """What the model's server did in this attempt so far."""
        self._models[model].traffic = traffic

    def finish(self, model: str) -> None:
        """A model is asked nothing more."""
        self._progress.update(self._tasks[model], left="")
        self._progress.stop_task(self._tasks[model])
        each = self._models[model]
        if not self._console.is_terminal:
            how = "done" if each.done >= each.total else f"ended at {each.done:,} of {each.total:,}"
            say(f"{model}: {how}{f', {each.failed:,} failed' if each.failed else ''}")

    def _say_all(self) -> None:
        for label, each in self._models.items():
            if each.done < each.total:
                left = remaining(each.seconds_left)
                facts = ", ".join(filter(None, (_rates(each), f"{left} left" if left else "")))
                say(f"{label}: {each.done:,} of {each.total:,}{f'; {facts}' if facts else ''}")


def _rates(each: ModelProgress) -> str:
    """Rates and failures in few characters."""
    requests, tokens = each.rate.a_second()
    parts = [f"{rate_text(requests)}/s"] if requests else []
    parts += [f"{rate_text(tokens)} tok/s"] if tokens else []
    parts += [f"{shortened(each.failed)} failed"] if each.failed else []
    return ", ".join(parts)


def remaining(seconds: float | None) -> str:
    """A time in a few characters: ``45 s``, ``12 min``, ``3 h 20``, ``2 d 5 h``; empty if unknown."""
    if seconds is None:
        return ""
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02}" if hours < 48 else f"{hours // 24} d {hours % 24} h"


def _share(done: int, total: int) -> str:
    return f"{shortened(done)}/{shortened(total)}"


def rate_text(number: float | None) -> str:
    """A rate in few characters; empty if unknown."""
    return "" if not number else shortened(round(number)) if number >= 10 else f"{number:.1f}"


class CountingProgress:
    """Shows how many prompts are counted, if that takes more than a few seconds."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._next = time.monotonic() + _SILENT_SECONDS
        self._status: Any = None

    def __enter__(self) -> CountingProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()

    def __call__(self, done: int, total: int) -> None:
        """``done`` of ``total`` prompts are counted."""
        if time.monotonic() < self._next:
            return
        text = f"Counting tokens: {done:,} of {total:,} prompts"
        if self._console.is_terminal:
            self._next = time.monotonic() + 0.2
            self._show(text)
        else:
            self._next = time.monotonic() + _SECONDS_A_COUNT
            say(text)

    def _show(self, text: str) -> None:
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        self._status.update(text)


def shortened(count: int) -> str:
    """A number in at most six characters: ``950``, ``12.3K``, ``70.1M``."""
    if count < 10_000:
        return f"{count:,}"
    number = float(count)
    for unit in ("K", "M", "G"):
        number /= 1000
        if number < 999.95:
            return f"{number:.1f}{unit}"
    return f"{number / 1000:,.1f}T"


@contextmanager
def table_progress(total: int) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, if that is a terminal; yields the function to call after each table."""
    console = Console(stderr=True)
    columns = (TextColumn("tables"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)
