"""How many values answers have, where a card's metric reads values (HCT-QA, appendix D.2, Fig. 35)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from .example_scores import LONGEST
from .frames import cell_frame
from .metrics import metrics
from .processors import postprocess
from .request_index import CELL, RequestIndex, ScoredRun, read_request_index
from .run_scores import DatasetAnswers, answers_by_dataset, for_each_distinct

if TYPE_CHECKING:
    from ..catalog import Card

COLUMNS = [*CELL, "values", "truth"]


@runtime_checkable
class CountsValues(Protocol):
    """A metric that reads answers as values."""

    def values_in(self, prediction: str, references: Sequence[str]) -> tuple[int, int]:
        """How many values an answer holds, and how many the right one."""


def lengths_of_run(run: ScoredRun) -> pd.DataFrame:
    """How many values every answer of a run holds, for the cards whose metric reads answers as values.

    Returns:
        A row an answer: the columns that identify it; ``values`` and ``truth``: how many values it and the
        right answer have; no row for other cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    cells = read_request_index(run)
    frames = [
        _lengths(each, metric, cells)
        for each in answers_by_dataset(run, cells)
        if len(each.rows) and (metric := counting(each.card)) is not None
    ]
    # different categories would make the column one of objects
    plain = [frame.astype({"model": "object"}) for frame in frames]
    found: pd.DataFrame = pd.concat(plain, ignore_index=True) if plain else pd.DataFrame(columns=COLUMNS)
    return found


def counting(card: Card) -> CountsValues | None:
    """The metric of a card that reads answers as values; None where none does."""
    for name in card.metrics:
        metric = metrics.get(name) if name in metrics else None
        if isinstance(metric, CountsValues):
            return metric
    return None


def _lengths(each: DatasetAnswers, metric: CountsValues, cells: RequestIndex) -> pd.DataFrame:
    counts: list[tuple[int, int]] = []

    def count(texts: list[str], right: list[tuple[str, ...]], _: object) -> None:
        pairs = zip(texts, right, strict=True)
        counts.extend(metric.values_in(*_read(each.card, text, references)) for text, references in pairs)

    which = for_each_distinct(each, cells, count)
    values, truth = np.array(counts, dtype=np.int64)[which].T
    frame: pd.DataFrame = cell_frame(each.model, each.rows, cells).assign(values=values, truth=truth)
    return frame


def _read(card: Card, prediction: str, references: Sequence[str]) -> tuple[str, Sequence[str]]:
    where = f"{card.name}: postprocessors"
    return postprocess(prediction[:LONGEST], list(references), card.template.postprocessors, where=where)
