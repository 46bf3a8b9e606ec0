"""Scores beside the main one of a data set: its other metrics', those of pairs, and judges' verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..analysis import first_answers
from ..analysis.cube import numbered
from ..analysis.estimates import mean_scores
from ..analysis.result import Interval
from .examples.scores import MOST_METRICS
from .percents import percent_cell
from .views import View, ViewCell

if TYPE_CHECKING:
    from .study import Study


def other_scores(study: Study, dataset: str, models: Sequence[str]) -> View | None:
    """The mean of each other score of each model, over examples, of each the mean over its configurations.

    A mean is marked where answers that were to have the score have none (a judge was unclear, say). Scores
    that are not from 0 to 1 are left out; None where there is no other score.
    """
    scores = first_answers(study.source.scores)
    if "main" not in scores:
        return None
    rows = scores[(scores["dataset"] == dataset) & ~scores["main"].astype(bool)]
    means = rows.groupby(["metric", "model", "example"], observed=True, sort=False)["score"].mean()
    low, high = (means.groupby("metric", sort=False, observed=True).agg(end) for end in ("min", "max"))
    metrics = [str(name) for name in low.index[(low >= 0) & (high <= 1)]][:MOST_METRICS]
    if not metrics:
        return None
    unscored = rows[rows["score"].isna()]
    holes = set(zip(unscored["metric"].astype(str), unscored["model"].astype(str), strict=True))
    cube = next(cube for cube in study.cubes if cube.dataset == dataset)
    tables = dict(zip(cube.examples, cube.clusters.tolist(), strict=True))

    def mean(metric: str) -> dict[str, Interval]:
        """Of each model, over examples; those of one table are drawn together."""
        values = means.loc[metric].unstack("example").reindex(list(models))
        clusters = numbered([tables.get(name, name) for name in map(str, values.columns)])
        complete = np.array([(metric, model) not in holes for model in models])
        found = mean_scores(values.to_numpy(float), clusters, complete)
        return found.intervals(study.analysis.settings.level, models)

    columns = list(map(mean, metrics))
    return View(
        ("Model", *metrics),
        tuple(
            (
                ViewCell(model, href=study.paths.models[model]),
                *(percent_cell(own[model]) for own in columns),
            )
            for model in models
        ),
        tuple(
            line
            for line, of in _ABOUT.items()
            if any(name.startswith(of) or name.endswith(of) for name in metrics)
        ),
    )


_ABOUT = {
    "A judge\N{RIGHT SINGLE QUOTATION MARK}s verdicts are called judge. and its name.": ("judge.",),
    "A score .lenient is the one before it after a reading of the final answer, however it is set off.": (
        ".lenient",
    ),
    "Pairs (both_right, consistency) are answers to one question before and after two parts of its table "
    "were exchanged.": ("both_right", "consistency"),
}
"""What is said above the table of scores whose names begin or end so."""
