"""Tables, texts and the leaderboard in the terminal: results on stdout, notes on stderr."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, chop_cells
from rich.console import Console
from rich.text import Text

from ... import analysis
from ..command import say
from ..results import MOST_COLUMNS, clean, columns, results

if TYPE_CHECKING:
    from ...analysis import AnalysisResults

_FEWEST = 8

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


def show_text(text: str) -> None:
    """Print a text below a table, its lines, spaces and tabs as they are, no control characters."""
    shown = "".join(char if char.isprintable() or char in "\n\t" else "?" for char in text)
    results().write(f"\n{shown}\n")


def print_paragraph(title: str, texts: Iterable[str]) -> None:
    """Print a title, and texts indented below it, in at most 80 columns."""
    width = min(columns(), MOST_COLUMNS)
    wrapped = partial(
        wrap, width=width, break_on_hyphens=False, initial_indent="    ", subsequent_indent="      "
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
    for text in found.get("notes", ()) if isinstance(found, Mapping) else found.notes:
        say_in_columns(text)


def show_sections(sections: Sequence[tuple[str, Rows]], *, left: Sequence[str]) -> None:
    """Print tables, each under a title."""
    for number, (title, rows) in enumerate(sections):
        lines = [clean(line) for line in title.splitlines()]
        results().write("\n".join([*[""] * bool(number), *lines]) + "\n")
        print_rows(rows, left=left)


def print_rows(rows: Rows, *, left: Sequence[str]) -> None:
    """Print a table as :func:`table_of` makes it; nothing if there are no rows."""
    if rows:
        console = stdout()
        console.print(table_of(rows, left=left, width=console.width), soft_wrap=True)


def table_of(rows: Rows, *, left: Sequence[str], width: int) -> Text:
    """A table no wider than ``width``, unless its figures alone are: texts are broken, figures never.

    Args:
        rows: with the same keys, which are the headings; whole numbers are written with commas.
        left: the columns of texts, which may be broken; those of figures stand to the right.
        width: in columns of a terminal.
    """
    cells = {name: [name, *(cell_text(row[name]) for row in rows)] for name in rows[0]}
    widths, gap = _column_widths(cells, left, width)
    broken = {
        name: [_broken(text, widths[name]) if name in left else [text] for text in texts]
        for name, texts in cells.items()
    }
    widths = {
        name: max(cell_len(line) for lines in texts for line in lines) for name, texts in broken.items()
    }
    table = Text(no_wrap=True, overflow="ignore")
    for number, row in enumerate(zip(*broken.values(), strict=True)):
        for line in zip_longest(*row, fillvalue=""):
            aligned = [
                _aligned(text, widths[name], name in left) for name, text in zip(cells, line, strict=True)
            ]
            table.append((" " * gap).join(aligned).rstrip() + "\n", style="" if number else "bold")
    table.right_crop(1)
    return table


def _column_widths(
    cells: Mapping[str, Sequence[str]], left: Sequence[str], width: int
) -> tuple[dict[str, int], int]:
    """The width of each column, and of the gaps between them; the widest texts give way first."""
    widths = {name: max(map(cell_len, texts)) for name, texts in cells.items()}
    gaps = len(widths) - 1
    gap = 1 if sum(widths.values()) + gaps <= width < sum(widths.values()) + 2 * gaps else 2
    while sum(widths.values()) + gap * gaps > width:
        breakable = [name for name in widths if name in left and widths[name] > _FEWEST]
        if not breakable:
            break
        widths[max(breakable, key=widths.__getitem__)] -= 1
    return widths, gap


def _broken(text: str, width: int) -> list[str]:
    """Lines of at most ``width``, broken after a space or one of ``-/_.`` where there is one."""
    lines = [""]
    for word in re.split(r"(?<=[-/_. ])", text):
        for part in chop_cells(word, max(width, 1)):
            if lines[-1] and cell_len(lines[-1] + part.rstrip()) > width:
                lines.append(part)
            else:
                lines[-1] += part
    return [line.rstrip() for line in lines]


def _aligned(text: str, width: int, left: bool) -> str:
    spaces = " " * (width - cell_len(text))
    return text + spaces if left else spaces + text


def cell_text(value: Any) -> str:
    """A cell's text: a whole number with commas, nothing for None, anything else on one line."""
    return clean(f"{value:,}" if isinstance(value, int) else "" if value is None else str(value))


def stdout() -> Console:
    """A console that prints results."""
    return Console(file=results(), width=columns())
