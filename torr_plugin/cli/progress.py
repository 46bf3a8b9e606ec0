"""How far the models of a run are, drawn in a terminal, or said in lines."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars
from rich.table import Column

from ..core.errors import counted
from ..running.progress import ModelProgress, Progress
from .command import say
from .console import rate_text, remaining, shortened, stderr

SECONDS_A_LINE = 20.0


class RunProgress(Progress):
    """Draws a bar a model with its rates and the time left; without a terminal, a line every so often."""

    def __init__(self) -> None:
        console = stderr()
        self._drawn = console.is_terminal
        label = Column(max_width=18, no_wrap=True, overflow="ellipsis")
        facts = Column(no_wrap=True, overflow="ellipsis")
        self._progress = Bars(
            TextColumn("{task.fields[label]}", markup=False, table_column=label),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[facts]}", markup=False, table_column=facts),
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

    def show(self, model: str, each: ModelProgress) -> None:
        """Draw it; without a terminal say its beginning, its end, and now and then how far it is."""
        done = f"{each.done:,} of {each.total:,}"
        if model not in self._tasks:
            self._tasks[model] = self._progress.add_task("", label=model, facts="")
            total = counted(each.total, "request")
            self._say(model, f"{each.done:,} of {total} already answered" if each.done else total)
        elif each.ended:
            self._progress.stop_task(self._tasks[model])
            how = "done" if each.done >= each.total else f"ended at {done}"
            self._say(model, how + (f", {each.failed:,} failed" if each.failed else ""))
        elif each.unloaded and len(self._tasks) > 1:  # the reason comes at the end, with what to do
            say(f"{model}: cannot be asked (the reason: at the end, or torr status)")
        facts = f"{shortened(each.done)}/{shortened(each.total)} {_facts(each)}"
        self._progress.update(self._tasks[model], completed=each.done, total=each.total, facts=facts)
        if time.monotonic() - self._said[model] >= SECONDS_A_LINE and each.done < each.total:
            self._say(model, "; ".join(filter(None, [done, _facts(each)])))

    def _say(self, model: str, line: str) -> None:
        """Say a line of a model where no bars are drawn."""
        if not self._drawn:
            say(f"{model}: {line}")
        self._said[model] = time.monotonic()


def _facts(each: ModelProgress) -> str:
    """Rates, failures and time left."""
    requests, tokens = each.rate.a_second()
    left = remaining(each.seconds_left)
    facts = {
        f"{rate_text(requests)}/s": requests,
        f"{rate_text(tokens)} tok/s": tokens,
        f"{shortened(each.failed)} failed": each.failed,
        f"{left} left": left,
    }
    return ", ".join(text for text, known in facts.items() if known)
