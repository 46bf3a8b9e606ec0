"""What the figures rest on: the settings of the analysis, and the cells that have no score."""

from __future__ import annotations

from collections.abc import Sequence

from .. import compare
from ..cube import Cube, common_configurations, missing_counts
from ..figure import Figure
from ..options import SHAPE, Settings
from ..result import FigureResult
from ..study import StudyScores
from . import configuration_agreement, dataset_agreement, model_scores, pairs, reliability

MOST_NAMED = 100

METHODS = {
    "verdicts": compare.METHOD,
    "dataset_agreement": dataset_agreement.METHOD,
    "configuration_agreement": configuration_agreement.METHOD,
    "reliability": reliability.METHOD,
    **model_scores.METHOD,
    **pairs.RANKS,
}
"""How each figure and its interval is made, in words."""


class MissingCells(FigureResult):
    """How many scores of a model, data set and configuration failed, ``of`` how many that were asked."""

    model: str
    dataset: str
    config: str
    missing: int
    of: int


class Holes(FigureResult):
    """Scores that are not there: failed, and not asked by design.

    A score has failed where a model lacks it and that model or another one was asked; where no model has a
    row, none was asked. ``missing`` and the fields after it count failed scores only: in all, by model and by
    data set, and the largest gaps by name. ``expected``: the scores that were asked for. ``cells`` are at
    most ``MOST_NAMED`` gaps, the largest first, of ``cells_in_all``.
    """

    complete: bool
    failed: int = 0
    not_asked: int = 0
    missing: int
    expected: int
    models: dict[str, int]
    datasets: dict[str, int]
    cells: list[MissingCells]
    cells_in_all: int


def holes(cubes: Sequence[Cube]) -> Holes:
    """Where scores of all data sets are missing."""
    gaps = [gap for cube in cubes for gap in _gaps(cube)]
    models: dict[str, int] = {}
    datasets: dict[str, int] = {}
    for gap in gaps:
        models[gap.model] = models.get(gap.model, 0) + gap.missing
        datasets[gap.dataset] = datasets.get(gap.dataset, 0) + gap.missing
    gaps.sort(key=lambda gap: -gap.missing)
    failed = sum(models.values())
    expected = sum(len(cube.models) * int(cube.asked.sum()) for cube in cubes)
    return Holes(
        complete=not gaps,
        failed=failed,
        not_asked=sum(int(cube.scores.size) for cube in cubes) - expected,
        missing=failed,
        expected=expected,
        models=models,
        datasets=datasets,
        cells=gaps[:MOST_NAMED],
        cells_in_all=len(gaps),
    )


def _gaps(cube: Cube) -> list[MissingCells]:
    counts, asked = missing_counts(cube), cube.asked.sum(axis=1)
    return [
        MissingCells(
            model=cube.models[m],
            dataset=cube.dataset,
            config=cube.configurations[c],
            missing=int(counts[m, c]),
            of=int(asked[c]),
        )
        for m, c in zip(*counts.nonzero(), strict=True)
    ]


def settings(study: StudyScores) -> Settings:
    """What the figures of a study rest on."""
    options, cubes = study.options, study.cubes
    found = Settings(
        shape=SHAPE,
        resamples=options.resamples,
        level=options.level,
        seed=options.seed,
        rankings=options.rankings,
        repeats=options.repeats,
        methods=METHODS,
        models=len(study.models),
        examples={cube.dataset: len(cube.examples) for cube in cubes},
        configurations={cube.dataset: len(cube.configurations) for cube in cubes},
        metrics={cube.dataset: cube.metric for cube in cubes},
    )
    if study.keeps_labels is None:
        return found
    return found.model_copy(update={"keeps_labels": dict(study.keeps_labels)})


def _study_notes(study: StudyScores) -> list[str]:
    """What the options, the configurations and the numbers of examples mean for the figures."""
    notes, all_cubes = [], study.cubes
    shared, every = (
        len(common_configurations(all_cubes)),
        {c for cube in all_cubes for c in cube.configurations},
    )
    if shared < len(every):
        notes.append(
            f"{len(every) - shared} of {len(every)} configurations are not in all data sets, "
            "so there is no overall score of them; robustness is over each data set's own"
        )
    single = [cube.dataset for cube in all_cubes if len(cube.configurations) == 1]
    if single:
        notes.append(f"one configuration only on {', '.join(single)}: robustness is 1 there by definition")
    few = [cube.dataset for cube in all_cubes if len(cube.examples) == 1]
    if few:
        notes.append(f"one example only on {', '.join(few)}: its intervals say nothing")
    return notes


class HolesFigure(Figure[Holes]):
    """Where scores are missing."""

    key = "holes"
    required = True

    def compute(self, study: StudyScores) -> Holes:
        """Count and name them."""
        return holes(study.cubes)


class SettingsFigure(Figure[Settings]):
    """What the figures rest on."""

    key = "settings"
    required = True

    def compute(self, study: StudyScores) -> Settings:
        """Gather the options and the sizes."""
        return settings(study)

    def notes(self, study: StudyScores, result: Settings | None) -> list[str]:
        """What the options, the configurations and the numbers of examples mean for the figures."""
        return _study_notes(study)


HOLES = HolesFigure()
SETTINGS = SettingsFigure()
