"""What a card's data becomes: examples, each a table with its question and its references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from ..tables import Table


@dataclass(frozen=True)
class Example:
    """One example of a data set.

    Attributes:
        id: unique within the data set, the same on every machine.
        table: the table as the data set has it.
        fields: the task's other inputs by name, as text (``question``, ``statement``, ``caption``).
        references: the right answers; any one of them is right unless the metric says otherwise.
        target: the answer as a demonstration shows it.
        groups: what the example can be grouped by (``source``, ``table``); examples of one ``table`` never
            demonstrate each other.
        facts: what a metric needs beside the references, by name, as text (the original ``table`` as JSON);
            never shown to a model.
        properties: what the data set says of the ``table`` and of the ``question``: property -> yes or no, a
            number or a text; one that is not known is not there.
        carried: the prompt that the data set itself has for it, as written there; None where it has none.
    """

    id: str
    table: Table
    fields: Mapping[str, str]
    references: tuple[str, ...]
    target: str
    groups: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, Mapping[str, Property]] = field(default_factory=dict)
    carried: str | None = None


Property: TypeAlias = bool | int | str
