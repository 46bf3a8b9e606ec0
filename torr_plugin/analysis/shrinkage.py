"""Draws of the models' true means: what resampled means would be, had noise not spread the models apart.

Means over few examples spread more than the truth does, and resampled means carry that noise twice. Both
draws here are those of a normal model with random effects: the figures are shrunk towards their mean, and the
resamples' own noise, shrunk likewise, is laid on top, so that a draw's spread is the truth's (Efron and
Morris 1975 for the shrinkage; Box and Tiao, "Bayesian inference in statistical analysis", 1973, sections 5.2
and 8.2 for the draws of the spreads under vague priors). The resamples keep what normal noise would lose:
models answer the same examples, and some are noisier than others.
"""

from __future__ import annotations

import numpy as np
from scipy import special

from ..core.statistics import Floats


def stabilised(means: Floats) -> Floats:
    """The arcsine of the root, which makes the noise of shares near 0, 1/2 and 1 alike; keeps every order."""
    result: Floats = np.arcsin(np.sqrt(np.clip(means, 0.0, 1.0)))
    return result


def paired_draws(values: Floats, samples: Floats, rng: np.random.Generator) -> Floats:
    """Draws of the true means of the same models on two data sets.

    The model: true means are normal with an unknown 2 x 2 covariance over models, their noise is the
    resamples'. A draw takes the covariance T of what is seen (truth and noise) from its inverse Wishart
    posterior, has the truth's share B = 1 - noise / T of it, and is B values + B^(1/2) noise.

    Args:
        values: (2 x models), without NaN.
        samples: of the values, (draws x 2 x models).
        rng: draws the covariances.

    Returns:
        (draws x 2 x models), less each data set's mean over models. Fewer than 3 models cannot tell noise
        from truth: then these are the samples.
    """
    freedom = values.shape[1] - 1
    centre = values - values.mean(axis=1, keepdims=True)
    noise = samples - samples.mean(axis=2, keepdims=True) - centre
    if freedom < 2:
        unshrunk: Floats = centre + noise
        return unshrunk
    spread = (centre**2).sum(axis=1) / freedom
    error = (noise**2).sum(axis=2).mean(axis=0) / freedom
    unit = np.sqrt(np.maximum(error, 1e-8 * spread))[:, None]
    unit[unit == 0] = 1.0
    seen, noise = centre / unit, noise / unit
    total = _covariances(seen @ seen.T, freedom, len(samples), rng)
    sizes, axes = np.linalg.eigh(total)
    share = np.clip(1 - 1 / np.maximum(sizes, 1e-12), 1e-6, 1.0)[:, None, :]
    turned = axes.transpose(0, 2, 1)
    draws: Floats = (axes * share) @ (turned @ seen) + (axes * np.sqrt(share)) @ (turned @ noise)
    draws *= unit
    return draws


def _covariances(scatter: Floats, freedom: int, draws: int, rng: np.random.Generator) -> Floats:
    """Inverse Wishart draws, (draws x 2 x 2), by Bartlett's decomposition; ``scatter`` may be singular."""
    root = np.sqrt(scatter[0, 0])
    below = scatter[1, 0] / root if root else 0.0
    lower = np.array([[root, 0.0], [below, np.sqrt(max(scatter[1, 1] - below**2, 0.0))]])
    first, last = np.sqrt(rng.chisquare(freedom, draws)), np.sqrt(rng.chisquare(freedom - 1, draws))
    # the inverse of Bartlett's lower triangle, transposed
    inverse = np.zeros((draws, 2, 2))
    inverse[:, 0, 0], inverse[:, 1, 1] = 1 / first, 1 / last
    inverse[:, 0, 1] = -rng.standard_normal(draws) / (first * last)
    half = lower @ inverse
    result: Floats = half @ half.transpose(0, 2, 1)
    return result


def crossed_draws(values: Floats, samples: Floats, rng: np.random.Generator) -> Floats:
    """Draws of the true means of models x configurations.

    The model: a true mean is its configuration's effect, which ranks nothing and is taken out, plus the
    model's plus their interaction's, both normal. Each part is shrunk by its own share of truth, 1 - noise /
    total, the total a draw of its scaled inverse chi-squared posterior cut off below the noise.

    Args:
        values: (configurations x models), without NaN.
        samples: of the values, (draws x configurations x models); overwritten.
        rng: draws the totals.

    Returns:
        (draws x configurations x models).
    """
    configurations, models = values.shape
    centre = values - values.mean(axis=1, keepdims=True)
    noise = samples
    noise -= noise.mean(axis=2, keepdims=True)
    noise -= centre
    of_models, noise_of_models = centre.mean(axis=0, keepdims=True), noise.mean(axis=1, keepdims=True)
    rest = centre - of_models
    noise -= noise_of_models
    freedom = models - 1
    share = _share(of_models, noise_of_models, freedom, rng)
    main = share * of_models + share**0.5 * noise_of_models
    share = _share(rest, noise, freedom * (configurations - 1), rng)
    noise *= share**0.5
    noise += main
    noise += share * rest
    return noise


def _share(values: Floats, noise: Floats, freedom: int, rng: np.random.Generator) -> Floats:
    """The share of truth in the spread of ``values``, a draw a sample, (draws x 1 x 1)."""
    draws = len(noise)
    scatter = float((values**2).sum())
    if not freedom or not scatter:
        return np.ones((draws, 1, 1))
    error = float(np.einsum("kcm,kcm->", noise, noise)) / draws / freedom
    # total = scatter / chi-squared with `freedom`, more than error
    most = special.gammainc(freedom / 2, scatter / error / 2) if error else 1.0
    chi_squared = 2 * special.gammaincinv(freedom / 2, rng.random(draws) * most)
    share: Floats = np.clip(1 - error * chi_squared / scatter, 0.0, 1.0)[:, None, None]
    return share
