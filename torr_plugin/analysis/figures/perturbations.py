"""Perturbations: what they do to scores (ToRR, appendix C.2, Fig. 12 to 15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..charts.labels import ChartContext
from ..charts.vega import Spec
from ..cube import Cube, by_factor
from ..figure import Figure, FigureChart, FigureTable
from ..result import OVERALL, VERDICT, FigureResult, Interval, Verdict
from ..shared_examples import Factor, SharedExamples, noun
from ..study import StudyScores
from .compared_over import examples_table
from .factor_cubes import UNPERTURBED, comparison_notes, factor_cubes, pair_notes, unperturbed_pairs
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
    win_rate_table,
    win_rates,
)
from .level_verdicts import change_rows, changes


class Perturbations(FigureResult):
    """Figures of perturbations.

    ``average``: data set or "overall" -> perturbation -> score with it less that without, on average over
    models; ``differences``: data set or "overall" -> model -> perturbation -> the same of each model; other
    fields: as of serializers.
    """

    scores: LevelScores
    average: dict[str, dict[str, Verdict]] = {}
    differences: dict[str, dict[str, dict[str, Verdict]]] = {}
    win_rates: WinRates | None = None
    examples: dict[str, dict[str, SharedExamples]] = {}
    own_cells: OwnLevelScores | None = None
    at_design: dict[str, str] = {}

    @property
    def bases(self) -> dict[str, str]:
        """Perturbation -> what it is compared with."""
        return dict.fromkeys(self.average.get(OVERALL, {}), UNPERTURBED)

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


def _chart(found: Mapping[str, Mapping[str, Interval]], context: ChartContext) -> Spec:
    """A row a model, a panel a perturbation (Fig. 12)."""
    meaning = "Score with the perturbation less that without, same format and example; dashed: no change"
    return panel_chart(
        found,
        context.model_labels(),
        "Mean change of the score under each perturbation",
        [f"{context.basis}. {meaning}", context.intervals],
        reference=0.0,
        x="change of the score",
        width=110,
        columns=4 if len({name for own in found.values() for name in own}) == 4 else 5,
    )


class PerturbationsFigure(Figure[Perturbations]):
    """Scores by perturbation, and what perturbations change."""

    key = "perturbations"
    tables = (
        score_table("perturbation", "mean score of each model under each perturbation"),
        FigureTable(
            "perturbation_differences",
            ("dataset", "model", "perturbation", *VERDICT),
            change_rows,
            "mean change of the score under each perturbation, on average over models and of each",
            lambda result: (result.average, result.differences) if result.differences else None,
        ),
        win_rate_table("perturbation"),
        examples_table("perturbation"),
    )
    charts = (
        FigureChart(
            "perturbation_differences",
            _chart,
            "Fig. 12",
            unnamed("perturbation"),
            lambda result: result.differences.get(OVERALL),
            _UNPAIRED,
        ),
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
            win_rates=win_rates(compared, options),
            **changes(cubes, [unperturbed_pairs(cube) for cube in cubes], options),
            **beside(compared, cubes, options),
            **at_designs(study, "perturbation"),
        )

    def notes(self, study: StudyScores, result: Perturbations | None) -> list[str]:
        """What is left out, and why; of serializers, that the scores do not say them."""
        return factor_notes(study.at_one_design("perturbation"))


PERTURBATIONS = PerturbationsFigure()
