"""Elo and Bradley-Terry ratings by evalica, of battles and of many resamples of them.

Battles of the same two models with the same outcome are one entry with a weight, so that a resample costs as
much as the number of such entries, not of battles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ...core.statistics import Booleans, Floats, Integers
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

    @property
    def finite(self) -> Booleans:
        """Which models' ratings are finite relative to each other."""
        found: Booleans = _positions(self, self.weights) == 0
        return found

    def resampled(self, draws: Iterable[Floats]) -> Iterator[Floats]:
        """The weights of resamples of questions, in blocks of (resamples x entries)."""
        for block in draws:
            for start in range(0, len(block), _AT_ONCE):
                yield np.ascontiguousarray((self.counts @ block[start : start + _AT_ONCE].T).T)

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


_AT_ONCE = 50
"""Resamples whose weights are held at once."""


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
