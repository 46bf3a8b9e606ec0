"""Elo and Bradley-Terry ratings by evalica, of battles and of many resamples of them.

Battles of the same two models with the same outcome are one entry with a weight, so that a resample costs as
much as the number of such entries, not of battles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import evalica
import numpy as np
import pandas as pd
from evalica import Winner
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ...core.numbers import Booleans, Floats, Integers
from .battles import A_WINS, B_WINS, TIE, Battles

INITIAL, SCALE = 1000.0, 400.0
"""Where ratings start, and how many points are a factor of ten in the odds of winning."""

K_FACTOR = 4.0
"""How far one battle moves an Elo rating; evalica's default."""

_WINNERS = (Winner.X, Winner.Y, Winner.Draw)
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
        scores = evalica.bradley_terry(
            xs=self.ahead,
            ys=self.behind,
            winners=[Winner.X] * len(weights),
            weights=weights.tolist(),
            index=pd.RangeIndex(self.size),
            tolerance=_TOLERANCE,
            limit=_MOST_STEPS,
        ).scores
        logs = np.log10(scores.reindex(range(self.size)).to_numpy()[finite])
        found[finite] = INITIAL + SCALE * (logs - logs.mean())
        return found


_AT_ONCE = 50
"""Resamples whose weights are held at once."""


def _positions(wins: Wins, weights: Floats) -> Floats:
    """0 for models whose ratings are finite relative to each other, else inf, -inf or NaN.

    Maximum likelihood is finite within a set of models of which each can be reached from each over battles
    won or tied (Ford, "Solution of a ranking problem from binary comparisons", 1957).
    """
    won = np.zeros((wins.size, wins.size), dtype=bool)
    known = weights > 0
    won[wins.ahead[known], wins.behind[known]] = True
    count, group = connected_components(csr_array(won), connection="strong")
    main = group == np.bincount(group, minlength=count).argmax()
    if main.all():
        return np.zeros(wins.size)
    above, below = _reaching(won, main), _reaching(won.T, main)
    return np.select([main, above, below], [0.0, np.inf, -np.inf], np.nan)


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
    found = evalica.elo(
        xs=battles.first[order],
        ys=battles.second[order],
        winners=[_WINNERS[outcome] for outcome in battles.outcome[order].tolist()],
        index=pd.RangeIndex(len(battles.models)),
        initial=INITIAL,
        scale=SCALE,
        k=K_FACTOR,
    ).scores
    scores: Floats = found.reindex(range(len(battles.models))).to_numpy()
    return scores
