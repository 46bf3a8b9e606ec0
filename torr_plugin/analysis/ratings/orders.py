"""Battles asked in both orders: those whose verdicts disagree are ties."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .battles import TIE, WINNERS

PAIRED_BY = ("question", "judge")
"""What two verdicts on the same two models share, where the columns are there."""


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


def joined_orders(frame: pd.DataFrame) -> tuple[pd.DataFrame, Orders]:
    """One row for the two verdicts on a question's two models, by the same judge.

    Args:
        frame: as :func:`.battles.battles_of` takes it, with ``question`` and ``order``; ``winner`` names a
            column, not a place, so that it means the same model in both orders.
    """
    swapped = (frame["model_a"] > frame["model_b"]).to_numpy()
    lower, upper = (
        np.where(swapped, frame[ours], frame[theirs])
        for ours, theirs in (("model_b", "model_a"), ("model_a", "model_b"))
    )
    keys = [frame[name].to_numpy() for name in PAIRED_BY if name in frame]
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
    both, differ = found["orders"] > 1, found["outcomes"] > 1
    winner = frame["winner"].to_numpy(dtype=object).copy()
    winner[found["row"][both & differ]] = "tie"
    kept = np.union1d(found["row"][both], np.flatnonzero(~both.to_numpy()[group]))
    joined = frame.assign(winner=winner).iloc[kept].reset_index(drop=True)
    return joined, Orders(int(both.sum()), int((both & differ).sum()), len(kept) - int(both.sum()))
