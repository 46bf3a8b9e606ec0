"""What ``torr plan`` shows a person."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Any

from .command import say
from .console import print_rows, say_in_columns
from .results import results

if TYPE_CHECKING:
    from ..workflows.study import Left

_SILENT_SECONDS = 3.0
_SECONDS_A_LINE = 5.0


class CountingProgress:
    """Tells how many prompts are counted, where that takes longer than some seconds."""

    def __init__(self) -> None:
        from rich.console import Console

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
            self._next = time.monotonic() + _SECONDS_A_LINE
            say(text)

    def _show(self, text: str) -> None:
        if self._status is None:
            self._status = self._console.status(text)
            self._status.start()
        self._status.update(text)


def show_plan(
    datasets: Sequence[Mapping[str, Any]],
    models: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
    *,
    run: Path = Path(),
    left: Mapping[str, Left] = MappingProxyType({}),
) -> None:
    """The tables of what would run, a row a data set and a row a model, within 80 columns.

    Args:
        datasets: as :func:`.recipes.outline` has them.
        models: likewise.
        notes: what is to be said below.
        run: the directory it would be run in.
        left: what is left to ask there, by model, where it holds a run.
    """
    print_rows([_dataset(row) for row in datasets], left=("dataset",))
    if models:
        results().write("\n")
        print_rows([_model(row) for row in models], left=("model",))
    priced = [row for row in models if row["cost"] is not None]
    if priced:
        results().write("\n")
        print_rows([_priced(row) for row in priced], left=("US dollars",))
    if left:
        results().write("\n")
        print_rows([_resumed(run, label, each) for label, each in left.items()], left=(f"in {run}",))
    for text in notes:
        say_in_columns(text)
    for text in _legend(models, bool(priced)):
        say_in_columns(text)


def _dataset(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "dataset": row["dataset"],
        "asked": f"{row['configurations']} x {row['examples']}",
        "shots": "" if row["shots"] is None else row["shots"],
        "prompts": row["prompts"],
        "unique": row["unique prompts"],
        "tokens": f"~{shortened(row['estimated tokens'])}",
        "longest": row["longest prompt"],
        "shared": row["shared beginning"],
    }


def _model(row: Mapping[str, Any]) -> dict[str, Any]:
    about = "~" if row["counted"] == "estimated" else ""
    tokens = row["prompt tokens"]
    return {
        "model": row["model"],
        "requests": row["requests"],
        "unique": row["unique requests"],
        "tokens": about + shortened(tokens),
        "longest": f"{about}{row['longest prompt']:,}",
        "saved": _share(row["saved tokens"], tokens),
        "blocks": _share(row["saved in blocks"], tokens),
        "answers": shortened(row["answer tokens"]),
    }


def _priced(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "US dollars": row["model"],
        "prompts": f"{row['cost of prompts']:,.2f}",
        "if cached": f"{row['cost of prompts cached']:,.2f}",
        "answers": f"{row['cost of answers']:,.2f}",
        "at most": f"{row['cost']:,.2f}",
    }


def _resumed(run: Path, label: str, left: Left) -> dict[str, Any]:
    return {
        f"in {run}": label,
        "answered": left.answered,
        "failed": left.failed,
        "still to ask": left.still,
    }


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


def _share(part: int, whole: int) -> str:
    return f"{round(100 * part / whole) if whole else 0} %"


def _legend(models: Sequence[Mapping[str, Any]], priced: bool) -> list[str]:
    lines = [
        "asked: configurations x examples; longest: a prompt's tokens; shared: how much of the prompts "
        "repeats the beginning of the one before in the order of the run; ~: estimated at four characters a "
        "token"
    ]
    if models:
        lines.append(
            "saved: of the prompts' tokens, those that a prefix cache has from the prompt before; blocks: "
            "the same in whole blocks of 16; answers: tokens at most"
        )
    if priced:
        lines.append(
            "if cached: the prompts with these blocks at the price of cached tokens; at most: without"
        )
    return lines
