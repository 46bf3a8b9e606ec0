"""What a question selects on an axis: one line, several, or those that an aggregate sums up."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from random import Random

from .instance import Path, TableAxis
from .layout.lines import merged_levels

Phrase = tuple[tuple[str, tuple[str, ...]], ...]
"""One product: attributes and the values of each, sorted; without the attributes that are not named."""


@dataclass(frozen=True, slots=True)
class SelectedPart:
    """A selection on one axis.

    Attributes:
        attributes: the conditioned ones, the outermost of the axis.
        paths: the selected values of these, in display order, each as long as ``attributes``.
        phrases: disjoint products that together are the paths.
        lines: how many columns or rows of the table the selection covers.
    """

    attributes: tuple[str, ...]
    paths: tuple[Path, ...]
    phrases: tuple[Phrase, ...]
    lines: int


class Header:
    """One axis of a table as the questions see it.

    Args:
        axis: the axis.
        simplify: groups of nested attributes of which a question names only the innermost.
    """

    def __init__(self, axis: TableAxis, simplify: Collection[Sequence[str]] = ()) -> None:
        self.axis = axis
        self.depth = len(axis.attributes)
        self._nested = [tuple(group) for group in axis.groups if _is_simplified(axis, group, simplify)]
        self._ambiguous = {group: _ambiguous(axis, group) for group in self._nested}
        self._prefixes = [
            tuple(dict.fromkeys(leaf[: depth + 1] for leaf in axis.leaves)) for depth in range(self.depth)
        ]

    def paths(self, depth: int) -> tuple[Path, ...]:
        """The different paths of the outermost ``depth`` attributes, in display order."""
        return self._prefixes[depth - 1]

    def below(self, prefix: Path, depth: int) -> list[Path]:
        """The paths of ``depth`` attributes below a prefix, in display order."""
        return [path for path in self.paths(depth) if path[: len(prefix)] == prefix]

    def part(self, paths: Collection[Path]) -> SelectedPart:
        """The selection of some paths of equal length.

        A phrase has the values above a value if its group is not simplified, or if another value of its group
        has the same name (``Grade I`` of two levels).
        """
        chosen = set(paths)
        depth = len(next(iter(paths)))
        kept = tuple(path for path in self.paths(depth) if path in chosen)
        places = self._places(kept, depth)
        phrases = [self._phrase(product) for product in products([_point(path, places) for path in kept])]
        covered = (
            len(kept) if depth == self.depth else sum(leaf[:depth] in chosen for leaf in self.axis.leaves)
        )
        return SelectedPart(self.axis.attributes[:depth], kept, tuple(sorted(phrases)), covered)

    def covered(self, part: SelectedPart) -> set[Path]:
        """The leaves that a selection covers."""
        depth, chosen = len(part.attributes), set(part.paths)
        return {leaf for leaf in self.axis.leaves if leaf[:depth] in chosen}

    def is_summed(self, part: SelectedPart) -> bool:
        """Whether a selection is all that lies below some value, or everything: what an aggregate sums up."""
        covered = self.covered(part)
        shared = _shared(sorted(covered))
        return len(covered) == len([leaf for leaf in self.axis.leaves if leaf[: len(shared)] == shared])

    def _places(self, paths: Sequence[Path], depth: int) -> list[tuple[int, ...]]:
        """The attributes by places of a product: those of a simplified group share one."""
        shared = {
            group[0]: tuple(index for index in group if index < depth)
            for group in self._nested
            if not self._needs_parents(paths, [index for index in group if index < depth], group)
        }
        joint = {index for group in shared.values() for index in group[1:]}
        return [shared.get(index, (index,)) for index in range(depth) if index not in joint]

    def _needs_parents(self, paths: Sequence[Path], indices: Sequence[int], group: tuple[int, ...]) -> bool:
        return any(_innermost(path, indices)[1] in self._ambiguous[group] for path in paths if indices)

    def _phrase(self, product: Sequence[frozenset[Label]]) -> Phrase:
        named: list[tuple[str, tuple[str, ...]]] = []
        for labels in product:
            attribute = next(iter(labels))[0]
            if attribute >= 0:
                named.append((self.axis.attributes[attribute], tuple(sorted(label for _, label in labels))))
        return tuple(named)


def _is_simplified(axis: TableAxis, group: Sequence[int], simplify: Collection[Sequence[str]]) -> bool:
    names = {axis.attributes[index].lower() for index in group}
    return len(names) > 1 and any(names <= {name.lower() for name in nested} for nested in simplify)


def _ambiguous(axis: TableAxis, group: Sequence[int]) -> set[str]:
    """The names that more than one value of a hierarchy has, at any of its levels.

    A value that is repeated at the levels below, because there are no values there, is one value.
    """
    start = group[0]
    values = {
        leaf[start : index + 1]
        for leaf, again in zip(axis.leaves, merged_levels(axis), strict=True)
        for index in group
        if leaf[index] and not again[index]
    }
    names = [value[-1] for value in values]
    return {name for name in names if names.count(name) > 1}


def _point(path: Path, places: Sequence[Sequence[int]]) -> Point:
    return tuple(_innermost(path, indices) for indices in places)


def _innermost(path: Path, indices: Sequence[int]) -> Label:
    """The innermost value there is among these attributes."""
    return next(((index, path[index]) for index in reversed(indices) if path[index]), NOTHING)


def _shared(paths: Sequence[Path]) -> Path:
    """The longest prefix of the first and the last of sorted paths, and so of all."""
    first, last = paths[0], paths[-1]
    length = next(
        (index for index, pair in enumerate(zip(first, last, strict=True)) if pair[0] != pair[1]), len(first)
    )
    return first[:length]


Label = tuple[int, str]
"""The index of an attribute and its value; ``(-1, "")`` where a path has none at this place."""
Point = tuple[Label, ...]
Product = tuple[frozenset[Label], ...]

NOTHING: Label = (-1, "")


def products(points: Sequence[Point]) -> list[Product]:
    """The points as disjoint products, as few as any order of merging their places gives.

    Only values of the same attribute are merged. The points have to differ.
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


_TRIES = 6


def one(header: Header, random: Random) -> SelectedPart:
    """One line."""
    return header.part([random.choice(header.axis.leaves)])


def many(header: Header, random: Random, most: int, phrases: int, depth: int = 0) -> SelectedPart | None:
    """Two or more lines, ``most`` at most, in at most ``phrases`` phrases; None on a shorter axis.

    Half of the draws are free, half choose values of each attribute, as people do (``Q1 or Q2 of 2017 or
    2018``).
    """
    paths = header.paths(depth or header.depth)
    if len(paths) < 2:
        return None
    for _ in range(_TRIES):
        chosen = _free(paths, random, most) if random.random() < 0.5 else _crossed(paths, random)
        if 2 <= len(chosen) <= most:
            part = header.part(chosen)
            if len(part.phrases) <= phrases:
                return part
    return header.part(random.sample(paths, 2))


def outer(header: Header, random: Random, most: int = 6) -> SelectedPart:
    """Values of the outermost attribute: two or more where it has them."""
    paths = header.paths(1)
    return header.part(_free(paths, random, most) if len(paths) > 1 else paths)


def summed(header: Header, random: Random) -> SelectedPart:
    """All the values below one value, or all the outermost: what one aggregate of the table sums up."""
    depth = random.randrange(header.depth)
    prefix = random.choice(header.axis.leaves)[:depth]
    return header.part(header.below(prefix, depth + 1))


def _free(paths: Sequence[Path], random: Random, most: int) -> list[Path]:
    return random.sample(paths, random.randint(2, min(len(paths), most)))


def _crossed(paths: Sequence[Path], random: Random) -> list[Path]:
    """The paths whose values are all among those chosen for their attributes."""
    kept = list(paths)
    for index in range(len(paths[0])):
        values = list(dict.fromkeys(path[index] for path in kept))
        sampled = set(random.sample(values, random.randint(1, min(len(values), 4))))
        kept = [path for path in kept if path[index] in sampled]
    return kept
