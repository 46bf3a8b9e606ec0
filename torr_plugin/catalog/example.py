"""What a card's data becomes: examples, each a table with its question and its references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

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
    """

    id: str
    table: Table
    fields: Mapping[str, str]
    references: tuple[str, ...]
    target: str
    groups: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, str] = field(default_factory=dict)
