"""Serializers: scores, win rates, range, choice and deviations (ToRR, Table 5, Fig. 10 and 11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...core.statistics import mean_over_examples
from ..charts.heat import HeatLayout, heat_map
from ..charts.labels import ChartContext, NoChart, bounds_row
from ..charts.panels import DotLayout, dot_chart, panel_labels
from ..charts.vega import SEQUENTIAL, ChartRow, Spec
from ..cube import Cube
from ..estimates import resampled
from ..extremes import best_and_worst
from ..figure import Figure, FigureChart, FigureTable, Row
from ..options import Options
from ..result import (
    CONTRAST,
    INTERVAL,
    FigureResult,
    Interval,
    contrast_cells,
    interval_cells,
    interval_fields,
    rows_of,
)
from ..shared_examples import SharedExamples
from ..study import StudyScores
from .choice_family import ApartPair, ApartPairs, SetApart, apart_formats, choice_family
from .compared_over import examples_table, over_advised, over_shared
from .deviations import Deviations, deviation_table, deviations
from .factor_cubes import FactorCubes, Groups, comparison_notes, examples_compared, factor_cubes, level_means
from .factor_scores import (
    LevelScores,
    OwnLevelScores,
    WinRates,
    at_designs,
    beside,
    design_notes,
    level_scores,
    score_table,
    unnamed,
    win_rate_chart,
    win_rate_chart_by,
    win_rate_table,
    win_rates,
)
from .level_pairs import LevelPair, LevelPairs, pair_table
from .pairwise_wins import pairwise_table, pairwise_wins
from .prompt_tokens import TokenMeans, token_cubes, token_means
from .serializer_choice import SerializerChoice, choice_rows, serializer_choice


class SerializerRange(Interval):
    """A model's best serializer less its worst, and which they are."""

    best: str | None = None
    worst: str | None = None


class Serializers(FigureResult):
    """Figures of serializers, on what lets them be compared.

    ``range``: model -> data set -> best less worst; ``choice``: model -> its serializers, best first;
    ``deviations``: data set or "overall" -> how far each lies from the mean over them; ``examples``: data set
    -> model -> how many these are over; ``pairs``: pair by pair, where that is under half; ``own_cells``:
    over each serializer's own scores, as in the paper, where that is not the same. ``at_design``: data set ->
    the one of its several designs that all of this is of.

    Formats that few examples were asked in are in ``apart``, with ``apart_pairs``; without them are
    ``family_choice``, ``family_deviations`` and ``family_examples`` (absent where none stands apart: use
    :attr:`advised` and the like), ``pairwise_win_rates``, and ``tokens``: data set or "overall" -> model ->
    serializer -> mean tokens of a prompt, where known.
    """

    scores: LevelScores
    win_rates: WinRates | None = None
    range: dict[str, dict[str, SerializerRange]] = {}
    choice: dict[str, SerializerChoice] = {}
    deviations: dict[str, Deviations] = {}
    examples: dict[str, dict[str, SharedExamples]] = {}
    pairs: LevelPairs = {}
    own_cells: OwnLevelScores | None = None
    at_design: dict[str, str] = {}
    family_choice: dict[str, SerializerChoice] = {}
    family_deviations: dict[str, Deviations] = {}
    family_examples: dict[str, dict[str, SharedExamples]] = {}
    pairwise_win_rates: WinRates = WinRates()
    tokens: TokenMeans = {}
    apart: SetApart = {}
    apart_pairs: ApartPairs = {}

    @property
    def advised(self) -> dict[str, SerializerChoice]:
        """Model -> the serializers to choose among, best first: without those that stand apart."""
        return self.family_choice if self.apart else self.choice

    @property
    def advised_deviations(self) -> dict[str, Deviations]:
        """Data set or "overall" -> how far each of them lies from the mean over them."""
        return self.family_deviations if self.apart else self.deviations

    @property
    def advised_examples(self) -> dict[str, dict[str, SharedExamples]]:
        """Data set -> model -> how many examples this is over."""
        return self.family_examples if self.apart else self.examples

    @property
    def compared_apart(self) -> Mapping[str, Mapping[str, Sequence[LevelPair]]]:
        """Data set -> model -> pairs of those that stand apart, or share few examples with the others."""
        return {**self.pairs, **self.apart_pairs}


def serializer_range(compared: FactorCubes, options: Options) -> dict[str, dict[str, SerializerRange]]:
    """The difference between the best and the worst serializer, each a mean over its configurations.

    Values are those of the data, intervals allow for the choice of the best and the worst, see
    :mod:`.extremes`. Of equal serializers the first by name is taken.

    Args:
        compared: of all data sets.
        options: resamples, level and seed are used; configurations are taken as given.

    Returns:
        model -> data set -> range, of the data sets on which two serializers or more are compared; empty if
        there are none.
    """
    found: dict[str, dict[str, SerializerRange]] = {model: {} for model in compared.models}
    for cube, groups in zip(compared.cubes, compared.datasets, strict=True):
        for model, figure in _dataset_range(cube, groups, options).items():
            found[model][cube.dataset] = figure
    return found if any(found.values()) else {}


def _dataset_range(cube: Cube, groups: Groups, options: Options) -> dict[str, SerializerRange]:
    if len(groups) < 2:
        return {}
    names = sorted(groups)
    means, lacks = level_means(cube, groups)
    samples = resampled(means, cube, options)
    ends = best_and_worst(mean_over_examples(means), samples, options.level)
    return {
        model: SerializerRange(
            **interval_fields(*ends.range[m], complete=not lacks[m]), **ends.names(names, m)
        )
        for m, model in enumerate(cube.models)
    }


def _range_rows(result: Mapping[str, Mapping[str, SerializerRange]]) -> Iterator[Row]:
    for model, datasets in result.items():
        for dataset, own in datasets.items():
            yield model, dataset, *interval_cells(own), own.best, own.worst


MOST_CELLS = 300
"""Of a heat map: texts take long to draw, and nobody reads more of them."""

_WIDTH = 105
_TITLE = "Best less worst format, per model and data set"


def _range_chart(result: Mapping[str, Mapping[str, SerializerRange]], context: ChartContext) -> Spec:
    """A row a model, a column a data set."""
    models, datasets = context.model_labels(), context.dataset_labels()
    rows = [
        {"row": label, "column": datasets[dataset], **figure}
        for model, label in models.items()
        for dataset, own in result.get(model, {}).items()
        if dataset in datasets and (figure := bounds_row(own))
    ]
    if not rows:
        raise NoChart("there is one format only")
    if len(rows) > MOST_CELLS:
        return _range_panels(rows, context)
    top = max(row["value"] for row in rows) or 1.0
    layout = HeatLayout(
        list(models.values()),
        list(datasets.values()),
        "range of scores",
        SEQUENTIAL,
        (0.0, top),
        (0.55 * top, 2.0),
    )
    lines = [_meaning(context), context.intervals.replace("Lines", "Small figures")]
    return heat_map(rows, layout, _TITLE, lines)


def _range_panels(rows: Sequence[ChartRow], context: ChartContext) -> Spec:
    """The same for many models: a panel a data set, a row a model."""
    names = context.dataset_labels(panel_labels(_WIDTH))
    shorter = dict(zip(context.dataset_labels().values(), names.values(), strict=True))
    layout = DotLayout(
        rows=list(context.model_labels().values()),
        panels=list(names.values()),
        x="range of scores",
        width=_WIDTH,
    )
    placed = [{**row, "panel": shorter[row["column"]]} for row in rows]
    return dot_chart(placed, layout, _TITLE, [_meaning(context), context.intervals])


def _meaning(context: ChartContext) -> str:
    picked = "The mean score with the best format less that with the worst, both picked on these scores"
    return f"{context.basis}. {picked}"


def _advice(study: StudyScores, compared: FactorCubes) -> dict[str, Any]:
    """What a choice rests on: the formats that do not stand apart, and what their prompts cost."""
    options, family = study.options, choice_family(compared)
    tokens = token_cubes(compared.cubes, study.rows)
    found: dict[str, Any] = {"pairwise_win_rates": pairwise_wins(family, options)}
    if tokens is not None:
        found["tokens"] = token_means(family, tokens)
    if family is not compared:
        found["family_choice"] = serializer_choice(family, options)
        found["family_deviations"] = deviations(family, options)
        found["family_examples"] = examples_compared(family)
        found |= apart_formats(compared, tokens, options)
    return found


def _apart_rows(result: Mapping[str, Mapping[str, Sequence[ApartPair]]]) -> Iterator[Row]:
    for dataset, models in result.items():
        for model, pairs in models.items():
            for own in pairs:
                cells = own.examples, own.first_tokens, own.second_tokens
                yield dataset, model, own.first, own.second, *contrast_cells(own), *cells


_WHICH = "which format to use for a model, and which are worse than its best"
_AWAY = "how far each model's mean with a format lies from its mean over all"
_CHOICE = ("model", "dataset", "serializer", *INTERVAL, "behind", "behind_low", "behind_high", "p", "worse")


class SerializersFigure(Figure[Serializers]):
    """Scores by serializer."""

    key = "serializers"
    tables = (
        score_table("serializer", "mean score of each model with each format", "family_choice"),
        win_rate_table("serializer"),
        FigureTable(
            "choice",
            _CHOICE,
            choice_rows,
            _WHICH,
            lambda result: result.choice,
            over_shared("serializer", "family_choice"),
        ),
        FigureTable(
            "family_choice",
            _CHOICE,
            choice_rows,
            f"{_WHICH}, as the site's pages say it",
            lambda result: result.family_choice,
            over_advised,
        ),
        FigureTable(
            "serializer_apart_pairs",
            ("dataset", "model", "first", "second", *CONTRAST, "examples", "first_tokens", "second_tokens"),
            _apart_rows,
            "formats that few examples were asked in, with each other one over what both were asked",
            lambda result: result.apart_pairs,
        ),
        pairwise_table("serializer", over_advised),
        FigureTable(
            "serializer_tokens",
            ("dataset", "model", "serializer", "prompt_tokens"),
            rows_of(),
            "mean tokens of a prompt with each format",
            lambda result: result.tokens,
            over_advised,
        ),
        FigureTable(
            "serializer_range",
            ("model", "dataset", *INTERVAL, "best", "worst"),
            _range_rows,
            "best less worst format",
            lambda result: result.range,
            over_shared("serializer"),
        ),
        deviation_table("serializer", _AWAY, over_shared("serializer", "serializer_family_deviations")),
        deviation_table(
            "serializer", f"{_AWAY}, as the site's pages say it", over_advised, "family_deviations"
        ),
        examples_table("serializer"),
        examples_table("serializer", "family_examples", ", without those that stand apart,"),
        pair_table("serializer", lambda result: result.pairs),
    )
    charts = (
        win_rate_chart("serializer"),
        win_rate_chart_by("serializer", "models", "ToRR's share of wins of formats, per model", "Fig. 10"),
        win_rate_chart_by(
            "serializer", "datasets", "ToRR's share of wins of formats, per data set", "Fig. 11"
        ),
        FigureChart(
            "serializer_range",
            _range_chart,
            "Table 5",
            unnamed("serializer"),
            lambda result: result.range,
            over=over_shared("serializer"),
        ),
    )

    def compute(self, study: StudyScores) -> Serializers | None:
        """Compute all of it, where the scores say the serializer of every configuration."""
        options = study.options
        compared = factor_cubes(study.at_one_design("serializer"), "serializer")
        if compared is None:
            return None
        return Serializers(
            scores=level_scores(compared, options),
            win_rates=win_rates(compared, options),
            range=serializer_range(compared, options),
            choice=serializer_choice(compared, options),
            deviations=deviations(compared, options),
            **beside(compared, options),
            **at_designs(study, "serializer"),
            **_advice(study, compared),
        )

    def notes(self, study: StudyScores, result: Serializers | None) -> list[str]:
        """What a comparison of serializers leaves out."""
        return [*design_notes(study), *comparison_notes(study.at_one_design("serializer"), "serializer")]


SERIALIZERS = SerializersFigure()
