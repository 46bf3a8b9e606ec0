"""The scores of a run: every model's answers, rated by the cards' metrics, and compared where they are pairs.

Pairs are two answers of a model to one question, before and after parts of its table change places: to the
two examples of a data set with the same group ``pair``; or, for a perturbation that ``pairs_with_original``,
to an example under it and under ``none``, in the same format and design.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals

from ..core.names import ENDED
from ..prompts import Configuration
from ..recipes import facts_of_column
from ..tables import perturbations
from .example_scores import (
    LAST,
    card_metrics,
    pair_metrics,
    rated,
    rated_steps,
    read_answer,
    refuse_single_answers,
    right_score,
    scores_of,
)
from .metrics.base import counting
from .run_answers import (
    CELL,
    ENDINGS,
    PAIR,
    REPLICATE,
    REQUEST_COLUMNS,
    UNREAD,
    DatasetAnswers,
    Requests,
    RunFacts,
    answers_by_dataset,
    card_of,
    read_requests,
)
from .shown_examples import ShownExamples

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..catalog import Card
    from ..running import Run

COLUMNS = [*CELL, "metric", "score", "main"]
"""Those of scores.parquet."""

BOTH_RIGHT, CONSISTENCY = "both_right", "consistency"

_NONE = -1


def makes_pairs(perturbation: str) -> bool:
    """Whether answers under a perturbation are also compared with those on the tables as they were."""
    known = perturbation in perturbations.registry
    return known and perturbations.get(perturbation).pairs_with_original


def score_run(run: Run) -> pd.DataFrame:
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
    requests = read_requests(run, replicates=True)
    facts, pairs = RunFacts(run.study, requests), Pairs(run.study, requests)
    blocks = []
    for each in answers_by_dataset(run, requests, rated_steps):
        main, scores = each.card.main_metric, dict[str, np.ndarray]()
        if len(each.rows):
            scores = _scores(each, requests, facts)
            blocks.append(score_block(each, requests, each.rows, scores, each.ended))
        if len(each.holes):
            empty = [main] if each.step == LAST else [of.main for of in card_metrics(each.card, each.step)]
            blocks.append(without_scores(each, requests, each.holes, empty))
        if each.step == LAST:
            blocks.extend(pairs.scored(each, scores or {main: np.empty(0)}))
    if not blocks:
        return _no_scores()
    found = together(blocks)
    kept = {REPLICATE: requests.replicates.any(), ENDED: found[ENDED].notna().any()}
    trimmed: pd.DataFrame = found.drop(columns=[name for name, is_kept in kept.items() if not is_kept])
    return trimmed


def _no_scores() -> pd.DataFrame:
    frame: pd.DataFrame = pd.DataFrame(columns=COLUMNS).astype({"score": "float64", "main": "bool"})
    return frame


def score_block(
    each: DatasetAnswers,
    requests: Requests,
    rows: np.ndarray,
    scores: Mapping[str, np.ndarray],
    ended: np.ndarray | None = None,
) -> pd.DataFrame:
    """Scores of requests of one model and data set, those of a request one after the other.

    ``ended`` says how the answer to each request ended, and is None where there are no answers.
    """
    names, count = list(scores), len(scores)
    values = np.stack(list(scores.values()), axis=1)
    endings = np.zeros(len(rows), np.int8) if ended is None else ended
    is_main = [name == each.card.main_metric for name in names]
    block: pd.DataFrame = cell_frame(each.model, requests, np.repeat(rows, count)).assign(
        metric=_coded(np.tile(np.arange(count), len(rows)), names),
        score=values.ravel(),
        main=np.tile(np.array(is_main, dtype=bool), len(rows)),
        **{REPLICATE: np.repeat(requests.replicates[rows], count)},
        **{ENDED: _coded(np.repeat(endings, count) - 1, [name for name in ENDINGS if name])},
    )
    return block


def without_scores(
    each: DatasetAnswers, requests: Requests, rows: np.ndarray, names: Sequence[str]
) -> pd.DataFrame:
    """Rows for requests that have no answer."""
    return score_block(each, requests, rows, {name: np.full(len(rows), np.nan) for name in names})


def cell_frame(model: str, requests: Requests, rows: np.ndarray) -> pd.DataFrame:
    """``CELL`` of some of a model's requests; names are categories."""
    frame: pd.DataFrame = requests.frame[REQUEST_COLUMNS].iloc[rows].reset_index(drop=True)
    cells: pd.DataFrame = frame.assign(model=_coded(np.zeros(len(rows), np.int8), [model]))[CELL]
    return cells


def _coded(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical[Any]:
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(names), dtype=object))


def together(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """The frames' rows, one after the other; names stay categories."""
    if len({tuple(frame.columns) for frame in frames}) != 1:
        plain = [frame.astype(dict.fromkeys(frame.select_dtypes("category"), "object")) for frame in frames]
        mixed: pd.DataFrame = pd.concat(plain, ignore_index=True) if plain else pd.DataFrame()
        return mixed

    def column(parts: Sequence[pd.Series[Any]]) -> Any:
        if all(isinstance(part.dtype, pd.CategoricalDtype) for part in parts):
            return union_categoricals(list(parts))
        return pd.concat(list(parts), ignore_index=True)

    found: pd.DataFrame = pd.DataFrame({name: column([each[name] for each in frames]) for name in frames[0]})
    return found


def _scores(each: DatasetAnswers, requests: Requests, facts: RunFacts) -> dict[str, np.ndarray]:
    """Name -> the score of each answer."""
    known = facts.of(each)
    texts, references, firsts, which = distinct(each, requests, known)
    its_facts = None if known is None else known[firsts]
    names, scores = score_matrix(each.card, texts, references, its_facts, each.step)
    scores = scores[which]
    scores[np.isin(each.ended, UNREAD)] = 0.0
    return dict(zip(names, scores.T, strict=True))


def distinct(
    each: DatasetAnswers, requests: Requests, facts: np.ndarray | None = None
) -> tuple[Iterator[str], Iterator[tuple[str, ...]], np.ndarray, np.ndarray]:
    """The different answers and their references, the first row of each, and the number of each row's answer.

    ``facts``: answers that differ in nothing but these are different, too.
    """
    texts, codes = each.coded
    right = requests.frame["references"].to_numpy()[each.rows]
    number = codes.astype(np.int64) * len(requests.references) + right
    if facts is not None:
        of_facts, different = pd.factorize(facts)
        number = number * (len(different) + 1) + of_facts
    _, firsts, which = np.unique(number, return_index=True, return_inverse=True)
    return (
        (texts[code].as_py() for code in codes[firsts].tolist()),
        (requests.references[code] for code in right[firsts].tolist()),
        firsts,
        which.reshape(-1),
    )


def score_matrix(
    card: Card,
    predictions: Iterable[str],
    references: Iterable[Sequence[str]],
    facts: Iterable[str | None] | None = None,
    step: str = LAST,
) -> tuple[list[str], np.ndarray[Any, Any]]:
    """The scores' names, and an array (answers x scores); what is equal is scored once."""
    its_metrics = card_metrics(card, step)
    known: dict[tuple[str, tuple[str, ...], str | None], tuple[float, ...]] = {}
    names: list[str] = []
    rows = []
    # facts are part of what is equal only where a metric looks at them
    given = (
        facts
        if facts is not None and any(each.needs or each.optional for each in its_metrics)
        else repeat(None)
    )
    for prediction, right, its_facts in zip(predictions, references, given, strict=False):
        pair = (prediction, tuple(right), its_facts if isinstance(its_facts, str) else None)
        if pair not in known:
            scores = scores_of(card, its_metrics, prediction, pair[1], facts_of_column(pair[2]), step=step)
            names = names or list(scores)
            known[pair] = tuple(scores[name] for name in names)
        rows.append(known[pair])
    return names, np.array(rows, dtype=float)


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
        return _no_scores()
    facts = answered.get("facts", None)
    names, values = score_matrix(card, answered["prediction"], answered["references"], facts)
    frame = answered[CELL].iloc[np.repeat(np.arange(len(answered)), len(names))].reset_index(drop=True)
    metric = np.tile(np.array(names, dtype=object), len(answered))
    scored: pd.DataFrame = frame.assign(metric=metric, score=values.ravel(), main=metric == card.main_metric)
    return scored


def answered_by_card(
    run: Run, wanted: Callable[[Card], bool] = lambda card: True
) -> Iterator[tuple[Card, pd.DataFrame]]:
    """Every model's answers to every data set, with the card.

    A row an answer: ``CELL``, ``prediction``, ``references`` and ``facts``.

    Args:
        run: whose.
        wanted: of which cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    requests = read_requests(run)
    facts = RunFacts(run.study, requests)
    for each in answers_by_dataset(run, requests):
        if wanted(each.card):
            known = facts.of(each)
            right = requests.frame["references"].to_numpy()[each.rows]
            frame = cell_frame(each.model, requests, each.rows).astype(dict.fromkeys(CELL, "object"))
            yield (
                each.card,
                frame.assign(
                    prediction=pd.Series(each.texts.to_pylist(), dtype=object),
                    references=pd.Series([requests.references[code] for code in right], dtype=object),
                    facts=known,
                ),
            )


def lengths_of_run(run: Run) -> pd.DataFrame:
    """How many values every answer of a run holds, for the cards whose metric reads answers as values.

    As HCT-QA counts them (appendix D.2, Fig. 35).

    Returns:
        A row an answer: the columns that identify it; ``values`` and ``truth``: how many values it and the
        right answer have; no row for other cards.

    Raises:
        RunError: study.yaml does not say which card a data set is.
    """
    none: pd.DataFrame = pd.DataFrame(columns=[*CELL, "values", "truth"])
    datasets = run.study.get("datasets") or {}
    if all(
        each.get("card") and counting(card_metrics(card_of(run.study, name), None)) is None
        for name, each in datasets.items()
    ):
        return none
    requests = read_requests(run)
    frames = []
    for each in answers_by_dataset(run, requests):
        metric = counting(card_metrics(each.card, None))
        if metric is None or not len(each.rows):
            continue
        texts, references, _, which = distinct(each, requests)
        counts = [
            metric.values_in(*read_answer(each.card, text, right))
            for text, right in zip(texts, references, strict=True)
        ]
        values, truth = np.array(counts, dtype=np.int64)[which].T
        frame = cell_frame(each.model, requests, each.rows).assign(values=values, truth=truth)
        frames.append(frame.astype({"model": "object"}))
    return pd.concat(frames, ignore_index=True) if frames else none


# -- pairs ---------------------------------------------------------------------------------------------------


class Pairs:
    """Finds and scores the pairs of a run."""

    def __init__(self, study: Mapping[str, Any], requests: Requests) -> None:
        self._study, self._requests = study, requests
        self._examples: dict[str, np.ndarray] = {}

    def scored(self, answers: DatasetAnswers, scores: Mapping[str, np.ndarray]) -> Iterator[pd.DataFrame]:
        """The scores of pairs, as rows of both examples of a pair, or of the perturbed one of two cells.

        - ``both_right``: the lower of the two answers' own scores. These are the card's main scores or, where
          that one compares pairs, the main scores of its first metric that does not.
        - The scores of the metrics of pairs (:func:`pair_metrics`) for the two texts. Where the references of
          the cells differ, as the answer was computed again for the changed table, equal texts mean nothing:
          there ``consistency`` is 1 minus the difference of the answers' own scores.

        Where one of the two answers is a refusal or unfinished, all of these are 0.
        A cell whose partner has no answer, or that has none itself, has no score.

        Args:
            answers: to the last step.
            scores: name -> the score of each answer.
        """
        rows, main = answers.rows, answers.card.main_metric
        partner = self._partners(answers.card, rows)
        paired = np.flatnonzero(partner != _NONE)
        holes = answers.holes[self._partners(answers.card, answers.holes) != _NONE]
        if not len(paired) and not len(holes):
            return
        other = _places(partner[paired], self._requests.cells[rows]) if len(rows) else paired
        both, single = paired[other != _NONE], paired[other == _NONE]
        if len(both):
            right = scores[right_score(answers.card, scores)]
            # a main score of pairs is there wherever a pair is
            yield from self._compared(answers, both, other[other != _NONE], right, always=main not in scores)
        found = [BOTH_RIGHT, *(metric.main for metric in pair_metrics(answers.card))]
        found = list(dict.fromkeys([*found, *([main] if main not in scores else [])]))
        # a prompt that was asked again has a partner only where that was, too
        alone = rows[single][self._requests.replicates[rows[single]] == 0]
        yield without_scores(answers, self._requests, alone, found)
        others = [name for name in found if name != main]  # the main one is there
        yield without_scores(answers, self._requests, holes, others)

    def _compared(
        self, answers: DatasetAnswers, one: np.ndarray, other: np.ndarray, right: np.ndarray, *, always: bool
    ) -> Iterator[pd.DataFrame]:
        """The scores of the pairs with two answers.

        Args:
            answers: all of a model to a data set.
            one: the places of the answers that get the rows.
            other: the places of the answers to compare them with.
            right: each answer's own score.
            always: whether texts are compared even where the references differ.
        """
        low, gap = np.minimum(right[one], right[other]), np.abs(right[one] - right[other])
        references = self._requests.frame["references"].to_numpy()[answers.rows]
        alike = (references[one] == references[other]) | always
        unread = np.isin(answers.ended, UNREAD)
        either = unread[one] | unread[other]
        compared = _compared_texts(answers, one[alike], other[alike])
        texts = {name: np.where(either[alike], 0.0, scores) for name, scores in compared.items()}
        as_right = np.where(either, 0.0, 1 - gap)
        for which, scores in ((alike, texts), (~alike, {CONSISTENCY: as_right[~alike]})):
            rows, ended = answers.rows[one[which]], answers.ended[one[which]]
            yield score_block(answers, self._requests, rows, {BOTH_RIGHT: low[which], **scores}, ended)

    def _partners(self, card: Card, rows: np.ndarray) -> np.ndarray:
        """For each request the number of the cell that makes a pair with its own; ``_NONE`` without one."""
        datasets, configs, examples = (
            self._requests.codes(name, rows) for name in ("dataset", "config", "example")
        )
        if PAIR in card.reading.groups:
            examples = self._other_examples(card)[examples]
        else:
            configs = self._originals[configs]
        numbers = self._requests.cell_numbers(datasets, configs, examples)
        found: np.ndarray = numbers + self._requests.replicates[rows]
        found[(configs == _NONE) | (examples == _NONE)] = _NONE
        return found

    @cached_property
    def _originals(self) -> np.ndarray:
        """For each configuration with a perturbation that makes pairs the one without, if it was asked."""
        names = self._requests.names("config")
        codes = {name: code for code, name in enumerate(names)}
        return np.array([codes.get(_original(name), _NONE) for name in names], dtype=np.int64)

    def _other_examples(self, card: Card) -> np.ndarray:
        """For each example the other one of its pair, if both were asked."""
        if card.dataset not in self._examples:
            self._examples[card.dataset] = self._read_pairs(card)
        return self._examples[card.dataset]

    def _read_pairs(self, card: Card) -> np.ndarray:
        names, examples = self._requests.names("example"), ShownExamples(self._study, card)
        pairs = defaultdict[str, list[int]](list)
        for code, name in enumerate(names):
            if name in examples:
                pairs[examples.original(name).groups[PAIR]].append(code)
        found: np.ndarray = np.full(len(names), _NONE, dtype=np.int64)
        for one, *others in pairs.values():
            if len(others) == 1:
                found[one], found[others[0]] = others[0], one
        return found


def _original(config: str) -> str:
    """The configuration with the table as it is; empty where the perturbation makes no pairs."""
    parts = config.split("/")
    paired = len(parts) == 3 and makes_pairs(parts[1])
    return Configuration(parts[0], "none", parts[2]).id if paired else ""


def _places(wanted: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    """Where each wanted number stands; ``_NONE`` where it does not."""
    order = np.argsort(numbers, kind="stable")
    at = np.minimum(np.searchsorted(numbers, wanted, sorter=order), len(numbers) - 1)
    found: np.ndarray = np.where(numbers[order[at]] == wanted, order[at], _NONE)
    return found


def _compared_texts(answers: DatasetAnswers, one: np.ndarray, other: np.ndarray) -> dict[str, np.ndarray]:
    """Name -> the scores of the pairs; equal pairs of texts are compared once.

    Args:
        answers: all of a model to a data set.
        one: the places of the answers to rate.
        other: the places of the answers to compare them with.
    """
    texts, codes = answers.coded
    kinds, which = np.unique(np.stack([codes[one], codes[other]]), axis=1, return_inverse=True)
    read = {code: read_answer(answers.card, texts[code].as_py())[0] for code in np.unique(kinds).tolist()}
    rows = [
        {
            name: score
            for metric in pair_metrics(answers.card)
            for name, score in rated(answers.card, metric, read[mine], [read[its]], {}).items()
        }
        for mine, its in kinds.T.tolist()
    ]
    names = rows[0] if rows else ()
    return {name: np.array([row[name] for row in rows])[which.reshape(-1)] for name in names}
