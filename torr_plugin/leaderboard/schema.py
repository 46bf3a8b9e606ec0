"""The part of ``analysis.json`` that the site shows, typed; a file from elsewhere is checked against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import RunError


class _Part(BaseModel):
    """Other keys, of figures that this page does not show, are let by."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Figure(_Part):
    """A figure, its interval, and whether no score of it is missing; null where there is none."""

    value: float | None
    low: float | None
    high: float | None
    complete: bool = True


class Figures(_Part):
    """A model's figure over all data sets and for each."""

    overall: Figure
    datasets: dict[str, Figure]


class Pairs(_Part):
    """Shares of model pairs."""

    value: float | None
    paired: float | None
    pairs: int


class Separability(_Part):
    """Which differences are real."""

    overall: Pairs
    datasets: dict[str, Pairs]
    method: dict[str, str]


class Gap(_Part):
    """Missing scores of one model, data set and configuration."""

    model: str
    dataset: str
    config: str
    missing: int
    of: int


class Holes(_Part):
    """Missing scores: totals and the largest gaps by name."""

    complete: bool
    missing: int
    expected: int
    models: dict[str, int]
    datasets: dict[str, int]
    cells: list[Gap]
    cells_in_all: int


class Settings(_Part):
    """What the figures rest on."""

    resamples: int
    level: float
    two_way: bool
    seed: int
    examples: dict[str, int]
    configurations: dict[str, int]
    metrics: dict[str, str]


class Core(_Part):
    """The figures of a set of configurations."""

    performance: dict[str, Figures]
    robustness: dict[str, Figures]
    worst: dict[str, Figures]
    best: dict[str, Figures]
    robustness_solvable: dict[str, Figures]
    rank_intervals: dict[str, tuple[int, int] | None]
    separability: Separability
    settings: Settings


class PartScores(_Part):
    """Mean scores: data set or "overall" -> serializer or perturbation -> model."""

    scores: dict[str, dict[str, dict[str, Figure]]]


class Slice(_Part):
    """Mean scores over the examples of one kind, over all models and for each."""

    examples: int
    overall: Figure
    models: dict[str, Figure] = {}


class Difference(_Part):
    """Between two kinds, over all models."""

    overall: Figure


class Contrast(_Part):
    """Examples that have a property, and those that have it not."""

    present: Slice
    absent: Slice
    difference: Difference


class Slices(_Part):
    """A data set's scores by kind of example: group -> value; "table" or "question" -> property; size."""

    groups: dict[str, dict[str, Slice]] = {}
    properties: dict[str, dict[str, Contrast]] = {}
    cells: dict[str, Slice] = {}


class Analysis(Core):
    """All that the site shows of an analysis."""

    configurations: dict[str, dict[str, dict[str, float | None]]]
    serializers: PartScores | None = None
    perturbations: PartScores | None = None
    slices: dict[str, Slices] | None = None
    label_keeping: Core | None = None
    holes: Holes
    notes: list[str] = []


def checked(analysis: Mapping[str, Any], where: str) -> Analysis:
    """The analysis as the site reads it.

    Raises:
        RunError: it is not of the shape that ``torr analyse`` writes; the first wrong field is said.
    """
    try:
        return Analysis.model_validate(dict(analysis))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])[:120]
        raise RunError(f"{where}: {field}: {first['msg']}; 'torr analyse' makes a new one") from error
