"""What range a table's scores have: shares, percentages, or others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...core.errors import InputError
from .board import MetricScale

_LOWER = frozenset(("perplexity", "ppl", "word_perplexity", "byte_perplexity", "bits_per_byte", "loss"))
_LOWER |= frozenset(("error_rate", "wer", "cer", "mae", "mse", "rmse", "latency"))
_SURELY_NO_SHARE = 10.0
"""A scale of grades may end here; a larger score is a percentage, or has no bound."""


def _is_lower(metric: str) -> bool:
    """Whether a metric's name says that a lower score is better."""
    return metric.lower().replace(" ", "_").replace("-", "_") in _LOWER


def observed_scales(scores: pd.DataFrame, lower: Collection[str] = ()) -> dict[str, MetricScale]:
    """The scales of a harness's metrics whose bounds no log says; of those from 0 to 1, which need none, not.

    Args:
        scores: items or aggregates.
        lower: the metrics of which a lower score is better, beside those whose names say so.
    """
    scales = dict[str, MetricScale]()
    extremes = scores.groupby("metric")["score"].agg(["min", "max"])
    for metric, (least, most) in zip(map(str, extremes.index), extremes.to_numpy(), strict=True):
        open_ended, less = least < 0 or most > 1 or _is_lower(metric), _is_lower(metric) or metric in lower
        if open_ended or less:
            scales[metric] = MetricScale(-np.inf if least < 0 else 0.0, None if open_ended else 1.0, not less)
    return scales


class Scaled(NamedTuple):
    """Rows, whose metric may have become ``percent``, and the scales of their metrics."""

    frame: pd.DataFrame
    scales: Mapping[str, MetricScale]
    notes: tuple[str, ...]


def scaled(path: Path, frame: pd.DataFrame, *, percent: bool, named: bool) -> Scaled:
    """Find the scale of each metric, or, where a table names none, of each task.

    Scores within 0 and 1 are shares; within 0 and 100, with one above 10 or with percent signs, percentages;
    others have no upper bound.

    Args:
        path: the file, for messages.
        frame: items or aggregates.
        percent: whether all numbers had percent signs.
        named: whether the metric's name is the table's own.

    Raises:
        InputError: one model's scores look like shares and another's like percentages.
    """
    by = "metric" if named else "task"
    scores = frame["score"]
    if not named and len(scores) and scores.min() >= 0 and scores.max() <= 1 and not percent:
        return Scaled(frame, {}, ())
    models = frame.groupby([by, "model"], sort=False, observed=True)["score"].agg(["min", "max"])
    scales, of_task, notes = dict[str, MetricScale](), dict[str, str](), list[str]()
    for name, rows in models.groupby(level=0, sort=False):
        low, high = rows["min"].min(), rows["max"].max()
        metric = str(name) if named else "score"
        if named and _is_lower(metric):
            scales[metric] = MetricScale(0.0, None, higher_is_better=False)
            notes.append(f"{path.name}: a lower {metric} is taken to be better")
        elif percent or (low >= 0 and _SURELY_NO_SHARE < high <= 100):
            shares = rows[(rows["max"] > 0) & (rows["max"] <= 1)]
            if len(shares) and not percent:
                (_, model), score = shares.index[0], shares["max"].iloc[0]
                raise InputError(
                    f"{path}: {name}: {score:g} of model {model!r:.60} beside {high:g}: is it a share or a "
                    "percentage? expected one scale (percent signs in all cells say that all are percentages)"
                )
            metric = metric if named else "percent"
            scales[metric] = MetricScale(high=100.0)
            notes.append(f"{path.name}: scores are read as percentages")
        elif low < 0 or high > 1:
            metric = metric if named else "unbounded"
            scales[metric] = MetricScale(-np.inf, None)
            notes.append(f"{path.name}: scores from {low:g} to {high:g}; no upper bound is assumed")
        else:
            scales[metric] = MetricScale()
        of_task[str(name)] = metric
    if not named:
        frame = frame.assign(metric=frame["task"].map(of_task).astype(object))
    return Scaled(frame, scales, tuple(dict.fromkeys(notes)))
