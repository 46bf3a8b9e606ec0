"""What verdicts say of the judges: whether they agree, and what sways them beside the answers' worth.

Position bias, verbosity bias and self-preference are those of Zheng et al., "Judging LLM-as-a-judge with
MT-Bench and Chatbot Arena" (2023), section 3.3.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from pydantic import Field

from ...core.errors import nearest
from ...core.statistics import (
    Booleans,
    ClusteredMeans,
    Floats,
    Integers,
    clustered_means,
    ratio_or_nan,
    score_bounds,
    student_bounds,
)
from ..options import AnalysisError
from ..result import FigureResult, Interval, interval_of
from .agreement import AlphaAgreement, agreement
from .battles import A_WINS, TIE, Battles, has_winner
from .fitting import Wins
from .orders import FIRST_SHOWN, asked_pairs
from .resampling import QuestionDraws
from .style import style_differences, styled_ratings

UNNAMED = "judge"
"""The judge of a file that names none."""


class SelfPreference(FigureResult):
    """What a judge makes of its own answers.

    Attributes:
        model: the judge's name as a contestant.
        own: its win rate by its own verdicts.
        others: its win rate by the other judges' verdicts on the same battles, where there are any.
        difference: own less others, on the battles that both judged.
    """

    model: str
    own: Interval
    others: Interval | None = None
    difference: Interval | None = None


class JudgeFigures(FigureResult):
    """What a judge's verdicts say of it.

    Attributes:
        verdicts: rows, each asked once.
        battles: with a winner or a tie, those asked in both orders counted once.
        unclear, failed: shares of the verdicts: neither a winner nor a tie; no verdict at all.
        ties: the share of battles.
        orders_disagree: of the battles asked in both orders, the share with two verdicts.
        first_shown: of the verdicts with a winner, the share for the answer shown first; of battles asked in
            both orders, where there are any. One half is no bias.
        verbosity: how many points an answer twice as long is worth, at equal strength of the models.
        self_preference: of a judge that is a contestant.
    """

    verdicts: int
    battles: int
    unclear: float
    failed: float
    ties: float
    orders_disagree: Interval | None = None
    first_shown: Interval | None = None
    verbosity: Interval | None = None
    self_preference: SelfPreference | None = None


class JudgeReport(FigureResult):
    """What the verdicts say of the judges, all together and each.

    Attributes:
        agreement: None where no battle has two judges.
        by_judge: judge -> its figures.
        notes: what a reader should know.
    """

    agreement: AlphaAgreement | None
    by_judge: dict[str, JudgeFigures]
    notes: list[str] = Field(default_factory=list)


def judge_names(frame: pd.DataFrame) -> pd.Series:
    """The judge of each row."""
    if "judge" not in frame:
        return pd.Series(UNNAMED, frame.index)
    found: pd.Series = frame["judge"].fillna(UNNAMED).replace("", UNNAMED)
    return found


@dataclass(frozen=True)
class Verdicts:
    """Battles with their judges, (battles,) each; a judge's two verdicts on a battle are joined.

    Attributes:
        battles: those of all judges.
        frame: their rows.
        judge: the name of each one's judge.
        unit: the number of what was judged; equal where judges judged the same answers.
    """

    battles: Battles
    frame: pd.DataFrame
    judge: pd.Series
    unit: Integers

    @classmethod
    def of(cls, frame: pd.DataFrame, battles: Battles) -> Verdicts:
        """The battles of a frame, with a column ``question``."""
        lower, upper = (choose(battles.first, battles.second) for choose in (np.minimum, np.maximum))
        keys = [frame[name].fillna("").to_numpy() for name in ("question", "config") if name in frame]
        unit = pd.factorize(pd.MultiIndex.from_arrays([*keys, lower, upper]))[0]
        return cls(battles, frame, judge_names(frame), unit.astype(np.int64))

    @property
    def won(self) -> Floats:
        """1 where the model whose name comes first won, 1/2 where it tied."""
        found = np.select([self.battles.outcome == A_WINS, self.battles.outcome == TIE], [1.0, 0.5], 0.0)
        turned: Floats = np.where(self.battles.first < self.battles.second, found, 1 - found)
        return turned

    def won_by(self, model: int) -> Floats:
        """1 where a model won, 1/2 where it tied; NaN of battles without it."""
        first, second = self.battles.first, self.battles.second
        side = np.where(np.minimum(first, second) == model, self.won, 1 - self.won)
        found: Floats = np.where((first == model) | (second == model), side, np.nan)
        return found


def judge_report(
    asked: pd.DataFrame,
    verdicts: Verdicts,
    draws: QuestionDraws,
    same: Mapping[str, str],
    where: str,
) -> JudgeReport:
    """Measure the judges.

    Args:
        asked: a row a verdict, those without a winner too.
        verdicts: those with a winner, joined.
        draws: of the questions; its level is that of all intervals.
        same: judge -> its name as a contestant, where the two differ.
        where: the source, for messages.

    Raises:
        AnalysisError: ``same`` names no judge, or no contestant.
    """
    names = judge_names(asked)
    judges = sorted(names.unique())
    contestants = _contestants(judges, verdicts.battles.models, same)
    notes: list[str] = []
    found = {}
    for judge in judges:
        rows, own = asked[names == judge], (verdicts.judge == judge).to_numpy()
        figures = _counts(rows, verdicts.battles.outcome[own])
        if own.any():
            position, of_position = _position(rows[has_winner(rows)], draws.level)
            verbosity, of_verbosity = _verbosity(verdicts, own, draws.level, where)
            figures |= position | verbosity
            notes += [f"{_called(judge)}: {note}" for note in (of_position, of_verbosity) if note]
        if own.any() and judge in contestants:
            preference = _self_preference(verdicts, own, contestants[judge], draws.level)
            figures["self_preference"] = preference
            notes.append(_on_contestant(judge, preference))
        found[judge] = JudgeFigures(**figures)
    return JudgeReport(agreement=_agreement(verdicts, draws), by_judge=found, notes=notes)


def _contestants(judges: list[str], models: tuple[str, ...], same: Mapping[str, str]) -> dict[str, str]:
    """Judge -> its name as a contestant, of those that are one."""
    for judge, model in same.items():
        if judge not in judges:
            raise AnalysisError(f"--same: found no judge {judge!r}; {nearest(judge, judges)}")
        if model not in models:
            raise AnalysisError(f"--same: found no model {model!r}; {nearest(model, models)}")
    return {judge: judge for judge in judges if judge in models} | dict(same)


Figures: TypeAlias = dict[str, Any]
"""Fields of :class:`JudgeFigures`."""


def _counts(rows: pd.DataFrame, outcome: Integers) -> Figures:
    told = has_winner(rows)
    failed = float((~told & rows["verdict"].isna()).mean()) if "verdict" in rows else 0.0
    return {
        "verdicts": len(rows),
        "battles": len(outcome),
        "unclear": float((~told).mean()) - failed,
        "failed": failed,
        "ties": float((outcome == TIE).mean()) if len(outcome) else 0.0,
    }


def _position(rows: pd.DataFrame, level: float) -> tuple[Figures, str]:
    """How often the two orders disagree, and how often the answer shown first wins; and a note."""
    if "order" not in rows:
        return {}, ""
    pairs, question = asked_pairs(rows), pd.factorize(rows["question"])[0]
    found: Figures = {}
    if pairs.both.any():
        differ = pairs.differ[pairs.both].astype(float)
        found["orders_disagree"] = _share(differ, question[pairs.row[pairs.both]], level)
    if not rows["order"].isin(FIRST_SHOWN).all():
        return found, "'order' is not 'ab' or 'ba', so that nothing says which answer was shown first"
    chosen = pairs.both[pairs.group] if pairs.both.any() else np.ones(len(rows), dtype=bool)
    chosen &= (rows["winner"] != "tie").to_numpy()
    first = (rows["winner"] == rows["order"].map(FIRST_SHOWN)).to_numpy(dtype=float)
    if chosen.any():
        found["first_shown"] = _share(first[chosen], question[chosen], level)
    if pairs.both.any():
        return found, ""
    return found, "asked in one order alone, so that the answer shown first may win as it is the better one"


def _share(values: Floats, question: Integers, level: float) -> Interval:
    """A mean of values in [0, 1] with its interval, clustered by question."""
    means = clustered_means(values, np.unique(question, return_inverse=True)[1])
    return _with_bounds(means, score_bounds([means], level))


def _with_bounds(means: ClusteredMeans, bounds: tuple[Floats, Floats]) -> Interval:
    return interval_of(float(means.mean), *map(float, bounds))


def _verbosity(verdicts: Verdicts, own: Booleans, level: float, where: str) -> tuple[Figures, str]:
    """What length is worth to a judge, among the models whose ratings are finite by its verdicts; a note."""
    frame = verdicts.frame
    if not {"length_a", "length_b"} <= set(frame):
        return {}, ""
    own = own & frame[["length_a", "length_b"]].notna().all(axis=1).to_numpy()
    if own.any():
        known = np.isin(np.arange(len(verdicts.battles.models)), _finite(verdicts.battles, own))
        own = own & known[verdicts.battles.first] & known[verdicts.battles.second]
    if not own.any():
        return {}, "no two models each won and lost, with lengths, so that nothing says what length is worth"
    try:
        style = style_differences(frame[own], ["length"], where)
        found = styled_ratings(verdicts.battles.among(own), style, ["length"], level=level, baseline=None)
    except AnalysisError as error:
        return {}, f"bias for length not known; {error}"
    return {"verbosity": found.covariates["length"]}, ""


def _finite(battles: Battles, chosen: Booleans) -> Integers:
    """The numbers of the models whose ratings are finite relative to each other by the chosen battles."""
    part = battles.among(chosen)
    names = np.array(part.models, dtype=object)[Wins.of(part).finite]
    found: Integers = np.searchsorted(np.array(battles.models, dtype=object), names)
    return found


def _self_preference(verdicts: Verdicts, own: Booleans, model: str, level: float) -> SelfPreference | None:
    """Compare what a judge makes of its own answers with what the other judges make of them."""
    won = verdicts.won_by(verdicts.battles.models.index(model))
    mine, theirs = own & ~np.isnan(won), ~own & ~np.isnan(won)
    if not mine.any():
        return None
    unit, size = verdicts.unit, int(verdicts.unit.max()) + 1
    counts = np.bincount(unit[theirs], minlength=size).astype(float)
    others = ratio_or_nan(np.bincount(unit[theirs], won[theirs], size).astype(float), counts)[unit[mine]]
    clusters = np.unique(verdicts.battles.question[mine], return_inverse=True)[1]
    alone = _share(won[mine], verdicts.battles.question[mine], level)
    if np.isnan(others).all():
        return SelfPreference(model=model, own=alone)
    of_others, apart = clustered_means(others, clusters), clustered_means(won[mine] - others, clusters)
    return SelfPreference(
        model=model,
        own=alone,
        others=_with_bounds(of_others, score_bounds([of_others], level)),
        difference=_with_bounds(apart, student_bounds([apart], level)),
    )


def _agreement(verdicts: Verdicts, draws: QuestionDraws) -> AlphaAgreement | None:
    judge, names = pd.factorize(verdicts.judge, sort=True)
    if len(names) < 2:
        return None
    matrix = np.full((len(names), int(verdicts.unit.max()) + 1), np.nan)
    matrix[judge, verdicts.unit] = 2 * verdicts.won
    question = np.zeros(matrix.shape[1], dtype=np.int64)
    question[verdicts.unit] = verdicts.battles.question
    return agreement(matrix, question, draws)


def _called(judge: str) -> str:
    return "the judge" if judge == UNNAMED else f"judge {judge}"


def _on_contestant(judge: str, found: SelfPreference | None) -> str:
    """Say that a judge judges its own answers, and with what effect."""
    known = f"{_called(judge)} is a contestant"
    if found is None:
        return f"{known}, but judged none of its own answers"
    own = f"{known}: its own answers win {_percent(found.own.value)} by its own verdicts"
    if found.others is None or found.difference is None:
        return (
            f"{own}; no other judge judged these battles, so that nothing tells a preference for itself from "
            "strength"
        )
    apart = found.difference
    bounds = (
        ""
        if apart.low is None or apart.high is None
        else f" [{100 * apart.low:+.1f}, {100 * apart.high:+.1f}]"
    )
    return (
        f"{own}, {_percent(found.others.value)} by the other judges': {100 * (apart.value or 0.0):+.1f}"
        f"{bounds} points"
    )


def _percent(share: float | None) -> str:
    return "an unknown share" if share is None else f"{share:.1%}"
