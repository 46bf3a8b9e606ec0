"""Battles of models with known strengths: coverage, position bias, size."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from torr_plugin.analysis.ratings import RatingOptions, rate
from torr_plugin.analysis.ratings.battles import battles_of
from torr_plugin.analysis.ratings.orders import joined_orders
from torr_plugin.analysis.ratings.resampling import QuestionDraws, bradley_terry

STRENGTHS = np.array([0.0, 0.3, 0.6, 0.9])
POINTS = 400 / np.log(10)
pytestmark = pytest.mark.simulation


def verdicts(
    rng: np.random.Generator, questions: int, *, bias: float, noise: float, ties: float
) -> pd.DataFrame:
    """Every pair on every question in both orders; the judge likes what stands first by ``bias`` log odds."""
    count = len(STRENGTHS)
    pairs = np.array([(a, b) for a in range(count) for b in range(a)])
    suits = rng.normal(0, noise, (questions, count))  # how a question suits a model, for all of its battles
    apart = (STRENGTHS + suits)[:, pairs[:, 0]] - (STRENGTHS + suits)[:, pairs[:, 1]]
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
    return bradley_terry(battles_of(read), QuestionDraws(2, 0, 0.95)).values


@pytest.mark.parametrize(("bias", "noise", "ties"), [(0.0, 0.0, 0.0), (0.5, 1.0, 0.1)])
def test_clustered_intervals_cover(bias: float, noise: float, ties: float) -> None:
    rng, expected = np.random.default_rng(3), truth(bias, noise, ties)
    covered = []
    for study in range(250):
        read, _ = joined_orders(verdicts(rng, 300, bias=bias, noise=noise, ties=ties))
        found = bradley_terry(battles_of(read), QuestionDraws(300, study, 0.95))
        covered.append((found.low <= expected) & (expected <= found.high))
    assert np.mean(covered) == pytest.approx(0.95, abs=0.02)


def test_both_orders_remove_the_bias() -> None:
    """A judge who likes what stands first, and a model that stands first more often."""
    read = verdicts(np.random.default_rng(5), 4000, bias=1.0, noise=0.0, ties=0.0)
    favoured = read[(read["order"] == "a first") | (read["model_a"] != "m3")]
    one = read[read["order"] == "a first"]
    fair, _ = joined_orders(read)
    spread = {name: rating(each) for name, each in (("fair", fair), ("one", one), ("some", favoured))}
    assert spread["one"] > spread["fair"] * 1.5  # m3 always stands first
    symmetric = verdicts(np.random.default_rng(5), 4000, bias=0.0, noise=0.0, ties=0.0)
    assert spread["fair"] < rating(joined_orders(symmetric)[0])  # disagreements are ties, which bring closer
    assert np.sign(spread["fair"]) == 1


def rating(read: pd.DataFrame) -> float:
    found = rate(read.drop(columns="order"), RatingOptions(resamples=2)).bradley_terry
    assert found["m3"].value is not None
    assert found["m0"].value is not None
    return found["m3"].value - found["m0"].value


def test_equal_models_are_rarely_separated() -> None:
    rng, wrong = np.random.default_rng(8), 0
    for study in range(150):
        read, _ = joined_orders(verdicts(rng, 60, bias=0.3, noise=0.5, ties=0.1))
        read["model_a"], read["model_b"] = shuffled(read, rng)
        found = rate(read.drop(columns="order"), RatingOptions(resamples=150, seed=study))
        wrong += len(found.tiers) > 1
    assert wrong / 150 < 0.09


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
