"""Designs within formats beside data sets, as "Table Meets LLM" has them in its Tables 3 and 9."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..result import OVERALL, Interval
from .design_differences import DesignContrast, DesignDifferences
from .factor_scores import LevelScores

AVERAGE = "average"
"""The last columns: the unweighted mean over data sets."""


@dataclass(frozen=True)
class DesignRow:
    """A design of a model in a format.

    Attributes:
        base: the design that it is compared with; None of one that is compared with none there.
        scores: data set or "overall" -> mean score.
        differences: data set or "overall" -> that less the base's.
    """

    model: str
    serializer: str
    design: str
    base: str | None
    scores: Mapping[str, Interval]
    differences: Mapping[str, DesignContrast]


def design_rows(
    scores: Mapping[str, LevelScores], differences: Mapping[str, DesignDifferences]
) -> Iterator[DesignRow]:
    """By model, then by format; within a format those that are compared with none there come first.

    Args:
        scores: serializer -> data set or "overall" -> design -> model -> mean score.
        differences: serializer -> data set or "overall" -> model -> design -> difference from the base.
    """
    models = [model for of in scores.values() for own in of.values() for by in own.values() for model in by]
    for model in dict.fromkeys(models):
        for serializer, places in scores.items():
            of_places = differences.get(serializer, {})
            rows = [
                _row(model, serializer, design, places, of_places)
                for design in dict.fromkeys(name for own in places.values() for name in own)
            ]
            yield from sorted(rows, key=lambda row: (row.base is not None, row.base or "", row.design))


def _row(
    model: str, serializer: str, design: str, places: LevelScores, of_places: DesignDifferences
) -> DesignRow:
    differences = {
        place: by_model[model][design]
        for place, by_model in of_places.items()
        if design in by_model.get(model, {})
    }
    return DesignRow(
        model=model,
        serializer=serializer,
        design=design,
        base=next((own.base for own in differences.values()), None),
        scores={place: own[design][model] for place, own in places.items() if design in own},
        differences=differences,
    )


def places_of(rows: Sequence[DesignRow]) -> list[str]:
    """The data sets of a table, and at the end "overall"; of a single data set that alone."""
    every = dict.fromkeys(place for row in rows for place in row.scores if place != OVERALL)
    return [*every, OVERALL] if len(every) > 1 else list(every)


def design_header(rows: Sequence[DesignRow]) -> tuple[str, ...]:
    """The columns: a score and a difference for each data set, and for their average."""
    names = [AVERAGE if place == OVERALL else place for place in places_of(rows)]
    columns = [column for name in names for column in (name, f"{name} difference")]
    return ("model", "serializer", "design", "base", *columns)


def design_cells(rows: Sequence[DesignRow]) -> Iterator[tuple[object, ...]]:
    """The cells of :func:`design_header`; None where there is no score, or nothing to compare it with."""
    places = places_of(rows)
    for row in rows:
        cells = [
            found.value if found else None
            for place in places
            for found in (row.scores.get(place), row.differences.get(place))
        ]
        yield row.model, row.serializer, row.design, row.base, *cells
