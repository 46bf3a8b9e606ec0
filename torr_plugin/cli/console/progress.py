"""Progress on stderr while prompts are counted and models are asked: bars in a terminal, else lines."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.table import Column

from ...core.errors import counted
from ...running.progress import ModelProgress, Progress
from ...running.traffic import ServerTraffic
from ..command import say

_LABEL = Column(max_width=18, no_wrap=True, overflow="ellipsis")
_FACTS = Column(no_wrap=True, overflow="ellipsis")


def seconds_to_next_line(elapsed: float) -> float:
    """The time between two lines, ``elapsed`` seconds after the first: often while a person looks on."""
    return 10.0 if elapsed < 60 else 30.0 if elapsed < 600 else 60.0


class RunProgress(Progress):
    """Draws a bar a model with its rates and the time left; without a terminal, a line every so often.

    Lines come from a thread of their own, so that a run that waits for a server is not silent.
    """

    def __init__(self) -> None:
        console = _stderr_console()
        self._drawn = console.is_terminal
        self._models: dict[str, ModelProgress] = {}
        self._progress = Bars(
            TextColumn("{task.fields[label]}", markup=False, table_column=_LABEL),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[facts]}", markup=False, table_column=_FACTS),
            console=console,
            disable=not self._drawn,
        )
        self._tasks: dict[str, Any] = {}
        self._ended: set[str] = set()
        self._over = threading.Event()
        self._lines = threading.Thread(target=self._say_lines, name="torr-progress", daemon=True)

    def __enter__(self) -> RunProgress:
        self._progress.start()
        if not self._drawn:
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
        self._tasks[model] = self._progress.add_task("", label=model, facts="")
        self._draw(model)
        if not self._drawn:
            before = f"{done:,} of {counted(total, 'request')} already answered"
            say(f"{model}: {before if done else counted(total, 'request')}")

    def grow(self, model: str, n: int) -> None:
        """``n`` more requests are to be asked: they follow from answers."""
        self._models[model].total += n

    def advance(self, model: str, n: int, failed: int, tokens: int = 0) -> None:
        """``n`` more requests are stored, ``failed`` of them with an error; their answers have ``tokens``."""
        self._models[model].add(n, failed, tokens)
        self._draw(model)

    def traffic(self, model: str, traffic: ServerTraffic) -> None:
        """What the model's server did in this attempt so far."""
        self._models[model].traffic = traffic
        self._draw(model)

    def give_up(self, model: str, reason: str) -> None:
        """The model cannot be asked; the reason comes at the end, with what to do."""
        if len(self._models) > 1:
            self._end(model, "cannot be asked (the reason: at the end, or torr status)")

    def finish(self, model: str) -> None:
        """A model is asked nothing more."""
        each = self._models[model]
        self._progress.stop_task(self._tasks[model])
        if not self._drawn and model not in self._ended:
            how = "done" if each.done >= each.total else f"ended at {each.done:,} of {each.total:,}"
            failed = f"{each.failed:,} failed" if each.failed else ""
            self._end(model, ", ".join(filter(None, [how, failed, traffic_text(each.traffic)])))

    def _draw(self, model: str) -> None:
        each = self._models[model]
        done = f"{shortened(each.done)}/{shortened(each.total)}"
        facts = f"{done} {_facts(each)}"
        self._progress.update(self._tasks[model], completed=each.done, total=each.total, facts=facts)

    def _end(self, model: str, how: str) -> None:
        self._ended.add(model)
        say(f"{model}: {how}")

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
    return "; ".join(filter(None, [f"{each.done:,} of {each.total:,}", _facts(each)]))


def _facts(each: ModelProgress) -> str:
    """Rates, failures, time left and what the server did."""
    requests, tokens = each.rate.a_second()
    left = remaining(each.seconds_left)
    facts = {
        f"{rate_text(requests)}/s": requests,
        f"{rate_text(tokens)} tok/s": tokens,
        f"{shortened(each.failed)} failed": each.failed,
        f"{left} left": left,
        traffic_text(each.traffic): True,
    }
    return ", ".join(text for text, known in facts.items() if known and text)


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


def rate_text(number: float | None) -> str:
    """A rate in few characters; empty if unknown."""
    if not number:
        return ""
    return shortened(round(number)) if number >= 10 else f"{number:.1f}" if number >= 0.05 else "<0.1"


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
def counting(unit: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on stderr, if that is a terminal; yields what takes how many are done, and of how many."""
    console = _stderr_console()
    columns = (TextColumn(unit), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
