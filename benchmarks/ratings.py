"""How fast battles are rated: with all resamples, beside a plain loop over evalica.

    python benchmarks/ratings.py [--battles 1000000] [--models 200] [--questions 5000] [--resamples 1000]

``ours``: ``torr_plugin.analysis.ratings.rate`` of a frame, in seconds of the clock: Bradley-Terry and Elo
with intervals, ranks, tiers, win rates. ``evalica``: the Bradley-Terry resamples alone, each by drawing
questions and calling ``evalica.bradley_terry`` with the drawn weights of all battles, as its own
``bootstrap`` does; ``--peer-resamples`` of them are timed and scaled up.
"""

from __future__ import annotations

import argparse
import json
import resource
import time

import evalica
import numpy as np
import pandas as pd

from torr_plugin.analysis.ratings import RatingOptions, rate


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--battles", type=int, default=1_000_000)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--questions", type=int, default=5_000)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--peer-resamples", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    frame = battles(given.battles, given.models, given.questions)
    start = time.perf_counter()
    rate(frame, RatingOptions(resamples=given.resamples))
    ours = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    peer = plain_loop(frame, given.peer_resamples) * given.resamples / given.peer_resamples
    found = {"ours": ours, "evalica": peer, "ratio": peer / ours, "GiB": peak}
    if given.json:
        print(json.dumps(found))
        return
    print(f"{given.battles:,} battles of {given.models} models, {given.resamples:,} resamples")
    print(f"ours {ours:.1f} s, {peak:.2f} GiB; plain loop over evalica {peer:,.0f} s")
    print(f"ratio {peer / ours:.0f}")


def battles(count: int, models: int, questions: int) -> pd.DataFrame:
    """Battles of random models of random strength, one in ten a tie."""
    rng = np.random.default_rng(0)
    strength = rng.normal(0, 1, models)
    first = rng.integers(models, size=count)
    second = (first + rng.integers(1, models, size=count)) % models
    likely = 1 / (1 + np.exp(strength[second] - strength[first]))
    won = np.where(rng.random(count) < likely, "model_a", "model_b")
    names = np.array([f"model-{number:03}" for number in range(models)])
    return pd.DataFrame(
        {
            "question": rng.integers(questions, size=count),
            "model_a": names[first],
            "model_b": names[second],
            "winner": np.where(rng.random(count) < 0.1, "tie", won),
        }
    )


def plain_loop(frame: pd.DataFrame, resamples: int) -> float:
    """Seconds of so many resamples of questions, each rated from all battles."""
    rng = np.random.default_rng(1)
    known = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y, "tie": evalica.Winner.Draw}
    winners = [known[winner] for winner in frame["winner"]]
    first, second = frame["model_a"].tolist(), frame["model_b"].tolist()
    question = frame["question"].to_numpy()
    count = question.max() + 1
    start = time.perf_counter()
    for _ in range(resamples):
        times = np.bincount(rng.integers(count, size=count), minlength=count)[question]
        evalica.bradley_terry(first, second, winners, weights=times.astype(float).tolist())
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
