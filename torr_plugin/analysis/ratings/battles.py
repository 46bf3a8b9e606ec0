"""Battles: which of two models answered a question better, as arrays of numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...core.errors import nearest
from ...core.statistics import Booleans, Integers
from ..options import AnalysisError

Texts: TypeAlias = NDArray[np.object_]

NEEDED = ("model_a", "model_b", "winner")
_NAMES = (*NEEDED, "question", "config", "level", "judge", "order")
WINNERS = ("model_a", "model_b", "tie")

A_WINS, B_WINS, TIE = range(3)


@dataclass(frozen=True)
class RatingOptions:
    """How battles are rated.

    Attributes:
        resamples: draws of questions.
        level: of intervals and ranks.
        seed: of the draws.
        baseline: the model at 1000; None takes the one model that is in every battle, or, without one, a
            mean of 1000.
        judge: the one whose verdicts count; None takes those of all.
    """

    resamples: int = 1000
    level: float = 0.95
    seed: int = 0
    baseline: str | None = None
    judge: str | None = None


@dataclass(frozen=True)
class Battles:
    """Battles between models, (battles,) each.

    Attributes:
        models: the names, sorted.
        first, second: the numbers of ``model_a`` and ``model_b``.
        outcome: ``A_WINS``, ``B_WINS`` or ``TIE``.
        question: the number of each battle's question; battles about one question are a cluster.
        level: the level of each battle's question, "" where none is known.
        has_questions: whether questions were named; else every battle is a cluster of its own.
    """

    models: tuple[str, ...]
    first: Integers
    second: Integers
    outcome: Integers
    question: Integers
    level: tuple[str, ...]
    has_questions: bool = True

    def __len__(self) -> int:
        return len(self.first)

    @property
    def questions(self) -> int:
        """How many there are."""
        return int(self.question.max()) + 1

    @property
    def levels(self) -> list[str]:
        """The levels in the order in which they occur; none where no battle has one."""
        return [level for level in dict.fromkeys(self.level) if level]

    def at_level(self, level: str) -> Battles:
        """The battles about questions of a level, among the models that have any."""
        chosen = np.array([each == level for each in self.level])
        present = np.unique(np.concatenate([self.first[chosen], self.second[chosen]]))
        return replace(
            self,
            models=tuple([self.models[number] for number in present]),
            first=np.searchsorted(present, self.first[chosen]),
            second=np.searchsorted(present, self.second[chosen]),
            outcome=self.outcome[chosen],
            question=np.unique(self.question[chosen], return_inverse=True)[1],
            level=tuple([level for level, there in zip(self.level, chosen, strict=True) if there]),
        )


def with_plain_names(frame: pd.DataFrame, where: str = "battles") -> pd.DataFrame:
    """The frame with all names as text without blanks around them, whatever type a file gave them.

    Missing ones stay missing.

    Its rows are numbered from 0, so that messages about a part of them say where in the file they are.

    Raises:
        AnalysisError: a column is missing or there twice, or there are no rows.
    """
    _check_columns(frame, where)
    frame = frame.reset_index(drop=True)
    texts = {
        name: frame[name].astype(object).map(lambda value: str(value).strip(), na_action="ignore")
        for name in _NAMES
        if name in frame
    }
    plain: pd.DataFrame = frame.assign(**texts)
    return plain


def has_winner(frame: pd.DataFrame) -> Booleans:
    """Which rows name a winner or a tie: a judge may find no answer better and no tie, or give no verdict."""
    found: Booleans = (frame["winner"].notna() & (frame["winner"] != "")).to_numpy(dtype=bool)
    return found


def battles_of(frame: pd.DataFrame, where: str = "battles") -> Battles:
    """Battles from a frame with a row a battle.

    Args:
        frame: ``model_a``, ``model_b``, ``winner`` (``model_a``, ``model_b`` or ``tie``); ``question`` and
            ``level`` where known.
        where: the source, for messages.

    Raises:
        AnalysisError: a column is missing, a name is empty, a winner is another word, a model battles itself,
            there are fewer than two models, or they fall into groups that never met.
    """
    _check_columns(frame, where)
    texts = {name: _texts(frame[name], where) for name in NEEDED}
    winner = pd.Index(WINNERS).get_indexer(texts["winner"])
    _refuse(winner < 0, where, frame["winner"], f"expected {', '.join(WINNERS)}")
    codes, models = pd.factorize(np.concatenate([texts["model_a"], texts["model_b"]]), sort=True)
    if len(models) == 1:
        raise AnalysisError(f"{where}: found one model, {models[0]!r}; expected battles of two or more")
    first, second = np.split(codes.astype(np.int64), 2)
    _refuse(first == second, where, frame["model_b"], "which is model_a too; expected another model")
    if "question" in frame:
        question = pd.factorize(_texts(frame["question"], where))[0]
    else:
        question = np.arange(len(frame))
    battles = Battles(
        models=tuple(map(str, models)),
        first=first,
        second=second,
        outcome=winner.astype(np.int64),
        question=question.astype(np.int64),
        level=_levels(frame),
        has_questions="question" in frame,
    )
    _refuse_strangers(battles, where)
    return battles


def _check_columns(frame: pd.DataFrame, where: str) -> None:
    for name in NEEDED:
        if name not in frame:
            raise AnalysisError(
                f"{where}: no column {name!r}; {nearest(name, map(str, frame.columns))}; "
                f"expected {', '.join(NEEDED)}, and question, level where known"
            )
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise AnalysisError(f"{where}: found two columns {twice[0]!r}; expected each once")
    if not len(frame):
        raise AnalysisError(f"{where}: found no battles; expected a row for each")


def _texts(column: pd.Series, where: str) -> Texts:
    texts = column.astype(str)
    _refuse((column.isna() | (texts == "")).to_numpy(), where, column, "expected a name")
    return texts.to_numpy()


def _levels(frame: pd.DataFrame) -> tuple[str, ...]:
    if "level" not in frame:
        return ("",) * len(frame)
    return tuple(frame["level"].astype(object).fillna(""))


def _refuse(wrong: Booleans, where: str, column: pd.Series, expected: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        found = str(column.iloc[row])[:40]
        number = int(column.index[row]) + 1
        raise AnalysisError(f"{where}: row {number}, {column.name}: found {found!r}; {expected}")


def separate_groups(battles: Battles) -> list[list[str]]:
    """The groups of models that no battle connects, the smallest first; one where all are connected."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components  # loads slowly, and few studies have battles

    size = len(battles.models)
    met = csr_array((np.ones(len(battles)), (battles.first, battles.second)), shape=(size, size))
    count, group = connected_components(met, directed=False)
    parts = [[battles.models[at] for at in np.flatnonzero(group == number)] for number in range(count)]
    return sorted(parts, key=len)


def _refuse_strangers(battles: Battles, where: str) -> None:
    """Refuse models that no chain of battles connects: nothing says which of them is better."""
    groups = separate_groups(battles)
    if len(groups) > 1:
        shown = "; ".join(", ".join(part[:3]) for part in groups[:3])
        raise AnalysisError(
            f"{where}: the models fall into {len(groups)} groups that never battled each other ({shown}); "
            "expected battles that connect them all"
        )


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
