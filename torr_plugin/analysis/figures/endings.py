"""How many answers of each model ran out of tokens, are refusals or were cut, and its score without them."""

from __future__ import annotations

import numpy as np

from ...core.errors import elided
from ...core.names import CUT, ENDED, REFUSED, UNFINISHED
from ...core.statistics import Floats
from ..cube import Cube, on_cells
from ..estimates import Estimate, mean_over_datasets, mean_scores
from ..figure import Figure, FigureTable
from ..number_format import format_share
from ..result import INTERVAL, ByDataset, FigureResult, Interval, by_model, field_rows
from ..statistics import example_means
from ..study import StudyScores

_SHARES = (UNFINISHED, REFUSED, CUT)
_FIGURES = (*_SHARES, "performance", "without")
_MOST_REMARKS, _WIDTH = 10, 80


class Endings(FigureResult):
    """Of a model, over all of its answers that have a score, an example's mean first, then over examples.

    ``unfinished``, ``refused``, ``cut``: the share of the answers without a text, as they ran out of tokens
    or ended in their thoughts; of refusals; of texts that were cut at ``max_tokens``. ``performance``: the
    mean score, where unfinished and refused answers have 0 and cut ones what their text is worth.
    ``without``: the mean score of the answers that are neither unfinished nor refused; None without any.
    """

    unfinished: Interval
    refused: Interval
    cut: Interval
    performance: Interval
    without: Interval

    @property
    def unread(self) -> float:
        """The share of the answers that are unfinished or refused."""
        return (self.unfinished.value or 0.0) + (self.refused.value or 0.0)


EndingFigures = dict[str, ByDataset[Endings]]
"""Model -> how its answers ended over all data sets (the mean over these), and on each."""


def endings(study: StudyScores) -> EndingFigures | None:
    """Count the answers by how they ended; None where all ended as they should, or the scores do not say."""
    rows = study.rows
    if ENDED not in rows or not rows[ENDED].isin(_SHARES).any():
        return None
    means = {cube.dataset: _means(cube, study) for cube in study.cubes}
    named = {name: _named(study, of_dataset) for name, of_dataset in means.items()}
    return by_model(study.models, _named(study, mean_over_datasets(list(means.values()))), named)


def _means(cube: Cube, study: StudyScores) -> Estimate:
    """Of each of the figures, (figures x models)."""
    hole = np.isnan(cube.scores)
    ended = {name: _whether(name, cube, study, hole) for name in _SHARES}
    unread = (ended[UNFINISHED] == 1) | (ended[REFUSED] == 1)
    of_cells = (*ended.values(), cube.scores, np.where(unread, np.nan, cube.scores))
    return mean_scores(np.stack([example_means(each) for each in of_cells]), cube.clusters)


def _whether(name: str, cube: Cube, study: StudyScores, hole: np.ndarray) -> Floats:
    """1 where an answer ended so, 0 where not, NaN where there is no score."""
    found: Floats = np.where(hole, np.nan, on_cells(cube, study.rows, study.rows[ENDED] == name))
    return found


def _named(study: StudyScores, means: Estimate) -> list[Endings]:
    found = means.intervals(study.options.level, _FIGURES, study.models)
    return [Endings(**{name: found[name][model] for name in _FIGURES}) for model in study.models]


def unread_models(found: EndingFigures) -> list[tuple[str, Endings]]:
    """The models with unfinished or refused answers, those with the most first."""
    own = [(model, of_model.overall) for model, of_model in found.items() if of_model.overall.unread > 0]
    return sorted(own, key=lambda each: -each[1].unread)


def ending_lines(found: EndingFigures) -> list[str]:
    """A line of at most 80 characters for each model with unfinished, refused or cut answers."""
    unread = unread_models(found)
    lines = [_line(model, own) for model, own in unread[:_MOST_REMARKS]]
    if more := len(unread) - len(lines):
        lines.append(f"and {more} more models with answers that are unfinished or refused (endings)")
    cut = [(model, own.overall) for model, own in found.items() if own.overall.cut.value]
    lines += [
        _fitted(model, f": {format_share(own.cut.value)} of its answers were cut, and scored as they stand")
        for model, own in sorted(cut, key=lambda each: -(each[1].cut.value or 0.0))[:_MOST_REMARKS]
    ]
    more = len(cut) - _MOST_REMARKS
    return [*lines, f"and {more} more models with answers that were cut (endings)"] if more > 0 else lines


def _line(model: str, own: Endings) -> str:
    shares = ((own.unfinished, "ran out of tokens"), (own.refused, "refused"))
    said = [f"{what}: {format_share(share.value)}" for share, what in shares if share.value]
    without = "no answer is left" if own.without.value is None else f"without them {own.without.value:.2f}"
    return _fitted(model, f": {'; '.join(said)}; {without} ({own.performance.value:.2f} with)")


def _fitted(model: str, text: str) -> str:
    """A line about a model, whose name is shortened to the room that there is."""
    return elided(model, _WIDTH - len(text)) + text


class EndingsFigure(Figure[EndingFigures]):
    """How the answers of each model ended, where some did not end as they should."""

    key = "endings"
    tables = (
        FigureTable(
            "endings",
            ("model", "dataset", "figure", *INTERVAL),
            field_rows(*_FIGURES),
            "answers that ran out of tokens, are refusals or were cut, and performance without the first two",
        ),
    )

    def compute(self, study: StudyScores) -> EndingFigures | None:
        """Compute it."""
        return endings(study)


ENDINGS = EndingsFigure()
