"""Frames of scores from columns, and what every reader of scores refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from ...core.errors import InputError
from .board import AGGREGATE_COLUMNS, ITEM_COLUMNS
from .names import check_name

KEY = ["model", "task", "config", "item", "replicate", "metric"]
_NAMES = ("model", "task", "config", "item", "metric")


def item_frame(where: Path | str, score: Any, **columns: Any) -> pd.DataFrame:
    """Rows of items, checked.

    Args:
        where: the file, for messages.
        score: one a row, NaN where there is none.
        columns: the others, each one value for all rows or one a row; ``model``, ``task`` and ``item`` are
            needed. ``status`` is by default ``scored``, or ``unscored`` where the score is NaN.

    Raises:
        InputError: a name is empty or too long, a score infinite, or one cell stands twice.
    """
    scores = np.asarray(score, dtype=float)
    status = np.where(np.isnan(scores), "unscored", "scored").astype(object)
    given = {"config": "", "replicate": 0, "metric": "score", "status": status, "cluster": "", "same": ""}
    frame: pd.DataFrame = pd.DataFrame({**given, **columns, "score": scores}, columns=list(ITEM_COLUMNS))
    _check(where, frame)
    twice = frame.duplicated(KEY)
    if twice.any():
        first = frame[twice].iloc[0]
        raise InputError(
            f"{where}: item {first['item']!r:.80}, model {first['model']!r:.80}, task {first['task']!r:.80}: "
            "has two scores; expected one, or a column replicate that tells them apart"
        )
    return frame


def aggregate_frame(where: Path | str, score: Any, **columns: Any) -> pd.DataFrame:
    """Rows of aggregates, checked; those without a score are left out.

    Args:
        where: the file, for messages.
        score: one a row.
        columns: as for items, None for a number that is not known; ``model`` and ``task`` are needed, and
            ``rank``, which a table states, may be there.

    Raises:
        InputError: a name is empty or too long, a score infinite, or one aggregate stands twice.
    """
    given = {"config": "", "metric": "score", "n": np.nan, "error": np.nan, "digits": -1}
    scores = np.asarray(score, dtype=float)
    every = {**given, **columns, "score": scores}
    for name, kind in (("n", float), ("error", float), ("digits", int)):
        every[name] = np.broadcast_to(np.asarray(every[name], dtype=kind), scores.shape)
    frame: pd.DataFrame = pd.DataFrame(
        every, columns=[*AGGREGATE_COLUMNS, *(["rank"] if "rank" in columns else [])]
    )
    frame = frame[~np.isnan(scores)].reset_index(drop=True)
    _check(where, frame)
    twice = frame.duplicated([name for name in KEY if name in frame])
    if twice.any():
        first = frame[twice].iloc[0]
        raise InputError(
            f"{where}: model {first['model']!r:.80} has two scores of task {first['task']!r:.80}, metric "
            f"{first['metric']!r:.80}; expected one"
        )
    return frame


def _check(where: Path | str, frame: pd.DataFrame) -> None:
    for column in _NAMES:
        for name in frame[column].unique() if column in frame else ():
            if not (name.isascii() and 0 < len(name) < 100) and (column != "config" or name):
                check_name(f"{where}: {column}", name)
    if np.isinf(frame["score"]).any():
        first = frame[np.isinf(frame["score"])].iloc[0]
        raise InputError(
            f"{where}: model {first['model']!r:.80}, task {first['task']!r:.80}: score is infinite; "
            "expected a number, or nothing"
        )


def error_of_interval(low: Any, high: Any, level: Any = 0.95) -> Any:
    """The standard error of a normal distribution with this interval; numbers or arrays."""
    return (high - low) / 2 / ndtri((1 + level) / 2)


def number_of_digits(value: float) -> int:
    """How many decimals a number has, as it is written when nothing is lost."""
    return len(f"{value:.12f}".rstrip("0").partition(".")[2])


def decoded(names: list[str], codes: Any) -> Any:
    """Texts by their place in a list; each is held once."""
    return np.array([*names, ""], dtype=object)[:-1][codes]
