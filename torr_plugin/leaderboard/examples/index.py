"""The list of a data set's examples as its page loads it: a file for some rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..files import DataFile, packed_script
from .scores import Measures

A_CHUNK = 1_000
"""Most rows of a file."""


@dataclass
class ExampleIndexRow:
    """A line of the list: an example, in which file and at which place all of it is, how models did.

    ``found`` is by the main metric; ``whole``: its texts are published; ``kinds`` are those of its question.
    """

    example: str
    question: str
    references: str
    file: int
    place: int
    found: Measures
    whole: bool
    kinds: tuple[str, ...] = ()


@dataclass
class DatasetIndex:
    """Where the list of a data set is.

    Attributes:
        chunks: its files, in order.
        others: its metrics beside the main one.
        hidden: metrics that are not shown (:class:`.scores.DatasetScores`).
        kinds: of its questions, in the order of their first; rows name them by number.
    """

    chunks: list[str] = field(default_factory=list)
    others: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    kinds: list[str] = field(default_factory=list)


def index_files(found: DatasetIndex, stem: str, rows: Sequence[ExampleIndexRow]) -> Iterator[DataFile]:
    """The files of a list, whose paths are put into ``found``; ``stem`` is what these begin with."""
    found.kinds.extend(dict.fromkeys(kind for row in rows for kind in row.kinds))
    places = {kind: place for place, kind in enumerate(found.kinds)}
    for number, start in enumerate(range(0, len(rows), A_CHUNK)):
        path = f"{stem}-{number}.js"
        found.chunks.append(path)
        yield packed_script(path, _columns(rows[start : start + A_CHUNK], places))


def _columns(rows: Sequence[ExampleIndexRow], kinds: dict[str, int]) -> dict[str, list[Any]]:
    """Columns, which pack better than rows."""
    found = [row.found for row in rows]
    return {
        "examples": [row.example for row in rows],
        "questions": [row.question for row in rows],
        "references": [row.references for row in rows],
        "files": [row.file for row in rows],
        "places": [row.place for row in rows],
        "mean": [_rounded(each.mean) for each in found],
        "flipped": [_rounded(each.flipped) for each in found],
        "spread": [_rounded(each.spread) for each in found],
        "states": [each.states for each in found],
        # of each model that flips: its number, by how much, the worst and the best configuration
        "flips": [
            [[flip.model, round(flip.width, 2), flip.worst, flip.best] for flip in each.flips]
            for each in found
        ],
        "whole": [int(row.whole) for row in rows],
        "kinds": [[kinds[kind] for kind in row.kinds] for row in rows],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
