"""What scores are given by: a group of the examples, or a property of their table or question."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..core.errors import PredictionsError, nearest

if TYPE_CHECKING:
    from ..catalog import Card, Example

ALL = "all"


@dataclass(frozen=True)
class Grouping:
    """Which examples are of which group.

    Attributes:
        members: group -> its examples; one may be of several.
        units: example -> what is resampled with it, its table; empty: each example by itself.
    """

    members: Mapping[str, frozenset[str]] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)


def grouping_of(card: Card, examples: Mapping[str, Example], by: str | None) -> Grouping:
    """The examples by a group's value (``source``), a property's (``table:Row Nesting``), or all properties'.

    Args:
        card: whose examples, for messages.
        examples: by id.
        by: a group; ``table:PROPERTY`` or ``question:PROPERTY``; ``table:all`` or ``question:all``; None.

    Raises:
        PredictionsError: the examples have no such group or property; the nearest are given.
    """
    if by is None:
        return Grouping()
    known = {key for example in examples.values() for key in example.groups}
    if by in known:
        return Grouping(_members((e.groups[by], e.id) for e in examples.values() if by in e.groups))
    of, colon, name = by.partition(":")
    if not colon:
        raise PredictionsError(
            f"{card.name}: its examples have no group {by!r}; {_meant(by, known, examples)}"
        )
    properties = dict.fromkeys(key for e in examples.values() for key in e.properties.get(of, {}))
    if not properties:
        kinds = {kind for example in examples.values() for kind in example.properties}
        raise PredictionsError(f"{card.name}: no properties of {of!r}; {nearest(of, kinds)}")
    if name != ALL and name not in properties:
        raise PredictionsError(f"{card.name}: no property {name!r} of the {of}; {nearest(name, properties)}")
    chosen = list(properties) if name == ALL else [name]
    members = {
        (f"{one}: {value}" if name == ALL else value): those
        for one in chosen
        for value, those in _members(_of_property(examples, of, one)).items()
    }
    return Grouping(members, {each: example.groups.get("table", each) for each, example in examples.items()})


def _meant(by: str, known: Collection[str], examples: Mapping[str, Example]) -> str:
    """What may have been meant: a property of this name with its kind before it, or the nearest group."""
    pairs = {(of, name) for e in examples.values() for of, those in e.properties.items() for name in those}
    named = [f"{of}:{name}" for of, name in pairs if name.lower() == by.lower()]
    if not named and not known:
        return "they have none"
    return nearest(by, named or known)


def _of_property(examples: Mapping[str, Example], of: str, name: str) -> Iterator[tuple[str, str]]:
    for example in examples.values():
        value = example.properties.get(of, {}).get(name)
        if value is not None:
            yield (str(value).lower() if isinstance(value, bool) else str(value)), example.id


def _members(pairs: Iterator[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for value, example in pairs:
        found.setdefault(value, set()).add(example)
    return {value: frozenset(found[value]) for value in sorted(found, key=_order)}


def _order(value: str) -> tuple[bool, float, str]:
    """Numbers by size (``2`` before ``10``), other values after them by name."""
    number = value.isascii() and value.isdigit() and len(value) < 16
    return not number, float(value) if number else 0.0, value
