"""How far one more win moves Elo ratings that are averaged over all orders of the battles.

In a random order a battle is as likely to come early as late. So averaged ratings follow, but for the noise
of single battles, a differential equation in the share of the battles that are over: each win moves them by
its surprise. Its solution, and how that depends on the number of wins, take no order.
"""

from __future__ import annotations

import numpy as np

from ...core.statistics import Floats
from .fitting import INITIAL, K_FACTOR, SCALE, Wins

_STEPS = 50


def elo_influence(wins: Wins) -> Floats:
    """Points by which one more win of each kind moves each model's rating, (entries x models).

    By implicit steps (Rosenbrock and Euler's), which are exact where ratings no longer change.

    Args:
        wins: of all battles.
    """
    ratings, weights = np.full(wins.size, INITIAL), wins.weights
    surprises, steps = [], []
    for _ in range(_STEPS):
        surprise = 1 / (1 + 10 ** ((ratings[wins.ahead] - ratings[wins.behind]) / SCALE))
        step = np.linalg.inv(np.eye(wins.size) + _slopes(wins, weights * surprise * (1 - surprise)) / _STEPS)
        gained = K_FACTOR * weights * surprise
        drift = np.bincount(wins.ahead, gained, wins.size) - np.bincount(wins.behind, gained, wins.size)
        ratings = ratings + step @ drift / _STEPS
        surprises.append(surprise)
        steps.append(step)
    later, found = np.eye(wins.size), np.zeros((len(weights), wins.size))
    for step, surprise in zip(reversed(steps), reversed(surprises), strict=True):
        later = step @ later  # steps are symmetric
        moved = later[wins.ahead]
        moved -= later[wins.behind]
        moved *= (K_FACTOR / _STEPS * surprise)[:, None]
        found += moved
    return found


def _slopes(wins: Wins, variances: Floats) -> Floats:
    """How fast the drift falls with the ratings, (models x models); of entries with these variances."""
    met = np.zeros((wins.size, wins.size))
    np.add.at(met, (wins.ahead, wins.behind), K_FACTOR * np.log(10) / SCALE * variances)
    met += met.T
    found: Floats = np.diag(met.sum(axis=1)) - met
    return found
