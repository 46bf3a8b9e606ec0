"""Decision studies: how reliable a ranking by any number of configurations and examples would be."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from ..core.statistics import Floats
from .variance_components import MODEL_CONFIGURATION, MODEL_EXAMPLE, RESIDUAL

Parts = Mapping[str, "Floats"]
_ENOUGH = 1e-9  # keeps a whole number of examples from being rounded up


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
