"""unitxt's confidence intervals of means, for all resamples at once.

unitxt calls a metric once a resample, a thousand times a configuration; that took longer than all else in
``evaluate``. The same resamples and the same method (bootstrap, by default bias-corrected and accelerated:
Efron 1987, "Better Bootstrap Confidence Intervals") over an array of scores give the same numbers.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

_AT_ONCE = 4_000_000
"""How many scores are held while means are taken."""


def intervals(
    scores: Sequence[Mapping[str, float]],
    names: Sequence[str],
    generator: np.random.Generator,
    *,
    resamples: int,
    level: float,
    method: str,
) -> dict[str, float]:
    """The interval of the mean of each score, as ``NAME_ci_low`` and ``NAME_ci_high``.

    Args:
        scores: of each instance, two or more; one that lacks a score, or has NaN, is left out of its mean.
        names: of the scores.
        generator: draws the resamples.
        resamples: how many.
        level: of confidence, e.g. 0.95.
        method: as SciPy names it: ``BCa``, ``percentile`` or ``basic``.
    """
    import numpy as np

    values = np.array([[each.get(name, math.nan) for each in scores] for name in names], dtype=float)
    # resamples of equal scores have one mean, of which BCa has no interval; unitxt gives the mean then
    bounds = np.stack([_means(values, axis=-1)] * 2)
    varied = np.array([len(np.unique(row[~np.isnan(row)])) > 1 for row in values])
    if varied.any():
        options = {"n_resamples": resamples, "confidence_level": level, "method": method}
        bounds[:, varied] = _bootstrapped(values[varied], generator, options)
    return {
        f"{name}_ci_{side}": float(bounds[at, number])
        for number, name in enumerate(names)
        for at, side in enumerate(("low", "high"))
    }


def _bootstrapped(values: np.ndarray, generator: np.random.Generator, options: Mapping[str, Any]) -> Any:
    """Low and high of each row's mean; whole instances are drawn, so the rows are resampled alike."""
    import numpy as np
    from scipy.stats import bootstrap

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of intervals that cannot be had: NaN says so
        found = bootstrap(
            (np.arange(values.shape[-1]),),
            lambda drawn, axis: _means(values[:, drawn], axis=axis),
            vectorized=True,
            batch=max(1, _AT_ONCE // values.size),
            random_state=generator,
            **options,
        )
    return np.stack([found.confidence_interval.low, found.confidence_interval.high])


def _means(values: np.ndarray, axis: int) -> Any:
    import numpy as np

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=RuntimeWarning)  # where there is nothing but NaN
        return np.nanmean(values, axis=axis)
