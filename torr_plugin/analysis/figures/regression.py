"""Regressions of the mean score on properties (HCT-QA, section 4.2, Table 4; appendix D.2, Table 9).

MERGED: What each property of tables does to the mean score, the others held fixed (HCT-QA, Tables 4 and 9).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from ..charts.labels import Analysis, Lacking, Row, basis, known, labels, needed
from ..charts.panels import Layout, dots
from ..charts.vega import Drawing
from ..estimates import number
from ..examples import Stack, is_yes_or_no
from ..least_squares import NOISE, Design, Fit, design, fitted
from ..statistics import divided

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats, Integers

METHOD = (
    "ordinary least squares of the mean score over models; examples: errors clustered by table, t tests with "
    "tables - 1 degrees of freedom; tables: the mean over a table's questions, HC1 errors"
)
_FEWEST_TABLES = 10


def regressions(found: Sequence[Stack], level: float) -> dict[str, Any]:
    """``regression`` of ``analysis.json``.

    An example counts where every model that has any score has one of it, so that all means are over the same
    models.

    Returns:
        {"method", "datasets": {data set or "overall": {"table" or "question": {"examples": R, "tables":
        R}}}}; R = {"rows", "tables", "left_out", "r2", "intercept": C, "coefficients": {property: C},
        "dropped": {property: why}}, C = {"value", "low", "high", "error", "p"}; "p" is null where neither
        the coefficient nor its error differs from 0. Questions' properties differ within a table, so they
        have no "tables". Empty where nothing can be regressed.
    """
    datasets = {
        stack.place: fits
        for stack in found
        if (fits := {of: fit for of in stack.kinds() if (fit := _of(stack, of, level))})
    }
    return {"method": METHOD, "datasets": datasets} if datasets else {}


def _of(stack: Stack, of: str, level: float) -> dict[str, Any]:
    properties = {
        name: cast("Sequence[bool | None]", values)
        for name, values in stack.properties(of).items()
        if is_yes_or_no(values)
    }
    scores, scored = mean_scores(stack.scores)
    chosen = design(properties, scored, stack.clusters)
    found = {"examples": _regressed(scores, chosen, stack.clusters, scored, level)}
    if of == "table":
        found["tables"] = _by_table(properties, scores, scored, stack.clusters, level)
    return {name: one for name, one in found.items() if one}


def mean_scores(scores: Floats) -> tuple[Floats, Booleans]:
    """The mean over the models that have any score, and which examples all of these have a score of.

    Args:
        scores: (models x examples); NaN is a hole.
    """
    import numpy as np

    used = scores[~np.isnan(scores).all(axis=1)]
    if not len(used):
        return np.full(scores.shape[1], np.nan), np.zeros(scores.shape[1], dtype=bool)
    # NaN where a model has none
    means: Floats = used.mean(axis=0)
    return means, ~np.isnan(means)


def _regressed(
    scores: Floats, chosen: Design, clusters: Integers | None, scored: Booleans, level: float
) -> dict[str, Any]:
    """One regression; empty where too little is left for it."""
    import numpy as np

    y = scores[chosen.rows]
    groups = None if clusters is None else clusters[chosen.rows]
    tables = len(y) if groups is None else len(np.unique(groups))
    if not chosen.names or tables < max(_FEWEST_TABLES, len(chosen.names) + 2) or np.ptp(y) < NOISE:
        return {}
    fit = fitted(y, chosen.columns, groups, level)
    return {
        "rows": len(y),
        "tables": tables,
        "left_out": int(len(scored) - len(y)),
        "r2": number(fit.r2),
        "intercept": _coefficient(fit, 0),
        "coefficients": {name: _coefficient(fit, i) for i, name in enumerate(chosen.names, 1)},
        "dropped": dict(chosen.dropped),
    }


def _coefficient(fit: Fit, place: int) -> dict[str, Any]:
    return {
        "value": number(fit.coefficients[place]),
        "low": number(fit.low[place]),
        "high": number(fit.high[place]),
        "error": number(fit.errors[place]),
        # a p-value keeps its digits, however small
        "p": None if math.isnan(fit.p[place]) else float(f"{fit.p[place]:.6g}"),
    }


def _by_table(
    properties: Mapping[str, Sequence[bool | None]],
    scores: Floats,
    scored: Booleans,
    clusters: Integers,
    level: float,
) -> dict[str, Any]:
    """The regression over tables, each with the mean score of its questions."""
    import numpy as np

    count = int(clusters.max()) + 1
    if count == len(clusters):
        return {}
    sums = np.bincount(clusters, weights=np.where(scored, scores, 0.0), minlength=count)
    counts = np.bincount(clusters, weights=scored.astype(float), minlength=count)
    means = divided(sums.astype(float), counts.astype(float))
    _, first = np.unique(clusters, return_index=True)
    of_tables = {name: [values[i] for i in first] for name, values in properties.items()}
    known = ~np.isnan(means)
    return _regressed(means, design(of_tables, known, np.arange(count)), None, known, level)


_LONGEST = 48


def build(analysis: Analysis) -> Drawing:
    """A row a property: its coefficient in the regression over examples, a panel a data set."""
    found = needed(analysis, "regression", "datasets", why="no properties to regress scores on")
    fits = {
        place: own["table"]["examples"]
        for place, own in found.items()
        if own.get("table", {}).get("examples")
    }
    if not fits:
        raise Lacking("no properties of tables to regress scores on")
    panels = labels(fits, 30)
    names = labels(dict.fromkeys(name for fit in fits.values() for name in fit["coefficients"]), _LONGEST)
    rows: list[Row] = [
        {"row": names[name], "panel": panels[place], "reference": 0.0, **figure}
        for place, fit in fits.items()
        for name, own in fit["coefficients"].items()
        if (figure := known(own))
    ]
    layout = Layout(
        rows=list(names.values()),
        panels=list(panels.values()) if len(panels) > 1 else (),
        x="change of the mean score with the property",
        width=300,
        columns=3,
    )
    examples, tables = (_least_to_most([fit[key] for fit in fits.values()]) for key in ("rows", "tables"))
    lines = [
        f"{basis(analysis)}. Least squares over {examples} examples on {tables} tables",
        f"Lines: {100 * analysis['settings']['level']:g} % intervals, errors clustered by table",
    ]
    return dots(rows, layout, "Effect of each property of tables, the others held fixed", lines)


def _least_to_most(counts: Sequence[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
