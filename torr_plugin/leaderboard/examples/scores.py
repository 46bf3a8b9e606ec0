"""Scores by data set (models x configurations x examples), and measures of each example."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...analysis.frame import used_names
from .flips import PARTS, ExampleConfiguration, most_telling_pair

MOST_METRICS = 12
"""Of a data set, beside its main one; another harness may write hundreds."""


@dataclass(frozen=True)
class DatasetScores:
    """The scores of one data set.

    Attributes:
        examples: example -> its place on the last axis.
        scores: main ones: models x configurations (all of the study's) x examples; NaN where there is none.
        others: metric -> its scores, with the same axes.
        hidden: metrics that are not shown: not between 0 and 1, or beyond the first ``MOST_METRICS``.
    """

    examples: Mapping[str, int]
    scores: NDArray[np.float32]
    others: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    hidden: tuple[str, ...] = ()

    def of(self, example: str) -> NDArray[np.float32] | None:
        """Models x configurations of one example; None where no score names it."""
        place = self.examples.get(example)
        return None if place is None else self.scores[:, :, place]

    def others_of(self, example: str) -> list[NDArray[np.float32] | None]:
        """The same by each other metric."""
        place = self.examples.get(example)
        return [None if place is None else cube[:, :, place] for cube in self.others.values()]


def configurations(
    scores: pd.DataFrame, requested: Iterable[ExampleConfiguration], planned: Sequence[str]
) -> list[ExampleConfiguration]:
    """All configurations, in the order planned where there is one, else as they come.

    Those of requests may be without a score.
    """
    found = {config.name: config for config in requested}
    parts = [name for name in PARTS if name in scores]
    for row in scores[["config", *parts]].drop_duplicates("config").itertuples(index=False):
        name, *known = map(str, row)
        found.setdefault(name, ExampleConfiguration.of(name, dict(zip(parts, known, strict=True))))
    places = {name: place for place, name in enumerate(planned)}
    return sorted(found.values(), key=lambda config: places.get(config.name, len(places)))


def scores_by_dataset(
    scores: pd.DataFrame, models: Sequence[str], configs: Sequence[ExampleConfiguration]
) -> dict[str, DatasetScores]:
    """The scores of each data set: the main ones, and those of its other metrics; names are categories."""
    of_model = {name: place for place, name in enumerate(models)}
    of_config = {config.name: place for place, config in enumerate(configs)}
    is_main = scores["main"].astype(bool) if "main" in scores else None
    other = {} if is_main is None else _by_dataset(scores[~is_main])
    found = {}
    for dataset, rows in _by_dataset(scores if is_main is None else scores[is_main]).items():
        names = used_names(rows["example"])
        axes = of_model, of_config, {name: place for place, name in enumerate(names)}
        others, hidden = _others(other.get(dataset), set(used_names(rows["metric"])), axes)
        found[dataset] = DatasetScores(axes[2], _cube(rows, axes), others, hidden)
    return found


_Axes = tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]]
"""Places of models, configurations and examples."""


def _by_dataset(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {str(name): rows for name, rows in scores.groupby("dataset", observed=True, sort=False)}


def _others(
    rows: pd.DataFrame | None, main: Collection[str], axes: _Axes
) -> tuple[dict[str, NDArray[np.float32]], tuple[str, ...]]:
    """By metric, in the order of the scores, those that can be shown; and the names of the others."""
    if rows is None:
        return {}, ()
    shown: dict[str, NDArray[np.float32]] = {}
    hidden = []
    for metric, own in rows.groupby("metric", observed=True, sort=False):
        name, values = str(metric), own["score"].to_numpy(float)
        known = values[~np.isnan(values)]
        if name in main or not len(known):
            continue
        if len(shown) < MOST_METRICS and known.min() >= 0 and known.max() <= 1:
            shown[name] = _cube(own, axes)
        else:
            hidden.append(name)
    return shown, tuple(hidden)


def _cube(rows: pd.DataFrame, axes: _Axes) -> NDArray[np.float32]:
    """Scores on their axes; those of a name that no axis has are left out."""
    cube = np.full([len(axis) for axis in axes], np.nan, np.float32)
    named = [rows[name].cat for name in ("model", "config", "example")]
    at = [
        np.array([*(places.get(name, -1) for name in names.categories), -1])[names.codes]
        for names, places in zip(named, axes, strict=True)
    ]
    known = np.logical_and.reduce([places >= 0 for places in at])
    cube[tuple(places[known] for places in at)] = rows["score"].to_numpy(np.float32)[known]
    return cube


HALF = 0.5
"""A score of at least this counts as right where only right and wrong can be distinguished."""


class ModelFlip(NamedTuple):
    """A model's score on an example moves by ``width`` from its worst configuration to its best one."""

    model: int
    width: float
    worst: int
    best: int


@dataclass(frozen=True)
class Measures:
    """Of one example; None where no score is there.

    Attributes:
        mean: over models and configurations.
        flipped: mean over models of the highest less the lowest score over configurations, which is what
            robustness subtracts from 1 (ToRR, section 3).
        spread: standard deviation of the models' means over configurations; None of fewer than two models.
        states: one letter per model: ``r`` right in all configurations, ``w`` wrong in all, ``f`` flips
            between them, ``-`` without a score.
        flips: of each model whose score differs between configurations.
    """

    mean: float | None
    flipped: float | None
    spread: float | None
    states: str
    flips: tuple[ModelFlip, ...] = ()


def measures(scores: NDArray[np.float32] | None, models: int, order: NDArray[np.int64]) -> Measures:
    """The measures of an example from its scores, (models x configurations), NaN where there is none."""
    if scores is None or not np.isfinite(scores).any():
        return Measures(None, None, None, "-" * models)
    there = np.isfinite(scores)
    scored = np.asarray(there.any(axis=1))
    known, mask = scores[scored].astype(float), there[scored]
    low = np.where(mask, known, np.inf).min(axis=1)
    high = np.where(mask, known, -np.inf).max(axis=1)
    means = np.where(mask, known, 0.0).sum(axis=1) / mask.sum(axis=1)
    letters = iter(np.where(low >= HALF, "r", np.where(high < HALF, "w", "f")))
    return Measures(
        mean=float(known[mask].mean()),
        flipped=float((high - low).mean()),
        spread=float(means.std()) if means.size > 1 else None,
        states="".join(str(next(letters)) if there_is else "-" for there_is in scored.tolist()),
        flips=tuple(
            ModelFlip(model, float(own[pair.best] - own[pair.worst]), pair.worst, pair.best)
            for model, own in enumerate(scores)
            if (pair := most_telling_pair(own, order)) is not None
        ),
    )


def most_telling(flipped: Sequence[float | None], costs: Sequence[float], budget: float) -> NDArray[np.bool_]:
    """The examples to keep: those that configurations flip most, as many as the budget bears."""
    cost = np.asarray(costs, float)
    keep: NDArray[np.bool_] = np.ones(len(cost), bool)
    if cost.sum() <= budget:
        return keep
    order = np.argsort([-(each or 0.0) for each in flipped], kind="stable")
    keep[order] = np.cumsum(cost[order]) <= budget
    return keep
