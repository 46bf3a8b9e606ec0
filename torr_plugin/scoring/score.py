"""Scores of a whole run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from .answered import Answered, answered
from .cells import Cells, ScoredRun, read_cells
from .different import each_different
from .frames import Scored, frame_of, scores_frame
from .metrics import needs_of
from .rating import card_metrics
from .rows import CELL, COLUMNS, empty_frame, score_frame, score_matrix

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from ..catalog import Card

__all__ = [
    "CELL",
    "COLUMNS",
    "ScoredRun",
    "answered_by_card",
    "empty_frame",
    "score_frame",
    "score_matrix",
    "score_run",
]


def score_run(run: ScoredRun) -> pd.DataFrame:
    """The scores of every answered request of a run.

    A cell without an answer has one row, of the main metric and without a score (NaN), so that the analysis
    sees the hole also where all models failed. Where a design takes several calls, the answer of the last
    one is scored. Equal answers to equal references are scored once a model and data set.

    Returns:
        A frame with the columns of scores.parquet (``COLUMNS``), a row a score, by model, then in the
        requests' order; names are categories.

    Raises:
        RunError: study.yaml does not say which card a data set is.
        CardError: a card whose answers cannot be scored.
    """
    cells = read_cells(run)
    found = [part for each in answered(run, cells) for part in _parts(each, cells)]
    return scores_frame(found, cells) if found else empty_frame()


def answered_by_card(
    run: ScoredRun, wanted: Callable[[Card], bool] = lambda card: True
) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every data set, with the card.

    A row an answer: ``CELL``, ``prediction``, ``references`` and ``facts``.

    Args:
        run: whose.
        wanted: of which cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    import numpy as np

    cells = read_cells(run)
    references = np.empty(len(cells.references), dtype=object)
    references[:] = cells.references
    facts = np.array([*cells.facts, None], dtype=object)
    for each in answered(run, cells):
        if wanted(each.card):
            frame = frame_of(each.model, each.rows, cells)
            frame = frame.astype(dict.fromkeys(CELL, "object"))
            yield (
                each.card,
                frame.assign(
                    prediction=np.array(each.texts.to_pylist(), dtype=object),
                    references=references[cells.right[each.rows]],
                    facts=facts[cells.told[each.rows]],
                ),
            )


def _parts(each: Answered, cells: Cells) -> Iterator[Scored]:
    import numpy as np

    main = each.card.main_metric
    if len(each.rows):
        yield Scored(each.model, each.rows, *_scores(each, cells), main)
    if len(each.holes):
        yield Scored(each.model, each.holes, [main], np.full((len(each.holes), 1), np.nan), main)


def _scores(each: Answered, cells: Cells) -> tuple[list[str], np.ndarray]:
    """The scores' names, and an array (answers x scores)."""
    import numpy as np

    needed = any(map(needs_of, card_metrics(each.card)))
    names: list[str] = []
    values: list[np.ndarray] = []

    def score(texts: list[str], right: list[tuple[str, ...]], facts: list[str | None]) -> None:
        names[:], scored = score_matrix(each.card, texts, right, facts)
        values.append(scored)

    which = each_different(each, cells, score, facts=needed)
    return names, np.concatenate(values)[which]
