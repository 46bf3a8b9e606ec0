"""Perturbations: what they do to scores (ToRR, appendix C.2, Fig. 12 to 15)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from ..charts.labels import ChartContext
from ..charts.vega import Spec
from ..cube import Cube, by_factor
from ..figure import Figure, FigureChart, FigureTable
from ..result import CONTRAST, INTERVAL, OVERALL, FigureResult, Interval, contrast_rows
from ..shared_examples import Factor, SharedExamples, noun
from ..study import StudyScores
from .compared_over import examples_table, over_shared
from .deviations import Deviations, deviation_table, deviations
from .factor_cubes import comparison_notes, factor_cubes
from .factor_scores import (
    LevelScores,
    OwnLevelScores,
    WinRates,
    at_designs,
    beside,
    level_scores,
    panel_chart,
    score_table,
    unnamed,
    win_rate_chart,
    win_rate_table,
    win_rates,
)
from .level_pairs import LevelPairs, pair_table
from .pairwise_wins import pairwise_table, pairwise_wins
from .perturbation_impact import (
    AbsoluteImpact,
    ScoreDifferences,
    impact_by_serializer,
    pair_notes,
    perturbation_impact,
)


class Perturbations(FigureResult):
    """Figures of perturbations.

    ``differences``: data set or "overall" -> model -> perturbation -> score with it less that without, each
    over all that was asked both ways; ``differences_by_serializer``: serializer -> the same; ``deviations``:
    data set or "overall" -> how far each lies from the mean over them; other fields: as of serializers.
    """

    scores: LevelScores
    differences: ScoreDifferences = {}
    absolute_impact: AbsoluteImpact | None = None
    differences_by_serializer: dict[str, ScoreDifferences] = {}
    deviations: dict[str, Deviations] = {}
    win_rates: WinRates | None = None
    examples: dict[str, dict[str, SharedExamples]] = {}
    pairs: LevelPairs = {}
    own_cells: OwnLevelScores | None = None
    at_design: dict[str, str] = {}
    pairwise_win_rates: WinRates = WinRates()

    @property
    def several(self) -> bool:
        """Whether some data set was asked in more than one, the plain table being one."""
        return any(len(own) > 1 for own in self.scores.values())


def factor_notes(cubes: Sequence[Cube]) -> list[str]:
    """What a reader must know of figures per serializer and perturbation, a line each."""
    factors: tuple[Factor, ...] = ("serializer", "perturbation")
    notes = [note for factor in factors for note in _unnamed_notes(cubes, factor)]
    return [*notes, *pair_notes(cubes), *comparison_notes(cubes, "perturbation")]


def _unnamed_notes(cubes: Sequence[Cube], factor: Factor) -> list[str]:
    """Of a column that is there, but not for all configurations; an absent one is named with the scores."""
    lacking = [cube.dataset for cube in cubes if not by_factor(cube, factor)]
    if not lacking or not any(cube.parts.get(factor) for cube in cubes):
        return []
    return [
        f"not all configurations of {', '.join(lacking)} say their {noun(factor)}, "
        f"so figures per {noun(factor)} are left out"
    ]


_UNPAIRED = "no perturbed configuration has an unperturbed one beside it"


def _chart(
    name: str,
    source: str,
    part: Callable[[Any], Any],
    *,
    of: Literal["model", "data set"],
    words: tuple[str, str, str],
    reference: float | None = None,
) -> FigureChart:
    """A row a model or data set, a panel a perturbation; ``words``: axis, title, what the figures mean."""
    x, title, meaning = words

    def build(found: Mapping[str, Mapping[str, Interval]], context: ChartContext) -> Spec:
        return panel_chart(
            found,
            context.model_labels() if of == "model" else context.dataset_labels(),
            title,
            [f"{context.basis}. {meaning}", context.intervals],
            reference=reference,
            x=x,
            width=110,
            columns=4 if len({name for own in found.values() for name in own}) == 4 else 5,
        )

    return FigureChart(name, build, source, unnamed("perturbation"), part, _UNPAIRED)


_CHANGE = (
    "change of the score",
    "Mean change of the score under each perturbation",
    "Score with the perturbation less that without, same format and example; dashed: no change",
)


def _impact_chart(key: str, of: Literal["model", "data set"], source: str) -> FigureChart:
    words = (
        "mean absolute change",
        f"Mean absolute change of the score under each perturbation, per {of}",
        "Absolute difference of the scores with and without the perturbation, same format and example",
    )
    return _chart(
        f"perturbation_impact_{key}",
        source,
        lambda result: result.absolute_impact and getattr(result.absolute_impact, key),
        of=of,
        words=words,
    )


class PerturbationsFigure(Figure[Perturbations]):
    """Scores by perturbation, and what perturbations change."""

    key = "perturbations"
    tables = (
        score_table("perturbation", "mean score of each model under each perturbation"),
        FigureTable(
            "perturbation_differences",
            ("dataset", "model", "perturbation", *CONTRAST),
            contrast_rows,
            "mean change of the score under each perturbation",
            lambda result: result.differences,
        ),
        FigureTable(
            "perturbation_differences_by_serializer",
            ("serializer", "dataset", "model", "perturbation", *CONTRAST),
            contrast_rows,
            "the same in each format alone",
            lambda result: result.differences_by_serializer,
        ),
        deviation_table(
            "perturbation",
            "how far each model's mean under a perturbation lies from its mean over all",
            over_shared("perturbation"),
        ),
        FigureTable(
            "perturbation_impact",
            ("of", "name", "perturbation", *INTERVAL),
            about="mean absolute change of the score under each perturbation",
            part=lambda result: (
                result.absolute_impact
                and {"dataset": result.absolute_impact.datasets, "model": result.absolute_impact.models}
            ),
        ),
        win_rate_table("perturbation"),
        pairwise_table("perturbation", over_shared("perturbation")),
        examples_table("perturbation"),
        pair_table("perturbation", lambda result: result.pairs),
    )
    charts = (
        _chart(
            "perturbation_differences",
            "Fig. 12",
            lambda result: result.differences.get(OVERALL),
            of="model",
            words=_CHANGE,
            reference=0.0,
        ),
        _impact_chart("datasets", "data set", "Fig. 13"),
        _impact_chart("models", "model", "Fig. 14"),
        win_rate_chart("perturbation", "Fig. 15"),
    )

    def compute(self, study: StudyScores) -> Perturbations | None:
        """Compute all of it, where the scores say the perturbation of every configuration."""
        options = study.options
        cubes = study.at_one_design("perturbation")
        compared = factor_cubes(cubes, "perturbation")
        if compared is None:
            return None
        return Perturbations(
            scores=level_scores(compared, options),
            differences_by_serializer=impact_by_serializer(cubes, options),
            deviations=deviations(compared, options),
            win_rates=win_rates(compared, options),
            pairwise_win_rates=pairwise_wins(compared, options),
            **perturbation_impact(cubes, options),
            **beside(compared, options),
            **at_designs(study, "perturbation"),
        )

    def notes(self, study: StudyScores, result: Perturbations | None) -> list[str]:
        """What is left out, and why; of serializers, that the scores do not say them."""
        return factor_notes(study.at_one_design("perturbation"))


PERTURBATIONS = PerturbationsFigure()
