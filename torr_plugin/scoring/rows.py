"""Scores as rows: the columns of scores.parquet, and answers to one card scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from .metrics import needs_of
from .rating import card_metrics, scores_of

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ..catalog import Card

COLUMNS = [
    "model",
    "dataset",
    "config",
    "serializer",
    "perturbation",
    "design",
    "example",
    "metric",
    "score",
    "main",
]

CELL = COLUMNS[:7]
"""The columns that say which example, under which configuration, of which model."""


def empty_frame() -> pd.DataFrame:
    """No scores, with the right columns and types."""
    import pandas as pd

    types = {"score": "float64", "main": "bool"}
    frame: pd.DataFrame = pd.DataFrame(
        {column: pd.Series([], dtype=types.get(column, "object")) for column in COLUMNS}
    )
    return frame


def score_frame(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    """The scores of answers to one card.

    Args:
        card: the card of all rows.
        answered: a row an answer: the columns ``CELL``, ``prediction`` (text), ``references`` (lists of
            text) and ``facts`` (JSON or null), which may be absent.

    Returns:
        A row a score, ``COLUMNS``; the answers' order is kept.
    """
    import numpy as np

    if answered.empty:
        return empty_frame()
    names, values = score_matrix(
        card, answered["prediction"], answered["references"], answered.get("facts", None)
    )
    rows = np.repeat(np.arange(len(answered)), len(names))
    frame = answered[CELL].iloc[rows].reset_index(drop=True)
    frame["metric"] = np.tile(np.array(names, dtype=object), len(answered))
    frame["score"] = values.ravel()
    frame["main"] = frame["metric"] == card.main_metric
    scored: pd.DataFrame = frame[COLUMNS]
    return scored


def score_matrix(
    card: Card,
    predictions: Iterable[str],
    references: Iterable[Sequence[str]],
    facts: Iterable[str | None] | None = None,
) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The scores' names, and an array (answers x scores); what is equal is scored once."""
    import numpy as np

    from ..recipes import facts_of_column

    its_metrics = card_metrics(card)
    needed = any(map(needs_of, its_metrics))
    known: dict[tuple[str, tuple[str, ...], str | None], tuple[float, ...]] = {}
    names: list[str] = []
    rows = []
    # facts are part of what is equal only where a metric looks at them
    given = facts if facts is not None and needed else repeat(None)
    for prediction, right, its_facts in zip(predictions, references, given, strict=False):
        pair = (prediction, tuple(right), its_facts if isinstance(its_facts, str) else None)
        if pair not in known:
            scores = scores_of(card, its_metrics, prediction, pair[1], facts_of_column(pair[2]))
            names = names or list(scores)
            known[pair] = tuple(scores[name] for name in names)
        rows.append(known[pair])
    return names, np.array(rows, dtype=float)
