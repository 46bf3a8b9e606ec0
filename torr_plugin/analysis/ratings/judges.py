"""What verdicts say of the judges: whether they agree, and whether the place of an answer sways them.

Agreement is Krippendorff's alpha: 1 where judges always agree, 0 where they agree as often as by chance
("Content analysis", 2018, chapter 12). To the nominal kind all disagreements are alike; to the ordinal one a
tie lies between the two victories. Position bias is that of Zheng et al., "Judging LLM-as-a-judge with
MT-Bench and Chatbot Arena" (2023), section 3.3.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from pydantic import Field

from ...core.seeds import generator
from ...core.statistics import Floats, Integers, clustered_means, resample_counts, score_bounds
from ..result import FigureResult, Interval, interval_of
from .battles import A_WINS, FIRST_SHOWN, TIE, Battles, RatingOptions, asked_pairs, has_winner

VALUES = 3
"""Won by the second model, tied, won by the first: 0, 1, 2."""

Kind = Literal["nominal", "ordinal"]


class AlphaAgreement(FigureResult):
    """How far the judges of the same battles agree.

    Attributes:
        ordinal, nominal: Krippendorff's alpha.
        same: the share of these battles on which all of their judges agree.
        battles, judges: how many battles have several judges, and how many judges those are.
    """

    ordinal: Interval
    nominal: Interval
    same: float
    battles: int
    judges: int


UNNAMED = "judge"
"""The judge of a file that names none."""


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
    """

    verdicts: int
    battles: int
    unclear: float
    failed: float
    ties: float
    orders_disagree: Interval | None = None
    first_shown: Interval | None = None


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


def judge_report(
    asked: pd.DataFrame, frame: pd.DataFrame, battles: Battles, options: RatingOptions
) -> JudgeReport:
    """Measure the judges.

    Args:
        asked: a row a verdict, those without a winner too.
        frame: those with a winner, a judge's two verdicts on a battle joined.
        battles: these.
        options: resamples, level and seed are used.
    """
    names, judge_of = judge_names(asked), judge_names(frame)
    notes: list[str] = []
    found = {}
    for judge in sorted(names.unique()):
        rows, own = asked[names == judge], (judge_of == judge).to_numpy()
        figures = _counts(rows, battles.outcome[own])
        if own.any():
            position, note = _position(rows[has_winner(rows)], options.level)
            figures |= position
            notes += [f"{'the judge' if judge == UNNAMED else f'judge {judge}'}: {note}"] if note else []
        found[judge] = JudgeFigures(**figures)
    return JudgeReport(agreement=_agreement(frame, battles, judge_of, options), by_judge=found, notes=notes)


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
    low, high = score_bounds([means], level)
    return interval_of(float(means.mean), float(low), float(high))


def _agreement(
    frame: pd.DataFrame, battles: Battles, judge_of: pd.Series, options: RatingOptions
) -> AlphaAgreement | None:
    judge, names = pd.factorize(judge_of, sort=True)
    if len(names) < 2:
        return None
    lower, upper = np.minimum(battles.first, battles.second), np.maximum(battles.first, battles.second)
    keys = [frame[name].fillna("").to_numpy() for name in ("question", "config") if name in frame]
    unit = pd.factorize(pd.MultiIndex.from_arrays([*keys, lower, upper]))[0]
    won = np.select([battles.outcome == A_WINS, battles.outcome == TIE], [2.0, 1.0], 0.0)
    verdicts = np.full((len(names), int(unit.max()) + 1), np.nan)
    verdicts[judge, unit] = np.where(battles.first == lower, won, 2 - won)
    question = np.zeros(verdicts.shape[1], dtype=np.int64)
    question[unit] = battles.question
    return agreement(verdicts, question, options)


def agreement(verdicts: Floats, questions: Integers, options: RatingOptions) -> AlphaAgreement | None:
    """How far the judges agree; None where no battle has two.

    Each battle is counted from both models' sides, so that names do not matter: alpha depends on how often
    each value occurs, and which of two models is called the first is chance.

    Args:
        verdicts: (judges x battles), values below ``VALUES``; NaN where a judge gave none.
        questions: the number of each battle's question, from 0 on.
        options: resamples, level and seed are used.
    """
    judged = ~np.isnan(verdicts)
    several = judged.sum(axis=0) > 1
    if not several.any():
        return None
    verdicts, judged, questions = verdicts[:, several], judged[:, several], questions[several]
    found = coincidences(verdicts)
    found = found + found[:, ::-1, ::-1]
    sums = np.zeros((int(questions.max()) + 1, VALUES, VALUES))
    np.add.at(sums, questions, found)
    sums = sums[np.unique(questions)]
    counts = np.concatenate(
        list(resample_counts(generator(options.seed, "agreement"), len(sums), options.resamples))
    )
    drawn = np.tensordot(counts, sums, axes=1)
    kinds: dict[Kind, Interval] = {}
    tail = (1 - options.level) / 2
    for kind in ("ordinal", "nominal"):
        low, high = np.quantile(alphas(drawn, kind), [tail, 1 - tail])
        kinds[kind] = interval_of(float(alphas(found.sum(axis=0)[None], kind)[0]), float(low), float(high))
    least, most = np.nanmin(verdicts, axis=0), np.nanmax(verdicts, axis=0)
    return AlphaAgreement(
        **kinds,
        same=float((least == most).mean()),
        battles=int(several.sum()),
        judges=int(judged.any(axis=1).sum()),
    )


def coincidences(verdicts: Floats) -> Floats:
    """How often two judges' values meet in a battle, (battles x values x values).

    Each pair of judges counts in both directions, and over the judges less 1.
    """
    counts = np.stack([(verdicts == value).sum(axis=0) for value in range(VALUES)], axis=1).astype(float)
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(VALUES)
    found: Floats = pairs / (counts.sum(axis=1) - 1)[:, None, None]
    return found


def alphas(coincidence: Floats, kind: Kind) -> Floats:
    """Alpha of each table of coincidences, (tables x values x values) -> (tables,)."""
    sizes = coincidence.sum(axis=2)
    total = sizes.sum(axis=1)
    apart = _distances(sizes, kind)
    observed = (coincidence * apart).sum(axis=(1, 2)) * (total - 1)
    expected = (sizes[:, :, None] * sizes[:, None, :] * apart).sum(axis=(1, 2))
    found: Floats = 1 - np.divide(observed, expected, out=np.zeros(len(total)), where=expected > 0)
    return found


def _distances(sizes: Floats, kind: Kind) -> Floats:
    """Squared distances of values, (tables x values x values); ordinal ones by how many lie between."""
    if kind == "nominal":
        return np.broadcast_to(1 - np.eye(VALUES), (len(sizes), VALUES, VALUES))
    middle = np.cumsum(sizes, axis=1) - sizes / 2
    found: Floats = (middle[:, :, None] - middle[:, None, :]) ** 2
    return found
