"""Scores of a whole run, or of answers to one card, with the columns of scores.parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..recipes import facts_of_column
from .answers import (
    CELL,
    COLUMNS,
    REPLICATE,
    REQUEST_COLUMNS,
    DatasetAnswers,
    RequestIndex,
    ScoredRun,
    answers_by_dataset,
    for_each_distinct,
    read_request_index,
)
from .example_scores import LAST, card_metrics, rated_steps, scores_of
from .metrics import facts_of
from .shown_examples import RunFacts

if TYPE_CHECKING:
    from ..catalog import Card


def empty_frame() -> pd.DataFrame:
    """No scores, with the right columns and types."""
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
    if answered.empty:
        return empty_frame()
    names, values = score_matrix(
        card,
        answered["prediction"],
        answered["references"],
        answered.get("facts", None),
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
    step: str = LAST,
) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The scores' names, and an array (answers x scores); what is equal is scored once."""
    its_metrics = card_metrics(card, step)
    needed = any(map(facts_of, its_metrics))
    known: dict[tuple[str, tuple[str, ...], str | None], tuple[float, ...]] = {}
    names: list[str] = []
    rows = []
    # facts are part of what is equal only where a metric looks at them
    given = facts if facts is not None and needed else repeat(None)
    for prediction, right, its_facts in zip(predictions, references, given, strict=False):
        pair = (prediction, tuple(right), its_facts if isinstance(its_facts, str) else None)
        if pair not in known:
            scores = scores_of(card, its_metrics, prediction, pair[1], facts_of_column(pair[2]), step=step)
            names = names or list(scores)
            known[pair] = tuple(scores[name] for name in names)
        rows.append(known[pair])
    return names, np.array(rows, dtype=float)


def score_run(run: ScoredRun) -> pd.DataFrame:
    """The scores of every answered request of a run.

    A cell without an answer has one row, of the main metric and without a score (NaN), so that the analysis
    sees the hole also where all models failed. Where a design takes several calls, the answer of the last
    one is scored, and that of any other by the metrics that name its step. Equal answers to equal references
    are scored once a model and data set.

    Returns:
        A frame with the columns of scores.parquet (``COLUMNS``, and ``replicate`` if prompts were asked
        again), a row a score, by model, then in the requests' order; names are categories.

    Raises:
        RunError: study.yaml does not say which card a data set is.
        CardError: a card whose answers cannot be scored.
    """
    cells = read_request_index(run, replicates=True)
    facts = RunFacts(run.study, cells)
    found = [
        part for each in answers_by_dataset(run, cells, rated_steps) for part in _parts(each, cells, facts)
    ]
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
    cells = read_request_index(run)
    references = np.empty(len(cells.references), dtype=object)
    references[:] = cells.references
    facts = RunFacts(run.study, cells)
    for each in answers_by_dataset(run, cells):
        if wanted(each.card):
            frame = cell_frame(each.model, each.rows, cells)
            frame = frame.astype(dict.fromkeys(CELL, "object"))
            known = facts.of(each)
            yield (
                each.card,
                frame.assign(
                    prediction=np.array(each.texts.to_pylist(), dtype=object),
                    references=references[cells.reference_codes[each.rows]],
                    facts=[known.text(code) for code in known.codes.tolist()] if known else None,
                ),
            )


def _parts(each: DatasetAnswers, cells: RequestIndex, facts: RunFacts) -> Iterator[ScoreBlock]:
    main = each.card.main_metric
    if len(each.rows):
        yield ScoreBlock(each.model, each.rows, *_scores(each, cells, facts), main)
    if len(each.holes):
        found = [main] if each.step == LAST else [of.main for of in card_metrics(each.card, each.step)]
        yield ScoreBlock(each.model, each.holes, found, np.full((len(each.holes), len(found)), np.nan), main)


def _scores(each: DatasetAnswers, cells: RequestIndex, facts: RunFacts) -> tuple[list[str], np.ndarray]:
    """The scores' names, and an array (answers x scores)."""
    names: list[str] = []
    values: list[np.ndarray] = []

    def score(texts: list[str], right: list[tuple[str, ...]], facts: list[str | None]) -> None:
        names[:], scored = score_matrix(each.card, texts, right, facts, each.step)
        values.append(scored)

    which = for_each_distinct(each, cells, score, facts.of(each))
    return names, np.concatenate(values)[which]


@dataclass(frozen=True)
class ScoreBlock:
    """Scores of one model and data set.

    ``values`` has a line for each request of ``rows`` and a column for each of ``metrics``.
    """

    model: str
    rows: np.ndarray
    metrics: Sequence[str]
    values: np.ndarray
    main: str


def scores_frame(found: Sequence[ScoreBlock], cells: RequestIndex) -> pd.DataFrame:
    """All scores as one frame; codes alone are held a row, and one column is made at a time."""
    models = list(dict.fromkeys(part.model for part in found))
    metrics = list(dict.fromkeys(name for part in found for name in [*part.metrics, part.main]))

    def column(of: Callable[[ScoreBlock], Any]) -> np.ndarray:
        return np.concatenate([np.asarray(of(part)) for part in found])

    def spread(name: str, part: ScoreBlock) -> np.ndarray:
        return np.repeat(cells.places[name][part.rows], len(part.metrics))

    columns: dict[str, Any] = {
        "model": _coded(column(lambda part: np.full(part.values.size, models.index(part.model))), models),
        **{name: _coded(column(partial(spread, name)), cells.names[name]) for name in REQUEST_COLUMNS},
        "metric": _coded(
            column(lambda part: _tiled(part, [metrics.index(name) for name in part.metrics])), metrics
        ),
        "score": column(lambda part: part.values.ravel()),
        "main": column(lambda part: _tiled(part, [name == part.main for name in part.metrics])),
    }
    if cells.replicates.any():
        columns[REPLICATE] = column(lambda part: np.repeat(cells.replicates[part.rows], len(part.metrics)))
    frame: pd.DataFrame = pd.DataFrame(columns, copy=False)
    return frame


def _tiled(part: ScoreBlock, of_metrics: list[Any]) -> np.ndarray:
    return np.tile(np.array(of_metrics), len(part.rows))


def cell_frame(model: str, rows: np.ndarray, cells: RequestIndex) -> pd.DataFrame:
    """``CELL`` of some of a model's requests; names are categories."""
    columns = {"model": _coded(np.zeros(len(rows), np.int8), [model])}
    columns |= {name: _coded(cells.places[name][rows], cells.names[name]) for name in REQUEST_COLUMNS}
    frame: pd.DataFrame = pd.DataFrame(columns)
    return frame


def _coded(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype=object))
