"""Agreement of several judges on the same battles: Krippendorff's alpha, its interval clustered by question.

Alpha is 1 where judges always agree and 0 where they agree as often as by chance (Krippendorff, "Content
analysis", 2018, chapter 12). Two of its kinds are given. To the nominal one all disagreements are alike. To
the ordinal one a tie lies between the two victories, so that a judge who calls a tie contradicts one who
names a winner less than a judge who names the other model does.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from ...core.seeds import generator
from ...core.statistics import Floats, Integers, resample_counts
from ..bootstrap import percentile_bounds
from ..result import FigureResult, Interval, interval_of
from .resampling import QuestionDraws

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


def agreement(verdicts: Floats, questions: Integers, draws: QuestionDraws) -> AlphaAgreement | None:
    """How far the judges agree; None where no battle has two.

    Each battle is counted from both models' sides, so that names do not matter: alpha depends on how often
    each value occurs, and which of two models is called the first is chance.

    Args:
        verdicts: (judges x battles), values below ``VALUES``; NaN where a judge gave none.
        questions: the number of each battle's question, from 0 on.
        draws: of the questions.
    """
    judged = ~np.isnan(verdicts)
    several = judged.sum(axis=0) > 1
    if not several.any():
        return None
    verdicts, judged, questions = verdicts[:, several], judged[:, several], questions[several]
    mirrored = np.hstack([verdicts, VALUES - 1 - verdicts])
    found = coincidences(verdicts)
    found = found + found[:, ::-1, ::-1]
    sums = np.zeros((int(questions.max()) + 1, VALUES, VALUES))
    np.add.at(sums, questions, found)
    sums = sums[np.unique(questions)]
    counts = np.concatenate(
        list(resample_counts(generator(draws.seed, "agreement"), len(sums), draws.resamples))
    )
    drawn = np.tensordot(counts, sums, axes=1)
    kinds: dict[Kind, Interval] = {}
    for kind in ("ordinal", "nominal"):
        low, high = percentile_bounds(alphas(drawn, kind), draws.level)
        kinds[kind] = interval_of(krippendorff_alpha(mirrored, kind), float(low), float(high))
    least, most = np.nanmin(verdicts, axis=0), np.nanmax(verdicts, axis=0)
    return AlphaAgreement(
        **kinds,
        same=float((least == most).mean()),
        battles=int(several.sum()),
        judges=int(judged.any(axis=1).sum()),
    )


def krippendorff_alpha(ratings: Floats, kind: Kind) -> float:
    """Alpha by evalica; 1 where only one value occurs.

    Args:
        ratings: (raters x items), numbers; NaN where a rater gave none.
        kind: how far values lie apart.
    """
    from evalica import alpha  # which loads scipy.stats: a second, and 40 MiB

    return float(alpha(pd.DataFrame(ratings), distance=kind).alpha)


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
