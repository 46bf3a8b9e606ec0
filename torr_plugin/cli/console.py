"""What the commands show a person: tables and texts on stdout, progress and notes on stderr.

rich is imported where it is used: ``torr --help`` has no need of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from .. import analysis
from .command import say_in_columns
from .results import MOST_COLUMNS, clean, columns, results

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..analysis import AnalysisResults
    from ..running.progress import Progress

_FEWEST = 8
"""Columns of a terminal that a text has at least."""

Rows = Sequence[Mapping[str, Any]]


def show_lines(lines: Sequence[str]) -> None:
    """Print lines below a table of results."""
    results().write("".join(f"{clean(line)}\n" for line in ("", *lines)) if lines else "")


def show_text(text: str) -> None:
    """Print a text below a table, its lines, spaces and tabs as they are, no control characters."""
    shown = "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text)
    results().write(f"\n{shown}\n")


def print_paragraph(title: str, texts: Iterable[str]) -> None:
    """Print a title, and texts indented below it, in at most 80 columns."""
    from rich.text import Text

    wrapped = partial(
        wrap,
        width=min(columns(), MOST_COLUMNS),
        break_on_hyphens=False,
        initial_indent="    ",
        subsequent_indent="      ",
    )
    lines = [line for text in texts for line in wrapped(clean(text))]
    stdout().print(Text(clean(title), style="bold"), soft_wrap=True)
    results().write("".join(f"{line}\n" for line in lines))


def show_summary(found: AnalysisResults | Mapping[str, Any]) -> None:
    """Show the leaderboard: a row a model, best first."""
    rows = analysis.summary_rows(found)
    print_rows(rows, left=("model",))
    if any("*" in row["performance"] for row in rows):
        results().write("* some cells have no score: `holes` in analysis.json names them\n")
    results().write("".join(f"{clean(line)}\n" for line in analysis.remarks(found)))
    say_in_columns(*(found.get("notes", ()) if isinstance(found, Mapping) else found.notes))


def show_sections(sections: Sequence[tuple[str, Rows]], *, left: Sequence[str]) -> None:
    """Print tables, each under a title."""
    for number, (title, rows) in enumerate(sections):
        lines = [clean(line) for line in title.splitlines()]
        results().write("\n".join([*[""] * bool(number), *lines]) + "\n")
        print_rows(rows, left=left)


def print_rows(rows: Rows, *, left: Sequence[str]) -> None:
    """Print a table as :func:`table_of` makes it; nothing if there are no rows."""
    if rows:
        table = table_of(rows, left=left)
        needed = sum((each.min_width or 0) + table.padding[1] for each in table.columns)
        console = stdout()
        console.width = max(console.width, needed - table.padding[1])
        with console.capture() as printed:
            console.print(table)
        results().write("\n".join(line.rstrip() for line in printed.get().split("\n")))


def table_of(rows: Rows, *, left: Sequence[str]) -> Table:
    """A table whose texts are broken where it would be too wide, and whose figures never are.

    Args:
        rows: with the same keys, which are the headings; whole numbers are written with commas.
        left: the columns of texts, which may be broken; those of figures stand to the right.
    """
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    cells = [[cell_text(value) for value in row.values()] for row in rows]
    widths = [max(map(cell_len, texts)) for texts in zip(rows[0], *cells, strict=True)]
    tight = sum(widths) + len(widths) - 1
    gap = 1 if tight <= columns() < tight + len(widths) - 1 else 2
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="bold")
    for name, width in zip(rows[0], widths, strict=True):
        is_text = name in left
        table.add_column(
            Text(name),
            justify="left" if is_text else "right",
            no_wrap=not is_text,
            overflow="fold",
            min_width=min(width, _FEWEST) if is_text else width,
        )
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def cell_text(value: Any) -> str:
    """A cell's text: a whole number with commas, nothing for None, anything else on one line."""
    return clean(f"{value:,}" if isinstance(value, int) else "" if value is None else str(value))


def stdout() -> Console:
    """A console that prints results."""
    from rich.console import Console

    return Console(file=results(), width=columns())


def stderr() -> Console:
    """Draws only in a terminal, also where the environment asks for colours in pipes."""
    from rich.console import Console

    return Console(stderr=True, force_terminal=sys.stderr is not None and sys.stderr.isatty())


def run_progress() -> AbstractContextManager[Progress]:
    """Draws how far the models are."""
    from .progress import RunProgress  # it imports the stages, for which `torr --help` does not wait

    return RunProgress()


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
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = stderr()
    bars = (TextColumn(unit), BarColumn(bar_width=24), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*bars, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
