"""Frames of scores, as a board has them: of samples that are read one by one, or of whole columns."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from math import nan
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from .board import AGGREGATE_COLUMNS, ITEM_COLUMNS, stacked


def item_frame(score: Any, *, failed: Any = False, **columns: Any) -> pd.DataFrame:
    """Rows of items.

    Args:
        score: one a row, NaN where there is none.
        failed: of which rows the request failed, one a row or for all.
        columns: the others, each one value for all rows or one a row; ``model``, ``task`` and ``item`` are
            needed.
    """
    scores = np.asarray(score, dtype=float)
    status = np.where(~np.isnan(scores), "scored", np.where(failed, "failed", "unscored")).astype(object)
    given = {"config": "", "replicate": 0, "metric": "score", "status": status, "cluster": "", "same": ""}
    frame: pd.DataFrame = pd.DataFrame({**given, **columns, "score": scores}, columns=list(ITEM_COLUMNS))
    return frame


def aggregate_frame(score: Any, **columns: Any) -> pd.DataFrame:
    """Rows of aggregates; those without a score are left out.

    Args:
        score: one a row.
        columns: as for items, None for a number that is not known; ``model`` and ``task`` are needed, and
            ``rank``, which a table states, may be there.
    """
    given = {"config": "", "metric": "score", "n": np.nan, "error": np.nan, "digits": -1}
    scores = np.asarray(score, dtype=float)
    every = {**given, **columns, "score": scores}
    for name, kind in (("n", float), ("error", float), ("digits", int)):
        every[name] = np.broadcast_to(np.asarray(every[name], dtype=kind), scores.shape)
    rank = ["rank"] if "rank" in columns else []
    frame = pd.DataFrame(every, columns=[*AGGREGATE_COLUMNS, *rank])
    known: pd.DataFrame = frame[~np.isnan(scores)].reset_index(drop=True)
    return known


class ItemTable:
    """Collects the samples of one model on one task, a column of scores a metric."""

    def __init__(self) -> None:
        self._samples: list[tuple[str, int, bool, str, str]] = []
        self._scores: dict[str, array[float]] = {}

    def __len__(self) -> int:
        """How many samples there are."""
        return len(self._samples)

    def add(
        self,
        item: int | str,
        scores: Mapping[str, float | None],
        *,
        replicate: int = 0,
        failed: bool = False,
        same: str = "",
        cluster: str = "",
    ) -> None:
        """Add a sample; a metric that it has no score of, or NaN or None, is missing."""
        for metric, score in scores.items():
            column = self._scores.setdefault(metric, array("d"))
            column.extend([nan] * (len(self._samples) - len(column)))
            column.append(nan if score is None else score)
        self._samples.append((str(item), replicate, failed, same, cluster))

    def frame(self, model: str, task: str, config: str = "", metrics: Iterable[str] = ()) -> pd.DataFrame:
        """The samples with ``ITEM_COLUMNS``; each has a row of every metric.

        Args:
            model: whose they are.
            task: and of what.
            config: empty where a task is asked in one way.
            metrics: those that may have no score at all.
        """
        if not self._samples:
            return stacked([])
        item, replicate, failed, same, cluster = (
            np.array(own, object) for own in zip(*self._samples, strict=True)
        )
        of = {"model": model, "task": task, "config": config, "item": item, "same": same, "cluster": cluster}
        of |= {"replicate": replicate.astype(int), "failed": failed.astype(bool)}
        parts = []
        for metric in dict.fromkeys([*self._scores, *metrics]):
            scores = np.full(len(self), nan)
            known = self._scores.get(metric, array("d"))
            scores[: len(known)] = known
            parts.append(item_frame(scores, metric=metric, **of))
        return stacked(parts)


def error_of_interval(low: Any, high: Any, level: Any = 0.95) -> Any:
    """The standard error of a normal distribution with this interval; numbers or arrays."""
    return (high - low) / 2 / ndtri((1 + level) / 2)


def number_of_digits(value: float) -> int:
    """How many decimals a number has, as it is written when nothing is lost."""
    return len(f"{value:.12f}".rstrip("0").partition(".")[2])


def decoded(names: list[str], codes: Any) -> Any:
    """Texts by their place in a list; each is held once."""
    return np.array([*names, ""], dtype=object)[:-1][codes]
