"""Where the labels of points stand, so that none covers another, a point or an interval that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_NARROW, _WIDE = frozenset("iljtf.,:;'|!()[]- "), frozenset("mwMW@%")
_MARK = 9.0
"""Pixels around a point that its mark takes."""
_GAP = 3.0
_DIRECTIONS = ((1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1))
_DISTANCES = (0.0, 10.0, 22.0, 36.0)
_PASSES = 8
_UNREADABLE = 40.0
_DOUBTFUL = 4.0


@dataclass(frozen=True)
class Point:
    """A point with its label, in pixels from the upper left; its intervals are a cross through it."""

    label: str
    x: float
    y: float
    left: float
    right: float
    top: float
    bottom: float


@dataclass(frozen=True)
class LabelPlace:
    """A label's left end and middle; ``far``: a line must lead to its point, from ``start`` to ``end``."""

    x: float
    y: float
    far: bool = False
    start: tuple[float, float] = (0.0, 0.0)
    end: tuple[float, float] = (0.0, 0.0)


_Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Choice:
    """A place that a label may take, the box that it fills there, and what that costs beside all points."""

    cost: float
    place: LabelPlace
    box: _Box


def text_width(text: str, size: float) -> float:
    """About how wide a text is in the charts' font."""
    units = (
        0.3 if char in _NARROW else 0.85 if char in _WIDE else 0.68 if char.isupper() else 0.56
        for char in text
    )
    return size * sum(units)


def label_places(
    points: Sequence[Point], width: float, height: float, size: float
) -> list[LabelPlace | None]:
    """A place for each label, in the points' order; None where a label would cover others wherever it stood.

    Each label in turn takes the best of some places around its point, again and again until none moves.

    Args:
        points: the first are the most important.
        width: of the area in which labels must stay.
        height: likewise.
        size: of the letters.
    """
    candidates = [_candidates(point, points, width, height, size) for point in points]
    chosen: list[_Choice | None] = [None] * len(points)
    for _ in range(_PASSES):
        before = list(chosen)
        for number, own in enumerate(candidates):
            boxes = [each.box for place, each in enumerate(chosen) if each is not None and place != number]
            chosen[number] = _best(own, boxes)
        if chosen == before:
            break
    kept: list[_Choice | None] = []
    for number, own in enumerate(candidates):
        boxes = [each.box for each in kept if each is not None]
        stays = chosen[number]
        if stays is not None and any(_shared(stays.box, box) > 0 for box in boxes):
            stays = _best(own, boxes)
        readable = stays is not None and stays.cost + _covered(stays.box, boxes) < _UNREADABLE
        kept.append(stays if readable else None)
    return [None if each is None else each.place for each in kept]


def _best(candidates: Sequence[_Choice], boxes: Sequence[_Box]) -> _Choice | None:
    """The candidate that costs least beside labels in these boxes."""
    return min(candidates, key=lambda each: each.cost + _covered(each.box, boxes), default=None)


def _covered(box: _Box, others: Sequence[_Box]) -> float:
    """What a label costs by the other labels that it covers."""
    return sum(_UNREADABLE + shared for other in others if (shared := _shared(box, other)) > 0)


def _candidates(
    point: Point, points: Sequence[Point], width: float, height: float, size: float
) -> list[_Choice]:
    """The places within the area; near ones and those above to the right cost least."""
    wide, tall = text_width(point.label, size), size
    found = []
    for far, distance in enumerate(_DISTANCES):
        for rank, (across, down) in enumerate(_DIRECTIONS):
            diagonal = bool(across and down)
            reach = (_MARK * (0.55 if diagonal else 1) + _GAP) + distance * (0.7 if diagonal else 1)
            middle_x = point.x + across * (reach + wide / 2)
            middle_y = point.y + down * (reach + tall / 2 - (3 if diagonal else 0))
            left, top = middle_x - wide / 2, middle_y - tall / 2
            box = (left, top, left + wide, top + tall)
            if left < 0 or top < 0 or box[2] > width or box[3] > height:
                continue
            place = LabelPlace(left, middle_y, far > 1, (point.x, point.y), _nearest(box, point))
            found.append(_Choice(6.0 * far + 0.3 * rank + _cost(box, point, points), place, box))
    return found


def _nearest(box: _Box, point: Point) -> tuple[float, float]:
    """The place of a box's edge that is nearest to a point."""
    return min(max(point.x, box[0]), box[2]), min(max(point.y, box[1]), box[3])


def _cost(box: _Box, own: Point, points: Sequence[Point]) -> float:
    """What a label costs by the points that it covers; one nearer to another point could be taken for its."""
    total, doubtful = 0.0, False
    for point in points:
        if point is not own:
            mark = (point.x - _MARK, point.y - _MARK, point.x + _MARK, point.y + _MARK)
            total += _UNREADABLE * (_shared(box, mark) > 0) + _shared(box, mark)
            doubtful = doubtful or _distance(box, point) < _distance(box, own) + 4
        across = (point.left, point.y - 1, point.right, point.y + 1)
        down = (point.x - 1, point.top, point.x + 1, point.bottom)
        total += 0.12 * (_shared(box, across) + _shared(box, down))
    return total + _DOUBTFUL * doubtful


def _distance(box: _Box, point: Point) -> float:
    x, y = _nearest(box, point)
    return float(((x - point.x) ** 2 + (y - point.y) ** 2) ** 0.5)


def _shared(one: _Box, other: _Box) -> float:
    """The area that two boxes share."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    tall = min(one[3], other[3]) - max(one[1], other[1])
    return wide * tall if wide > 0 and tall > 0 else 0.0
