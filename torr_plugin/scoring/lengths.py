"""How many values answers hold, where a card's metric reads them as such (HCT-QA, appendix D.2, Fig. 35)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from .metrics import metrics
from .processors import postprocess
from .rating import LONGEST
from .score import CELL, ScoredRun, answered_by_card

if TYPE_CHECKING:
    import pandas as pd

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
        A row an answer: the columns that say which, ``values`` and ``truth``, how many values it and the
        right answer hold; no row for other cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    import pandas as pd

    frames = [_lengths(card, asked) for card, asked in answered_by_card(run) if counting(card) is not None]
    known = [frame for frame in frames if not frame.empty]
    found: pd.DataFrame = pd.concat(known, ignore_index=True) if known else pd.DataFrame(columns=COLUMNS)
    return found


def counting(card: Card) -> CountsValues | None:
    """The metric of a card that reads answers as values; None where none does."""
    for name in card.metrics:
        metric = metrics.get(name) if name in metrics else None
        if isinstance(metric, CountsValues):
            return metric
    return None


def _lengths(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    metric = counting(card)
    assert metric is not None  # noqa: S101  # chosen by it
    counts = [
        metric.values_in(*_read(card, prediction, references))
        for prediction, references in zip(answered["prediction"], answered["references"], strict=True)
    ]
    values, truth = zip(*counts, strict=True) if counts else ((), ())
    frame: pd.DataFrame = answered[CELL].assign(values=list(values), truth=list(truth))
    counted: pd.DataFrame = frame.astype({"values": "int64", "truth": "int64"})
    return counted


def _read(card: Card, prediction: str, references: Sequence[str]) -> tuple[str, Sequence[str]]:
    where = f"{card.name}: postprocessors"
    return postprocess(prediction[:LONGEST], list(references), card.template.postprocessors, where=where)
