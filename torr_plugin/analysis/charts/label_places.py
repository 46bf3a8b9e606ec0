"""Where the labels of points stand, so that none covers another, a point or an interval that matters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from .vega import ChartRow, Spec, layer, nominal, quantitative

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


_Boxes = npt.NDArray[np.float64]
"""A row each: left, top, right, bottom. A row of zeros is nowhere: it shares no area with a label."""


@dataclass(frozen=True)
class _Choices:
    """Where a label may stand: the places, the boxes that it fills there, what each costs."""

    places: list[LabelPlace]
    boxes: _Boxes
    costs: npt.NDArray[np.float64]


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
    candidates = [_candidates(number, points, width, height, size) for number in range(len(points))]
    chosen: list[int | None] = [None] * len(points)
    taken = np.zeros((len(points), 4))
    for _ in range(_PASSES):
        before = list(chosen)
        for number, own in enumerate(candidates):
            taken[number] = 0
            chosen[number] = best = _best(own, taken)
            if best is not None:
                taken[number] = own.boxes[best]
        if chosen == before:
            break
    return _readable(candidates, chosen)


def _readable(candidates: Sequence[_Choices], chosen: Sequence[int | None]) -> list[LabelPlace | None]:
    """The chosen places, those of the first labels first; others' where they are free."""
    taken = np.zeros((len(candidates), 4))
    found: list[LabelPlace | None] = []
    for number, own in enumerate(candidates):
        best = chosen[number]
        if best is not None and (_shared(own.boxes[[best]], taken) > 0).any():
            best = _best(own, taken)
        if best is None or own.costs[best] + _covered(own.boxes[[best]], taken)[0] >= _UNREADABLE:
            found.append(None)
        else:
            taken[number] = own.boxes[best]
            found.append(own.places[best])
    return found


def label_fields(place: LabelPlace | None) -> ChartRow:
    """Where a row's label stands, in pixels, and the line that leads to it, for :func:`label_layers`."""
    if place is None:
        return {"named": False}
    where = zip(("label", "from", "to"), ((place.x, place.y), place.start, place.end), strict=True)
    pixels = {
        f"{name}_{axis}": round(at, 1) for name, each in where for axis, at in zip("xy", each, strict=True)
    }
    return {"named": True, "far": place.far, **pixels}


def label_layers(field: str, size: float, *, lead: Spec, ink: Spec, paper: str) -> list[Spec]:
    """The labels in their places, on a rim of the paper's colour, and the lines that lead to far ones.

    Args:
        field: what they say.
        size: of the letters, that of :func:`label_places`.
        lead: encoding of the lines' colour.
        ink: of the letters'.
        paper: colour behind them.
    """
    at: Spec = {axis: quantitative(f"label_{axis}", scale=None) for axis in "xy"}
    ends: Spec = {axis: quantitative(f"from_{axis}", scale=None) for axis in "xy"}
    ends |= {f"{axis}2": {"field": f"to_{axis}"} for axis in "xy"}
    text = {**at, "text": nominal(field)}
    letters: Spec = {"align": "left", "baseline": "middle", "fontSize": size}
    named = "datum.named"
    return [
        layer("rule", {**ends, **lead}, where=f"{named} && datum.far", strokeWidth=0.75),
        layer("text", text, where=named, stroke=paper, strokeWidth=3.5, **letters),
        layer("text", {**text, **ink}, where=named, **letters),
    ]


def _best(own: _Choices, others: _Boxes) -> int | None:
    """Which of a label's places costs least beside labels in these boxes."""
    return int(np.argmin(own.costs + _covered(own.boxes, others))) if own.places else None


def _covered(boxes: _Boxes, others: _Boxes) -> npt.NDArray[np.float64]:
    """What a label costs in each of these boxes by the others that it covers there."""
    shared = _shared(boxes, others)
    return np.asarray((shared + _UNREADABLE * (shared > 0)).sum(axis=1))


def _candidates(own: int, points: Sequence[Point], width: float, height: float, size: float) -> _Choices:
    """The places within the area; near ones and those above to the right cost least."""
    point = points[own]
    wide, tall = text_width(point.label, size), size
    places, boxes, costs = [], [], []
    for far, distance in enumerate(_DISTANCES):
        for rank, (across, down) in enumerate(_DIRECTIONS):
            diagonal = bool(across and down)
            reach = (_MARK * (0.55 if diagonal else 1) + _GAP) + distance * (0.7 if diagonal else 1)
            middle_x = point.x + across * (reach + wide / 2)
            middle_y = point.y + down * (reach + tall / 2 - (3 if diagonal else 0))
            left, top = middle_x - wide / 2, middle_y - tall / 2
            right, bottom = left + wide, top + tall
            if left < 0 or top < 0 or right > width or bottom > height:
                continue
            nearest = min(max(point.x, left), right), min(max(point.y, top), bottom)
            places.append(LabelPlace(left, middle_y, far > 1, (point.x, point.y), nearest))
            boxes.append((left, top, right, bottom))
            costs.append(6.0 * far + 0.3 * rank)
    found = np.array(boxes).reshape(-1, 4)
    return _Choices(places, found, np.array(costs) + _beside_points(found, own, points))


def _beside_points(boxes: _Boxes, own: int, points: Sequence[Point]) -> npt.NDArray[np.float64]:
    """What a label costs by the points that it covers; one nearer to another point could be taken for its."""
    x, y, left, right, top, bottom = np.array([astuple(point)[1:] for point in points]).T
    marks = np.stack([x - _MARK, y - _MARK, x + _MARK, y + _MARK], axis=1)
    crosses = [np.stack([left, y - 1, right, y + 1], axis=1), np.stack([x - 1, top, x + 1, bottom], axis=1)]
    nearest_x = np.clip(x, boxes[:, [0]], boxes[:, [2]])
    nearest_y = np.clip(y, boxes[:, [1]], boxes[:, [3]])
    distances = np.hypot(nearest_x - x, nearest_y - y)
    doubtful = (np.delete(distances, own, axis=1) < distances[:, [own]] + 4).any(axis=1)
    intervals = _shared(boxes, np.concatenate(crosses)).sum(axis=1)
    return np.asarray(
        _covered(boxes, np.delete(marks, own, axis=0)) + 0.12 * intervals + _DOUBTFUL * doubtful
    )


def _shared(boxes: _Boxes, others: _Boxes) -> npt.NDArray[np.float64]:
    """The area that each of some boxes (rows) shares with each of others (columns)."""
    left_top = np.maximum(boxes[:, None, :2], others[None, :, :2])
    right_bottom = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    return np.asarray(np.clip(right_bottom - left_top, 0, None).prod(axis=2))
