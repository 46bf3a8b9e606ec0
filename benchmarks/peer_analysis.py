"""The analysis as a careful notebook would write it: scipy calls in loops over models, resamples and repeats.

Of what is alike a stated share is done, and its time scaled up: the bootstrap of one of the data sets with
all resamples (a call of scipy's costs more than its resamples), and one in ``FRACTION`` of the resamples of
tau and W and of the repeats of reliability, which loop one at a time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from scipy import stats

FRACTION = 20
KS, NS = (1, 2, 5, 10, 20, 35), (5, 10, 20, 50, 100)  # the points that our curves have
Cubes = Sequence[np.ndarray]


def figures_of(scores: np.ndarray, groups: Sequence[Sequence[int]], base: int) -> Iterator[np.ndarray]:
    """Per-example figures of one model, (configurations x examples): what is averaged and bootstrapped."""
    worst, best = scores.min(axis=0), scores.max(axis=0)
    robust = 1 - (best - worst)
    yield from (scores.mean(axis=0), robust, worst, best, robust[best > 0])
    yield from scores
    for group in groups:
        yield scores[group].mean(axis=0)
    for group in groups[-base:]:
        change = scores[group] - scores[groups[-base]]
        yield change.mean(axis=0)
        yield np.abs(change).mean(axis=0)
    for things in (groups[:-base], groups[-base:]):
        means = np.array([scores[group].mean(axis=0) for group in things])
        wins = (means[:, None] > means[None]).sum(axis=1)
        won = wins.sum(axis=0) > 0
        yield from wins[:, won] / wins[:, won].sum(axis=0)


def bootstrap(scores: np.ndarray, groups: Sequence[Sequence[int]], base: int, resamples: int) -> list[Any]:
    """Every model's figures of one data set: mean and percentile interval."""
    found = []
    for model in scores:
        for values in figures_of(model, groups, base):
            result = stats.bootstrap(
                (values,), np.mean, n_resamples=resamples, method="percentile", rng=np.random.default_rng(0)
            )
            found.append((values.mean(), result.confidence_interval.low, result.confidence_interval.high))
    return found


def pairs(cubes: Cubes) -> int:
    """Paired t tests of all pairs of models, corrected by Holm's procedure."""
    different = 0
    for scores in cubes:
        means = scores.mean(axis=1)
        p = sorted(stats.ttest_rel(means[i], means[j]).pvalue for i, j in combinations(range(len(means)), 2))
        for rank, value in enumerate(p):
            if value > 0.05 / (len(p) - rank):
                break
            different += 1
    return different


def w(means: np.ndarray) -> float:
    """Kendall's W of rankings, (rankings x models), by Friedman's statistic."""
    rankings, models = means.shape
    return float(stats.friedmanchisquare(*means.T).statistic / (rankings * (models - 1)))


def agreements(cubes: Cubes, resamples: int) -> dict[str, Any]:
    """Tau between data sets and W over single configurations, with resamples."""
    rng, found = np.random.default_rng(0), {"tau": [], "w": []}
    for resample in range(resamples + 1):
        drawn = [
            scores[:, :, rng.integers(scores.shape[2], size=scores.shape[2])] if resample else scores
            for scores in cubes
        ]
        means = [scores.mean(axis=(1, 2)) for scores in drawn]
        found["tau"].append([stats.kendalltau(a, b).statistic for a, b in combinations(means, 2)])
        found["w"].append([w(scores.mean(axis=2).T) for scores in drawn])
    return found


def reliability(cubes: Cubes, repeats: int, rankings: int) -> dict[str, list[float]]:
    """W of every curve's points, mean over repeats: per data set, and of the mean over data sets."""
    rng = np.random.default_rng(0)
    _, configurations, examples = cubes[0].shape
    points = {f"prompts {k}": (k, examples) for k in range(1, configurations + 1)}
    points |= {f"examples {k} {n}": (k, n) for k in KS for n in NS if n <= examples}
    points |= {f"disjoint {k}": (k, examples) for k in range(1, configurations // 2 + 1)}
    found: dict[str, list[float]] = {}
    for name, (k, n) in points.items():
        values = []
        for _ in range(repeats):
            order = rng.permutation(configurations)
            many = min(rankings, configurations // k) if name.startswith("disjoint") else rankings
            means = np.empty((len(cubes), many, len(cubes[0])))
            for ranking in range(many):
                chosen = order[ranking * k : (ranking + 1) * k]
                if not name.startswith("disjoint"):
                    chosen = rng.permutation(configurations)[:k]
                for d, scores in enumerate(cubes):
                    drawn = rng.permutation(examples)[:n]
                    means[d, ranking] = scores[:, chosen][:, :, drawn].mean(axis=(1, 2))
            values.append([*(w(table) for table in means), w(means.mean(axis=0))])
        found[name] = np.mean(values, axis=0).tolist()
    return found


def timed(work: Any, *arguments: Any, times: int = 1) -> tuple[Any, tuple[float, float]]:
    """What a function gives, and the seconds and processor seconds that so many of its like take."""
    start, cpu = time.perf_counter(), time.process_time()
    found = work(*arguments)
    return found, (times * (time.perf_counter() - start), times * (time.process_time() - cpu))


def whole(cubes: Cubes, groups: Sequence[Sequence[int]], base: int, resamples: int, repeats: int) -> Any:
    """Seconds and processor seconds of the parts, scaled, and the figures of the shares that were done."""
    boot, of_one = timed(bootstrap, cubes[0], groups, base, resamples, times=len(cubes))
    _, tests = timed(pairs, cubes)
    agreement, agreeing = timed(agreements, cubes, resamples // FRACTION, times=FRACTION)
    curves, reliable = timed(reliability, cubes, repeats // FRACTION, 10, times=FRACTION)
    spent = {"bootstrap": of_one, "paired tests": tests, "tau and W": agreeing, "reliability": reliable}
    return spent, {"bootstrap": boot, "agreement": agreement, "reliability": curves}
