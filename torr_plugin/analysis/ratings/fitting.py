"""Elo and Bradley-Terry ratings by evalica, with intervals from resamples of questions.

Battles of the same two models with the same outcome are one entry with a weight, so that a resample costs as
much as the number of such entries, not of battles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from ...core.statistics import Booleans, Floats, Integers, resample_counts
from .battles import A_WINS, B_WINS, TIE, Battles

INITIAL, SCALE = 1000.0, 400.0
"""Where ratings start, and how many points are a factor of ten in the odds of winning."""

K_FACTOR = 4.0
"""How far one battle moves an Elo rating; evalica's default."""

_TOLERANCE, _MOST_STEPS = 1e-8, 10_000


@dataclass(frozen=True)
class Wins:
    """How often each model won against each other one, and in which questions; a tie is half a win for both.

    Attributes:
        size: how many models.
        ahead, behind: of each entry.
        counts: (entries x questions), sparse.
    """

    size: int
    ahead: Integers
    behind: Integers
    counts: Any

    @classmethod
    def of(cls, battles: Battles) -> Wins:
        """Count a study's battles."""
        from scipy.sparse import csr_array

        size, tied = len(battles.models), battles.outcome == TIE
        first_won, second_won = battles.outcome == A_WINS, battles.outcome == B_WINS
        parts = [
            (battles.first, battles.second, first_won | tied),
            (battles.second, battles.first, second_won | tied),
        ]
        code = np.concatenate([(ahead * size + behind)[there] for ahead, behind, there in parts])
        question = np.concatenate([battles.question[there] for _, _, there in parts])
        share = np.concatenate([np.where(tied, 0.5, 1.0)[there] for _, _, there in parts])
        known, entry = np.unique(code, return_inverse=True)
        shape = (len(known), int(battles.question.max()) + 1)
        return cls(size, known // size, known % size, csr_array((share, (entry, question)), shape=shape))

    @property
    def weights(self) -> Floats:
        """How many wins each entry stands for."""
        found: Floats = np.asarray(self.counts.sum(axis=1)).ravel()
        return found

    def bradley_terry(self, weights: Floats) -> Floats:
        """Ratings by maximum likelihood, with a mean of 1000.

        A rating without an upper (lower) bound is inf (-inf): of models that never lost (won) against the
        rest. NaN: of a model without a battle in this resample, or that nothing connects with the rest.

        Args:
            weights: of the entries, (entries,).
        """
        found = _positions(self, weights)
        finite = found == 0
        number = np.cumsum(finite) - 1
        inside = finite[self.ahead] & finite[self.behind] & (weights > 0)
        if not inside.any():
            found[finite] = INITIAL
            return found
        from evalica import Winner, bradley_terry

        scores = bradley_terry(
            xs=number[self.ahead[inside]],
            ys=number[self.behind[inside]],
            winners=[Winner.X] * int(inside.sum()),
            weights=weights[inside].tolist(),
            index=pd.RangeIndex(int(finite.sum())),
            tolerance=_TOLERANCE,
            limit=_MOST_STEPS,
        ).scores
        logs = np.log10(scores.sort_index().to_numpy())
        found[finite] = INITIAL + SCALE * (logs - logs.mean())
        return found


def _positions(wins: Wins, weights: Floats) -> Floats:
    """0 for models whose ratings are finite relative to each other, else inf, -inf or NaN.

    Maximum likelihood is finite within a set of models of which each can be reached from each over battles
    won or tied (Ford, "Solution of a ranking problem from binary comparisons", 1957). The largest such set
    counts; of several that large, the one with as many models above it as below. Without such a one no rating
    is finite: of two models of which one won every battle, that one is at inf, and the other at -inf.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    won = np.zeros((wins.size, wins.size), dtype=bool)
    known = weights > 0
    won[wins.ahead[known], wins.behind[known]] = True
    count, group = connected_components(csr_array(won), connection="strong")
    if count == 1:
        return np.zeros(wins.size)
    sizes = np.bincount(group)
    largest = [_sides(won, group == number) for number in np.flatnonzero(sizes == sizes.max())]
    between = [sides for sides in largest if (sides > 0).sum() == (sides < 0).sum() > 0]
    for single in (largest, between):
        if len(single) == 1:
            return single[0]
    with np.errstate(invalid="ignore"):  # 0 times inf: as many above as below
        found: Floats = np.sign(np.nan_to_num(largest).clip(-1, 1).sum(axis=0)) * np.inf
    return found


def _sides(won: Booleans, main: Booleans) -> Floats:
    """0 for the models of a set, inf for those ahead of it, -inf for those behind, NaN for the rest."""
    return np.select([main, _reaching(won, main), _reaching(won.T, main)], [0.0, np.inf, -np.inf], np.nan)


def _reaching(won: Booleans, goal: Booleans) -> Booleans:
    """Which models are ahead of one in ``goal``, over any number of others."""
    reached = goal.copy()
    while True:
        wider = reached | won[:, reached].any(axis=1)
        if (wider == reached).all():
            found: Booleans = reached & ~goal
            return found
        reached = wider


def elo(battles: Battles, order: Integers) -> Floats:
    """Elo ratings after battles in an order, (models,).

    Args:
        battles: all of them.
        order: the numbers of the battles; one can occur several times (evalica's weights are no repetitions).
    """
    from evalica import Winner
    from evalica import elo as ratings

    winners = (Winner.X, Winner.Y, Winner.Draw)
    found = ratings(
        xs=battles.first[order],
        ys=battles.second[order],
        winners=[winners[outcome] for outcome in battles.outcome[order].tolist()],
        index=pd.RangeIndex(len(battles.models)),
        initial=INITIAL,
        scale=SCALE,
        k=K_FACTOR,
    ).scores
    scores: Floats = found.reindex(range(len(battles.models))).to_numpy()
    return scores


ORDERS = 100
"""Random orders of the battles over which an Elo rating is averaged."""


@dataclass(frozen=True)
class Rated:
    """Ratings of models.

    Attributes:
        values: (models,); see :meth:`Wins.bradley_terry` for inf and NaN.
        samples: of resamples of questions, (models x resamples).
        order_spread: the standard deviation between orders of the battles, in points; the largest of a model.
    """

    values: Floats
    samples: Floats
    order_spread: float = 0.0

    def anchored(self, baseline: int | None) -> Rated:
        """The ratings with the baseline at 1000, also in each resample; None leaves them as they are."""
        if baseline is None:
            return self
        with np.errstate(invalid="ignore"):  # inf - inf
            values, samples = (each - each[baseline] + INITIAL for each in (self.values, self.samples))
        values[baseline] = samples[baseline] = INITIAL
        return replace(self, values=values, samples=samples)

    def bounds(self, questions: int, level: float) -> tuple[Floats, Floats]:
        """By Student's t with the resamples' deviation; NaN where a rating is infinite in too many."""
        reach = stdtrit(max(questions - 1, 1), (1 + level) / 2) * spread(self.samples, questions)
        endless = (~np.isfinite(self.samples)).mean(axis=1) >= (1 - level) / 2
        reach = np.where(endless | ~np.isfinite(self.values), np.nan, reach)
        with np.errstate(invalid="ignore"):
            return self.values - reach, self.values + reach


def spread(samples: Floats, questions: int) -> Floats:
    """The standard deviation over resamples, (... x resamples) -> (...), unbiased of few questions."""
    known = np.isfinite(samples)
    counts = known.sum(axis=-1)
    mean = np.where(known, samples, 0.0).sum(axis=-1) / np.maximum(counts, 1)
    squares = np.where(known, samples - mean[..., None], 0.0) ** 2
    found: Floats = np.sqrt(squares.sum(axis=-1) / np.maximum(counts - 1, 1))
    found *= np.sqrt(questions / max(questions - 1, 1))
    return found


def bradley_terry_ratings(battles: Battles, resamples: int, rng: np.random.Generator) -> Rated:
    """Bradley-Terry ratings with a mean of 1000, which resamples keep over the models that both rate."""
    wins, questions = Wins.of(battles), battles.questions
    values = wins.bradley_terry(wins.weights)
    drawn = [
        wins.bradley_terry(np.asarray(wins.counts @ row).ravel())
        for block in resample_counts(rng, questions, resamples)
        for row in block
    ]
    samples = np.stack(drawn, axis=1)
    with np.errstate(invalid="ignore"):  # inf - inf
        apart = values[:, None] - samples
    known = np.isfinite(apart)
    moved = np.where(known, apart, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return Rated(values, samples + moved)


def elo_ratings(battles: Battles, resamples: int, rng: np.random.Generator) -> Rated:
    """Elo ratings, averaged over random orders of the battles, on which a single one depends.

    A resample of questions is rated in one random order, so that intervals hold what an order does, too.
    """
    single = np.stack([elo(battles, rng.permutation(len(battles))) for _ in range(ORDERS)], axis=1)
    ends = np.cumsum(np.bincount(battles.question))
    by_question = np.split(np.argsort(battles.question, kind="stable"), ends[:-1])
    drawn = [
        elo(battles, rng.permutation(np.concatenate([by_question[at] for at in chosen])))
        for chosen in rng.integers(len(by_question), size=(resamples, len(by_question)))
    ]
    return Rated(single.mean(axis=1), np.stack(drawn, axis=1), float(single.std(axis=1, ddof=1).max()))
