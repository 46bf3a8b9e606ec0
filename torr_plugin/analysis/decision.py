"""Decision studies: how reliable a ranking by any number of configurations and examples would be."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.special import ndtr

from ..core.statistics import Floats
from .cube import Cube
from .variance_components import MODEL_CONFIGURATION, MODEL_EXAMPLE, RESIDUAL

Parts = Mapping[str, "Floats"]
RATERS = 10
"""Rankings in a W, as in ToRR's reliability curves."""
_ENOUGH = 1e-9  # keeps a whole number of examples from being rounded up
_LEAST_PAIR = 1e-3  # of two models that never differ, the error of the difference over that of others


def relative_error(parts: Parts, configurations: float | Floats, examples: float | Floats) -> Floats:
    """The error variance of differences between models' means over k configurations and n examples.

    s(model:configuration) / k + s(model:example) / n + s(residual) / (k n); what is common to all models
    cancels (Brennan 2001, formula 4.4).

    Args:
        parts: components; for all data sets, those of :func:`.variance_components.composite_components`.
        configurations: k; infinity for all.
        examples: n, of each data set; infinity for all.
    """
    mc, me, rest = (np.maximum(parts[name], 0.0) for name in (MODEL_CONFIGURATION, MODEL_EXAMPLE, RESIDUAL))
    result: Floats = mc / configurations + me / examples + rest / (configurations * examples)
    return result


def ratio(model: Floats, error: Floats) -> Floats:
    """The generalizability coefficient: the models' variance over itself and the relative error's.

    It is the share of the variance between the models' means in such a study that is not error: the expected
    covariance of two studies' means, each from other configurations and examples, over their variance. NaN
    where both are 0.
    """
    model = np.maximum(model, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(model + error > 0, model / (model + error), np.nan)
    return result


def plausible_means(means: Floats, model: Floats, error: Floats, noise: Floats) -> Floats:
    """What the models' expected scores may be: draws of their spacing, each with the variance ``model``.

    Normal empirical Bayes: a mean with the error variance v among models of variance s is shrunk by s / (s +
    v) and has s v / (s + v) left of its variance (Efron and Morris 1973); then scaled to the variance.

    Args:
        means: observed, (models,), in an order that does not depend on that of the models.
        model: the variance among expected scores, a number or (draws,).
        error: the error variance of ``means``, likewise.
        noise: standard normal numbers, (draws x models).

    Returns:
        (draws x models), with mean 0.
    """
    model, error = np.maximum(model, 0.0)[..., None], np.maximum(error, 0.0)[..., None]
    centred = means - means.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        kept = np.where(model > 0, model / (model + error), 0.0)
        drawn = kept * centred + np.sqrt(kept * error) * noise
        drawn = drawn - drawn.mean(axis=-1, keepdims=True)
        scaled = drawn * np.sqrt(model / drawn.var(axis=-1, ddof=1, keepdims=True))
    result: Floats = np.where(np.isfinite(scaled), scaled, 0.0)
    return result


def pair_errors(cubes: Sequence[Cube]) -> Floats:
    """How exactly pairs of models are compared: the error variance of each difference over the mean pair's.

    A model near the ceiling differs from the others by chance in other measure than two that find the same
    examples hard. It is taken from how differences vary over examples, within configurations, over the cells
    that all models have; all pairs count alike where there are no two of them or no difference varies.

    Args:
        cubes: of the same models; errors of data sets add.

    Returns:
        (models x models), in the mean 1 over pairs; never 0.
    """
    covariance = np.sum([_covariance(cube.scores) for cube in cubes], axis=0)
    own = np.diag(covariance)
    found = own[:, None] + own - 2 * covariance
    size = len(found)
    mean = found.sum() / max(1, size * (size - 1))
    result: Floats = np.maximum(found / mean, _LEAST_PAIR) if mean > 0 else np.ones(found.shape)
    return result


def _covariance(scores: Floats) -> Floats:
    """Of the models' scores over examples, (models x models), pooled over configurations."""
    shared = ~np.isnan(scores).any(axis=0)
    counts = shared.sum(axis=1)
    kept = np.where(shared, scores, 0.0)
    centred = np.where(shared, kept - (kept.sum(axis=2) / np.maximum(counts, 1))[:, :, None], 0.0)
    rows = centred.reshape(len(scores), -1)
    result: Floats = rows @ rows.T / max(1, int(np.maximum(counts - 1, 0).sum()))
    return result


def expected_w(means: Floats, error: Floats, pairs: Floats) -> Floats:
    """The expected Kendall's W of rankings by fresh configurations and examples, under a normal model.

    Models i and j are observed with the means u_i and u_j, and a normal error of their difference of variance
    v_ij = 2 ``error`` ``pairs``_ij, independent between rankings. The expected rank of i is 1 + the sum over
    j of P(j before i) = F((u_j - u_i) / sqrt(v_ij)), and as rankings are independent, the expected Spearman
    correlation of two is the variance of the expected ranks over (M**2 - 1) / 12. W of ``RATERS`` rankings is
    (1 + (R - 1) times it) / R (Kendall and Gibbons 1990, section 6.4). Ties are not modelled.

    Args:
        means: the models' expected scores, (... x models).
        error: the relative error variance, a number or (...).
        pairs: of :func:`pair_errors`, in the order of ``means``.

    Returns:
        (...).
    """
    size = means.shape[-1]
    with np.errstate(divide="ignore"):
        scale = np.minimum(1 / np.sqrt(2 * np.maximum(error, 0.0)), 1e12)[..., None]
    ranks = np.zeros(means.shape)
    exactness = 1 / np.sqrt(pairs)
    for j in range(1, size):
        before = ndtr(scale * exactness[j, :j] * (means[..., j : j + 1] - means[..., :j]))
        ranks[..., :j] += before
        ranks[..., j] += j - before.sum(axis=-1)
    spearman = 12 * ranks.var(axis=-1) / (size**2 - 1)
    result: Floats = (1 + (RATERS - 1) * spearman) / RATERS
    return result


def best_shares(means: Floats, errors: Floats, noise: Floats) -> Floats:
    """How often a ranking has the right model first, of each error variance, (errors,).

    Args:
        means: draws of the models' expected scores, (draws x models).
        errors: relative error variances.
        noise: standard normal numbers, (draws x models).
    """
    best = means.argmax(axis=1)
    seen = [(means + math.sqrt(error) * noise).argmax(axis=1) for error in errors]
    return np.array([(each == best).mean() for each in seen])


def largest_errors(reliability: Callable[[Floats], Floats], targets: Floats) -> Floats:
    """The largest error variances with which a reliability that falls with them still reaches targets.

    Args:
        reliability: of error variances (...), (...).
        targets: of the reliability (...).

    Returns:
        0 where no error reaches a target, infinity where every one does.
    """
    low, high = np.full(targets.shape, 1e-14), np.full(targets.shape, 1e6)
    never, always = ~(reliability(low) >= targets), reliability(high) >= targets
    for _ in range(60):
        middle = np.sqrt(low * high)
        reached = reliability(middle) >= targets
        low, high = np.where(reached, middle, low), np.where(reached, high, middle)
    result: Floats = np.where(always, np.inf, np.where(never, 0.0, low))
    return result


def least_examples(parts: Parts, configurations: float | Floats, error: float) -> Floats:
    """The least examples with which k configurations (...) err by no more than a variance ``error``.

    n = ceil((s(model:example) + s(residual) / k) / (error - s(model:configuration) / k)); infinity where no
    number does.
    """
    k = np.asarray(configurations, float)
    if math.isinf(error):
        return np.ones(k.shape)
    configuration = relative_error(parts, k, math.inf)
    per_example = relative_error(parts, k, 1) - configuration
    left = error - configuration
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.maximum(1.0, np.ceil(per_example / left - _ENOUGH))
    exactly = (left == 0) & (per_example == 0) & (error > 0)
    result: Floats = np.where(exactly, 1.0, np.where(left > 0, needed, np.inf))
    return result
