"""The list of a data set's examples as its page loads it: a file for some rows, one more for each metric."""

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

    ``found`` is by the main metric, ``others`` by each other one; ``whole``: its texts are published.
    """

    example: str
    question: str
    references: str
    file: int
    place: int
    found: Measures
    whole: bool
    others: Sequence[Measures] = ()


@dataclass(frozen=True)
class DatasetSummary:
    """Of a data set: examples, and how many are of each kind.

    All models are right or wrong in all configurations; some are right in all, and the others wrong; or some
    flip.
    """

    dataset: str
    examples: int
    right: int
    wrong: int
    apart: int
    flips: int


@dataclass
class DatasetIndex:
    """Where the list of a data set is.

    Attributes:
        chunks: its files, in order.
        others: metric -> files with what changes of the list where that one is chosen, as many.
        hidden: metrics that are not shown (:class:`.scores.DatasetScores`).
    """

    chunks: list[str] = field(default_factory=list)
    others: dict[str, list[str]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()


def index_files(found: DatasetIndex, stem: str, rows: Sequence[ExampleIndexRow]) -> Iterator[DataFile]:
    """The files of a list, whose paths are put into ``found``; ``stem`` is what these begin with."""
    for number, start in enumerate(range(0, len(rows), A_CHUNK)):
        part = rows[start : start + A_CHUNK]
        path = f"{stem}-{number}.js"
        found.chunks.append(path)
        yield packed_script(path, _columns(part))
        for place, paths in enumerate(found.others.values()):
            path = f"{stem}-{number}-by-{place}.js"
            paths.append(path)
            yield packed_script(path, _measured([row.others[place] for row in part]))


def summary(dataset: str, rows: Sequence[ExampleIndexRow]) -> DatasetSummary:
    """A data set in a line, by its main metric."""
    states = [row.found.states.replace("-", "") for row in rows]
    return DatasetSummary(
        dataset=dataset,
        examples=len(rows),
        right=sum(set(letters) == {"r"} for letters in states),
        wrong=sum(set(letters) == {"w"} for letters in states),
        apart=sum(set(letters) == {"r", "w"} for letters in states),
        flips=sum("f" in letters for letters in states),
    )


def _columns(rows: Sequence[ExampleIndexRow]) -> dict[str, list[Any]]:
    """Columns, which pack better than rows."""
    return {
        "examples": [row.example for row in rows],
        "questions": [row.question for row in rows],
        "references": [row.references for row in rows],
        "files": [row.file for row in rows],
        "places": [row.place for row in rows],
        **_measured([row.found for row in rows]),
        "whole": [int(row.whole) for row in rows],
    }


def _measured(found: Sequence[Measures]) -> dict[str, list[Any]]:
    return {
        "mean": [_rounded(each.mean) for each in found],
        "flipped": [_rounded(each.flipped) for each in found],
        "spread": [_rounded(each.spread) for each in found],
        "states": [each.states for each in found],
        # of each model that flips: its number, by how much, the worst and the best configuration
        "flips": [
            [[flip.model, round(flip.width, 2), flip.worst, flip.best] for flip in each.flips]
            for each in found
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
