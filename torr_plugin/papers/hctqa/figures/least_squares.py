"""Least squares on properties: identifiable columns, and errors clustered by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit

from ....core.statistics import Booleans, Floats, Integers, cluster_sums

MOST_UNKNOWN = 0.1
"""The share of examples of which a property may be unknown; examples without it are then left out."""


@dataclass(frozen=True)
class RegressionDesign:
    """What a score is regressed on.

    Attributes:
        names: the properties, a column each.
        columns: 1 where an example has the property, else 0, (rows x names).
        rows: which examples have all of them known, (examples,).
        dropped: property -> why it is in no column.
    """

    names: tuple[str, ...]
    columns: Floats
    rows: Booleans
    dropped: Mapping[str, str]


FEWEST_TABLES = 5.0
"""The effective number of tables on which a property must differ from the others."""


def regression_design(
    properties: Mapping[str, Sequence[bool | None]], scored: Booleans, clusters: Integers
) -> RegressionDesign:
    """The design of a regression with an intercept.

    A property is dropped where it is unknown of more than ``MOST_UNKNOWN`` of the examples, has one value
    only, or follows from rarer ones (its column is a linear combination of theirs and the intercept): where
    "nested" is "balanced" or "unbalanced", the two stay. It is also dropped where what distinguishes it from
    rarer ones lies in fewer than ``FEWEST_TABLES`` tables: errors by table would come out far too small. Of
    the rest, examples with an unknown property are left out.

    Args:
        properties: property -> an example each, None where it is not known.
        scored: which examples have a score, (examples,).
        clusters: the number of the table of each example, (examples,).
    """
    dropped: dict[str, str] = {}
    known: dict[str, Floats] = {}
    for name, values in properties.items():
        column = np.array([np.nan if value is None else float(value) for value in values])
        unknown = int(np.isnan(column[scored]).sum())
        if unknown > MOST_UNKNOWN * scored.sum():
            dropped[name] = f"unknown of {unknown:,} of {int(scored.sum()):,} examples"
        else:
            known[name] = column
    rows = scored & ~np.isnan(sum(known.values(), np.zeros(len(scored))))
    count = int(rows.sum())
    rarest_first = sorted(known, key=lambda name: float(known[name][rows].sum()))
    dropped |= _dependent({name: known[name][rows] for name in rarest_first}, clusters[rows])
    names = tuple(name for name in properties if name not in dropped)
    columns = np.stack([known[name][rows] for name in names], axis=1) if names else np.empty((count, 0))
    return RegressionDesign(
        names, columns, rows, {name: dropped[name] for name in properties if name in dropped}
    )


def _dependent(columns: Mapping[str, Floats], clusters: Integers) -> dict[str, str]:
    """The columns that do not add to the rank of those before them on enough tables, and why."""
    count = len(clusters)
    basis = [np.ones(count) / np.sqrt(max(count, 1))]
    why: dict[str, str] = {}
    for name, column in columns.items():
        if not count or column.min() == column.max():
            which = "present in" if count and column[0] else "absent from"
            why[name] = f"{which} all examples"
            continue
        # twice: once leaves rounding errors in the direction of the basis
        rest = _orthogonal(_orthogonal(column, basis), basis)
        length = float(np.linalg.norm(rest))
        if length < 1e-8 * float(np.linalg.norm(column)):
            why[name] = "follows from rarer ones"
            continue
        if effective_clusters(rest, clusters) < FEWEST_TABLES:
            why[name] = "differs from rarer ones on too few tables"
            continue
        basis.append(rest / length)
    return why


def effective_clusters(rest: Floats, clusters: Integers) -> float:
    """How many clusters a column varies in: (sum of s)^2 / sum of s^2, s a cluster's sum of squares.

    One where a single cluster holds all of it, the number of clusters where all hold as much (the inverse of
    Herfindahl's index).
    """
    squares = np.bincount(clusters, weights=rest**2)
    return float(squares.sum() ** 2 / (squares**2).sum())


def _orthogonal(column: Floats, basis: Sequence[Floats]) -> Floats:
    for direction in basis:
        column = column - (column @ direction) * direction
    return column


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
    design = np.column_stack([np.ones(len(scores)), columns])
    rows, names = design.shape
    bread = np.linalg.pinv(design.T @ design)
    coefficients = bread @ design.T @ scores
    rest = scores - design @ coefficients
    parts, freedom, correction = design * rest[:, None], rows - names, rows / (rows - names)
    if clusters is not None:
        parts = cluster_sums(parts.T, clusters).T
        freedom, correction = len(parts) - 1, len(parts) / (len(parts) - 1) * (rows - 1) / (rows - names)
    errors = np.sqrt(correction * np.diagonal(bread @ parts.T @ parts @ bread))
    # of columns that explain all there is, errors are rounding errors
    exact = errors < NOISE
    errors = np.where(exact, 0.0, errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = 2 * stdtr(freedom, -np.abs(coefficients) / errors)
    p = np.where(exact, np.where(np.abs(coefficients) < NOISE, np.nan, 0.0), p)
    reach = stdtrit(freedom, (1 + level) / 2) * errors
    return Fit(coefficients, errors, p, coefficients - reach, coefficients + reach, _share(scores, rest))


def _share(scores: Floats, rest: Sequence[float]) -> float:
    """R squared; NaN where the scores are all alike."""
    spread = float(((scores - scores.mean()) ** 2).sum())
    return 1 - float((np.asarray(rest) ** 2).sum()) / spread if spread > 0 else float("nan")
