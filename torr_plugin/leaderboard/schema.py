"""The part of ``analysis.json`` that the site shows, typed; a file from elsewhere is checked against it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ..core.errors import RunError


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


class SeparatedPair(_Part):
    """Two models that intervals or the paired test (``paired``) separate, the better one first."""

    models: tuple[str, str]
    paired: bool = True


class Pairs(_Part):
    """Shares of model pairs; ``pairs_separated``: those separated by either, overall alone."""

    value: float | None
    paired: float | None
    pairs: int
    pairs_separated: list[SeparatedPair] | None = None


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
    methods: dict[str, str] = {}
    keeps_labels: dict[str, list[str]] = {}
    rankings: int | None = None
    repeats: int | None = None


class Extreme(Figure):
    """The mean score of a model's best or worst configuration; None of a model that has no score."""

    config: str | None


class ConfigurationRange(_Part):
    """How far a model's best and worst configurations lie apart."""

    worst: Extreme | None = None
    best: Extreme | None = None
    range: Figure | None = None


class ConfigurationRanges(_Part):
    """Over all data sets and on each; None where it cannot be said."""

    overall: ConfigurationRange | None = None
    datasets: dict[str, ConfigurationRange | None] = {}


class PairDifference(_Part):
    """A paired difference, first model less second, with its own interval, and p after Holm's correction."""

    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    paired: bool = False
    apart: bool = False
    complete: bool = True


class PairFigures(_Part):
    """A pair's difference over all data sets and on each."""

    overall: PairDifference
    datasets: dict[str, PairDifference]


class ModelPair(_Part):
    """Two models, the one that ranks before the other first."""

    models: tuple[str, str]
    performance: PairFigures
    robustness: PairFigures


class Behind(Figure):
    """How far a serializer lies behind a model's best; bounds and ``p`` hold for all of them at once."""

    p: float | None


class ChoiceRow(Figure):
    """A serializer of a model: its mean score, and whether it is worse than the model's best."""

    serializer: str
    behind: Behind
    worse: bool


class Choice(_Part):
    """A model's serializers, best mean first, over all data sets and on each."""

    overall: list[ChoiceRow]
    datasets: dict[str, list[ChoiceRow]]


class Core(_Part):
    """The figures of a set of configurations."""

    performance: dict[str, Figures]
    robustness: dict[str, Figures]
    worst: dict[str, Figures]
    best: dict[str, Figures]
    robustness_solvable: dict[str, Figures]
    rank_intervals: dict[str, tuple[int, int] | None]
    separability: Separability
    rank_intervals_datasets: dict[str, dict[str, tuple[int, int] | None]] = {}
    pairs: list[ModelPair] = []
    settings: Settings


class WinRates(_Part):
    """Shares of the wins of serializers or perturbations: over all, per model, per data set."""

    overall: dict[str, Figure] = {}
    models: dict[str, dict[str, Figure]] = {}
    datasets: dict[str, dict[str, Figure]] = {}


class AbsoluteImpact(_Part):
    """Mean absolute impact of perturbations: data set or model -> perturbation."""

    datasets: dict[str, dict[str, Figure]] = {}
    models: dict[str, dict[str, Figure]] = {}


class Deviations(_Part):
    """How far each serializer or perturbation lies from the mean over them, and for each model."""

    all_models: dict[str, Figure] = {}
    models: dict[str, dict[str, Figure]] = {}


class PartScores(_Part):
    """Mean scores: data set or "overall" -> serializer or perturbation -> model.

    ``differences``, of perturbations alone: data set or "overall" -> model -> perturbation;
    ``differences_by_serializer``: serializer -> the same; ``deviations``: data set or "overall" -> them.
    """

    scores: dict[str, dict[str, dict[str, Figure]]]
    win_rates: WinRates | None = None
    differences: dict[str, dict[str, dict[str, Figure]]] = {}
    differences_by_serializer: dict[str, dict[str, dict[str, dict[str, Figure]]]] = {}
    deviations: dict[str, Deviations] = {}
    absolute_impact: AbsoluteImpact | None = None
    choice: dict[str, Choice] = {}


class Slice(_Part):
    """Mean scores over the examples of one kind, over all models and for each."""

    examples: int
    overall: Figure
    models: dict[str, Figure] = {}


class Difference(_Part):
    """Between two kinds, over all models and for each."""

    overall: Figure
    models: dict[str, Figure] = {}


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


class Difficulty(_Part):
    """Examples by their mean over models and configurations: how many in each bin, and the means."""

    edges: list[float]
    counts: list[int]
    mean_interval: Figure | None = None
    examples: dict[str, float] = {}


class Distribution(_Part):
    """Scores by bins: over all models and for each."""

    edges: list[float]
    counts: list[int]
    models: dict[str, list[int]] = {}


class CurvePoint(_Part):
    """Kendall's W of rankings that rest on k configurations and n examples (None: all, unlike in number)."""

    k: int
    n: int | None
    w: float | None
    low: float | None
    high: float | None
    rankings: int
    chance: float | None


class Curves(_Part):
    """Reliability against configurations, drawn from all or sharing none, and against examples."""

    prompts: list[CurvePoint] = []
    examples: list[CurvePoint] = []
    disjoint: list[CurvePoint] = []


class DatasetAgreement(_Part):
    """Kendall's tau-b between data sets' rankings: as found, and as it would be without noise with bounds."""

    datasets: list[str]
    tau: list[list[float | None]]
    estimate: list[list[float | None]] = []
    low: list[list[float | None]] = []
    high: list[list[float | None]] = []


class ConfigurationAgreement(_Part):
    """Kendall's W over the rankings that single configurations give; ``estimate``: without noise."""

    value: float | None
    estimate: float | None
    low: float | None
    high: float | None
    chance: float | None
    raters: int


class Component(Figure):
    """A variance component; ``share`` of the sum of all."""

    share: float | None


class Generalizability(_Part):
    """Variance components and the coefficient of the study's own numbers."""

    components: dict[str, Component]
    coefficient: Figure
    models: int
    configurations: int
    examples: float
    notes: list[str] = []


class Analysis(Core):
    """All that the site shows of an analysis."""

    configurations: dict[str, dict[str, dict[str, float | None]]]
    serializers: PartScores | None = None
    perturbations: PartScores | None = None
    difficulty: dict[str, Difficulty] = {}
    distributions: dict[str, Distribution] = {}
    reliability: dict[str, Curves] | None = None
    dataset_agreement: DatasetAgreement | None = None
    configuration_agreement_intervals: dict[str, ConfigurationAgreement] | None = None
    generalizability: dict[str, Generalizability] | None = None
    slices: dict[str, Slices] | None = None
    label_keeping: Core | None = None
    configuration_range: dict[str, ConfigurationRanges] | None = None
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
