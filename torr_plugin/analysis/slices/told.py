"""What is known of examples, read from a frame: groups, properties, the number of cells of the table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import AnalysisError

if TYPE_CHECKING:
    import pandas as pd

NEEDED = ("dataset", "example", "groups", "properties", "cells")
TABLE = "table"


@dataclass(frozen=True)
class Told:
    """What is known of one example.

    Attributes:
        groups: name -> value; ``table`` says which examples are of one table.
        properties: "table" or "question" -> property -> yes or no, a number, a text.
        cells: rows times columns of its table; None: not known.
    """

    groups: Mapping[str, str]
    properties: Mapping[str, Mapping[str, bool | int | str]]
    cells: int | None


def told_examples(frame: pd.DataFrame | None) -> dict[str, dict[str, Told]]:
    """Data set -> example -> what is known of it; empty without a frame.

    Args:
        frame: the columns ``NEEDED``; ``groups`` and ``properties`` are JSON objects as text.

    Raises:
        AnalysisError: a column is missing, or a cell is no JSON object of the expected kind; one line.
    """
    if frame is None:
        return {}
    missing = [name for name in NEEDED if name not in frame.columns]
    if missing:
        raise AnalysisError(f"examples: no column {missing[0]!r}; expected {', '.join(NEEDED)}")
    known: dict[str, dict[str, Told]] = {}
    read = _Reader()
    for row, (dataset, example, groups, properties, cells) in enumerate(
        zip(*(frame[name] for name in NEEDED), strict=True), 1
    ):
        told = Told(read.groups(groups, row), read.properties(properties, row), _count(cells))
        known.setdefault(str(dataset), {})[str(example)] = told
    return known


class _Reader:
    """Reads JSON objects; equal texts are read once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Mapping[str, Any]] = {}

    def groups(self, text: object, row: int) -> Mapping[str, str]:
        found = self._object(text, "groups", row)
        return {name: str(value) for name, value in found.items()}

    def properties(self, text: object, row: int) -> Mapping[str, Mapping[str, bool | int | str]]:
        found = self._object(text, "properties", row)
        for of, known in found.items():
            if not isinstance(known, dict) or not all(
                isinstance(v, (bool, int, str)) for v in known.values()
            ):
                raise AnalysisError(
                    f"examples: row {row}: properties of {of!r}: found {str(known)[:60]!r}; "
                    "expected an object of true, false, whole numbers and texts"
                )
        return found

    def _object(self, text: object, column: str, row: int) -> Mapping[str, Any]:
        key = (column, str(text))
        if key not in self._known:
            self._known[key] = _parsed(str(text), column, row)
        return self._known[key]


def _parsed(text: str, column: str, row: int) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise AnalysisError(f"examples: row {row}: {column} is {text[:60]!r}; expected a JSON object")
    return found


def _count(value: Any) -> int | None:
    return int(value) if value is not None and value == value else None  # noqa: PLR0124  # NaN
