"""ToRR's figures over every score that a model has, beside ours over the cells that all models share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...core.statistics import Booleans, Floats, ratio_or_nan
from ..cube import Cube, dropped_shares
from ..estimates import Estimate, evenly_asked, mean_of_estimates, mean_scores
from ..figure import Figure, FigureTable, Row
from ..result import OVERALL, ByDataset, FigureResult, Interval, number
from ..statistics import OF_ALL_CONFIGURATIONS, STATISTICS
from ..study import StudyScores

TORRS = ("performance", *OF_ALL_CONFIGURATIONS)
"""The figures that are given over a model's own cells."""

WORTH_NAMING = 0.05
"""A note names each model of which shared cells drop more than this share of its scores."""


class OwnCellScores(FigureResult):
    """Figures of a model over all of its scores, each example over the configurations that it has.

    ``dropped``: the share of these scores that the study's other figures leave out, as another model lacks
    them.
    """

    dropped: float | None
    performance: Interval
    robustness: Interval
    worst: Interval
    best: Interval
    robustness_solvable: Interval


OwnCellsFigures = dict[str, ByDataset[OwnCellScores]]
"""Model -> its figures over all data sets, and on those where its own cells are not the shared ones."""


def own_cells(study: StudyScores) -> OwnCellsFigures | None:
    """The figures of the models for which they are not those over shared cells; None where there are none."""
    differ = [_differs(own, shared) for own, shared in zip(study.cubes, study.shared_cubes, strict=True)]
    if not np.any(differ):
        return None
    dropped = [
        dropped_shares(own, shared) for own, shared in zip(study.cubes, study.shared_cubes, strict=True)
    ]
    parts = [_means(cube) for cube in study.cubes]
    overall = _figures(study, mean_of_estimates(parts), _share_of_all(study, dropped))
    datasets = [_figures(study, part, share) for part, share in zip(parts, dropped, strict=True)]
    return {
        model: ByDataset[OwnCellScores](
            overall=overall[m],
            datasets={
                cube.dataset: found[m]
                for cube, found, differs in zip(study.cubes, datasets, differ, strict=True)
                if differs[m]
            },
        )
        for m, model in enumerate(study.models)
        if np.any([differs[m] for differs in differ])
    }


def _differs(own: Cube, shared: Cube) -> Booleans:
    """Which models have scores that are in no figure, or not in those of all configurations, (models,)."""
    there = ~np.isnan(own.scores)
    unevenly = there[:, :, ~evenly_asked(own)].any(axis=(1, 2))
    return np.asarray(unevenly | (there & np.isnan(shared.scores)).any(axis=(1, 2)))


def _means(cube: Cube) -> Estimate:
    """Of each of ``TORRS``, (figures x models)."""
    return mean_scores(np.stack([STATISTICS[name](cube.scores) for name in TORRS]), cube.clusters)


def _share_of_all(study: StudyScores, dropped: Sequence[Floats]) -> Floats:
    """The share of all of a model's scores that are dropped, (models,)."""
    counts = np.array([(~np.isnan(cube.scores)).sum(axis=(1, 2)) for cube in study.cubes], dtype=float)
    return ratio_or_nan((np.nan_to_num(dropped) * counts).sum(axis=0), counts.sum(axis=0))


def _figures(study: StudyScores, means: Estimate, dropped: Floats) -> list[OwnCellScores]:
    """A model each; a model that lacks a data set has no figure over all."""
    found = means.intervals(study.options.level, TORRS, study.models)
    return [
        OwnCellScores(dropped=number(share), **{name: found[name][model] for name in TORRS})
        for model, share in zip(study.models, dropped, strict=True)
    ]


def _rows(result: OwnCellsFigures) -> Iterator[Row]:
    for model, found in result.items():
        for dataset, own in found.places().items():
            for name in TORRS:
                figure = getattr(own, name)
                yield name, model, dataset, figure.value, figure.low, figure.high, own.dropped


class OwnCellsFigure(Figure[OwnCellsFigures]):
    """ToRR's figures on each model's own cells, where these are not the shared ones."""

    key = "own_cells"
    tables = (
        FigureTable(
            "own_cells",
            ("figure", "model", "dataset", "value", "low", "high", "dropped"),
            _rows,
            "performance, robustness, worst and best over all scores that a model has",
        ),
    )

    def compute(self, study: StudyScores) -> OwnCellsFigures | None:
        """Compute them."""
        return own_cells(study)

    def notes(self, study: StudyScores, result: OwnCellsFigures | None) -> list[str]:
        """Each model of which shared cells drop more than a twentieth, with both performances."""
        shared = dict(zip(study.models, study.estimates[1]["performance"].values, strict=True))
        return [
            _note(model, found.overall, shared[model])
            for model, found in (result or {}).items()
            if (found.overall.dropped or 0.0) > WORTH_NAMING
        ]


def _note(model: str, own: OwnCellScores, shared: float) -> str:
    numbers = ""
    if own.performance.value is not None and not np.isnan(shared):
        numbers = (
            f": {OVERALL} performance is {own.performance.value:.3f} over all of its scores (own_cells), "
        )
        numbers += f"{shared:.3f} over the shared ones"
    return (
        f"{own.dropped:.1%} of the scores of {model} are compared with nothing, since another model lacks "
        f"them{numbers}"
    )


OWN_CELLS = OwnCellsFigure()
