"""The battles of a run as the pages take them: without a missing text, except where none says something."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ...scoring.judges.pairs.battles import read_battles

_NAMES = ("question", "dataset", "config", "level", "model_a", "model_b", "order", "judge", "reason")
_MAYBE = ("verdict", "winner")
_NUMBERS = ("score_a", "score_b", "length_a", "length_b", "main_a", "main_b")


def published_battles(run: Path) -> pd.DataFrame | None:
    """The battles of all judges of a run; None where there are none.

    Returns:
        The columns of :data:`torr_plugin.scoring.judges.pairs.battles.SCHEMA` but ``key``: texts, "" where
        there is none; ``verdict`` and ``winner``, None where there is none; numbers, NaN likewise.

    Raises:
        RunError: the file is damaged, or lacks a column.
    """
    frame = read_battles(run)
    if frame is None or frame.empty:
        return None
    columns: dict[str, pd.Series] = {}
    for name in (*_NAMES, *_MAYBE):
        absent = None if name in _MAYBE else ""
        given = zip(frame[name], frame[name].isna(), strict=True)
        texts = [absent if missing else str(text) for text, missing in given]
        columns[name] = pd.Series(texts, frame.index, dtype=object)
    for name in _NUMBERS:
        columns[name] = pd.to_numeric(frame[name], errors="coerce").astype(float)
    found: pd.DataFrame = pd.DataFrame(columns)
    return found
