"""What verdicts say of judges: agreement and orders."""

from __future__ import annotations

from itertools import combinations, permutations

import evalica
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis.options import AnalysisError
from torr_plugin.analysis.ratings import RatingOptions, Ratings, rate
from torr_plugin.analysis.ratings.judges import (
    JudgeFigures,
    JudgeReport,
    agreement,
    alphas,
    coincidences,
)

FEW, FEWER = RatingOptions(resamples=100), RatingOptions(resamples=10)
MODELS = ("m0", "m1", "m2", "m3")
QUESTIONS = 80


def judged(judge: str, *, first: float = 0.0, seed: int = 0) -> pd.DataFrame:
    """Verdicts on all pairs of four models on 80 questions, in both orders.

    Args:
        judge: its name.
        first: how many log odds the answer shown first has more.
        seed: of the verdicts.
    """
    rng = np.random.default_rng(seed)
    a, b = np.array(list(combinations(range(len(MODELS)), 2))).T
    names = np.array(MODELS)
    apart = np.tile(0.4 * (a - b), (QUESTIONS, 1))
    frames = [
        pd.DataFrame(
            {
                "question": np.repeat([f"d/{at}" for at in range(QUESTIONS)], len(a)),
                "model_a": np.tile(names[a], QUESTIONS),
                "model_b": np.tile(names[b], QUESTIONS),
                "order": order,
                "judge": judge,
                "winner": np.where(
                    rng.random(apart.size) < 1 / (1 + np.exp(-apart.ravel() - sign * first)),
                    "model_a",
                    "model_b",
                ),
            }
        )
        for order, sign in (("ab", 1), ("ba", -1))
    ]
    return pd.concat(frames, ignore_index=True)


def report(found: Ratings) -> JudgeReport:
    assert found.judges is not None
    return found.judges


@pytest.fixture(scope="module")
def biased() -> Ratings:
    """Two judges, one of whom likes answers that are shown first."""
    frames = [judged("sways", first=0.7), judged("fair", seed=1)]
    return rate(pd.concat(frames, ignore_index=True), FEW)


def of(found: Ratings, judge: str) -> JudgeFigures:
    return report(found).by_judge[judge]


def test_position_bias(biased: Ratings) -> None:
    sways, fair = (of(biased, judge) for judge in ("sways", "fair"))
    for figure in (sways.first_shown, fair.first_shown, sways.orders_disagree):
        assert figure is not None
        assert figure.low is not None
        assert figure.low < figure.value < figure.high
    assert sways.first_shown.low > 0.5
    assert fair.first_shown.low < 0.5 < fair.first_shown.high
    assert sways.verdicts == 2 * sways.battles == 960


@pytest.mark.full
def test_one_judge_s_verdicts() -> None:
    read = pd.concat([judged("fair"), judged("other", seed=1)], ignore_index=True)
    alone = rate(read, RatingOptions(resamples=20, judge="other"))
    assert list(report(alone).by_judge) == ["other"]
    assert alone.bradley_terry == rate(judged("other", seed=1), RatingOptions(resamples=20)).bradley_terry
    both = rate(read, RatingOptions(resamples=20))
    assert (both.battles, both.questions) == (2 * alone.battles, alone.questions)  # one cluster a question
    with pytest.raises(AnalysisError, match="found no judge 'othre'; did you mean 'other'"):
        rate(read, RatingOptions(resamples=20, judge="othre"))


@pytest.mark.full
def test_what_cannot_be_measured_is_said() -> None:
    read = judged("fair")
    one, called = read[read["order"] == "ab"], read.replace({"order": {"ab": "once", "ba": "again"}})
    notes = {name: report(rate(each, FEWER)).notes for name, each in (("one", one), ("called", called))}
    assert "judge fair: asked in one order alone" in notes["one"][0]
    assert "'order' is not 'ab' or 'ba'" in notes["called"][0]
    won = rate(read.assign(winner="model_a"), FEWER)
    assert of(won, "fair").first_shown.value == 0.5


def test_unclear_and_failed_verdicts_are_counted() -> None:
    read = judged("fair").assign(verdict=lambda known: known["winner"])
    read.loc[:95, ["winner", "verdict"]] = None
    read.loc[:47, "verdict"] = "unclear"
    silent = judged("silent").assign(verdict=None, winner=None)
    found = rate(pd.concat([read, silent], ignore_index=True), FEWER)
    assert (of(found, "fair").unclear, of(found, "fair").failed) == pytest.approx((0.05, 0.05))
    assert (of(found, "silent").failed, of(found, "silent").battles) == (1.0, 0)


@given(st.integers(0, 10_000))
@settings(max_examples=25, deadline=None)
def test_resampled_alphas_are_evalica_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    verdicts = rng.integers(0, 3, (3, 30)).astype(float)
    verdicts[rng.random(verdicts.shape) < 0.2] = np.nan
    verdicts = verdicts[:, (~np.isnan(verdicts)).sum(axis=0) > 1]
    table = coincidences(verdicts).sum(axis=0)[None]
    for kind in ("nominal", "ordinal"):
        theirs = evalica.alpha(pd.DataFrame(verdicts), distance=kind).alpha
        assert alphas(table, kind)[0] == pytest.approx(theirs)


@given(st.permutations(range(3)), st.integers(0, 100))
@settings(max_examples=10, deadline=None)
def test_alpha_does_not_depend_on_who_is_called_first(order: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    verdicts, questions = rng.integers(0, 3, (3, 40)).astype(float), np.arange(40) // 4
    turned = np.where(rng.random(40) < 0.5, 2 - verdicts, verdicts)
    found, other = agreement(verdicts, questions, FEW), agreement(turned[order], questions, FEW)
    assert found == other


def test_judges_who_agree_and_who_do_not() -> None:
    same = np.tile(np.arange(30) % 3.0, (2, 1))
    questions = np.arange(30)
    whole = agreement(same, questions, FEW)
    assert whole is not None
    assert (whole.ordinal.value, whole.nominal.value, whole.same) == (1, 1, 1)
    opposed = agreement(np.stack([same[0], 2 - same[0]]), questions, FEW)
    assert opposed is not None
    assert opposed.ordinal.value < 0
    lone = np.where(np.arange(60).reshape(2, 30) < 30, 1.0, np.nan)
    assert agreement(lone, questions, FEW) is None


def test_a_tie_contradicts_less_than_the_other_winner() -> None:
    first = np.array([0.0, 2.0] * 20)
    near, far = (np.stack([first, first.copy()]) for _ in range(2))
    near[1, :10], far[1, :10] = 1.0, 2 - far[1, :10]
    ordinal = [agreement(each, np.arange(40), FEW).ordinal.value for each in (near, far)]
    assert ordinal[0] > ordinal[1]


def test_configurations_are_judged_apart() -> None:
    rows = [("q", each, a, b, "model_a") for each in ("html", "csv") for a, b in permutations(("x", "y"))]
    read = pd.DataFrame(rows, columns=["question", "config", "model_a", "model_b", "winner"])
    assert rate(read.assign(order=["ab", "ba"] * 2), FEW).battles == 2  # and not one
