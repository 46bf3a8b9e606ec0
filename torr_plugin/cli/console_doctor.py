"""``torr doctor`` as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

from .console_table import clean
from .results import columns, results

if TYPE_CHECKING:
    from ..workflows.doctor import Finding, Report

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
