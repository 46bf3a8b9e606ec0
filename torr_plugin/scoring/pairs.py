"""Scores of pairs: two answers of a model to one question, before and after parts of its table change places.

Pairs are the two examples of a data set with the same group ``pair``; or, for a perturbation that
``pairs_with_original``, an example under it and under ``none``, in the same format and design.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..prompts import Configuration
from .example_scores import pair_metrics, rated, read_answer, right_score
from .run_scores import PAIR, UNREAD, DatasetAnswers, Requests, makes_pairs, score_block, without_scores
from .shown_examples import ShownExamples

if TYPE_CHECKING:
    from ..catalog import Card

BOTH_RIGHT, CONSISTENCY = "both_right", "consistency"

_NONE = -1


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
