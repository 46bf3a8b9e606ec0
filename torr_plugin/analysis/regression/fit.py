"""Ordinary least squares with errors that allow for examples of one table being alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..types import Floats, Integers


NOISE = 1e-9
"""Differences of scores, which are from 0 to 1, that are but rounding errors."""


@dataclass(frozen=True)
class Fit:
    """A regression: arrays of a coefficient each, the intercept first.

    Attributes:
        coefficients: the least-squares estimates.
        errors: their standard errors.
        p: two-sided p-values that a coefficient is 0; NaN where it and its error are.
        low: lower bounds of the coefficients' intervals.
        high: upper bounds.
        r2: the share of the variance that the columns explain.
    """

    coefficients: Floats
    errors: Floats
    p: Floats
    low: Floats
    high: Floats
    r2: float


def fitted(scores: Floats, columns: Floats, clusters: Integers | None, level: float) -> Fit:
    """Regress scores on columns and an intercept.

    With clusters, errors are the sandwich of Liang and Zeger (1986) with the correction G / (G - 1) (N - 1) /
    (N - K), and tests are t tests with G - 1 degrees of freedom; G clusters, N rows, K coefficients. Without,
    errors are White's with the correction N / (N - K) (HC1), tests with N - K degrees of freedom.

    Args:
        scores: (rows,).
        columns: (rows x names), of full rank with an intercept; more rows than coefficients.
        clusters: of the rows, (rows,), two or more; None: rows are independent.
        level: of the intervals, e.g. 0.95.
    """
    import numpy as np
    from statsmodels.regression.linear_model import OLS

    design = np.column_stack([np.ones(len(scores)), columns])
    how: dict[str, object] = {"cov_type": "HC1"}
    if clusters is not None:
        how = {"cov_type": "cluster", "cov_kwds": {"groups": clusters, "use_correction": True}}
    found = OLS(scores, design).fit(**how, use_t=True)
    # of columns that explain all there is, errors are rounding errors, or roots of negative ones
    with np.errstate(invalid="ignore", divide="ignore"):
        exact = ~(found.bse >= NOISE)
        p = np.where(exact, np.where(np.abs(found.params) < NOISE, np.nan, 0.0), found.pvalues)
        low, high = np.where(exact, found.params, found.conf_int(alpha=1 - level).T)
    errors = np.where(exact, 0.0, found.bse)
    return Fit(found.params, errors, p, low, high, _share(scores, found.resid))


def _share(scores: Floats, rest: Sequence[float]) -> float:
    """R squared; NaN where the scores are all alike."""
    import numpy as np

    spread = float(((scores - scores.mean()) ** 2).sum())
    return 1 - float((np.asarray(rest) ** 2).sum()) / spread if spread > 0 else float("nan")
