"""``torr publish --check`` and ``torr doctor`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from ..results import columns, results
from .tables import clean

if TYPE_CHECKING:
    from ...workflows.doctor import Finding, Report

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


_TITLES = {
    "versions": "Versions",
    "extras": "Extras",
    "data": "Data",
    "machine": "Machine",
    "plugins": "Plugins",
}
_MARKS = {"good": " ", "optional": "-", "wrong": "!"}
_WIDEST = 26
_MOST_COLUMNS = 80

_wrapped = partial(wrap, break_on_hyphens=False)  # names and commands stay whole, to be copied


def show_report(report: Report) -> None:
    """A part after the other, a line a finding; what can be done about it below."""
    lines, width = [], min(columns(), _MOST_COLUMNS)
    for part, found in report.parts.items():
        lines += [_TITLES[part], *(line for each in _lines(found, width) for line in each), ""]
    lines += _verdict(report, width)
    results().write("".join(f"{line.rstrip()}\n" for line in lines))


def _lines(found: Sequence[Finding], width: int) -> list[list[str]]:
    if not found:
        return [["    none"]]
    room = min(max(len(each.name) for each in found), _WIDEST) + 1
    return [_line(each, room, width) for each in found]


def _line(each: Finding, room: int, width: int) -> list[str]:
    """What was found stands beside the name, below one that is too long for that."""
    name = f"  {_MARKS[each.state]} {clean(each.name)}"
    indent = " " * (6 + room - 1)
    lines = _wrapped(clean(each.found), width, initial_indent=indent, subsequent_indent=indent)
    if lines and len(name) < len(indent):
        lines[0] = name.ljust(len(indent)) + lines[0].removeprefix(indent)
    else:
        lines = [name, *lines]
    if each.state != "good" and each.advice:
        lines += _wrapped(
            clean(each.advice), width, initial_indent=f"{indent}> ", subsequent_indent=f"{indent}  "
        )
    return lines


def _verdict(report: Report, width: int) -> list[str]:
    if not report.wrong:
        return _wrapped("All that is needed is there. - marks what is optional and absent.", width)
    names = ", ".join(clean(each.name) for each in report.wrong)
    return _wrapped(f"To be mended (!): {names}", width, subsequent_indent="  ")
