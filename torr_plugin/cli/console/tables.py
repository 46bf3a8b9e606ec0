"""Tables and texts in the terminal: results on stdout, notes on stderr."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..command import say
from ..results import columns, results

_FEWEST = 8
MOST_COLUMNS = 80
"""How wide texts are at most, as wider ones are hard to read."""

Rows = Sequence[Mapping[str, Any]]


def say_in_columns(text: str) -> None:
    """Print a long text on stderr, wrapped to the terminal and to at most 80 columns.

    A word longer than a line, such as a path, stays whole, so that it can be copied.
    """
    width = min(columns(sys.stderr), MOST_COLUMNS)
    for line in wrap(text, width, break_long_words=False, break_on_hyphens=False):
        say(line)


def show_lines(lines: Sequence[str]) -> None:
    """Print lines below a table of results."""
    results().write("".join(f"{clean(line)}\n" for line in ("", *lines)) if lines else "")


def show_sections(sections: Sequence[tuple[str, Rows]], *, left: Sequence[str]) -> None:
    """Print tables, each under a title."""
    for number, (title, rows) in enumerate(sections):
        results().write(("\n" if number else "") + title + "\n")
        print_rows(rows, left=left)


def print_rows(rows: Rows, *, left: Sequence[str]) -> None:
    """Print a table as :func:`table_of` makes it; nothing if there are no rows."""
    if rows:
        console = stdout()
        console.print(table_of(rows, left=left, width=console.width), soft_wrap=True)


def table_of(rows: Rows, *, left: Sequence[str], width: int) -> Table:
    """A table no wider than ``width``, unless its figures alone are: texts are broken, figures never.

    Args:
        rows: with the same keys, which are the headings; whole numbers are written with commas.
        left: the columns of texts, which may be broken; those of figures stand to the right.
        width: in columns of a terminal.
    """
    cells = {name: [cell_text(row[name]) for row in rows] for name in rows[0]}
    widths = {name: max(map(cell_len, [name, *texts])) for name, texts in cells.items()}
    gaps = len(widths) - 1
    tight = sum(widths.values()) + gaps <= width < sum(widths.values()) + 2 * gaps
    table = Table(box=None, pad_edge=False, padding=(0, 1 if tight else 2, 0, 0), header_style="bold")
    for name, widest in widths.items():
        if name in left:
            table.add_column(Text(name), overflow="fold", min_width=min(widest, _FEWEST))
        else:
            table.add_column(Text(name), justify="right", no_wrap=True, min_width=widest)
    for texts in zip(*cells.values(), strict=True):
        table.add_row(*map(Text, texts))
    return table


def cell_text(value: Any) -> str:
    """A cell's text: a whole number with commas, anything else on one line."""
    return clean(f"{value:,}" if isinstance(value, int) else str(value))


def clean(text: str) -> str:
    """A text on one line, without control characters."""
    return "".join(char if char.isprintable() else "?" for char in " ".join(text.split()))


def stdout() -> Console:
    """A console that prints results."""
    return Console(file=results(), width=columns())
