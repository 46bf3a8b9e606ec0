"""Examples: a table with its question and its references."""

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
        table: the original table.
        fields: the task's other inputs by name, as text (``question``, ``statement``, ``caption``).
        references: the right answers; any one of them is right unless the metric says otherwise.
        target: the answer that a demonstration shows.
        groups: values to group examples by (``source``, ``table``); examples with the same ``table`` never
            demonstrate each other.
        facts: what a metric needs beside the references, by name, as text (the original ``table`` as JSON);
            never shown to a model.
        properties: what the data set says about the ``table`` and the ``question``: property -> a boolean, a
            number or a text; unknown ones are absent.
        carried: the prompt that the data set itself provides, unparsed; None without one.
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
