"""What a judge's battles come to: wins of each model, and how far the judge can be relied on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

import pandas as pd

from .battles import EQUAL

_BATTLE = ["question", "config", "model_a", "model_b"]


class PairRecord(TypedDict):
    """A model's battles; those in two orders count once, and are ties where the two verdicts differ.

    ``unclear`` and ``failed`` are numbers of verdicts, as is neither a win nor anything else.
    """

    wins: int
    ties: int
    losses: int
    unclear: int
    failed: int


class BattleFigures(TypedDict):
    """All battles of a judge.

    ``battles`` have a winner or are ties, those in two orders counted once; ``equal`` of them are ties
    between equal answers, which nobody was asked about. ``both`` were judged in both orders, with two
    verdicts that ``differ``. ``decided`` is the number of verdicts for one answer, ``first`` how many of
    these are for the one that was shown first. ``unclear`` and ``failed`` verdicts are no battles.
    """

    battles: int
    equal: int
    both: int
    differ: int
    decided: int
    first: int
    unclear: int
    failed: int


def battle_figures(verdicts: pd.DataFrame) -> BattleFigures:
    """Count the battles of one judge.

    Args:
        verdicts: a row a verdict, with the columns of battles.parquet.
    """
    clear = verdicts[verdicts["winner"].notna()]
    joined = _joined(clear)
    asked_both = joined[~joined["equal"] & (joined["orders"] > 1)]
    decided = clear[clear["winner"] != "tie"]
    shown_first = decided["order"].map({"ab": "model_a", "ba": "model_b"})
    return BattleFigures(
        battles=len(joined),
        equal=int(joined["equal"].sum()),
        both=len(asked_both),
        differ=int((asked_both["verdicts"] > 1).sum()),
        decided=len(decided),
        first=int((decided["winner"] == shown_first).sum()),
        unclear=int((verdicts["verdict"] == "unclear").sum()),
        failed=int(verdicts["verdict"].isna().sum()),
    )


def pair_records(verdicts: pd.DataFrame) -> dict[str, PairRecord]:
    """The wins, ties and losses of each model, by name; as :func:`battle_figures`."""
    joined = _joined(verdicts[verdicts["winner"].notna()])
    names = sorted({*verdicts["model_a"], *verdicts["model_b"]})
    return {name: _record(name, joined, verdicts) for name in names}


def _record(name: str, joined: pd.DataFrame, verdicts: pd.DataFrame) -> PairRecord:
    own = verdicts[(verdicts["model_a"] == name) | (verdicts["model_b"] == name)]
    outcomes = list(_outcomes(name, joined))
    return PairRecord(
        wins=outcomes.count("win"),
        ties=outcomes.count("tie"),
        losses=outcomes.count("loss"),
        unclear=int((own["verdict"] == "unclear").sum()),
        failed=int(own["verdict"].isna().sum()),
    )


def _outcomes(name: str, joined: pd.DataFrame) -> Iterator[str]:
    for side in ("model_a", "model_b"):
        for winner in joined.loc[joined[side] == name, "winner"]:
            yield "tie" if winner == "tie" else "win" if winner == side else "loss"


def _joined(clear: pd.DataFrame) -> pd.DataFrame:
    """A row a battle: ``winner``, the number of ``orders``, of different ``verdicts``, whether ``equal``."""
    groups = clear.assign(equal=clear["reason"] == EQUAL).groupby(_BATTLE, sort=False)
    found = groups.agg(
        winner=("winner", "first"),
        orders=("order", "nunique"),
        verdicts=("winner", "nunique"),
        equal=("equal", "all"),
    ).reset_index()
    found.loc[found["verdicts"] > 1, "winner"] = "tie"
    joined: pd.DataFrame = found
    return joined
