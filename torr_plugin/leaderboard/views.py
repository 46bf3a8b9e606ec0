"""Figures as text and as marks on an axis, and the tables made of them.

A page contains the default table; ``views.js`` replaces it with another when the reader chooses one. The
macros in ``macros/views.html`` and ``views.js`` know the same few kinds of cells, whose texts are made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from ..analysis import format_bounds, format_interval, format_value, has_width
from ..analysis.result import Bounds, Interval, MarkedBounds

WIDTH = 112
"""Pixels of the axis from 0 to 1 on which intervals are drawn."""
_MARGIN = 4


@dataclass(frozen=True)
class FigureText:
    """A figure with its interval.

    ``value`` and ``bounds`` are texts, the latter empty where there is no interval; ``sort`` is the number to
    sort by, empty where there is no figure; ``x``, ``x_low`` and ``x_high`` are places on the axis, None
    where there is no figure, or no interval that has a width; ``numbers`` are value, low and high, likewise.
    """

    value: str
    bounds: str
    sort: str
    x: float | None
    x_low: float | None
    x_high: float | None
    complete: bool
    numbers: tuple[float | None, float | None, float | None] = (None, None, None)

    @property
    def no_width(self) -> bool:
        """Whether its interval is one number, which is not drawn: it would look like certainty."""
        return bool(self.bounds) and self.x_low is None

    def on(self, width: int, which: int = 0) -> float | None:
        """Where the value (0), the lower (1) or the upper end (2) lies on an axis of so many pixels."""
        return place(self.numbers[which], width)


def figure_text(figure: MarkedBounds) -> FigureText:
    """A figure, ready for a cell of a table."""
    return _text_of(_Figure(figure.value, figure.low, figure.high, figure.complete))


class _Figure(NamedTuple):
    value: float | None
    low: float | None
    high: float | None
    complete: bool


@lru_cache(maxsize=4096)  # a figure stands on many pages, and beside that of every other model
def _text_of(figure: _Figure) -> FigureText:
    low, high = drawn_ends(figure)
    return FigureText(
        value=format_value(figure.value, figure.low, figure.high),
        bounds=format_bounds(figure.low, figure.high),
        sort="" if figure.value is None else repr(0.0 + figure.value),  # never -0.0, which equals 0.0
        x=place(figure.value),
        x_low=place(low),
        x_high=place(high),
        complete=figure.complete,
        numbers=(figure.value, low, high),
    )


def drawn_ends(figure: Bounds) -> tuple[float | None, float | None]:
    """The ends of an interval that can be drawn; None twice of one without a width."""
    if figure.low is None or figure.high is None or not has_width(figure.low, figure.high):
        return None, None
    return figure.low, figure.high


def place(value: float | None, width: int = WIDTH, ends: tuple[float, float] = (0.0, 1.0)) -> float | None:
    """The pixel of a number on an axis of this width, from one end to the other."""
    if value is None:
        return None
    share = min(1.0, max(0.0, (value - ends[0]) / (ends[1] - ends[0])))
    return round(_MARGIN + share * (width - 2 * _MARGIN), 1)


def shade(value: float, low: float, high: float, steps: int, least_span: float) -> int:
    """The shade of a value between the lowest and the highest, from 0 to ``steps`` - 1.

    Values closer together than ``least_span`` share the lighter shades, so that noise is not painted.
    """
    return min(steps - 1, int((value - low) / max(high - low, least_span) * steps))


def interval_text(figure: Bounds) -> str:
    """``0.412 [0.389, 0.436]``; a dash where there is no figure."""
    return format_interval(figure.value, figure.low, figure.high)


def negated(figure: MarkedBounds) -> Interval:
    """A difference from the other side; 0 stays without a sign."""
    value, low, high = (
        None if each is None else 0.0 - each for each in (figure.value, figure.high, figure.low)
    )
    return Interval(value=value, low=low, high=high, complete=figure.complete)


def percent(share: float | None) -> str:
    """A share in percent; a dash where there is none."""
    return format_value(None) if share is None else f"{100 * share:.0f}%"


def two_digits(value: float) -> str:
    """A score, or a mean of scores, of an example; what is not quite 0 or 1 does not read as that."""
    text = f"{value:.2f}"
    exact = round(value, 4)  # as lists of examples have it
    if text == "0.00" and exact > 0:
        return "<0.01"
    return ">0.99" if text == "1.00" and exact < 1 else text


@dataclass(frozen=True)
class Whisker:
    """A dot with its interval on an axis, in pixels; ``zero``: where a line marks chance or no difference."""

    x: float
    low: float | None
    high: float | None
    zero: float | None = None


@dataclass(frozen=True)
class ViewCell:
    """A cell of a view.

    Attributes:
        text: what it says.
        bounds: its interval, or another note in small type.
        style: classes of its element, ours alone.
        whisker: drawn beside the text.
        whole: the name that the text shortens, shown on pointing.
        href: a page of ours, from the site's root.
    """

    text: str = ""
    bounds: str = ""
    style: str = ""
    whisker: Whisker | None = None
    whole: str = ""
    href: str = ""


DASH = ViewCell("\N{EN DASH}", style="num")
"""Where there is no number."""


@dataclass(frozen=True)
class View:
    """A table, the first cell of each row its header, and what it says in sentences.

    ``caption`` and ``title``, of a heading above it, say what was chosen; both may be empty.
    """

    head: tuple[str, ...] = ()
    rows: tuple[tuple[ViewCell, ...], ...] = ()
    lines: tuple[str, ...] = ()
    caption: str = ""
    title: str = ""


def number_cell(number: object) -> ViewCell:
    """A number without an interval, or its text."""
    return ViewCell(f"{number:,}" if isinstance(number, int) else str(number), style="num")


def verdict_cell(text: str, *, claimed: bool, note: str = "") -> ViewCell:
    """What is said of a comparison, as loud in either direction where it is claimed."""
    return ViewCell(text, note, "so claimed" if claimed else "so")


def figure_cell(figure: MarkedBounds, style: str = "num", whisker: Whisker | None = None) -> ViewCell:
    """A figure with its interval, in digits as everywhere."""
    texts = figure_text(figure)
    star = "" if texts.complete else "*"
    return ViewCell(f"{texts.value}{star}", texts.bounds, style, whisker)


def signed(figure: Interval) -> tuple[str, str]:
    """A difference as text with its sign, and its interval; what rounds to 0 has no sign."""
    texts = signed_text(figure)
    star = "" if texts.complete or figure.value is None else "*"
    return f"{texts.value}{star}", texts.bounds


def signed_text(figure: Interval) -> FigureText:
    """A difference, ready for a cell of a table, with its sign."""
    texts = figure_text(figure)
    if figure.value is None:
        return replace(texts, bounds="")
    size = texts.value.lstrip("-")
    sign = "" if not float(size) else "-" if figure.value < 0 else "+"
    return replace(texts, value=f"{sign}{size}")


def whisker(figure: Interval, ends: tuple[float, float], zero: float | None = None) -> Whisker | None:
    """A figure on an axis from one end to the other; None where there is no figure."""
    x, low, high, line = (place(each, ends=ends) for each in (figure.value, *drawn_ends(figure), zero))
    return None if x is None else Whisker(x, low, high, line)


def axis_of(figures: Sequence[Interval], *least: float) -> tuple[float, float]:
    """Ends that hold all figures with their intervals, and the numbers besides."""
    known = [
        value for one in figures for value in (one.value, one.low, one.high) if value is not None
    ] + list(least)
    low, high = min(known, default=0.0), max(known, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def as_data(view: View) -> dict[str, Any]:
    """A view for ``views.js``: short lists, without empty ends."""
    return {
        "head": list(view.head),
        "rows": [[_cell(cell) for cell in row] for row in view.rows],
        "lines": list(view.lines),
        **{name: text for name in ("caption", "title") if (text := getattr(view, name))},
    }


def _cell(cell: ViewCell) -> list[Any]:
    mark = cell.whisker
    found: list[Any] = [
        cell.text,
        cell.bounds,
        cell.style,
        mark and [mark.x, mark.low, mark.high, mark.zero],
        "" if cell.whole == cell.text else cell.whole,
        cell.href,
    ]
    while len(found) > 1 and not found[-1]:
        found.pop()
    return found


T = TypeVar("T")


@dataclass(frozen=True)
class Panel(Generic[T]):
    """A view: ``value`` is its name in the address and ``label`` in the choice; ``chosen`` at first."""

    value: str
    label: str
    chosen: bool
    content: T


def panels(named: Iterable[tuple[str, str, T]]) -> tuple[Panel[T], ...]:
    """Panels of (value, label, content), the first of them chosen."""
    return tuple(
        Panel(value, label, place == 0, content) for place, (value, label, content) in enumerate(named)
    )
