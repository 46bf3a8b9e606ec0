"""The reliability that repeated simulated studies show, by its definition and without variance components."""

from __future__ import annotations

import numpy as np
from scipy.stats import friedmanchisquare

from .simulated import Population

RATERS = 10


def shown(
    models: Population, rng: np.random.Generator, configurations: int, examples: int, *, studies: int
) -> dict[str, float]:
    """Studies with fresh configurations and examples, their models' means over data sets compared.

    Returns:
        ``generalizability``: the covariance of two studies' means over their variance; ``w``: the mean of
        Kendall's W (corrected for ties) of ten rankings.
    """
    means = np.array([_means(models, rng, configurations, examples) for _ in range(studies)])
    centred = means - means.mean(axis=1, keepdims=True)
    variance = (centred**2).sum(axis=1).mean()
    # over all pairs of different studies
    together = (centred.sum(axis=0) ** 2).sum() - (centred**2).sum()
    ws = [
        friedmanchisquare(*part.T).statistic / (RATERS * (means.shape[1] - 1))
        for part in means[: studies - studies % RATERS].reshape(-1, RATERS, means.shape[1])
    ]
    return {
        "generalizability": float(together / (studies * (studies - 1)) / variance),
        "w": float(np.mean(ws)),
    }


def _means(models: Population, rng: np.random.Generator, configurations: int, examples: int) -> np.ndarray:
    scores = models.with_fresh_configurations(rng, configurations).draw(rng, examples)
    return np.mean([cube.mean(axis=(1, 2)) for cube in scores], axis=0)
