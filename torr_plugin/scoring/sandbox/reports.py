"""What is known of a program when it has ended; nothing that it says is taken on trust but its own score."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

Kind = Literal["line", "bar", "scatter", "pie"]
"""A kind of mark on a chart; the bars of a horizontal bar chart are bars."""

_LONGEST = 300


@dataclass(frozen=True)
class ChartRun:
    """One run of a chart's program.

    Attributes:
        error: why it did not run to its end, as one line of at most 300 characters; empty if it did.
        values: kind of mark -> the y values of the chart it showed, in the figure's units (of a pie, each
            wedge's share of the circle); None for a missing value.
        unreadable: kind of mark -> why its values could not be read.
    """

    error: str = ""
    values: Mapping[Kind, tuple[float | None, ...]] = field(default_factory=dict)
    unreadable: Mapping[Kind, str] = field(default_factory=dict)

    @property
    def ran(self) -> bool:
        """Whether the program ran to its end without an error."""
        return not self.error


def read_report(data: bytes) -> ChartRun:
    """A report as the program's process wrote it; one that is no report is an error of the program."""
    try:
        report = json.loads(data, parse_int=float)
        marks = {kind: found for kind, found in report["values"].items() if kind in get_args(Kind)}
        return ChartRun(
            error=_line(report["error"]),
            values={kind: _values(found) for kind, found in marks.items() if isinstance(found, list)},
            unreadable={kind: _line(found) for kind, found in marks.items() if isinstance(found, str)},
        )
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return ChartRun(error="the program sent a false report")


def without_report(status: int, *, in_time: bool, seconds: float) -> ChartRun:
    """A program that ended without a report.

    Args:
        status: as :func:`os.waitpid` gives it.
        in_time: whether it ended by itself.
        seconds: what it had.
    """
    if not in_time:
        return ChartRun(error=f"the program did not end within {seconds:g} s")
    number = status & 0x7F
    if number:
        return ChartRun(error=f"the program was ended by the signal {_signal_name(number)}")
    return ChartRun(error="the program ended its process")


def _values(found: list[Any]) -> tuple[float | None, ...]:
    if not all(value is None or type(value) is float for value in found):
        raise TypeError
    return tuple(found)


def _line(text: Any) -> str:
    """A text by a program, as one line without control characters."""
    if not isinstance(text, str):
        raise TypeError
    shown = "".join(each if each.isprintable() else " " for each in text[:_LONGEST])
    return " ".join(shown.split()) or ("an error without a text" if text else "")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)
