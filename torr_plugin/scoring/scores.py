"""Scores of a whole run, or of answers to one card, with the columns of scores.parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..recipes import facts_of_column
from .example_scores import LAST, card_metrics, rated_steps, refuse_single_answers, scores_of
from .frames import ScoreBlock, cell_frame, empty_frame, scores_frame
from .metrics import facts_of
from .pairs import Pairs
from .request_index import CELL, COLUMNS, RequestIndex, ScoredRun, read_request_index
from .run_scores import UNREAD, DatasetAnswers, answers_by_dataset, for_each_distinct
from .shown_examples import RunFacts

if TYPE_CHECKING:
    from ..catalog import Card


def score_frame(card: Card, answered: pd.DataFrame) -> pd.DataFrame:
    """The scores of answers to one card.

    Args:
        card: the card of all rows.
        answered: a row an answer: the columns ``CELL``, ``prediction`` (text), ``references`` (lists of
            text) and ``facts`` (JSON or null), which may be absent.

    Returns:
        A row a score, ``COLUMNS``; the answers' order is kept.
    """
    refuse_single_answers(card)
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
        A frame with the columns of scores.parquet (``COLUMNS``; ``replicate`` if prompts were asked again,
        ``ended`` if answers did not end as they should), a row a score, by model, then in the requests'
        order; names are categories.

    Raises:
        RunError: study.yaml does not say which card a data set is.
        CardError: a card whose answers cannot be scored.
    """
    cells = read_request_index(run, replicates=True)
    facts, pairs = RunFacts(run.study, cells), Pairs(run.study, cells)
    found = [
        part
        for each in answers_by_dataset(run, cells, rated_steps)
        for part in _parts(each, cells, facts, pairs)
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


def _parts(each: DatasetAnswers, cells: RequestIndex, facts: RunFacts, pairs: Pairs) -> Iterator[ScoreBlock]:
    main = each.card.main_metric
    names, values = _scores(each, cells, facts) if len(each.rows) else ([main], np.empty((0, 1)))
    if len(each.rows):
        yield ScoreBlock(each.model, each.rows, names, values, main, each.ended)
    if len(each.holes):
        found = [main] if each.step == LAST else [of.main for of in card_metrics(each.card, each.step)]
        yield ScoreBlock(each.model, each.holes, found, np.full((len(each.holes), len(found)), np.nan), main)
    if each.step == LAST:
        yield from pairs.scored(each, names, values)


def _scores(each: DatasetAnswers, cells: RequestIndex, facts: RunFacts) -> tuple[list[str], np.ndarray]:
    """The scores' names, and an array (answers x scores)."""
    names: list[str] = []
    values: list[np.ndarray] = []

    def score(texts: list[str], right: list[tuple[str, ...]], facts: list[str | None]) -> None:
        names[:], scored = score_matrix(each.card, texts, right, facts, each.step)
        values.append(scored)

    which = for_each_distinct(each, cells, score, facts.of(each))
    scores = np.concatenate(values)[which]
    scores[np.isin(each.ended, UNREAD)] = 0.0
    return names, scores
