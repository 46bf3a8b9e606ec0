"""Where labels of points stand: a reader never takes a name for another point's."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from torr_plugin.analysis.charts.label_places import LabelPlace, Point, label_places, text_width

WIDTH, HEIGHT, LETTERS, MARK = 500, 250, 13, 10.0

Box = tuple[float, float, float, float]
Segment = tuple[float, float, float, float]


def point(label: str, x: float, y: float, reach: float = 20) -> Point:
    return Point(label, x, y, x - reach, x + reach, y - reach, y + reach)


def scattered(seed: int, count: int) -> list[Point]:
    """Points as models' figures lie: some alone, most in a few crowds."""
    rng = np.random.default_rng(seed)
    crowds = rng.random((3, 2))
    at = np.clip(crowds[rng.integers(3, size=count)] + rng.normal(0, 0.09, (count, 2)), 0.04, 0.96)
    names = [f"{'borealis-' if n % 2 else 'fjord-'}{n}b" for n in range(count)]
    return [point(name, WIDTH * x, HEIGHT * y) for name, (x, y) in zip(names, at, strict=True)]


def box_of(label: str, place: LabelPlace) -> Box:
    wide = text_width(label, LETTERS)
    return place.x, place.y - LETTERS / 2, place.x + wide, place.y + LETTERS / 2


def leader_of(place: LabelPlace) -> Segment | None:
    return (*place.start, *place.end) if place.far else None


def away(box: Box, x: float, y: float) -> float:
    return math.hypot(min(max(x, box[0]), box[2]) - x, min(max(y, box[1]), box[3]) - y)


def along(segment: Segment) -> Iterator[tuple[float, float]]:
    for part in np.linspace(0, 1, 200):
        yield (
            segment[0] + part * (segment[2] - segment[0]),
            segment[1] + part * (segment[3] - segment[1]),
        )


def overlap(one: Box, other: Box) -> bool:
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


def wrong(points: Sequence[Point], places: Sequence[LabelPlace | None]) -> list[str]:
    """What a reader could misread."""
    placed = [(p, place) for p, place in zip(points, places, strict=True) if place is not None]
    boxes = [box_of(p.label, place) for p, place in placed]
    found = []
    for number, (own, place) in enumerate(placed):
        box, others = boxes[number], [each for each in points if each is not own]
        if box[0] < 0 or box[1] < 0 or box[2] > WIDTH or box[3] > HEIGHT:
            found.append(f"{own.label} leaves the picture")
        found += [f"{own.label} on a dot" for each in points if away(box, each.x, each.y) < MARK]
        found += [f"{own.label} on a label" for each in boxes[number + 1 :] if overlap(box, each)]
        leader = leader_of(place)
        if leader is None:
            near = away(box, own.x, own.y)
            found += [
                f"{own.label} may be {each.label}'s"
                for each in others
                if away(box, each.x, each.y) < near + 6
            ]
            continue
        elsewhere = [each for each in others if math.hypot(each.x - own.x, each.y - own.y) > 2]
        tip, *tips = (math.hypot(each.x - leader[0], each.y - leader[1]) for each in (own, *elsewhere))
        if tip > min([MARK + 0.1, *tips]):
            found.append(f"the line of {own.label} leads elsewhere")
        outside = [at for at in along(leader) if math.hypot(at[0] - own.x, at[1] - own.y) > MARK]
        for each in others:
            apart = math.hypot(each.x - own.x, each.y - own.y)
            if apart >= 2 * MARK and any(math.hypot(x - each.x, y - each.y) < MARK for x, y in outside):
                found.append(f"the line of {own.label} crosses the dot of {each.label}")
        for other, that in enumerate(boxes):
            if other != number and any(away(that, x, y) == 0 for x, y in along(leader)):
                found.append(f"the line of {own.label} crosses a label")
    return found


@pytest.mark.full
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("count", [2, 7, 14])
def test_no_label_can_be_taken_for_another_points(seed: int, count: int) -> None:
    points = scattered(seed, count)
    places = label_places(points, WIDTH, HEIGHT, LETTERS, MARK)
    assert not wrong(points, places)
    assert places.count(None) <= (count == 14)


def test_two_points_in_one_place_have_a_line_each() -> None:
    points = [point("one", 200, 100), point("other", 201, 100)]
    places = label_places(points, WIDTH, HEIGHT, LETTERS, MARK)
    assert not wrong(points, places)
    assert [place is not None and place.far for place in places] == [True, True]


def test_a_point_on_its_own_has_its_label_beside_it() -> None:
    (place,) = label_places([point("alone", 200, 100)], WIDTH, HEIGHT, LETTERS, MARK)
    assert place is not None
    assert not place.far
    assert away(box_of("alone", place), 200, 100) < 2 * MARK


@pytest.mark.full
def test_a_label_without_a_place_is_left_out() -> None:
    points = [point("a long name of a model", 50, 50, 0) for _ in range(40)]
    places = label_places(points, 200, 100, LETTERS, MARK)
    assert places[0] is not None
    assert None in places
    assert not [each for each in wrong(points, places) if "on a" in each]
