"""Which values of an attribute a table shows, and in what order its attributes stand."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from ..instance import Axis, Path
from ..parameters.semantics import Attribute, Branch
from ..parameters.table_templates import Sample, Shuffle

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The names of one code's attributes and the paths of values that were drawn."""

    names: tuple[str, ...]
    paths: tuple[Path, ...]


def draw(attribute: Attribute, sample: Sample, random: Random) -> Drawn:
    """A sample of an attribute's values; of a hierarchy's at every level, each branch by itself."""
    paths = _paths(_sampled(attribute.values, sample, random))
    return Drawn(attribute.names, tuple(_filled(path, len(attribute.names)) for path in paths))


def _filled(path: Path, length: int) -> Path:
    """A value without values below it stands at every further level itself (an unbalanced hierarchy)."""
    return (*path, *[path[-1]] * (length - len(path)))


def consecutive(values: Sequence[T], sample: Sample, random: Random) -> Sequence[T]:
    """Draws n values side by side, n in [m, M], from a random place; all if too few (Appendix C.3)."""
    if sample is None:
        return values
    least, most = (min(bound, len(values)) for bound in sample)
    count = random.randint(least, most)
    start = random.randint(0, len(values) - count)
    return values[start : start + count]


def _sampled(branches: Sequence[Branch], sample: Sample, random: Random) -> tuple[Branch, ...]:
    return tuple(
        Branch(branch.label, _sampled(branch.children, sample, random)) if branch.children else branch
        for branch in consecutive(branches, sample, random)
    )


def _paths(branches: Iterable[Branch]) -> Iterable[Path]:
    for branch in branches:
        if not branch.children:
            yield (branch.label,)
        for below in _paths(branch.children):
            yield (branch.label, *below)


def shuffled(
    columns: Sequence[T], rows: Sequence[T], shuffle: Shuffle, random: Random
) -> tuple[list[T], list[T]]:
    """Columns and rows in the order of a shuffle command; a hierarchy is one entry, so it is never split.

    ``all`` exchanges between the axes, each of which keeps how many it has.
    """
    left, right = list(columns), list(rows)
    if shuffle == "all":
        mixed = [*left, *right]
        random.shuffle(mixed)
        return mixed[: len(left)], mixed[len(left) :]
    if shuffle in ("cols", "rowscols"):
        random.shuffle(left)
    if shuffle in ("row", "rowscols"):
        random.shuffle(right)
    return left, right


def axis(drawn: Sequence[Drawn]) -> Axis:
    """One side of the table: every combination of the codes' paths, the last code varying fastest."""
    starts = itertools.accumulate((len(code.names) for code in drawn), initial=0)
    return Axis(
        attributes=tuple(name for code in drawn for name in code.names),
        groups=tuple(
            tuple(range(start, start + len(code.names))) for start, code in zip(starts, drawn, strict=False)
        ),
        leaves=tuple(
            tuple(itertools.chain.from_iterable(paths))
            for paths in itertools.product(*(code.paths for code in drawn))
        ),
    )
