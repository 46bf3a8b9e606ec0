"""Scores of examples beside what is known of them: one data set, or several together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..cube import Cube
from ..frame import OVERALL
from ..performance import example_means
from .told import TABLE, Told

if TYPE_CHECKING:
    from ..types import Booleans, Floats, Integers

Value = bool | int | str


@dataclass(frozen=True)
class Stack:
    """The scores of examples, with what is known of each.

    Attributes:
        place: the data set's name, or "overall" for several together.
        models: labels of the rows of ``scores``.
        scores: mean over configurations, (models x examples); NaN where there is none.
        lacks: whether some configuration has no score, (models x examples).
        told: what is known, an example each.
        clusters: (examples,): the number of the table that an example is of; without such a group each
            example is one of its own.
    """

    place: str
    models: tuple[str, ...]
    scores: Floats
    lacks: Booleans
    told: tuple[Told, ...]
    clusters: Integers

    def groups(self) -> dict[str, list[str | None]]:
        """Group -> its value, an example each; without the group that says the table."""
        names = {name: None for told in self.told for name in told.groups if name != TABLE}
        return {name: [told.groups.get(name) for told in self.told] for name in names}

    def properties(self, of: str) -> dict[str, list[Value | None]]:
        """Property of the table or question -> its value, an example each; None where it is not known."""
        names = {name: None for told in self.told for name in told.properties.get(of, {})}
        return {name: [told.properties.get(of, {}).get(name) for told in self.told] for name in names}

    def tables(self, chosen: Booleans) -> int:
        """How many tables some examples are of."""
        return len(set(self.clusters[chosen].tolist()))

    def kinds(self) -> list[str]:
        """What has properties: "table", "question"."""
        return list(dict.fromkeys(of for told in self.told for of, known in told.properties.items() if known))


def stacks(cubes: Sequence[Cube], known: Mapping[str, Mapping[str, Told]]) -> list[Stack]:
    """A stack a data set whose examples are told something of, and one of all together if they are several.

    A data set is left out where its examples have neither properties nor groups (but that of the table).
    """
    found = [_stack(cube, known[cube.dataset]) for cube in cubes if _tells(known.get(cube.dataset, {}))]
    return [*found, _together(found)] if len(found) > 1 else found


def is_yes_or_no(values: Sequence[Value | None]) -> bool:
    """Whether all that is known are yes and no."""
    return all(isinstance(value, bool) for value in values if value is not None)


def _tells(known: Mapping[str, Told]) -> bool:
    return any(told.properties or set(told.groups) - {TABLE} for told in known.values())


def _stack(cube: Cube, known: Mapping[str, Told]) -> Stack:
    import numpy as np

    told = tuple(known.get(example) or Told({}, {}, None) for example in cube.examples)
    return Stack(
        place=cube.dataset,
        models=cube.models,
        scores=example_means(cube.scores),
        lacks=np.asarray(np.isnan(cube.scores).any(axis=1)),
        told=told,
        clusters=table_numbers(told),
    )


def table_numbers(told: Sequence[Told | None]) -> Integers:
    """The number of the table that each example is of; without such a group it is one of its own."""
    return _codes([(one.groups.get(TABLE) if one else None) or i for i, one in enumerate(told)])


def joined_numbers(parts: Sequence[Integers]) -> Integers:
    """The tables of several data sets numbered together: no two data sets share one."""
    return _codes([(place, int(code)) for place, part in enumerate(parts) for code in part])


def _codes(names: Sequence[object]) -> Integers:
    import numpy as np

    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return np.array([numbers[name] for name in names], dtype=np.int64)


def _together(parts: Sequence[Stack]) -> Stack:
    import numpy as np

    return Stack(
        place=OVERALL,
        models=parts[0].models,
        scores=np.concatenate([part.scores for part in parts], axis=1),
        lacks=np.concatenate([part.lacks for part in parts], axis=1),
        told=tuple(told for part in parts for told in part.told),
        clusters=joined_numbers([part.clusters for part in parts]),
    )
