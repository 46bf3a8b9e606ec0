"""Where the labels of points stand: none covers another or a point, none can be taken for another point's.

A label beside its point needs no line if it is clearly nearer to it than to any other. All others have a line
to their point, which keeps off the other points, labels and lines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from .vega import ChartRow, Spec, layer, nominal, quantitative

# of the charts' font, whose letters are as wide as Helvetica's: Adobe's font metrics, in 1/1000 of its size
_WIDTHS = {
    191: "'",
    222: "ijl",
    278: " !,./:;I[\\]ft|",
    333: "()-`r{}",
    500: "Jcksvxyz",
    556: "#$?L_0123456789abdeghnopqu",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1015: "@",
}
_WIDTH = {char: width / 1000 for width, chars in _WIDTHS.items() for char in chars}
_OTHER = 0.8
_MARGIN = 9.0
"""Pixels by which a label without a line is nearer to its point than to others."""
_BESIDE, _LEAST_LINE = 8.0, 7.0
"""Pixels from a mark: the furthest without a line, and a line's least length."""
_STEPS = np.stack(np.meshgrid(np.arange(-14, 15) * 14.0, np.arange(-19, 20) * 8.0), axis=-1).reshape(-1, 2)
"""From a point to the middles of places for its label, besides those right beside it."""
_DIRECTIONS = np.array([(1, -1), (1, 1), (-1, -1), (-1, 1), (1, 0), (-1, 0), (0, -1), (0, 1)], float)
_PASSES, _ORDERS = 8, 12
_CONFLICT = 1000.0

_Numbers = npt.NDArray[np.float64]
_Counts = npt.NDArray[np.int64]
_Flags = npt.NDArray[np.bool_]
_Harm = Callable[[int, int, int], _Counts]
"""Of a label's places, by another label in one of its places."""


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


@dataclass(frozen=True)
class _Places:
    """Where labels may stand, a row each.

    Attributes:
        boxes: left, top, right, bottom.
        ends: of the line: at the point x and y, at the label x and y.
        far: whether there is a line.
        costs: how much worse than the best.
    """

    boxes: _Numbers
    ends: _Numbers
    far: _Flags
    costs: _Numbers

    def place(self, row: int) -> LabelPlace:
        left, top, _, bottom = self.boxes[row]
        x, y, to_x, to_y = map(float, self.ends[row])
        return LabelPlace(float(left), float(top + bottom) / 2, bool(self.far[row]), (x, y), (to_x, to_y))


def text_width(text: str, size: float) -> float:
    """About how wide a text is in the charts' font."""
    return size * sum(_WIDTH.get(char, _OTHER) for char in text)


def label_places(
    points: Sequence[Point], width: float, height: float, size: float, mark: float
) -> list[LabelPlace | None]:
    """A place for each label, in the points' order; None where every place would do harm.

    Each label in turn takes the best place beside the others', again and again until none moves. Who begins
    decides much in a crowd: where a label finds no place, other orders are tried.

    Args:
        points: the first are the most important.
        width: of the area in which labels must stay.
        height: likewise.
        size: of the letters.
        mark: pixels from a point to its mark's edge.
    """
    if not points:
        return []
    labels = [_candidates(number, points, (width, height), size, mark) for number in range(len(points))]
    order, rng = np.arange(len(points)), np.random.default_rng(0)
    best: list[int | None] = []

    @cache
    def harm(number: int, other: int, row: int) -> _Counts:
        return _harm(labels[number], labels[other], row)

    for _ in range(_ORDERS):
        found = _settled(labels, harm, order.tolist())
        best = min(best or found, found, key=lambda rows: rows.count(None))
        if None not in best:
            break
        order = rng.permutation(order)
    return [None if row is None else own.place(row) for own, row in zip(labels, best, strict=True)]


def _settled(labels: Sequence[_Places], harm: _Harm, order: Sequence[int]) -> list[int | None]:
    """Rows of the places chosen; a label that still harms others at the end has none."""
    chosen: list[int | None] = [None] * len(labels)

    def by_others(number: int, rows: Sequence[int | None]) -> _Counts:
        counts = np.zeros(len(labels[number].costs), int)
        for other, row in enumerate(rows):
            if row is not None and other != number:
                counts += harm(number, other, row)
        return counts

    for _ in range(_PASSES):
        before = list(chosen)
        for number in order:
            costs = labels[number].costs + _CONFLICT * by_others(number, chosen)
            chosen[number] = int(np.argmin(costs)) if len(costs) else None
        if chosen == before:
            break
    kept: list[int | None] = [None] * len(labels)
    for number, row in enumerate(chosen):
        harmed = by_others(number, kept)
        kept[number] = row
        if row is not None and harmed[row]:
            free = np.where(harmed, np.inf, labels[number].costs)
            kept[number] = int(np.argmin(free)) if np.isfinite(free).any() else None
    return kept


def _harm(own: _Places, other: _Places, row: int) -> _Counts:
    """How often each of a label's places would cover or cross another label in a place, or its line."""
    box, line = other.boxes[row], other.ends[row]
    found = _touch(own.boxes, box).astype(int)
    found += own.far & _through(own.ends, box)
    if other.far[row]:
        found += _through(line[None], own.boxes)
        found += own.far & _cross(own.ends, line)
    return found


def _candidates(
    own: int, points: Sequence[Point], area: tuple[float, float], size: float, mark: float
) -> _Places:
    """The places that keep within the area and off all marks; those right beside the point cost least."""
    point = points[own]
    half = np.array([text_width(point.label, size), size]) / 2
    at = np.array([point.x, point.y])
    # at a corner of the label the mark's round leaves more room
    reach = np.where(np.abs(_DIRECTIONS).sum(axis=1) > 1, 0.75 * mark + 2, mark + 3)[:, None]
    beside = _DIRECTIONS * (reach + half)
    middles = at + np.concatenate([beside, _STEPS])
    ranks = np.concatenate([0.3 * np.arange(len(beside)), np.full(len(_STEPS), 3.0)])
    boxes = np.concatenate([middles - half, middles + half], axis=1)
    marks = np.array([(each.x, each.y) for each in points])
    nearest = np.clip(marks[None], boxes[:, None, :2], boxes[:, None, 2:])
    distances = np.hypot(*(nearest - marks[None]).transpose(2, 0, 1))
    own_distance, others = distances[:, own], np.delete(distances, own, axis=1)
    other_marks = np.delete(marks, own, axis=0)
    clear = (others >= own_distance[:, None] + _MARGIN).all(axis=1)
    far = ~(clear & (own_distance <= mark + _BESIDE))
    ends = np.concatenate([np.broadcast_to(at, middles.shape), nearest[:, own]], axis=1)
    crowded = np.hypot(*(other_marks - at).T) < 2 * mark  # their marks cover a part of its own
    line_fits = (own_distance >= mark + _LEAST_LINE) & _keeps_off(ends, other_marks[~crowded], mark)
    covered = ~_keeps_off(ends, other_marks[crowded], mark)
    fits = (boxes[:, :2] >= 0).all(axis=1) & (boxes[:, 2:] <= area).all(axis=1)
    fits &= (distances >= mark + np.where(far, 4.0, 2.0)[:, None]).all(axis=1) & (~far | line_fits)
    length = own_distance - mark
    # a line along the point's own interval is not seen
    along = np.abs(ends[:, 2:] - ends[:, :2]).min(axis=1) < 3
    costs = ranks + np.where(far, 8 + 0.25 * length + 4 * along + 40 * covered, 0.5 * length)
    # over marks that cover its own a line leads on to the middle
    ends[:, :2] += np.where(covered, 0, mark / np.maximum(own_distance, mark))[:, None] * (ends[:, 2:] - at)
    costs += 0.12 * _over_intervals(boxes, points)
    return _Places(boxes[fits], ends[fits], far[fits], costs[fits])


def _keeps_off(ends: _Numbers, others: _Numbers, mark: float) -> _Flags:
    """Whether each line, from its own mark's edge on, touches no other mark; one in the same place aside."""
    start, end = ends[:, :2], ends[:, 2:]
    length = np.maximum(np.hypot(*(end - start).T), 1e-9)[:, None]
    edge = start + (end - start) / length * mark
    way = end - edge
    squared = np.maximum((way**2).sum(axis=1), 1e-9)[:, None]
    part = np.clip(((others[None] - edge[:, None]) * way[:, None]).sum(axis=2) / squared, 0, 1)
    nearest = edge[:, None] + part[..., None] * way[:, None]
    distances = np.hypot(*(nearest - others[None]).transpose(2, 0, 1))
    same = np.hypot(*(others[None] - start[:, None]).transpose(2, 0, 1)) <= 2
    return np.asarray((same | (distances > mark + 0.5)).all(axis=1))


def _over_intervals(boxes: _Numbers, points: Sequence[Point]) -> _Numbers:
    """The area that each box shares with the points' crosses."""
    across = [(each.left, each.y - 1, each.right, each.y + 1) for each in points]
    down = [(each.x - 1, each.top, each.x + 1, each.bottom) for each in points]
    lines = np.array(across + down)
    left_top = np.maximum(boxes[:, None, :2], lines[None, :, :2])
    right_bottom = np.minimum(boxes[:, None, 2:], lines[None, :, 2:])
    return np.asarray(np.clip(right_bottom - left_top, 0, None).prod(axis=2).sum(axis=1))


def _touch(boxes: _Numbers, box: _Numbers) -> _Flags:
    """Whether boxes come within two pixels of this one."""
    return np.asarray(((boxes[:, :2] < box[2:] + 2) & (boxes[:, 2:] > box[:2] - 2)).all(axis=1))


def _through(ends: _Numbers, boxes: _Numbers) -> _Flags:
    """Whether lines go through boxes, or come within a pixel: lines or boxes are several."""
    start, way = ends[:, :2], ends[:, 2:] - ends[:, :2]
    way = np.where(np.abs(way) < 1e-9, 1e-9, way)
    low, high = (boxes[..., :2] - 1 - start) / way, (boxes[..., 2:] + 1 - start) / way
    enters = np.maximum(np.minimum(low, high).max(axis=1), 0)
    leaves = np.minimum(np.maximum(low, high).min(axis=1), 1)
    return np.asarray(enters <= leaves)


def _cross(ends: _Numbers, line: _Numbers) -> _Flags:
    """Whether lines cross this one."""

    def side(start: _Numbers, end: _Numbers, at: _Numbers) -> _Numbers:
        way, off = end - start, at - start
        return np.asarray(way[..., 0] * off[..., 1] - way[..., 1] * off[..., 0])

    first, last, begin, end = ends[:, :2], ends[:, 2:], line[:2], line[2:]
    return np.asarray(
        (side(first, last, begin) * side(first, last, end) < 0)
        & (side(begin, end, first) * side(begin, end, last) < 0)
    )


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
        layer("text", text, where=named, stroke=paper, strokeWidth=3, strokeOpacity=0.7, **letters),
        layer("rule", {**ends, **lead}, where=f"{named} && datum.far", strokeWidth=1),
        layer("text", {**text, **ink}, where=named, **letters),
    ]
