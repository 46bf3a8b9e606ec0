"""Battles asked in both orders: those whose verdicts disagree are ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...core.statistics import Booleans, Integers
from .battles import TIE, WINNERS

PAIRED_BY = ("question", "config", "judge")
"""What two verdicts on the same two models share, where the columns are there."""

FIRST_SHOWN = {"ab": "model_a", "ba": "model_b"}
"""Order -> whose answer was shown first."""


@dataclass(frozen=True)
class Orders:
    """What asking in both orders showed.

    Attributes:
        both: battles asked in both orders.
        disagree: of these, those whose two verdicts differ, which are ties now.
        once: battles asked in one order alone.
    """

    both: int
    disagree: int
    once: int


@dataclass(frozen=True)
class AskedPairs:
    """Which verdicts are on the same answers, by the same judge.

    Attributes:
        group: the number of each row's pair of answers, (rows,).
        row: the first row of each pair, (pairs,), like the rest.
        both: whether it was asked in both orders.
        differ: whether its verdicts differ.
    """

    group: Integers
    row: Integers
    both: Booleans
    differ: Booleans


def asked_pairs(frame: pd.DataFrame) -> AskedPairs:
    """Find the verdicts on the same answers.

    Args:
        frame: as :func:`.battles.battles_of` takes it, with ``question`` and ``order``; ``winner`` names a
            column, not a place, so that it means the same model in both orders.
    """
    swapped = (frame["model_a"] > frame["model_b"]).to_numpy()
    lower, upper = (
        np.where(swapped, frame[ours], frame[theirs])
        for ours, theirs in (("model_b", "model_a"), ("model_a", "model_b"))
    )
    keys = [frame[name].fillna("").to_numpy() for name in PAIRED_BY if name in frame]
    group = pd.factorize(pd.MultiIndex.from_arrays([*keys, lower, upper]))[0]
    outcome = pd.Index(WINNERS).get_indexer(frame["winner"])
    rows = pd.DataFrame(
        {
            "row": np.arange(len(frame)),
            "order": frame["order"].to_numpy(),
            "outcome": np.where(swapped & (outcome != TIE), 1 - outcome, outcome),
        }
    )
    found = rows.groupby(group).agg(
        row=("row", "first"), orders=("order", "nunique"), outcomes=("outcome", "nunique")
    )
    both, differ = (found[name].to_numpy() > 1 for name in ("orders", "outcomes"))
    return AskedPairs(group, found["row"].to_numpy(), both, differ)


def joined_orders(frame: pd.DataFrame) -> tuple[pd.DataFrame, Orders]:
    """One row for the two verdicts on a question's two models, by the same judge.

    Args:
        frame: see :func:`asked_pairs`.
    """
    pairs = asked_pairs(frame)
    both, differ = pairs.both, pairs.both & pairs.differ
    winner = frame["winner"].to_numpy(dtype=object).copy()
    winner[pairs.row[differ]] = "tie"
    kept = np.union1d(pairs.row[both], np.flatnonzero(~both[pairs.group]))
    joined = frame.assign(winner=winner).iloc[kept].reset_index(drop=True)
    return joined, Orders(int(both.sum()), int(differ.sum()), len(kept) - int(both.sum()))
