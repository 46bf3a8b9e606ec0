"""Draws what is selected on an axis: one line, several, the lines that an aggregate sums up."""

from __future__ import annotations

import random as random_module
from collections.abc import Sequence

from ..instance import Path
from .parts import Header, Part

_TRIES = 6


def one(header: Header, random: random_module.Random) -> Part:
    """One line."""
    return header.part([random.choice(header.axis.leaves)])


def many(
    header: Header, random: random_module.Random, most: int, phrases: int, depth: int = 0
) -> Part | None:
    """Two or more lines, ``most`` at most, that can be said in ``phrases`` products; None on a shorter axis.

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
            if len(part.said) <= phrases:
                return part
    return header.part(random.sample(paths, 2))


def outer(header: Header, random: random_module.Random, most: int = 6) -> Part:
    """Values of the outermost attribute: two or more where it has them."""
    paths = header.paths(1)
    return header.part(_free(paths, random, most) if len(paths) > 1 else paths)


def summed(header: Header, random: random_module.Random) -> Part:
    """All the values below one value, or all the outermost: what one aggregate of the table sums up."""
    depth = random.randrange(header.depth)
    prefix = random.choice(header.axis.leaves)[:depth]
    return header.part(header.below(prefix, depth + 1))


def _free(paths: Sequence[Path], random: random_module.Random, most: int) -> list[Path]:
    return random.sample(paths, random.randint(2, min(len(paths), most)))


def _crossed(paths: Sequence[Path], random: random_module.Random) -> list[Path]:
    """The paths whose every value is among some drawn for its attribute."""
    kept = list(paths)
    for index in range(len(paths[0])):
        values = list(dict.fromkeys(path[index] for path in kept))
        drawn = set(random.sample(values, random.randint(1, min(len(values), 4))))
        kept = [path for path in kept if path[index] in drawn]
    return kept
