"""How much of a score is lost by the form of the answers: the faithful scores beside the lenient ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.errors import elided
from ...core.names import faithful_name
from ...core.statistics import Floats
from ..cube import Cube, on_cells
from ..estimates import Estimate, mean_of_estimates, mean_scores
from ..figure import Figure, FigureTable
from ..result import INTERVAL, ByDataset, FigureResult, Interval, by_model, field_rows
from ..statistics import example_means
from ..study import StudyScores

_FIGURES = ("faithful", "lenient", "differ")
_MOST_REMARKS, _LONGEST_NAME, _LONGEST_PLACE = 3, 14, 32
_WORTH_A_REMARK = 0.1  # a lenient score on one data set


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
    return by_model(study.models, _named(study, mean_of_estimates(list(found.values()))), named)


def _means(cube: Cube, study: StudyScores) -> Estimate | None:
    """Of each of the three figures, (figures x models)."""
    other = _other_scores(cube, study)
    if other is None:
        return None
    both = np.where(np.isnan(other), np.nan, cube.scores)
    faithful, lenient = (both, other) if faithful_name(cube.metric) == cube.metric else (other, both)
    differ = np.where(np.isnan(faithful + lenient), np.nan, faithful != lenient)
    return mean_scores(np.stack([example_means(each) for each in (faithful, lenient, differ)]), cube.clusters)


def _other_scores(cube: Cube, study: StudyScores) -> Floats | None:
    """The other score of each answer, of the shape of the cube; None where no answer has one."""
    rows = study.otherwise
    known = len(rows) and (rows["dataset"] == cube.dataset).any()
    return on_cells(cube, rows, rows["score"]) if known else None


def _named(study: StudyScores, means: Estimate) -> list[FormatFollowing]:
    found = means.intervals(study.options.level, _FIGURES, study.models)
    return [FormatFollowing(**{name: found[name][model] for name in _FIGURES}) for model in study.models]


class OtherFormat(NamedTuple):
    """A model whose answers say what is right, but never as the metric takes it.

    Attributes:
        model: its label.
        dataset: where that is so; None where it is so everywhere.
        lenient: its lenient score there.
    """

    model: str
    dataset: str | None
    lenient: float


def in_another_format(found: FormatFollowingFigures) -> list[OtherFormat]:
    """The models that score nothing faithfully and something leniently: overall, or else on single data sets.

    Of a data set, a lenient score of at least 0.1 is asked for.
    """
    remarks: list[OtherFormat] = []
    for model, own in found.items():
        lenient = own.overall.lenient.value
        if own.overall.faithful.value == 0 and lenient:
            remarks.append(OtherFormat(model, None, lenient))
            continue
        remarks += [
            OtherFormat(model, dataset, value)
            for dataset, there in own.datasets.items()
            if there.faithful.value == 0 and (value := there.lenient.value or 0.0) >= _WORTH_A_REMARK
        ]
    return remarks


def other_format_lines(found: FormatFollowingFigures) -> list[str]:
    """A line of at most 80 characters for each of the first of them."""
    remarks = in_another_format(found)
    lines = [
        f"{_place(each)}: in another format: faithful 0.00, lenient {each.lenient:.2f}"
        for each in remarks[:_MOST_REMARKS]
    ]
    more = len(remarks) - len(lines)
    return [*lines, f"and {more} more in another format (format_following)"] if more else lines


def _place(remark: OtherFormat) -> str:
    """The model, and the data set if it is one, in at most so many characters as the line has room for."""
    if remark.dataset is None:
        return elided(remark.model, _LONGEST_PLACE)
    return f"{elided(remark.model, _LONGEST_NAME)} on {elided(remark.dataset, _LONGEST_NAME)}"


class FormatFollowingFigure(Figure[FormatFollowingFigures]):
    """The faithful and the lenient score of each model, where the scores have both."""

    key = "format_following"
    tables = (
        FigureTable(
            "format_following",
            ("model", "dataset", "figure", *INTERVAL),
            field_rows(*_FIGURES),
            "scores as publishers define them, after a lenient reading, and the answers that differ",
        ),
    )

    def compute(self, study: StudyScores) -> FormatFollowingFigures | None:
        """Compute it."""
        return format_following(study)


FORMAT_FOLLOWING = FormatFollowingFigure()
