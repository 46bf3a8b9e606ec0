"""Plugins as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .command import say
from .console_table import clean
from .results import columns, results

_MOST_COLUMNS = 80


def show_plugins(rows: Sequence[Mapping[str, str]]) -> None:
    """A paragraph a plugin: its name and package, then a line a kind of what it brought, or its problem."""
    if not rows:
        say("no plugins; docs/plugins.md says how to write one")
    width = min(columns(), _MOST_COLUMNS)
    results().write("".join(f"{line}\n" for row in rows for line in _paragraph(row, width)))


def _paragraph(row: Mapping[str, str], width: int) -> list[str]:
    from textwrap import wrap

    told = [row["problem"]] if row["problem"] else (row["adds"] or "nothing").split("; ")
    body = [
        line
        for text in told
        for line in wrap(
            clean(text), width, initial_indent="    ", subsequent_indent="      ", break_on_hyphens=False
        )
    ]
    package = "" if row["package"] == "unknown" else f" ({row['package']} {row['version']})"
    return [clean(f"{row['name']}{package}"), *body]
