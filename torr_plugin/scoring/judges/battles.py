"""Battles: on disk, of each judge of a run and of all of them; and what they come to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import pandas as pd
import pyarrow as pa

from ...core.atomic_files import write_atomically
from ...running.store.shards import parquet_bytes
from .rows import JUDGED, after_others, read_judged

BATTLES = "battles.parquet"

Order: TypeAlias = Literal["ab", "ba"]

EQUAL = "equal answers: not asked"
"""The reason of ties between equal answers."""

_TEXTS = [
    "question",
    "dataset",
    "config",
    "level",
    "model_a",
    "model_b",
    "order",
    "judge",
    "verdict",
    "winner",
    "reason",
]
SCHEMA = pa.schema(
    [(name, pa.string()) for name in _TEXTS]
    + [(name, pa.float64()) for name in ("score_a", "score_b")]
    + [(name, pa.int64()) for name in ("length_a", "length_b")]
    + [(name, pa.float64()) for name in ("main_a", "main_b")]
    + [("key", pa.string())]
)
"""The columns of battles.parquet: a row a verdict.

``model_a`` is the first of the two names in alphabetical order, ``order`` says whose answer was shown first
(``ab`` or ``ba``), ``verdict`` is ``model_a``, ``model_b``, ``tie`` or ``unclear``, and null where the judge
failed; ``winner`` is the same without ``unclear``. ``score_a`` and ``score_b`` are ratings from 0 to 1,
``length_a`` and ``length_b`` the answers' characters, ``main_a`` and ``main_b`` their main scores. ``key``
finds the judge's own words in ``judged/<judge>/answers``; null where equal answers were not asked about.
"""

_IDENTITY = ["question", "config", "model_a", "model_b", "order"]


def write_battles(run: Path, folder: Path, battles: pd.DataFrame) -> None:
    """Write a judge's battles, and with them those of all judges of the run.

    Battles that the judge's file has already, of other models say, stay.

    Args:
        run: the run directory.
        folder: of the judge.
        battles: with the columns of ``SCHEMA``.

    Raises:
        RunError: a file cannot be read or written.
    """
    _write(folder / BATTLES, after_others(read_battles(folder), battles, _IDENTITY))
    found = [read_battles(path.parent) for path in sorted((run / JUDGED).glob(f"*/{BATTLES}"))]
    judged = [each for each in found if each is not None]
    if judged:
        _write(run / BATTLES, pd.concat(judged, ignore_index=True))


def read_battles(folder: Path) -> pd.DataFrame | None:
    """The battles in a folder, of a judge or of a run; None where there are none.

    Raises:
        RunError: they are damaged.
    """
    return read_judged(folder / BATTLES, SCHEMA.names)


def without_models(battles: pd.DataFrame, left: Collection[str]) -> pd.DataFrame:
    """The battles in which none of some models takes part."""
    theirs = battles["model_a"].isin(list(left)) | battles["model_b"].isin(list(left))
    kept: pd.DataFrame = battles[~theirs]
    return kept


def _write(path: Path, battles: pd.DataFrame) -> None:
    table = pa.Table.from_pandas(battles[SCHEMA.names], schema=SCHEMA, preserve_index=False)
    write_atomically(path, parquet_bytes(table))


_BATTLE = ["question", "config", "model_a", "model_b"]


def battle_figures(verdicts: pd.DataFrame) -> dict[str, int]:
    """Count the battles of one judge.

    Args:
        verdicts: a row a verdict, with the columns of battles.parquet.

    Returns:
        ``battles`` have a winner or are ties, those in two orders counted once; ``equal`` of them are ties
        between equal answers, which nobody was asked about. ``both`` were judged in both orders, with two
        verdicts that ``differ``. ``decided`` is the number of verdicts for one answer, ``first`` how many of
        these are for the one that was shown first. ``unclear`` and ``failed`` verdicts are no battles.
    """
    clear = verdicts[verdicts["winner"].notna()]
    joined = _joined(clear)
    asked_both = joined[~joined["equal"] & (joined["orders"] > 1)]
    decided = clear[clear["winner"] != "tie"]
    shown_first = decided["order"].map({"ab": "model_a", "ba": "model_b"})
    return {
        "battles": len(joined),
        "equal": int(joined["equal"].sum()),
        "both": len(asked_both),
        "differ": int((asked_both["verdicts"] > 1).sum()),
        "decided": len(decided),
        "first": int((decided["winner"] == shown_first).sum()),
        "unclear": int((verdicts["verdict"] == "unclear").sum()),
        "failed": int(verdicts["verdict"].isna().sum()),
    }


def pair_records(verdicts: pd.DataFrame) -> dict[str, dict[str, int]]:
    """The wins, ties and losses of each model, by name.

    Battles in two orders count once, and are ties where the two verdicts differ. ``unclear`` and ``failed``
    are numbers of verdicts, as is neither a win nor anything else.
    """
    joined = _joined(verdicts[verdicts["winner"].notna()])
    names = sorted({*verdicts["model_a"], *verdicts["model_b"]})
    return {name: _record(name, joined, verdicts) for name in names}


def _record(name: str, joined: pd.DataFrame, verdicts: pd.DataFrame) -> dict[str, int]:
    own = verdicts[(verdicts["model_a"] == name) | (verdicts["model_b"] == name)]
    outcomes = list(_outcomes(name, joined))
    return {
        "wins": outcomes.count("win"),
        "ties": outcomes.count("tie"),
        "losses": outcomes.count("loss"),
        "unclear": int((own["verdict"] == "unclear").sum()),
        "failed": int(own["verdict"].isna().sum()),
    }


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
