"""The y values of the chart that a program shows, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from matplotlib import _pylab_helpers, collections, patches, pyplot

Values = dict[str, "list[float | None] | str"]
"""Kind of mark (``line``, ``bar``, ``scatter``, ``pie``) -> y values; None for a missing one (NaN).

In place of values that cannot be read: why.
"""


class FirstShown:
    """The values of the chart that a program shows or closes first, else of the one that it leaves.

    Args:
        most: how many values a kind of mark may have.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: Values = {}
        self._close = pyplot.close
        pyplot.show = self._shown  # drawing without a screen, it does nothing but warn
        pyplot.close = self._closed

    def values(self) -> Values:
        """Kind of mark -> values; empty without a chart."""
        self._read()
        return self._found

    def _read(self) -> None:
        if not any(self._found.values()):  # an empty figure is no chart
            self._found = current_values(self._most)

    def _shown(self, *_: object, **__: object) -> None:
        self._read()

    def _closed(self, *given: Any, **named: Any) -> None:
        self._read()
        self._close(*given, **named)


def current_values(most: int) -> Values:
    """The values of the current axes of the current figure, at most ``most`` a kind; empty without axes."""
    manager = _pylab_helpers.Gcf.get_active()
    if manager is None or not manager.canvas.figure.axes:
        return {}
    axes = manager.canvas.figure.gca()
    return {kind: _numbers(read, axes, most) for kind, read in _KINDS.items()}


def _numbers(read: Callable[[Any], Iterable[Any]], axes: Any, most: int) -> list[float | None] | str:
    found: list[float | None] = []
    try:
        for value in read(axes):
            if len(found) == most:
                return f"more than {most} values"
            found.append(_number(value))
    except Exception as error:  # dates, texts, integers beyond all floats, objects of any kind
        return f"a value is no number ({type(error).__name__})"
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, (str, bytes)):  # a text like "12" is a category to matplotlib
        raise TypeError
    number = float(value)
    return None if math.isnan(number) else number


def _of_lines(axes: Any) -> Iterator[Any]:
    for line in axes.lines:
        yield from _plain(line.get_ydata())


def _of_bars(axes: Any) -> Iterator[Any]:
    """Heights; of horizontal bars the widths, which are along their axis of values."""
    lying = {
        id(bar)
        for container in axes.containers
        if getattr(container, "orientation", None) == "horizontal"
        for bar in container
    }
    for bar in axes.patches:
        if isinstance(bar, patches.Rectangle):
            yield bar.get_width() if id(bar) in lying else bar.get_height()


def _of_points(axes: Any) -> Iterator[Any]:
    for points in axes.collections:
        if isinstance(points, collections.PathCollection):
            offsets: Any = points.get_offsets()
            yield from _plain(offsets[:, 1])


def _of_wedges(axes: Any) -> Iterator[float]:
    """Each wedge's share of the circle."""
    for wedge in axes.patches:
        if isinstance(wedge, patches.Wedge):
            yield (wedge.theta2 - wedge.theta1) / 360


def _plain(values: Any) -> Any:
    """Masked values, which are missing ones, as NaN."""
    return values.astype(float).filled(math.nan) if hasattr(values, "mask") else values


_KINDS: dict[str, Callable[[Any], Iterator[Any]]] = {
    "line": _of_lines,
    "bar": _of_bars,
    "scatter": _of_points,
    "pie": _of_wedges,
}
