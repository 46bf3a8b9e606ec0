"""Which differences between models are real: intervals apart, and paired tests with Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Booleans, Floats

METHOD = {
    "value": "share of model pairs whose performance intervals do not overlap (intervals that touch overlap)",
    "paired": (
        "share of model pairs whose difference in performance excludes 0 after Holm's correction over all "
        "pairs, at the intervals' level: two-sided t test of the per-example differences (each a mean over "
        "configurations); overall: of their unweighted mean over data sets, with Welch-Satterthwaite degrees "
        "of freedom; configurations are taken as given"
    ),
}
# Differences below this are rounding errors of means, not differences between models.
_ROUNDING = 12


def separable(low: Floats, high: Floats) -> Booleans:
    """Which pairs of models have intervals that do not overlap.

    Args:
        low: lower bounds, (models,).
        high: upper bounds, (models,).

    Returns:
        (models x models), symmetric; False where a bound is NaN.
    """
    import numpy as np

    apart: Booleans = low[:, None] > high[None, :]
    either: Booleans = np.logical_or(apart, apart.T)
    return either


def share_of_pairs(pairs: Booleans, known: Booleans) -> float:
    """The share of True among the pairs of models that are ``known``, (models,); NaN if there is no pair."""
    import numpy as np

    first, second = np.triu_indices(len(pairs), k=1)
    both = known[first] & known[second]
    return float(pairs[first, second][both].mean()) if both.any() else float("nan")


def paired_p_values(example_means: Sequence[Floats]) -> Floats:
    """Two-sided p-values of the differences between models, examples paired.

    In data set d a pair's per-example differences have mean D_d and standard error E_d. The statistic is the
    mean of the D_d over the square root of the sum of E_d**2, divided by the number of data sets; it has (sum
    v_d)**2 / sum(v_d**2 / (n_d - 1)) degrees of freedom, v_d = E_d**2 (Welch 1947, Satterthwaite 1946). With
    one data set this is the paired t test.

    Args:
        example_means: for each data set (models x examples); examples that one of a pair lacks are left out
            of it.

    Returns:
        (models x models), symmetric with 1 on the diagonal; NaN for pairs with fewer than two common examples
        in a data set, for which nothing can be said.
    """
    import numpy as np
    from scipy import stats

    moments = [_difference_moments(means) for means in example_means]
    difference = sum(mean for mean, _, _ in moments) / len(moments)
    variances = np.stack([variance for _, variance, _ in moments])
    total = variances.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = np.stack([count for _, _, count in moments])
        freedom = total**2 / (variances**2 / (counts - 1)).sum(axis=0)
        statistic = np.abs(difference) / (np.sqrt(total) / len(moments))
        p_values = 2 * stats.t.sf(statistic, freedom)
    # no variance at all: equal everywhere, or different by the same amount everywhere
    p_values = np.where(total == 0, np.where(difference == 0, 1.0, 0.0), p_values)
    p_values = np.where((counts < 2).any(axis=0), np.nan, p_values)
    np.fill_diagonal(p_values, 1.0)
    result: Floats = p_values
    return result


def _difference_moments(means: Floats) -> tuple[Floats, Floats, Floats]:
    """For each pair the mean difference, its squared standard error and the number of common examples."""
    import numpy as np

    models = len(means)
    mean, variance, count = (np.zeros((models, models)) for _ in range(3))
    for model in range(models):
        differences = np.round(means[model] - means, _ROUNDING)
        present = ~np.isnan(differences)
        filled = np.where(present, differences, 0.0)
        n = present.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean[model] = filled.sum(axis=1) / n
            squares = (np.where(present, differences - mean[model][:, None], 0.0) ** 2).sum(axis=1)
            variance[model] = squares / (n - 1) / n
        constant = np.ptp(np.where(present, differences, _first(differences, present)), axis=1) == 0
        variance[model][constant & (n > 1)] = 0.0
        count[model] = n
    return mean, variance, count


def _first(differences: Floats, present: Booleans) -> Floats:
    """The first difference of each row that is there, (models x 1); 0 where none is."""
    import numpy as np

    index = present.argmax(axis=1)[:, None]
    return np.nan_to_num(np.take_along_axis(differences, index, axis=1))


def holm_significant(p_values: Floats, level: float) -> Booleans:
    """Which hypotheses Holm's step-down procedure rejects at ``1 - level`` (Holm 1979).

    Args:
        p_values: (pairs,); a NaN is never rejected, and counts as one of the hypotheses.
        level: e.g. 0.95.
    """
    import numpy as np

    filled = np.nan_to_num(p_values, nan=1.0)
    order = np.argsort(filled, kind="stable")
    limits = (1 - level) / (len(filled) - np.arange(len(filled)))
    rejected = np.zeros(len(filled), dtype=bool)
    rejected[order] = np.logical_and.accumulate(filled[order] <= limits)
    return rejected


def paired_share(example_means: Sequence[Floats], known: Booleans, level: float) -> float:
    """The share of pairs of ``known`` models whose difference is significant after Holm; NaN if no pair."""
    import numpy as np

    if known.sum() < 2:
        return float("nan")
    p_values = paired_p_values([means[known] for means in example_means])
    return float(holm_significant(p_values[np.triu_indices(int(known.sum()), k=1)], level).mean())
