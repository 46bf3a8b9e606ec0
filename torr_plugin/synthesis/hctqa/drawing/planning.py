"""Which tables a data set has, in what order: families take turns, each through its layouts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from ....core.seeds import seed as seeded
from ..parameters.loading import Parameters
from .combinations import Combination, combinations


@dataclass(frozen=True, slots=True)
class Planned:
    """One table to make: which combination, and the number of the variant, from 1."""

    combination: Combination
    replica: int


def planned(parameters: Parameters, *, seed: int, tables: int | None = None) -> Iterator[Planned]:
    """The first ``tables`` tables; without a number, every combination of every family ``replica`` times.

    A family's layouts come in an order of their own that the seed gives, all of them before any comes again.
    It does not depend on how many are asked for, so a smaller data set is the beginning of a larger one.
    """
    families = [_layouts(parameters, name, seed) for name in parameters.families]
    if tables is not None:
        turns = (planned_ for turn in itertools.count() for planned_ in _turn(families, turn))
        yield from itertools.islice(turns, max(tables, 0))
        return
    total = max(map(len, families)) * parameters.tables.replica
    for turn in range(total):
        yield from _turn(families, turn)


def _layouts(parameters: Parameters, family: str, seed: int) -> list[Combination]:
    layouts = list(combinations(parameters.tables, parameters.families[family]))
    Random(seeded(seed, "hctqa", "plan", family)).shuffle(layouts)  # noqa: S311
    return layouts


def _turn(families: list[list[Combination]], turn: int) -> Iterator[Planned]:
    for layouts in families:
        yield Planned(layouts[turn % len(layouts)], turn // len(layouts) + 1)
