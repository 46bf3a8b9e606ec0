"""``torr doctor`` as a person reads it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from textwrap import wrap
from typing import TYPE_CHECKING

from ..results import MOST_COLUMNS, clean, columns, results

if TYPE_CHECKING:
    from ...workflows.doctor import Finding, Report

_MARKS = {"good": " ", "optional": "-", "wrong": "!"}
_WIDEST = 26

_wrapped = partial(wrap, break_on_hyphens=False)  # names and commands stay whole, to be copied


def show_report(report: Report) -> None:
    """Show the findings part by part, each with its advice below."""
    width = min(columns(), MOST_COLUMNS)
    lines: list[str] = []
    for part, found in report.parts.items():
        lines += [part.capitalize(), *_lines(found, width), ""]
    if report.wrong:
        names = ", ".join(clean(each.name) for each in report.wrong)
        lines += _wrapped(f"To fix (!): {names}", width, subsequent_indent="  ")
    else:
        lines += _wrapped("Everything needed is installed; - marks optional parts that are not.", width)
    results().write("".join(f"{line.rstrip()}\n" for line in lines))


def _lines(found: Sequence[Finding], width: int) -> Iterator[str]:
    """Names and what was found: beside them, or below a long name."""
    if not found:
        yield "    none"
        return
    indent = " " * (6 + min(max(len(each.name) for each in found), _WIDEST))
    for each in found:
        name = f"  {_MARKS[each.state]} {clean(each.name)}"
        lines = _wrapped(clean(each.found), width, initial_indent=indent, subsequent_indent=indent)
        if lines and len(name) < len(indent):
            yield name.ljust(len(indent)) + lines.pop(0).removeprefix(indent)
        else:
            yield name
        yield from lines
        if each.state != "good" and each.advice:
            advice = clean(each.advice)
            yield from _wrapped(advice, width, initial_indent=f"{indent}> ", subsequent_indent=f"{indent}  ")
