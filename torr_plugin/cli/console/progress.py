"""Progress on stderr while prompts are counted and models are asked: bars in a terminal, else lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Column

from ...core.errors import counted
from ...running.progress import ModelProgress
from ...running.traffic import ServerTraffic
from ..command import say

SECONDS_A_LINE = 20.0
_LABEL = Column(max_width=18, no_wrap=True, overflow="ellipsis")
_FACTS = Column(no_wrap=True, overflow="ellipsis")


class RunProgress:
    """Draws a bar a model with its rates and the time left; without a terminal, a line every so often."""

    def __init__(self) -> None:
        console = _stderr_console()
        self._drawn = console.is_terminal
        self._models: dict[str, ModelProgress] = {}
        self._progress = Progress(
            TextColumn("{task.fields[label]}", markup=False, table_column=_LABEL),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[facts]}", markup=False, table_column=_FACTS),
            console=console,
            disable=not self._drawn,
        )
        self._tasks: dict[str, Any] = {}
        self._said = dict[str, float]()

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
        self._tasks[model] = self._progress.add_task("", label=model, facts="")
        before = f"{done:,} of {counted(total, 'request')} already answered"
        self._say(model, before if done else counted(total, "request"))
        self._draw(model)

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
            say(f"{model}: cannot be asked (the reason: at the end, or torr status)")

    def finish(self, model: str) -> None:
        """A model is asked nothing more."""
        each = self._models[model]
        self._progress.stop_task(self._tasks[model])
        how = "done" if each.done >= each.total else f"ended at {each.done:,} of {each.total:,}"
        failed = f"{each.failed:,} failed" if each.failed else ""
        self._say(model, ", ".join(filter(None, [how, failed, traffic_text(each.traffic)])))

    def _draw(self, model: str) -> None:
        each = self._models[model]
        done = f"{shortened(each.done)}/{shortened(each.total)}"
        facts = f"{done} {_facts(each)}"
        self._progress.update(self._tasks[model], completed=each.done, total=each.total, facts=facts)
        if time.monotonic() - self._said[model] >= SECONDS_A_LINE and each.done < each.total:
            self._say(model, "; ".join(filter(None, [f"{each.done:,} of {each.total:,}", _facts(each)])))

    def _say(self, model: str, line: str) -> None:
        """Say a line of a model where no bars are drawn."""
        if not self._drawn:
            say(f"{model}: {line}")
        self._said[model] = time.monotonic()


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
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
