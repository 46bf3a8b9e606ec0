"""What ``torr publish --check`` found, as a person reads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .console_table import clean
from .results import columns, results

_WIDTH = 80
_COLOURS = {"error": "bold red", "warning": "yellow", "note": "dim"}


def show_findings(findings: Sequence[Mapping[str, Any]], runs: int) -> None:
    """A row a finding, the gravest first, what to do below what was found; at the end a count of each level.

    Args:
        findings: with ``level``, ``where``, ``what`` and ``advice``.
        runs: how many runs were looked at.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=results(), width=min(_WIDTH, columns()))
    table: Table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="bold", show_edge=False)
    table.add_column("level", no_wrap=True)
    table.add_column("where, what, and what to do", ratio=1, overflow="fold")
    for each in findings:
        where, what, advice = (clean(each[name]) for name in ("where", "what", "advice"))
        said = Text.assemble((where, "bold"), f"\n{what}\n", (f"> {advice}", "dim"))
        table.add_row(Text(each["level"], _COLOURS[each["level"]]), said)
    if findings:
        console.print(table)
    results().write(f"{verdict(findings, runs)}\n")


def verdict(findings: Sequence[Mapping[str, Any]], runs: int) -> str:
    """How many findings of each level there are, on one line."""
    looked = f"{runs} {'study' if runs == 1 else 'studies'} looked at"
    counts = {
        level: sum(each["level"] == level for each in findings) for level in ("error", "warning", "note")
    }
    said = ", ".join(f"{number} {level}{'s' * (number != 1)}" for level, number in counts.items() if number)
    return f"{looked}: {said or 'nothing to mend'}."
