"""Everything that battles say of models: ratings, ranks, tiers, win rates; ``ratings.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pydantic import Field

from ...core.errors import counted, nearest
from ...core.statistics import Booleans
from ..compare import groups, rank_bounds
from ..figures.pairs import separable
from ..multiplicity import holm_adjusted
from ..options import AnalysisError
from ..result import FigureResult, Interval, interval_of, number
from ..scores_file import read_frame
from ..simultaneous_ranks import separated
from . import notes
from .battles import A_WINS, TIE, Battles, battles_of, has_winner, separate_groups, with_plain_names
from .judges import JudgeReport, Verdicts, judge_names, judge_report
from .orders import joined_orders
from .planning import SHARES, ModelPairs, Needed, needed
from .resampling import (
    PairDifferences,
    QuestionDraws,
    Rated,
    anchored,
    bradley_terry,
    elo_ratings,
    fewest_questions,
    finite,
    pair_differences,
)
from .style import StyledRatings, style_differences, styled_ratings

ModelRatings = dict[str, Interval]

BATTLES_FILE = "battles.parquet"
"""What a run's verdicts on pairs of answers are called."""


@dataclass(frozen=True)
class RatingOptions:
    """How battles are rated.

    Attributes:
        resamples: draws of questions.
        level: of intervals and ranks.
        seed: of the draws.
        baseline: the model at 1000; None takes the one model that is in every battle, or, without one, a
            mean of 1000.
        style: covariates to control for: columns ``NAME_a`` and ``NAME_b``.
        clustered: whether battles about one question are drawn together.
        judge: the one whose verdicts count; None takes those of all.
        same: (judge, model) pairs: judges that are contestants under another name.
        wished: the share of pairs of models that a longer study should separate.
    """

    resamples: int = 1000
    level: float = 0.95
    seed: int = 0
    baseline: str | None = None
    style: tuple[str, ...] = ()
    clustered: bool = True
    judge: str | None = None
    same: tuple[tuple[str, str], ...] = ()
    wished: float = 0.9


class WinRate(FigureResult):
    """How often a model won against another one, a tie as half a win, and in how many battles."""

    value: float
    battles: int


class PairShare(FigureResult):
    """Shares of the pairs of models that are separated: by their intervals, and by tests (Holm)."""

    value: float | None
    paired: float | None
    pairs: int


class Ratings(FigureResult):
    """What battles say of models, of all questions or of those of a level.

    Attributes:
        elo: as in TableQuest (section 3): from 1000 on, averaged over orders of the battles.
        bradley_terry: maximum likelihood on Elo's scale: 400 points are a factor of ten in the odds.
        bradley_terry_style: the same at equal style, where asked for.
        rank_intervals, tiers, separability: of ``bradley_terry``; ranks hold for all models at once.
        win_rates: model -> the other model -> how often it won.
        battles, questions, ties: how many; ties as a share.
        baseline: the model at 1000, None for a mean of 1000.
        needed: how many questions separate more pairs of models.
        judges: what the verdicts say of the judges, where a column names judges or orders.
        levels: level -> the same for its questions.
        notes: what a reader should know.
    """

    elo: ModelRatings
    bradley_terry: ModelRatings
    bradley_terry_style: StyledRatings | None = None
    rank_intervals: dict[str, tuple[int, int] | None]
    tiers: list[list[str]]
    separability: PairShare
    win_rates: dict[str, dict[str, WinRate]]
    battles: int
    questions: int
    ties: float
    baseline: str | None
    needed: list[Needed] = Field(default_factory=list)
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
        AnalysisError: as :func:`.battles.battles_of`; an unknown baseline or judge; no row with a winner; a
            style that cannot be controlled.
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
    if not options.clustered:
        battles = replace(battles, question=np.arange(len(battles)))
    if options.baseline is not None and options.baseline not in battles.models:
        raise AnalysisError(
            f"baseline: found {options.baseline!r}; {nearest(options.baseline, battles.models)}"
        )
    found = _rated(battles, options)
    parts = {level: battles.at_level(level) for level in battles.levels}
    whole = {level: part for level, part in parts.items() if len(separate_groups(part)) == 1}
    more: dict[str, Any] = {"levels": {level: _rated(part, options) for level, part in whole.items()}}
    if options.style:
        more["bradley_terry_style"] = _styled(found, frame, battles, options, where)
    if "question" in frame and {"judge", "order"} & set(frame):
        draws = QuestionDraws(options.resamples, options.seed, options.level)
        verdicts = Verdicts.of(frame, battles)
        more["judges"] = judge_report(asked, verdicts, draws, dict(options.same), where)
    elif options.same:
        raise AnalysisError(f"{where}: no columns 'question' and 'judge'; expected both for --same")
    more["notes"] = [
        *notes.on_left_out(asked),
        *found.notes,
        *notes.on_questions(battles, clustered=options.clustered),
        *notes.on_orders(orders, given="order" in frame),
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


def _styled(
    found: Ratings, frame: pd.DataFrame, battles: Battles, options: RatingOptions, where: str
) -> StyledRatings:
    """The ratings at equal style."""
    _refuse_endless(found)
    names = list(options.style)
    style = style_differences(frame, names, where)
    return styled_ratings(battles, style, names, level=options.level, baseline=_baseline(battles, options))


def _rated(battles: Battles, options: RatingOptions) -> Ratings:
    """What some battles say."""
    baseline = _baseline(battles, options)
    draws = QuestionDraws(options.resamples, options.seed, options.level)
    free, moving = bradley_terry(battles, draws), elo_ratings(battles, draws, baseline)
    likely = anchored(free, baseline, options.level)
    questions = int(battles.question.max()) + 1
    pairs = pair_differences(free, questions)
    known = ~np.isnan(free.values)
    names = [name for name, there in zip(battles.models, known, strict=True) if there]
    too_few = questions < fewest_questions(options.level)
    better = separated(_among(pairs, known), finite(free.samples[known]), options.level)
    ranks: dict[str, tuple[int, int] | None] = dict.fromkeys(battles.models)
    for name, (low, high) in zip(names, rank_bounds(better), strict=True):
        ranks[name] = int(low), int(high)
    ordered = np.argsort(-finite(free.values[known]), kind="stable")
    return Ratings(
        elo=_intervals(battles.models, moving),
        bradley_terry=_intervals(battles.models, likely),
        rank_intervals=ranks,
        tiers=[[names[one] for one in tier] for tier in groups(ordered.tolist(), better)],
        separability=_pair_share(likely, pairs, known, options.level, too_few=too_few),
        win_rates=_win_rates(battles),
        battles=len(battles),
        questions=questions,
        ties=float((battles.outcome == TIE).mean()),
        baseline=None if baseline is None else battles.models[baseline],
        needed=[]
        if too_few
        else needed(ModelPairs.of(likely, pairs), questions, len(battles), {*SHARES, options.wished}),
        notes=[
            *notes.on_too_few(questions, options.level),
            notes.on_elo(moving),
            *notes.on_endless(battles.models, free),
            *notes.on_ties(battles),
        ],
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


def _refuse_endless(found: Ratings) -> None:
    endless = [model for model, figure in found.bradley_terry.items() if figure.value is None]
    if endless:
        raise AnalysisError(
            f"control of style: {endless[0]} has no finite rating; expected models that both won and lost "
            "battles against the others"
        )


def _among(pairs: PairDifferences, known: Booleans) -> PairDifferences:
    index = np.ix_(known, known)
    return PairDifferences(
        pairs.difference[index], pairs.p_values[index], pairs.freedom[index], pairs.error[index]
    )


def _intervals(models: Sequence[str], rated: Rated) -> ModelRatings:
    """Model -> rating, the best first; None for what is infinite or unknown."""
    order = np.argsort(-np.nan_to_num(rated.values, nan=-np.inf), kind="stable")
    return {models[at]: interval_of(rated.values[at], rated.low[at], rated.high[at]) for at in order.tolist()}


def _pair_share(
    rated: Rated, pairs: PairDifferences, known: Booleans, level: float, *, too_few: bool
) -> PairShare:
    upper = np.triu_indices(int(known.sum()), k=1)
    if not len(upper[0]):
        return PairShare(value=None, paired=None, pairs=0)
    apart = separable(rated.low, rated.high)[known][:, known][upper] & (not too_few)
    adjusted = holm_adjusted(pairs.p_values[known][:, known][upper])
    return PairShare(
        value=number(apart.mean()), paired=number((adjusted <= 1 - level).mean()), pairs=len(upper[0])
    )


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
