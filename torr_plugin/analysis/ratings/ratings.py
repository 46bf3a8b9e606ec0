"""Everything that battles say of models: ratings, ranks, tiers, win rates; ``ratings.json``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import stdtr

from ...core.errors import counted, nearest
from ...core.seeds import generator
from ...core.statistics import Booleans, Floats
from ..compare import groups, rank_bounds
from ..options import AnalysisError
from ..result import FigureResult, Interval, interval_of
from ..scores_file import read_frame
from .battles import (
    A_WINS,
    TIE,
    Battles,
    Orders,
    RatingOptions,
    battles_of,
    has_winner,
    joined_orders,
    separate_groups,
    with_plain_names,
)
from .fitting import INITIAL, SCALE, Rated, bradley_terry_ratings, elo_ratings, spread
from .judges import JudgeReport, judge_names, judge_report

ModelRatings = dict[str, Interval]

BATTLES_FILE = "battles.parquet"
"""What a run's verdicts on pairs of answers are called."""


class WinRate(FigureResult):
    """How often a model won against another one, a tie as half a win, and in how many battles."""

    value: float
    battles: int


class PairShare(FigureResult):
    """The share of the pairs of models that differ, all pairs at once."""

    paired: float | None
    pairs: int


class Ratings(FigureResult):
    """What battles say of models, of all questions or of those of a level.

    Attributes:
        elo: as in TableQuest (section 3): from 1000 on, averaged over orders of the battles.
        bradley_terry: maximum likelihood on Elo's scale: 400 points are a factor of ten in the odds.
        rank_intervals, tiers, separability: of ``bradley_terry``; they hold for all pairs of models at once.
        win_rates: model -> the other model -> how often it won.
        battles, questions, ties: how many; ties as a share.
        baseline: the model at 1000, None for a mean of 1000.
        judges: what the verdicts say of the judges, where a column names judges or orders.
        levels: level -> the same for its questions.
        notes: what a reader should know.
    """

    elo: ModelRatings
    bradley_terry: ModelRatings
    rank_intervals: dict[str, tuple[int, int] | None]
    tiers: list[list[str]]
    separability: PairShare
    win_rates: dict[str, dict[str, WinRate]]
    battles: int
    questions: int
    ties: float
    baseline: str | None
    judges: JudgeReport | None = None
    levels: dict[str, Ratings] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)

    def to_json(self) -> bytes:
        """The contents of ``ratings.json``."""
        return self.model_dump_json(indent=1, exclude_unset=True).encode("utf-8", "replace")


def rate_file(path: str | Path, options: RatingOptions) -> Ratings:
    """Rate the models of a Parquet, CSV or JSON lines file of battles (the text ones also with ``.gz``).

    Args:
        path: the file, or a run directory with a ``battles.parquet``.
        options: how.

    Raises:
        AnalysisError: the file cannot be read, or as :func:`rate`.
    """
    path = Path(path)
    if path.is_dir():
        path /= BATTLES_FILE
        if not path.exists():
            raise AnalysisError(
                f"{path.parent}: has no {BATTLES_FILE}; expected a run with verdicts on pairs, or a file of "
                "battles"
            )
    return rate(read_frame(path, "battles"), options, str(path))


def rate(frame: pd.DataFrame, options: RatingOptions, where: str = "battles") -> Ratings:
    """Rate the models of a frame of battles.

    Args:
        frame: see :func:`.battles.battles_of`; a row without a winner is left out. With a column ``order``
            the two verdicts of a judge on a battle that was asked in both orders count as one, and as a tie
            where they disagree. Verdicts of several judges are several battles about a question.
        options: how.
        where: the source, for messages.

    Raises:
        AnalysisError: as :func:`.battles.battles_of`; an unknown baseline or judge; no row with a winner.
    """
    asked = _of_judge(with_plain_names(frame, where), options.judge, where)
    frame = asked[has_winner(asked)]
    if not len(frame):
        raise AnalysisError(f"{where}: found no winner in {counted(len(asked), 'row')}; expected verdicts")
    battles_of(frame, where)  # before rows are joined, so that messages count those of the file
    orders = None
    if "order" in frame and "question" in frame:
        frame, orders = joined_orders(frame)
    battles = battles_of(frame, where)
    if options.baseline is not None and options.baseline not in battles.models:
        raise AnalysisError(
            f"baseline: found {options.baseline!r}; {nearest(options.baseline, battles.models)}"
        )
    found = _rated(battles, options)
    parts = {level: battles.at_level(level) for level in battles.levels}
    whole = {level: part for level, part in parts.items() if len(separate_groups(part)) == 1}
    more: dict[str, Any] = {"levels": {level: _rated(part, options) for level, part in whole.items()}}
    if "question" in frame and {"judge", "order"} & set(frame):
        more["judges"] = judge_report(asked, frame, battles, options)
    more["notes"] = [
        *_on_left_out(asked),
        *found.notes,
        *_on_questions(battles, orders, given="order" in frame),
        *(f"level {level!r}: its battles do not connect all models" for level in parts if level not in whole),
    ]
    return found.model_copy(update=more)


def _of_judge(frame: pd.DataFrame, judge: str | None, where: str) -> pd.DataFrame:
    """The verdicts of a judge."""
    if judge is None:
        return frame
    names = judge_names(frame)
    if not (names == judge).any():
        raise AnalysisError(f"{where}: found no judge {judge!r}; {nearest(judge, names.unique())}")
    chosen: pd.DataFrame = frame[names == judge]
    return chosen


def _rated(battles: Battles, options: RatingOptions) -> Ratings:
    """What some battles say."""
    baseline = _baseline(battles, options)
    likely = bradley_terry_ratings(battles, options.resamples, generator(options.seed, "ratings"))
    moving = elo_ratings(battles, options.resamples, generator(options.seed, "elo"))
    known = ~np.isnan(likely.values)
    names = [name for name, there in zip(battles.models, known, strict=True) if there]
    values, samples = _finite(likely.values[known]), _finite(likely.samples[known])
    better = _better(values, samples, battles.questions, options.level)
    ranks: dict[str, tuple[int, int] | None] = dict.fromkeys(battles.models)
    for name, (low, high) in zip(names, rank_bounds(better), strict=True):
        ranks[name] = int(low), int(high)
    ordered = np.argsort(-values, kind="stable").tolist()
    pairs = len(names) * (len(names) - 1) // 2
    return Ratings(
        elo=_intervals(battles, moving.anchored(baseline), options.level),
        bradley_terry=_intervals(battles, likely.anchored(baseline), options.level),
        rank_intervals=ranks,
        tiers=[[names[one] for one in tier] for tier in groups(ordered, better)],
        separability=PairShare(paired=float(better.sum()) / pairs if pairs else None, pairs=pairs),
        win_rates=_win_rates(battles),
        battles=len(battles),
        questions=battles.questions,
        ties=float((battles.outcome == TIE).mean()),
        baseline=None if baseline is None else battles.models[baseline],
        notes=list(_on_ratings(battles, likely, moving)),
    )


def _baseline(battles: Battles, options: RatingOptions) -> int | None:
    """The number of the model at 1000: the one asked for, or the only one in every battle."""
    if options.baseline in battles.models:
        return battles.models.index(options.baseline)
    in_all = [
        number
        for number in {int(battles.first[0]), int(battles.second[0])}
        if bool(((battles.first == number) | (battles.second == number)).all())
    ]
    return in_all[0] if len(in_all) == 1 else None


def _finite(ratings: Floats) -> Floats:
    """Infinite ratings a factor of 10,000 in the odds beyond the others, to compare them."""
    known = ratings[np.isfinite(ratings)]
    low, high = (known.min(), known.max()) if known.size else (INITIAL, INITIAL)
    found: Floats = np.clip(ratings, low - 4 * SCALE, high + 4 * SCALE)
    return found


def _better(values: Floats, samples: Floats, questions: int, level: float) -> Booleans:
    """Entry [a, b] where a is rated above b: Student's t over the questions, Bonferroni over all pairs.

    No p-value is below 2 / 2**G, G questions: the least that flipping the signs of whole questions gives.
    """
    models = len(values)
    found = np.zeros((models, models), dtype=bool)
    for first in range(models):
        apart = values[first] - values
        error = spread(samples[first] - samples, questions)
        t = np.divide(np.abs(apart), error, out=np.where(apart == 0, 0.0, np.inf), where=error > 1e-9)
        p_values = np.maximum(2 * stdtr(max(questions - 1, 1), -t), 2.0 ** (1 - questions))
        found[first] = (apart > 0) & (p_values * models * (models - 1) / 2 <= 1 - level)
    return found


def _intervals(battles: Battles, rated: Rated, level: float) -> ModelRatings:
    """Model -> rating, the best first; None for what is infinite or unknown."""
    low, high = rated.bounds(battles.questions, level)
    order = np.argsort(-np.nan_to_num(rated.values, nan=-np.inf), kind="stable")
    return {battles.models[at]: interval_of(rated.values[at], low[at], high[at]) for at in order.tolist()}


def _win_rates(battles: Battles) -> dict[str, dict[str, WinRate]]:
    size = len(battles.models)
    wins, met = np.zeros((size, size)), np.zeros((size, size), dtype=int)
    share = np.select([battles.outcome == A_WINS, battles.outcome == TIE], [1.0, 0.5], 0.0)
    for ours, theirs, won in (
        (battles.first, battles.second, share),
        (battles.second, battles.first, 1 - share),
    ):
        np.add.at(wins, (ours, theirs), won)
        np.add.at(met, (ours, theirs), 1)
    return {
        name: {
            battles.models[other]: WinRate(
                value=wins[at, other] / met[at, other], battles=int(met[at, other])
            )
            for other in np.flatnonzero(met[at])
        }
        for at, name in enumerate(battles.models)
    }


def _on_ratings(battles: Battles, likely: Rated, moving: Rated) -> Iterator[str]:
    """What a reader of ratings should know."""
    yield (
        f"Elo depends on the order of the battles (a standard deviation of up to {moving.order_spread:.1f} "
        "points), so it is averaged over random orders"
    )
    endless = [battles.models[at] for at in np.flatnonzero(~np.isfinite(likely.values)).tolist()]
    if endless:
        named = ", ".join(endless[:5]) + (" ..." if len(endless) > 5 else "")
        yield f"no finite Bradley-Terry rating: {named} won, or lost, every battle against the others"
    if bool((battles.outcome == TIE).all()):
        yield "all battles are ties: nothing tells the models apart"


def _on_questions(battles: Battles, orders: Orders | None, *, given: bool) -> Iterator[str]:
    """What is taken for independent, and what asking in both orders showed."""
    if not battles.has_questions:
        yield "no column 'question': every battle is taken for independent, so intervals may be too narrow"
        if given:
            yield "no column 'question' beside 'order': verdicts on the same answers count as several battles"
    if orders is not None and orders.both:
        once = f"; {counted(orders.once, 'battle')} in one order alone" if orders.once else ""
        yield (
            f"{counted(orders.both, 'battle')} judged in both orders, of which "
            f"{orders.disagree / orders.both:.1%} got two verdicts and count as ties{once}"
        )


def _on_left_out(frame: pd.DataFrame) -> Iterator[str]:
    """How many rows name no winner and no tie."""
    without = frame[~has_winner(frame)]
    if len(without):
        unclear = int(without["verdict"].notna().sum()) if "verdict" in frame else 0
        why = f": {unclear:,} unclear, {len(without) - unclear:,} failed" if "verdict" in frame else ""
        yield f"{len(without):,} of {counted(len(frame), 'verdict')} left out, as they name no winner{why}"
