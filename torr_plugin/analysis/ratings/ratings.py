"""Everything that battles say of models: ratings, ranks, tiers, win rates; ``ratings.json``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from pydantic import Field

from ...core.errors import counted, nearest
from ...core.numbers import Booleans
from ..figures.separability import separable
from ..multiplicity import holm_adjusted
from ..options import AnalysisError
from ..result import FigureResult, Interval, interval_of, number
from ..scores_file import read_frame
from ..simultaneous_ranks import rank_bounds, separated, tiers
from .battles import A_WINS, TIE, Battles, battles_of, separate_groups, with_plain_names
from .orders import Orders, joined_orders
from .resampling import (
    PairDifferences,
    QuestionDraws,
    Rated,
    anchored,
    bradley_terry,
    elo_ratings,
    finite,
    pair_differences,
)
from .style import StyledRatings, style_differences, styled_ratings

ModelRatings = dict[str, Interval]


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
    """

    resamples: int = 1000
    level: float = 0.95
    seed: int = 0
    baseline: str | None = None
    style: tuple[str, ...] = ()
    clustered: bool = True


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
    levels: dict[str, Ratings] = Field(default_factory=dict)
    notes: list[str] = Field(default_factory=list)


def rate_file(path: str | Path, options: RatingOptions) -> Ratings:
    """Rate the models of a Parquet, CSV or JSON lines file of battles (the text ones also with ``.gz``).

    Raises:
        AnalysisError: the file cannot be read, or as :func:`rate`.
    """
    return rate(read_frame(Path(path), "battles"), options, str(path))


def rate(frame: pd.DataFrame, options: RatingOptions, where: str = "battles") -> Ratings:
    """Rate the models of a frame of battles.

    Args:
        frame: see :func:`.battles.battles_of`; with a column ``order`` the two verdicts of a battle that was
            asked in both orders count as one, and as a tie where they disagree.
        options: how.
        where: the source, for messages.

    Raises:
        AnalysisError: as :func:`.battles.battles_of`; an unknown baseline; a style that cannot be controlled.
    """
    frame = with_plain_names(frame, where)
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
    if options.style:
        _refuse_endless(found)
        names = list(options.style)
        styled = styled_ratings(
            battles,
            style_differences(frame, names, where),
            names,
            level=options.level,
            baseline=_baseline(battles, options),
        )
        found = found.model_copy(update={"bradley_terry_style": styled})
    parts = {level: battles.at_level(level) for level in battles.levels}
    whole = {level: part for level, part in parts.items() if len(separate_groups(part)) == 1}
    levels = {level: _rated(part, options) for level, part in whole.items()}
    notes = [
        *found.notes,
        *_notes_on_questions(battles, options),
        *_notes_on_orders(orders, given="order" in frame),
        *(f"level {level!r}: its battles do not connect all models" for level in parts if level not in whole),
    ]
    return found.model_copy(update={"levels": levels, "notes": notes})


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
    better = separated(_among(pairs, known), finite(free.samples[known]), options.level)
    ranks: dict[str, tuple[int, int] | None] = dict.fromkeys(battles.models)
    for name, (low, high) in zip(names, rank_bounds(better), strict=True):
        ranks[name] = int(low), int(high)
    ordered = np.argsort(-finite(free.values[known]), kind="stable")
    return Ratings(
        elo=_intervals(battles.models, moving),
        bradley_terry=_intervals(battles.models, likely),
        rank_intervals=ranks,
        tiers=[[names[one] for one in tier] for tier in tiers(ordered.tolist(), better)],
        separability=_pair_share(likely, pairs, known, options.level),
        win_rates=_win_rates(battles),
        battles=len(battles),
        questions=questions,
        ties=float((battles.outcome == TIE).mean()),
        baseline=None if baseline is None else battles.models[baseline],
        notes=[*_notes_on_elo(moving, options), *_notes_on_endless(battles.models, free)],
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
    return PairDifferences(pairs.difference[index], pairs.p_values[index], pairs.freedom[index])


def _intervals(models: Sequence[str], rated: Rated) -> ModelRatings:
    """Model -> rating, the best first; None for what is infinite or unknown."""
    order = np.argsort(-np.nan_to_num(rated.values, nan=-np.inf), kind="stable")
    return {models[at]: interval_of(rated.values[at], rated.low[at], rated.high[at]) for at in order.tolist()}


def _pair_share(rated: Rated, pairs: PairDifferences, known: Booleans, level: float) -> PairShare:
    upper = np.triu_indices(int(known.sum()), k=1)
    if not len(upper[0]):
        return PairShare(value=None, paired=None, pairs=0)
    apart = separable(rated.low, rated.high)[known][:, known][upper]
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


def _notes_on_elo(moving: Rated, options: RatingOptions) -> list[str]:
    """How much Elo depends on the order of the battles."""
    notes = [
        f"Elo depends on the order of the battles (standard deviation {moving.order_spread:.1f} points, the "
        f"largest of a model), so it is averaged over {counted(moving.orders, 'random order')}"
    ]
    drawn = moving.samples.shape[1]
    if drawn < options.resamples:
        notes.append(f"Elo's intervals rest on {drawn} resamples, as there are very many battles")
    return notes


def _notes_on_endless(models: Sequence[str], rated: Rated) -> list[str]:
    """Which models have no finite rating."""
    endless = [models[at] for at in np.flatnonzero(~np.isfinite(rated.values)).tolist()]
    if not endless:
        return []
    named = ", ".join(endless[:5]) + (" ..." if len(endless) > 5 else "")
    return [f"no finite Bradley-Terry rating: {named} won, or lost, every battle against the others"]


def _notes_on_questions(battles: Battles, options: RatingOptions) -> list[str]:
    if not options.clustered:
        return ["every battle is taken for independent of the others, as asked"]
    if not battles.has_questions:
        return ["no column 'question': every battle is taken for independent, so intervals may be too narrow"]
    return []


def _notes_on_orders(orders: Orders | None, *, given: bool) -> list[str]:
    if orders is None and given:
        return ["no column 'question' beside 'order': verdicts on the same answers count as several battles"]
    if orders is None or not orders.both:
        return []
    share = orders.disagree / orders.both
    once = f"; {counted(orders.once, 'battle')} in one order alone" if orders.once else ""
    return [
        f"{counted(orders.both, 'battle')} judged in both orders, of which {share:.1%} with two verdicts: "
        f"ties{once}"
    ]
