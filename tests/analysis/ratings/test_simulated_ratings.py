"""Battles of models with known strengths: coverage, position bias, size."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis.ratings import RatingOptions, rate
from torr_plugin.analysis.ratings.battles import battles_of, joined_orders
from torr_plugin.analysis.ratings.fitting import bradley_terry_ratings, elo_ratings

STRENGTHS = np.array([0.0, 0.3, 0.6, 0.9])
POINTS = 400 / np.log(10)
pytestmark = pytest.mark.release


def verdicts(
    rng: np.random.Generator,
    questions: int,
    *,
    bias: float,
    noise: float,
    ties: float,
    strengths: np.ndarray = STRENGTHS,
) -> pd.DataFrame:
    """Every pair on every question in both orders; the judge likes what stands first by ``bias`` log odds."""
    count = len(strengths)
    pairs = np.array([(a, b) for a in range(count) for b in range(a)])
    suits = rng.normal(0, noise, (questions, count))  # how a question suits a model, for all of its battles
    apart = (strengths + suits)[:, pairs[:, 0]] - (strengths + suits)[:, pairs[:, 1]]
    frames = []
    for order, sign in (("a first", 1.0), ("b first", -1.0)):
        likely = 1 / (1 + np.exp(-(apart + sign * bias)))
        won = rng.random(apart.shape) < likely
        tied = rng.random(apart.shape) < ties
        winner = np.where(tied, "tie", np.where(won, "model_a", "model_b"))
        frames.append(
            pd.DataFrame(
                {
                    "question": np.repeat([f"q{at}" for at in range(questions)], len(pairs)),
                    "model_a": np.tile([f"m{a}" for a, _ in pairs], questions),
                    "model_b": np.tile([f"m{b}" for _, b in pairs], questions),
                    "winner": winner.ravel(),
                    "order": order,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def truth(bias: float, noise: float, ties: float) -> np.ndarray:
    """The ratings that very many such battles give."""
    read, _ = joined_orders(verdicts(np.random.default_rng(99), 50_000, bias=bias, noise=noise, ties=ties))
    return bradley_terry_ratings(battles_of(read), 2, np.random.default_rng(0)).values


@pytest.mark.parametrize("questions", [20, 300])
@pytest.mark.parametrize(("bias", "noise", "ties"), [(0.0, 0.0, 0.0), (0.5, 1.0, 0.1)])
def test_clustered_intervals_cover(bias: float, noise: float, ties: float, questions: int) -> None:
    rng, expected = np.random.default_rng(3), truth(bias, noise, ties)
    covered = []
    for _ in range(250):
        read, _ = joined_orders(verdicts(rng, questions, bias=bias, noise=noise, ties=ties))
        low, high = bradley_terry_ratings(battles_of(read), 200, rng).bounds(questions, 0.95)
        covered.append((low <= expected) & (expected <= high))
    assert 0.93 <= np.mean(covered) <= 0.98


def test_elo_s_intervals_cover() -> None:
    """The mean over studies of that size: in short ones Elo stays closer to 1000 than the strengths are."""
    rng, found = np.random.default_rng(4), []
    for _ in range(400):
        read, _ = joined_orders(verdicts(rng, 80, bias=0.5, noise=1.0, ties=0.1))
        rated = elo_ratings(battles_of(read), 200, rng)
        low, high = rated.bounds(80, 0.95)
        found.append((low, rated.values, high))
    low, values, high = np.array(found).transpose(1, 0, 2)
    expected = values.mean(axis=0)
    covered = (low <= expected) & (expected <= high)
    assert covered.mean() >= 0.93  # more, as a resample is rated in one order and the figure in many


def test_both_orders_remove_the_bias() -> None:
    """A judge who likes what stands first: in one order, m3 always does."""
    read = verdicts(np.random.default_rng(5), 4000, bias=1.0, noise=0.0, ties=0.0)
    unbiased = verdicts(np.random.default_rng(5), 4000, bias=0.0, noise=0.0, ties=0.0)
    fair, one, truth = (
        lead(each) for each in (joined_orders(read)[0], first_order(read), first_order(unbiased))
    )
    assert truth == pytest.approx(STRENGTHS[-1] * POINTS, abs=10)
    assert one > truth * 1.5
    assert 0 < fair < truth  # disagreements are ties, which bring models closer
    equal = verdicts(np.random.default_rng(6), 4000, bias=1.0, noise=0.0, ties=0.0, strengths=np.zeros(4))
    assert lead(first_order(equal)) > 200
    assert lead(joined_orders(equal)[0]) == pytest.approx(0.0, abs=10)


def first_order(read: pd.DataFrame) -> pd.DataFrame:
    return read[read["order"] == "a first"]


def lead(read: pd.DataFrame) -> float:
    """By how much m3 is rated above m0."""
    found = bradley_terry_ratings(battles_of(read), 2, np.random.default_rng(0)).values
    return float(found[3] - found[0])


def test_equal_models_are_rarely_separated() -> None:
    rng, wrong = np.random.default_rng(8), 0
    for study in range(150):
        read, _ = joined_orders(verdicts(rng, 60, bias=0.3, noise=0.5, ties=0.1))
        read["model_a"], read["model_b"] = shuffled(read, rng)
        found = rate(read.drop(columns="order"), RatingOptions(resamples=150, seed=study))
        wrong += len(found.tiers) > 1
    assert wrong / 150 < 0.08  # the binomial standard error is 1.8 %


def shuffled(read: pd.DataFrame, rng: np.random.Generator) -> tuple[pd.Series, pd.Series]:
    """Names given anew in every question, so that all models are equally strong."""
    names = np.array(["m0", "m1", "m2", "m3"])
    given = {
        question: dict(zip(names, rng.permutation(names), strict=True))
        for question in read["question"].unique()
    }
    first, second = (
        pd.Series([given[q][m] for q, m in zip(read["question"], read[side], strict=True)], index=read.index)
        for side in ("model_a", "model_b")
    )
    return first, second
