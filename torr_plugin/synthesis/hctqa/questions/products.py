"""Writes a set of paths as few disjoint products: what can be said in one breath.

``{(2017, Export), (2017, Import), (2018, Export)}`` becomes ``2017 x {Export, Import}`` and
``2018 x {Export}``: each path is said once and nothing else is said.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

Label = tuple[int, str]
"""Which attribute says a value, and the value; ``(-1, "")`` where a path has none at this place."""
Point = tuple[Label, ...]
Product = tuple[frozenset[Label], ...]

NOTHING: Label = (-1, "")


def products(points: Sequence[Point]) -> list[Product]:
    """The points as disjoint products: of every order of merging their places, the one that gives fewest.

    Values are merged only where the same attribute says them. The points have to differ.
    """
    single: list[Product] = [tuple(frozenset((label,)) for label in point) for point in points]
    best = single
    for order in itertools.permutations(range(len(points[0]))):
        found = single
        for place in order:
            found = _merged(found, place)
        if len(found) < len(best):
            best = found
        if len(best) == 1:
            break
    return best


def _merged(found: Sequence[Product], place: int) -> list[Product]:
    """Products that are equal but for one place become one."""
    alike: dict[tuple[Product, Product, int], list[frozenset[Label]]] = {}
    for product in found:
        attribute = next(iter(product[place]))[0]
        key = (product[:place], product[place + 1 :], attribute)
        alike.setdefault(key, []).append(product[place])
    return [
        (*before, sets[0] if len(sets) == 1 else frozenset().union(*sets), *after)
        for (before, after, _), sets in alike.items()
    ]
