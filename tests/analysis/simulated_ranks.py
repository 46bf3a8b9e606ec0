"""Simulated studies of models that tie or nearly tie, on questions that share tables."""

from __future__ import annotations

import numpy as np
from scipy.stats import norm

from torr_plugin.analysis.bootstrap import resampled_means
from torr_plugin.analysis.paired_tests import example_differences, paired_test
from torr_plugin.analysis.simultaneous_ranks import separated


def separated_in(
    rng: np.random.Generator,
    truth: np.ndarray,
    *,
    examples: int,
    per_table: int = 1,
    configurations: int = 0,
    datasets: int = 1,
    resamples: int = 500,
) -> np.ndarray:
    """The separated pairs of a study of models with these true means.

    ``configurations`` of right-or-wrong answers an example (a probit with effects of example and of table,
    shared and the model's own); 0: scores are normal.
    """
    clusters = np.arange(examples) // per_table
    differences, samples = [], np.zeros((len(truth), resamples))
    for _ in range(datasets):
        scores = _scores(rng, truth, clusters, configurations)
        differences.append(example_differences(scores, clusters))
        samples += resampled_means(scores, clusters, rng, resamples) / datasets
    return separated(paired_test(differences), samples, 0.95)


def _scores(
    rng: np.random.Generator, truth: np.ndarray, clusters: np.ndarray, configurations: int
) -> np.ndarray:
    """(models x examples)."""
    models, tables, examples = len(truth), int(clusters.max()) + 1, len(clusters)
    of_tables = 0.5 * rng.normal(size=tables) + 0.5 * rng.normal(size=(models, tables))
    effects = 0.6 * rng.normal(size=examples) + of_tables[:, clusters]
    if not configurations:
        return truth[:, None] + 0.3 * effects + 0.2 * rng.normal(size=(models, examples))
    noise = rng.normal(size=(configurations, models, examples))
    bound = norm.ppf(truth)[:, None] * np.sqrt(0.36 + 0.5 + 1)
    return (effects + noise < bound).mean(axis=0)
