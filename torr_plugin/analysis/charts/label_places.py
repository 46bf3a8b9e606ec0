"""Where the names of points stand: beside their point, so that none covers another or a point.

Vega's own transform for this needs a canvas, which vl-convert lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot

from .vega import ChartRow, Spec, layer, nominal, quantitative

_LETTER = 0.56
"""The mean width of a letter, of the font's size."""

_NARROW = 0.8
"""The width of a name of narrow letters, of the width that is reckoned with."""

_CLEARLY = 4.0
"""Pixels by which a name is nearer to its own point than to any other."""

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True)
class Point:
    """A point with its name, in pixels from the upper left."""

    label: str
    x: float
    y: float


def label_fields(
    points: Sequence[Point], width: float, height: float, size: float, mark: float
) -> list[ChartRow]:
    """Where the left end and the middle of each name stand, for :func:`label_layers`.

    A name takes the first place beside its point that is free and clearly nearest to this point; without one
    it is not ``named``.

    Args:
        points: the first are the most important.
        width: of the area in which names must stay.
        height: likewise.
        size: of the letters.
        mark: pixels from a point to its mark's edge.
    """
    taken = [(each.x - mark, each.y - mark, each.x + mark, each.y + mark) for each in points]
    found: list[ChartRow] = []
    for point in points:
        others = [each for each in points if each is not point]
        free = (
            box
            for box in _boxes(point, size, mark)
            if _within(box, width, height) and not any(_touch(box, other) for other in taken)
        )
        box = next((box for box in free if _is_nearest(box, point, others)), None)
        if box is None:
            found.append({"named": False})
            continue
        taken.append(box)
        found.append({"named": True, "label_x": round(box[0], 1), "label_y": round((box[1] + box[3]) / 2, 1)})
    return found


def _boxes(point: Point, size: float, mark: float) -> Iterator[Box]:
    """The places for a name: at the corners of its point, off its intervals, then beside, above and below."""
    wide, gap = len(point.label) * size * _LETTER, mark + 2
    right, left, middle = point.x + gap, point.x - gap - wide, point.x - wide / 2
    above, below, level = point.y - mark - size, point.y + mark, point.y - size / 2
    for x, y in (
        *((right, above), (right, below), (left, above), (left, below)),
        *((right, level), (left, level), (middle, above - 2), (middle, below + 2)),
    ):
        yield x, y, x + wide, y + size


def _within(box: Box, width: float, height: float) -> bool:
    left, top, right, bottom = box
    return left >= 0 and top >= 0 and right <= width and bottom <= height


def _is_nearest(box: Box, point: Point, others: Sequence[Point]) -> bool:
    """Whether nobody can take the name for that of another point; points in one place share their names."""
    left, top, right, bottom = box
    elsewhere = [each for each in others if (each.x, each.y) != (point.x, point.y)]
    return all(
        _distance(drawn, each) > _distance(drawn, point) + _CLEARLY
        for drawn in (box, (left, top, left + _NARROW * (right - left), bottom))
        for each in elsewhere
    )


def _distance(box: Box, point: Point) -> float:
    left, top, right, bottom = box
    return hypot(max(left - point.x, point.x - right, 0), max(top - point.y, point.y - bottom, 0))


def _touch(one: Box, other: Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def label_layers(field: str, size: float, *, ink: Spec, paper: str) -> list[Spec]:
    """The names in their places, on a rim of the paper's colour.

    Args:
        field: what they say.
        size: of the letters, that of :func:`label_fields`.
        ink: encoding of the letters' colour.
        paper: colour behind them.
    """
    text: Spec = {axis: quantitative(f"label_{axis}", scale=None) for axis in "xy"}
    text["text"] = nominal(field)
    letters: Spec = {"align": "left", "baseline": "middle", "fontSize": size}
    rim = {"stroke": paper, "strokeWidth": 3, "strokeOpacity": 0.7}
    return [
        layer("text", text, where="datum.named", **rim, **letters),
        layer("text", {**text, **ink}, where="datum.named", **letters),
    ]
