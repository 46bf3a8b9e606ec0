"""How much of a score is lost by the form of the answers: the faithful scores beside the lenient ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...core.numbers import Floats
from ...core.score_names import faithful_name
from ..cube import Cube, on_cells
from ..estimates import Estimate, mean_of_estimates, unsampled_means
from ..figure import Figure, FigureTable, Row
from ..result import INTERVAL, ByDataset, FigureResult, Interval, interval_cells
from ..statistics import example_means
from ..study import StudyScores

_FIGURES = ("faithful", "lenient", "differ")
_MOST_REMARKS, _LONGEST_NAME = 3, 20


class FormatFollowing(FigureResult):
    """Of a model, over all of its answers that have both scores, an example's mean first, then over examples.

    ``faithful``: the mean score as the publisher of the data set defines it. ``lenient``: the mean score
    after a reading of the final answer, however it is set off. ``differ``: the share of the answers whose two
    scores differ; they say what is right in another form than the publisher's metric takes.
    """

    faithful: Interval
    lenient: Interval
    differ: Interval


FormatFollowingFigures = dict[str, ByDataset[FormatFollowing]]
"""Model -> its scores over all data sets that have both (the mean over these), and on each."""


def format_following(study: StudyScores) -> FormatFollowingFigures | None:
    """Compare the two scores of every answer; None where the answers have only one."""
    found = {cube.dataset: means for cube in study.cubes if (means := _means(cube, study)) is not None}
    if not found:
        return None
    named = {name: _named(study, means) for name, means in found.items()}
    overall = _named(study, mean_of_estimates(list(found.values())))
    return {
        model: ByDataset[FormatFollowing](
            overall=overall[m], datasets={name: of_models[m] for name, of_models in named.items()}
        )
        for m, model in enumerate(study.models)
    }


def _means(cube: Cube, study: StudyScores) -> Estimate | None:
    """Of each of the three figures, (figures x models)."""
    other = _other_scores(cube, study)
    if other is None:
        return None
    both = np.where(np.isnan(other), np.nan, cube.scores)
    faithful, lenient = (both, other) if faithful_name(cube.metric) == cube.metric else (other, both)
    differ = np.where(np.isnan(faithful + lenient), np.nan, faithful != lenient)
    return unsampled_means(
        np.stack([example_means(each) for each in (faithful, lenient, differ)]), cube.clusters
    )


def _other_scores(cube: Cube, study: StudyScores) -> Floats | None:
    """The other score of each answer, of the shape of the cube; None where no answer has one."""
    rows = study.otherwise
    known = len(rows) and (rows["dataset"] == cube.dataset).any()
    return on_cells(cube, rows, rows["score"]) if known else None


def _named(study: StudyScores, means: Estimate) -> list[FormatFollowing]:
    found = means.intervals(study.options.level, _FIGURES, study.models)
    return [FormatFollowing(**{name: found[name][model] for name in _FIGURES}) for model in study.models]


def in_another_format(found: FormatFollowingFigures) -> list[tuple[str, float]]:
    """The models that score nothing faithfully and something leniently, each with its lenient score."""
    return [
        (model, own.overall.lenient.value)
        for model, own in found.items()
        if own.overall.faithful.value == 0 and own.overall.lenient.value
    ]


def _rows(result: FormatFollowingFigures) -> Iterator[Row]:
    for model, found in result.items():
        for dataset, own in found.places().items():
            for name in _FIGURES:
                yield model, dataset, name, *interval_cells(getattr(own, name))


class FormatFollowingFigure(Figure[FormatFollowingFigures]):
    """The faithful and the lenient score of each model, where the scores have both."""

    key = "format_following"
    tables = (
        FigureTable(
            "format_following",
            ("model", "dataset", "figure", *INTERVAL),
            _rows,
            "scores as publishers define them, after a lenient reading, and the answers that differ",
        ),
    )

    def compute(self, study: StudyScores) -> FormatFollowingFigures | None:
        """Compute it."""
        return format_following(study)

    def lines(self, result: FormatFollowingFigures) -> list[str]:
        """A line for each model whose every answer is in another format than the metrics take."""
        found = in_another_format(result)
        lines = [
            f"{_short(model)}: answers in another format: faithful 0.00, lenient {score:.2f}"
            for model, score in found[:_MOST_REMARKS]
        ]
        more = len(found) - len(lines)
        return [*lines, f"and {more} more answer in another format (format_following)"] if more else lines


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}\N{HORIZONTAL ELLIPSIS}"


FORMAT_FOLLOWING = FormatFollowingFigure()
