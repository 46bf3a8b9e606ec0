"""Ratings of battles: evalica's own figures, known strengths, orders, bad files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torr_plugin.analysis.options import AnalysisError
from torr_plugin.analysis.ratings import RatingOptions, Ratings, rate, rate_file
from torr_plugin.analysis.ratings.battles import NEEDED, battles_of, joined_orders, with_plain_names
from torr_plugin.analysis.ratings.fitting import Wins, bradley_terry_ratings, elo

FEW = RatingOptions(resamples=50)
SIDES = {"left": "model_a", "right": "model_b", "tie": "tie"}


def frame(*rows: tuple[str, str, str, str | None]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["question", "model_a", "model_b", "winner"])


def simulated(strengths: list[float], questions: int, seed: int = 0, noise: float = 0.0) -> pd.DataFrame:
    """All pairs on every question; ``noise``: how much a question favours a model, in log odds."""
    rng = np.random.default_rng(seed)
    rows = []
    for question in range(questions):
        shown = np.array(strengths) + rng.normal(0, noise, len(strengths))
        for a in range(len(strengths)):
            for b in range(a):
                won = rng.random() < 1 / (1 + np.exp(shown[b] - shown[a]))
                rows.append((f"q{question}", f"m{a}", f"m{b}", "model_a" if won else "model_b"))
    return frame(*rows)


@pytest.fixture(scope="module", params=["food", "simple", "llmfao"])
def published(request: pytest.FixtureRequest, shared_data: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Evalica's comparisons and what it says of them."""
    folder = shared_data / "evalica"
    read = pd.read_csv(folder / f"{request.param}.csv", dtype=str)
    battles = read.rename(columns={"left": "model_a", "right": "model_b"})
    return (
        battles.assign(winner=battles["winner"].map(SIDES))[["model_a", "model_b", "winner"]],
        pd.read_csv(folder / f"{request.param}-golden.csv", dtype={"item": str}),
    )


def scores(golden: pd.DataFrame, algorithm: str) -> pd.Series:
    return golden[golden["algorithm"] == algorithm].set_index("item")["score"]


@pytest.mark.full
def test_evalica_s_figures(published: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    read, golden = published
    battles = battles_of(read)
    in_order = pd.Series(elo(battles, np.arange(len(battles))), index=battles.models)
    expected = scores(golden, "elo")
    assert in_order[expected.index].to_numpy() == pytest.approx(expected.to_numpy(), rel=1e-9)
    found = rate(read, RatingOptions(resamples=5))
    likely = np.log10(scores(golden, "bradley_terry"))
    ours = pd.Series({model: each.value / 400 for model, each in found.bradley_terry.items()})
    apart = (ours - likely).to_numpy()
    assert apart == pytest.approx(apart.mean(), abs=1e-8)
    won = {model: [each.value for each in row.values()] for model, row in found.win_rates.items()}
    counts = {model: [each.battles for each in row.values()] for model, row in found.win_rates.items()}
    assert {model: np.mean(shares) for model, shares in won.items()} == pytest.approx(
        scores(golden, "average_win_rate").to_dict()
    )
    assert {model: np.dot(shares, counts[model]) for model, shares in won.items()} == pytest.approx(
        scores(golden, "counting").to_dict()
    )


@pytest.mark.full
def test_resamples_keep_a_question_s_battles_together() -> None:
    once, options = simulated([0.0, 0.5, 1.0], 60), RatingOptions(resamples=300)
    twice = pd.concat([once] * 4)
    single, repeated = rate(once, options), rate(twice, options)
    for model, figure in single.bradley_terry.items():
        other = repeated.bradley_terry[model]
        assert (other.value, other.low, other.high) == pytest.approx((figure.value, figure.low, figure.high))
    blind = rate(twice.assign(question=range(len(twice))), RatingOptions(resamples=300))
    ratio = width(repeated, "m2") / width(blind, "m2")
    assert ratio == pytest.approx(2.0, abs=0.3)  # four copies, half the width


def width(found: Ratings, model: str) -> float:
    figure = found.bradley_terry[model]
    assert figure.high is not None
    assert figure.low is not None
    return figure.high - figure.low


def test_a_model_beyond_all_in_a_resample_does_not_move_the_others() -> None:
    read = simulated([0.0, 0.5], 200)
    few = frame(*((f"q{at}", "best", f"m{at % 2}", "model_b" if at == 1 else "model_a") for at in range(100)))
    alone, beside = (
        bradley_terry_ratings(battles_of(each), 100, np.random.default_rng(0)).bounds(200, 0.95)
        for each in (read, pd.concat([read, few]))
    )
    assert np.isnan(beside[1][0])  # endless in a third of the resamples
    widths = [high[-2:] - low[-2:] for low, high in (alone, beside)]
    assert widths[1][0] < 2.5 * widths[0][0]


@pytest.mark.full
@pytest.mark.parametrize("questions", [1, 3, 5, 6, 12])
def test_so_few_questions_as_a_sign_test_needs_tell_nothing_apart(questions: int) -> None:
    """A wins all: 5 of 5 have p = .0625, 6 of 6 .031."""
    rows = [(f"q{number % questions}", "A", "B ", "model_a") for number in range(max(4, questions))]
    found = rate(frame(*rows), FEW)
    assert sorted(found.elo) == ["A", "B"]
    apart = questions >= 6
    assert (len(found.tiers) == 2) is apart
    assert (found.separability.paired == 1) is apart


def test_ranks_and_tiers_of_models_far_apart() -> None:
    found = rate(simulated([0.0, 0.0, 3.0], 80), RatingOptions(resamples=200))
    assert found.tiers[0] == ["m2"]
    assert found.rank_intervals["m2"] == (1, 1)
    assert found.rank_intervals["m0"] == found.rank_intervals["m1"] == (2, 3)
    assert found.separability.paired == pytest.approx(2 / 3)


def test_the_model_in_every_battle_is_the_baseline() -> None:
    rows = [
        (f"q{at}", other, "base", ["model_a", "model_b", "tie"][at % 3]) for at in range(30) for other in "xy"
    ]
    found = rate(frame(*rows), FEW)
    assert found.baseline == "base"
    assert (found.bradley_terry["base"].value, found.elo["base"].low) == (1000, 1000)
    assert found.bradley_terry["x"].value == pytest.approx(1000)
    assert rate(frame(*rows), RatingOptions(resamples=5, baseline="x")).bradley_terry["x"].value == 1000


@pytest.mark.full
def test_a_model_that_wins_all_has_no_finite_rating() -> None:
    rows = [(f"q{at}", "best", other, "model_a") for at in range(9) for other in "xy"]
    rows += [(f"q{at}", "x", "y", "model_a" if at % 2 else "model_b") for at in range(9)]
    found = rate(frame(*rows), RatingOptions(resamples=400))
    assert found.bradley_terry["best"].value is None
    assert next(iter(found.bradley_terry)) == "best"
    assert found.rank_intervals["best"] == (1, 1)
    assert any("best won, or lost, every battle" in note for note in found.notes)


def ratings_of(read: pd.DataFrame) -> dict[str, float]:
    battles = battles_of(read)
    wins = Wins.of(battles)
    return dict(zip(battles.models, wins.bradley_terry(wins.weights).tolist(), strict=True))


def test_models_beyond_all_others_leave_the_others_as_they_are() -> None:
    read = simulated([0.0, 0.5, 1.0], 60)
    more = [(f"q{at}", "best", f"m{at % 3}", "model_a") for at in range(60)]
    more += [(f"q{at}", "worst", f"m{at % 2}", "model_b") for at in range(60)]
    found = ratings_of(pd.concat([read, frame(*more)], ignore_index=True))
    assert (found.pop("best"), found.pop("worst")) == (np.inf, -np.inf)
    assert found == pytest.approx(ratings_of(read))


@pytest.mark.parametrize(
    ("won", "expected"),
    [
        ("ab", {"a": np.inf, "b": -np.inf}),  # neither of the two is where ratings are finite
        ("ab bc", {"a": np.inf, "b": 1000.0, "c": -np.inf}),
        ("ab bc cd", {"a": np.inf, "b": np.inf, "c": -np.inf, "d": -np.inf}),
        ("ab ba bc cd dc", {"a": np.inf, "b": np.inf, "c": -np.inf, "d": -np.inf}),
        ("ab ac", {"a": np.inf, "b": -np.inf, "c": -np.inf}),
        ("ab ba ac", {"a": 1000.0, "b": 1000.0, "c": -np.inf}),
    ],
)
def test_who_has_no_finite_rating(won: str, expected: dict[str, float]) -> None:
    rows = [(f"q{at}", *pair, "model_a") for at, pair in enumerate(won.split())]
    assert ratings_of(frame(*rows)) == expected


def test_verdicts_that_change_with_the_order_are_ties() -> None:
    rows = [
        ("q1", "x", "y", "model_a", "first"), ("q1", "x", "y", "model_a", "second"),
        ("q2", "x", "y", "model_a", "first"), ("q2", "y", "x", "model_a", "second"),
        ("q3", "x", "y", "model_b", "first"),
    ]  # fmt: skip
    read = pd.DataFrame(rows, columns=["question", "model_a", "model_b", "winner", "order"])
    joined, orders = joined_orders(read)
    assert (orders.both, orders.disagree, orders.once) == (2, 1, 1)
    assert dict(zip(joined["question"], joined["winner"], strict=True)) == {
        "q1": "model_a", "q2": "tie", "q3": "model_b",
    }  # fmt: skip
    assert any("2 battles judged in both orders, of which 50.0%" in note for note in rate(read, FEW).notes)


@given(seed=st.integers(0, 1000), swap=st.lists(st.booleans(), min_size=30, max_size=30))
@settings(max_examples=10, deadline=None)
def test_it_does_not_matter_who_is_called_a(seed: int, swap: list[bool]) -> None:
    read = simulated([0.0, 0.4, 0.8], 10, seed)
    turned = read.copy()
    chosen = np.array(swap)
    turned.loc[chosen, ["model_a", "model_b"]] = read.loc[chosen, ["model_b", "model_a"]].to_numpy()
    other = {"model_a": "model_b", "model_b": "model_a", "tie": "tie"}
    turned.loc[chosen, "winner"] = read.loc[chosen, "winner"].map(other)
    first, second = (Wins.of(battles_of(each)) for each in (read, turned))
    assert first.bradley_terry(first.weights) == pytest.approx(second.bradley_terry(second.weights))


@pytest.mark.full
def test_levels() -> None:
    read = simulated([0.0, 1.0], 200).assign(level=["easy", "hard"] * 100)
    found = rate(read, RatingOptions(resamples=50))
    assert set(found.levels) == {"easy", "hard"}
    assert found.levels["easy"].battles == 100


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (frame(), "found no battles"),
        (frame(("q", "x", "y", "x")), "row 1, winner: found 'x'; expected model_a, model_b, tie"),
        (frame(("q", "x", "x", "tie")), "found one model, 'x'; expected battles of two or more"),
        (
            frame(("q", "x", "y", "tie"), ("q", "x", "x", "tie")),
            "row 2, model_b: found 'x'; which is model_a",
        ),
        (frame(("q", "x", "y", ""), ("q", "x", "y", "z")), "row 2, winner: found 'z'"),  # rows as in the file
        (frame(("q", "x", "y", None)), "found no winner in 1 row; expected verdicts"),
        (frame(("q", "x", "", "tie")), "row 1, model_b: found ''; expected a name"),
        (frame(("", "x", "y", "tie")), "row 1, question: found ''; expected a name"),
        (pd.DataFrame([["x", "y", "tie", "tie"]], columns=[*NEEDED, "winner"]), "two columns 'winner'"),
        (frame(("q", "x", "y", "tie"), ("q", "v", "w", "tie")), "2 groups that never battled each other"),
        (frame(("q", "x", "y", "tie")).drop(columns="winner"), "no column 'winner'"),
    ],
)
def test_bad_battles(read: pd.DataFrame, message: str) -> None:
    with pytest.raises(AnalysisError, match=message):
        rate(read, FEW, "b.csv")


KINDS = {
    "categories": lambda read: read.astype("category"),
    "numbers": lambda read: read.replace({"m0": 0}),
    "lists": lambda read: read.assign(question=[[each] for each in read["question"]]),
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_may_be_of_any_type(kind: str) -> None:
    levels = pd.array([1, None] * 9, dtype="Int64")
    read = with_plain_names(KINDS[kind](simulated([0.0, 0.5, 1.0], 6).assign(order="first", level=levels)))
    battles = battles_of(joined_orders(read)[0])
    assert (len(battles), battles.levels) == (18, ["1"])
    assert battles.models[1:] == ("m1", "m2")


def test_ranks_do_not_depend_on_the_baseline() -> None:
    read = simulated([0.0, 0.0, 3.0], 9)
    best = frame(*((f"q{at}", "best", "m0", "model_a") for at in range(9)))
    read = pd.concat([read, best], ignore_index=True)
    free, fixed = (rate(read, RatingOptions(resamples=20, baseline=each)) for each in (None, "best"))
    assert fixed.bradley_terry["m2"].value is None
    assert fixed.tiers == free.tiers
    assert fixed.rank_intervals == free.rank_intervals
    assert fixed.notes[1] == free.notes[1]
    assert "best" in fixed.notes[1]


def test_an_order_needs_questions() -> None:
    read = simulated([0.0, 1.0], 5).drop(columns="question").assign(order="first")
    assert "no column 'question' beside 'order'" in rate(read, RatingOptions(resamples=2)).notes[-1]


def test_bad_options(tmp_path: Path) -> None:
    read = simulated([0.0, 1.0], 20)
    with pytest.raises(AnalysisError, match="baseline: found 'm7'; "):
        rate(read, RatingOptions(baseline="m7"))
    with pytest.raises(AnalysisError, match="no such file or directory; expected battles in Parquet"):
        rate_file(tmp_path / "b.csv", FEW)


def test_ties_alone_tell_nothing_apart() -> None:
    rows = [(f"q{at}", a, b, "tie") for at in range(9) for a, b in (("x", "y"), ("x", "z"), ("y", "z"))]
    found = rate(frame(*rows), FEW)
    assert {figure.value for figure in found.bradley_terry.values()} == {1000}
    assert [sorted(tier) for tier in found.tiers] == [["x", "y", "z"]]
    assert set(found.rank_intervals.values()) == {(1, 3)}
    assert found.separability.paired == 0
    assert "all battles are ties: nothing tells the models apart" in found.notes


def test_rows_without_a_winner_are_left_out() -> None:
    read = simulated([0.0, 1.0], 8).assign(verdict=lambda known: known["winner"])
    read.loc[[1, 2], "winner"] = None
    read.loc[[1, 2], "verdict"] = ["unclear", None]
    found = rate(read, FEW)
    assert found.battles == 6
    assert found.notes[0] == "2 of 8 verdicts left out, as they name no winner: 1 unclear, 1 failed"
    assert (
        rate(read.drop(columns="verdict"), FEW).notes[0] == "2 of 8 verdicts left out, as they name no winner"
    )


def test_a_run_is_rated_by_its_battles(tmp_path: Path) -> None:
    with pytest.raises(AnalysisError, match=r"has no battles.parquet; expected a run with verdicts on pairs"):
        rate_file(tmp_path, FEW)
    simulated([0.0, 1.0], 8).to_parquet(tmp_path / "battles.parquet")
    assert rate_file(tmp_path, FEW).battles == 8


@pytest.mark.full
@pytest.mark.parametrize(("version", "leads"), [("v1", "gpt-4o"), ("v2", "claude-3-5-sonnet-20240620")])
def test_real_battles_are_told_apart_by_question(version: str, leads: str, shared_data: Path) -> None:
    read = pd.read_parquet(shared_data / "arena_hard" / "battles.parquet")
    read = read[read["file_version"] == version].rename(columns={"question_id": "question"})
    read = read[["question", "model_a", "model_b", "winner"]]
    clustered, blind = (
        rate(each, RatingOptions(resamples=200)) for each in (read, read.assign(question=range(len(read))))
    )
    assert clustered.baseline == "claude-3-haiku-20240307"
    assert next(iter(clustered.bradley_terry)) == leads
    for model in set(clustered.bradley_terry) - {clustered.baseline}:
        # two games a question, and a strong verdict counts three times
        assert 0.4 < width(blind, model) / width(clustered, model) < 0.75


@pytest.mark.release
@pytest.mark.parametrize(("questions", "noise"), [(20, 0.0), (20, 1.5), (50, 1.0)])
def test_equal_models_are_hardly_ever_separated(questions: int, noise: float) -> None:
    """Five of them; ``noise``: questions that favour a model."""
    separated, held = [], []
    for seed in range(300):
        options = RatingOptions(resamples=200, seed=seed)
        found = rate(simulated([0.0] * 5, questions, seed, noise), options)
        separated.append(bool(found.separability.paired))
        held += [(own.low or 0.0) <= 1000 <= (own.high or np.inf) for own in found.bradley_terry.values()]
    assert np.mean(separated) <= 0.05 + 0.03
    assert np.mean(held) >= 0.93
