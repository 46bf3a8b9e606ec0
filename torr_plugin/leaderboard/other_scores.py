"""Scores beside the main one of a data set: its other metrics', those of pairs, and judges' verdicts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..analysis import first_answers
from ..analysis.examples import known_examples
from ..analysis.result import NOTHING, Interval
from ..core.clusters import clustered_means
from ..core.score_intervals import score_bounds
from .examples.scores import MOST_METRICS
from .views import View, ViewCell, figure_cell

if TYPE_CHECKING:
    from .study import Study


def other_scores(study: Study, dataset: str, models: Sequence[str]) -> View | None:
    """The mean of each other score of each model, over examples, of each the mean over its configurations.

    A mean is marked where answers that were to have the score have none (a judge was unclear, say). Scores
    that are not from 0 to 1 are left out.

    Args:
        study: whose.
        dataset: on which data set.
        models: in the order of the rows.

    Returns:
        None where there is no other score.
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
    tables, level = _tables(study, dataset), study.analysis.settings.level
    columns = [
        _means(means.loc[metric].unstack("example").reindex(list(models)), tables, level)
        for metric in metrics
    ]
    return View(
        ("Model", *metrics),
        tuple(
            (
                ViewCell(model, href=study.paths.models[model]),
                *(
                    figure_cell(own[place].model_copy(update={"complete": (metric, model) not in holes}))
                    for metric, own in zip(metrics, columns, strict=True)
                ),
            )
            for place, model in enumerate(models)
        ),
        tuple(line for line, of in _ABOUT.items() if any(name.startswith(of) for name in metrics)),
    )


_ABOUT = {
    "A judge\N{RIGHT SINGLE QUOTATION MARK}s verdicts are called judge. and its name.": ("judge.",),
    "Pairs (both_right, consistency) are answers to one question before and after two parts of its table "
    "were exchanged.": ("both_right", "consistency"),
}
"""What is said above the table of scores whose names begin so."""


def _means(values: pd.DataFrame, tables: Mapping[str, str], level: float) -> list[Interval]:
    """The mean of each row, over examples, with its interval.

    Args:
        values: (models x examples), NaN where there is no score.
        tables: the table of each example that is known.
        level: of the intervals.
    """
    units = np.unique([tables.get(name, name) for name in map(str, values.columns)], return_inverse=True)[1]
    found = clustered_means(values.to_numpy(float), units)
    low, high = score_bounds([found], level)
    return [
        NOTHING if math.isnan(mean) else Interval(value=float(mean), low=_number(a), high=_number(b))
        for mean, a, b in zip(found.mean, low, high, strict=True)
    ]


def _number(bound: float) -> float | None:
    return None if math.isnan(bound) else float(bound)


def _tables(study: Study, dataset: str) -> dict[str, str]:
    """Example -> its table; empty where none is known."""
    run = study.source.run
    known = known_examples(run.examples()).get(dataset, {}) if run else {}
    return {name: each.groups["table"] for name, each in known.items() if "table" in each.groups}
