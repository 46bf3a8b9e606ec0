"""Progress on stderr while prompts are counted and models are asked: bars in a terminal, else lines."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Column
from rich.text import Text

from ...core.errors import counted
from ...running.progress import ModelProgress
from ...running.traffic import ServerTraffic
from ..command import say
from ..results import clean

# often at first, when a person still looks on
_SECONDS_A_LINE = ((60.0, 10.0), (600.0, 30.0), (float("inf"), 60.0))
_SILENT_SECONDS = 3.0
_SECONDS_A_COUNT = 5.0
_LABEL = Column(max_width=18, no_wrap=True, overflow="ellipsis")


def seconds_to_next_line(elapsed: float) -> float:
    """The time between two lines of progress, ``elapsed`` seconds after the first."""
    return next(seconds for until, seconds in _SECONDS_A_LINE if elapsed < until)


class _Bars(Progress):
    """Bars with lines of text below them."""

    def __init__(self, *columns: ProgressColumn, below: Callable[[], list[str]], **options: Any) -> None:
        self._below = below
        super().__init__(*columns, **options)

    def get_renderables(self) -> Iterator[RenderableType]:
        """The bars, and the lines."""
        yield from super().get_renderables()
        for line in self._below():
            yield Text(clean(line), no_wrap=True, overflow="ellipsis")


class RunProgress:
    """Draws a bar a model with its rates and the time left; without a terminal, a line every so often.

    Lines come from a thread of their own, so that a run that waits for a server is not silent.
    """

    def __init__(self) -> None:
        self._console = _stderr_console()
        self._models: dict[str, ModelProgress] = {}
        self._progress = _Bars(
            TextColumn("{task.fields[label]}", markup=False, table_column=_LABEL),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[done]}"),
            TextColumn("{task.fields[left]}"),
            TextColumn("{task.fields[rate]}", markup=False),
            below=self._troubles,
            console=self._console,
            disable=not self._console.is_terminal,
        )
        self._tasks: dict[str, Any] = {}
        self._ended: set[str] = set()
        self._over = threading.Event()
        self._lines = threading.Thread(target=self._say_lines, name="torr-progress", daemon=True)

    def __enter__(self) -> RunProgress:
        self._progress.start()
        if not self._console.is_terminal:
            self._lines.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
        self._over.set()
        if self._lines.is_alive():
            self._lines.join()

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
            before = f"{done:,} of {counted(total, 'request')} already answered"
            say(f"{model}: {before if done else counted(total, 'request')}")

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
            rate=", ".join(_rates(each)),
            left=remaining(each.seconds_left),
            done=_share(each.done, each.total),
        )

    def traffic(self, model: str, traffic: ServerTraffic) -> None:
        """What the model's server did in this attempt so far."""
        self._models[model].traffic = traffic

    def give_up(self, model: str, reason: str) -> None:
        """The model cannot be asked; the reason comes at the end, with what to do."""
        if len(self._models) > 1:
            self._end(model, "cannot be asked (the reason: at the end, or torr status)")

    def finish(self, model: str) -> None:
        """A model is asked nothing more."""
        each = self._models[model]
        self._progress.update(self._tasks[model], left="")
        self._progress.stop_task(self._tasks[model])
        if not self._console.is_terminal and model not in self._ended:
            how = "done" if each.done >= each.total else f"ended at {each.done:,} of {each.total:,}"
            failed = f"{each.failed:,} failed" if each.failed else ""
            self._end(model, ", ".join(filter(None, [how, failed, traffic_text(each.traffic)])))

    def _end(self, model: str, how: str) -> None:
        self._ended.add(model)
        say(f"{model}: {how}")

    def _troubles(self) -> list[str]:
        """A line for each model whose server did more than answer."""
        found = [(label, traffic_text(each.traffic)) for label, each in list(self._models.items())]
        return [f"{label}: {text}" for label, text in found if text]

    def _say_lines(self) -> None:
        """Say what has changed; if nothing has, that everything still is as it was."""
        began, before = time.monotonic(), dict[str, str]()
        while not self._over.wait(seconds_to_next_line(time.monotonic() - began)):
            waiting = [each for each in list(self._models.items()) if each[1].done < each[1].total]
            lines = {label: _line(each) for label, each in waiting if label not in self._ended}
            changed = {label: line for label, line in lines.items() if line != before.get(label, "")}
            for label, line in (changed or lines).items():
                say(f"{label}: {line}")
            before = lines


def _stderr_console() -> Console:
    """Draws only in a terminal, also where the environment asks for colours in pipes."""
    return Console(stderr=True, force_terminal=sys.stderr is not None and sys.stderr.isatty())


def traffic_text(traffic: ServerTraffic) -> str:
    """What a server did besides answering, in words; empty if nothing."""
    counts = (
        (traffic.rate_limited, "rate limit (429, 503)", "rate limits (429, 503)"),
        (traffic.retries, "retry", "retries"),
        (traffic.pauses, "pause", "pauses"),
        (traffic.slow, "slow request", "slow requests"),
    )
    return ", ".join(counted(count, *words) for count, *words in counts if count)


def _line(each: ModelProgress) -> str:
    """How far a model is, in one line."""
    left = remaining(each.seconds_left)
    facts = [*_rates(each), f"{left} left" if left else "", traffic_text(each.traffic)]
    return "; ".join(filter(None, [f"{each.done:,} of {each.total:,}", ", ".join(filter(None, facts))]))


def _rates(each: ModelProgress) -> list[str]:
    """Rates and failures in few characters."""
    requests, tokens = each.rate.a_second()
    parts = [f"{rate_text(requests)}/s"] if requests else []
    parts += [f"{rate_text(tokens)} tok/s"] if tokens else []
    parts += [f"{shortened(each.failed)} failed"] if each.failed else []
    return parts


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
    if not number:
        return ""
    return shortened(round(number)) if number >= 10 else f"{number:.1f}" if number >= 0.05 else "<0.1"


class CountingProgress:
    """Shows how many prompts are counted, if that takes more than a few seconds."""

    def __init__(self) -> None:
        self._console = _stderr_console()
        self._next = time.monotonic() + _SILENT_SECONDS
        self._shown = False
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
        ended = done >= total and self._shown
        if time.monotonic() < self._next and not ended:
            return
        self._shown = True
        text = f"Counting tokens: {done:,} of {counted(total, 'prompt')}"
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
def table_progress(total: int, unit: str = "tables") -> Iterator[Callable[[], None]]:
    """A progress bar on stderr, if that is a terminal; yields the function to call after each table."""
    console = _stderr_console()
    columns = (TextColumn(unit), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=total)
        yield lambda: progress.advance(task)
