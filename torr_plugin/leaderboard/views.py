"""Tables that a page shows one of: the default is in the page, the others come as data when they are chosen.

``macros/views.html`` writes a view into the page, ``views.js`` puts another in its place; both know the same
few kinds of cells, whose texts are made here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import schema
from .figures import WIDTH, drawn_ends, figure_text

_MARGIN = 4


@dataclass(frozen=True)
class Whisker:
    """A dot with its interval on an axis, in pixels; ``zero``: where a line marks chance or no difference."""

    x: float
    low: float | None
    high: float | None
    zero: float | None = None


@dataclass(frozen=True)
class Dots:
    """Dots on an axis with what each is, and where their mean lies; in pixels."""

    dots: tuple[tuple[float, str], ...]
    mean: float | None


@dataclass(frozen=True)
class ViewCell:
    """A cell of a view.

    Attributes:
        text: what it says.
        bounds: its interval, or another note in small type.
        style: classes of its element, ours alone.
        whisker: drawn beside the text.
        dots: drawn in its place.
        href: a page of ours, from the site's root.
    """

    text: str = ""
    bounds: str = ""
    style: str = ""
    whisker: Whisker | None = None
    dots: Dots | None = None
    href: str = ""


@dataclass(frozen=True)
class View:
    """A table, the first cell of each row its header, and what it says in sentences."""

    head: tuple[str, ...] = ()
    rows: tuple[tuple[ViewCell, ...], ...] = ()
    lines: tuple[str, ...] = ()


def figure_cell(figure: schema.Figure, style: str = "num", whisker: Whisker | None = None) -> ViewCell:
    """A figure with its interval, in digits as everywhere."""
    texts = figure_text(figure)
    star = "" if texts.complete else "*"
    return ViewCell(f"{texts.value}{star}", texts.bounds, style, whisker)


def signed(figure: schema.Figure) -> tuple[str, str]:
    """A difference as text with its sign, and its interval; what rounds to 0 has no sign."""
    texts = figure_text(figure)
    if figure.value is None:
        return texts.value, ""
    value = texts.value.lstrip("-")
    if float(value):
        value = f"{'-' if figure.value < 0 else '+'}{value}"
    star = "" if texts.complete else "*"
    return f"{value}{star}", texts.bounds


def whisker(
    figure: schema.Figure, ends: tuple[float, float], zero: float | None = None, width: int = WIDTH
) -> Whisker | None:
    """A figure on an axis from one end to the other; None where there is no figure."""
    if figure.value is None:
        return None
    low, high = drawn_ends(figure)
    return Whisker(
        _place(figure.value, ends, width),
        None if low is None else _place(low, ends, width),
        None if high is None else _place(high, ends, width),
        None if zero is None else _place(zero, ends, width),
    )


def axis_of(figures: Sequence[schema.Figure], *least: float) -> tuple[float, float]:
    """Ends that hold all figures with their intervals, and the numbers besides."""
    known = [
        value for one in figures for value in (one.value, one.low, one.high) if value is not None
    ] + list(least)
    low, high = min(known, default=0.0), max(known, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _place(value: float, ends: tuple[float, float], width: int) -> float:
    low, high = ends
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(_MARGIN + share * (width - 2 * _MARGIN), 1)


def as_data(view: View) -> dict[str, Any]:
    """A view for ``views.js``: short lists, what is not there left away."""
    return {
        "head": list(view.head),
        "rows": [[_cell(cell) for cell in row] for row in view.rows],
        "lines": list(view.lines),
    }


def _cell(cell: ViewCell) -> list[Any]:
    mark, dots = cell.whisker, cell.dots
    found: list[Any] = [
        cell.text,
        cell.bounds,
        cell.style,
        mark and [mark.x, mark.low, mark.high, mark.zero],
        dots and [[list(dot) for dot in dots.dots], dots.mean],
        cell.href,
    ]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found
