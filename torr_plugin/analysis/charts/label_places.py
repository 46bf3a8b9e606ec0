"""Where the names of points stand: beside their point, so that none covers another or a point.

Vega's own transform for this needs a canvas, which vl-convert lacks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .vega import ChartRow, Spec, layer, nominal, quantitative

_LETTER = 0.56
"""The mean width of a letter, of the font's size."""

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

    A name takes the first place beside its point that is free; without one it is not ``named``.

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
        free = (box for box in _boxes(point, size, mark) if _within(box, width, height))
        box = next((box for box in free if not any(_touch(box, other) for other in taken)), None)
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
