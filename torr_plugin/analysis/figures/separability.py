"""Which differences between models are real: intervals apart, and paired tests with Holm's correction.

MERGED: Which share of model pairs each data set tells apart (ToRR, Fig. 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..charts.labels import Analysis, Lacking, basis, dataset_labels, known, needed
from ..charts.panels import Layout, dots
from ..charts.vega import Drawing
from ..estimates import number
from ..paired_tests import Differences, PairedTest, holm_adjusted, holm_significant, paired_test

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats

METHOD = {
    "value": "share of model pairs whose performance intervals do not overlap (intervals that touch overlap)",
    "paired": (
        "share of model pairs whose difference in performance excludes 0 after Holm's correction over all "
        "pairs, at the intervals' level: two-sided t test of the per-example differences (each a mean over "
        "configurations), a studentized statistic and no resamples, of which 1,000 give no p-value that is "
        "small enough for many pairs; overall: of their unweighted mean over data sets, with "
        "Welch-Satterthwaite degrees of freedom; configurations are taken as given"
    ),
}


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


def separability(
    models: Sequence[str],
    differences: Sequence[Differences],
    bounds: tuple[Floats, Floats],
    level: float,
    *,
    named: bool = False,
) -> dict[str, Any]:
    """How many pairs of models can be told apart, and which.

    Args:
        models: their names.
        differences: of each data set whose mean is looked at.
        bounds: lower and upper, of the models' performance, (models,) each; NaN for one without a figure,
            which is in no pair.
        level: of the intervals and tests.
        named: say which pairs.

    Returns:
        ``value``, ``paired`` (see ``METHOD``) and ``pairs``, how many there are; if ``named``,
        ``pairs_separated``: the pairs separated by either, the largest difference first: ``models`` (the
        better one first), ``difference`` with ``low`` and ``high`` (its own t interval, without correction),
        ``p`` after Holm's correction, and whether ``apart`` (the intervals) and ``paired``.
    """
    import numpy as np

    known = ~np.isnan(bounds[0])
    apart = separable(*bounds)[known][:, known]
    size = len(apart)
    found = {"value": number(share_of_pairs(apart, np.ones(size, dtype=bool))), "paired": None}
    upper = np.triu_indices(size, k=1)
    pairs: dict[str, Any] = {**found, "pairs": len(upper[0])}
    named_pairs: list[dict[str, Any]] = []
    if len(upper[0]):
        test = paired_test([one.among(known) for one in differences])
        rejected = holm_significant(test.p_values[upper], level)
        pairs["paired"] = number(float(rejected.mean()))
        names = [name for name, there in zip(models, known, strict=True) if there]
        named_pairs = _named(names, test, (apart[upper], rejected), level) if named else []
    return {**pairs, "pairs_separated": named_pairs} if named else pairs


def _named(
    names: Sequence[str], test: PairedTest, separated: tuple[Booleans, Booleans], level: float
) -> list[dict[str, Any]]:
    """The pairs that either of ``separated`` (intervals apart, tests) has, the largest difference first."""
    import numpy as np

    first, second = np.triu_indices(len(names), k=1)
    low, high = (bound[first, second] for bound in test.bounds(level))
    difference, p_values = test.difference[first, second], holm_adjusted(test.p_values[first, second])
    rows = []
    for place in np.flatnonzero(separated[0] | separated[1]):
        swap = difference[place] < 0
        sign, ends = (-1.0, (high, low)) if swap else (1.0, (low, high))
        pair = [names[first[place]], names[second[place]]]
        rows.append(
            {
                "models": pair[::-1] if swap else pair,
                "difference": number(sign * difference[place]),
                "low": number(sign * ends[0][place]),
                "high": number(sign * ends[1][place]),
                "p": number(p_values[place]),
                "apart": bool(separated[0][place]),
                "paired": bool(separated[1][place]),
            }
        )
    return sorted(rows, key=lambda row: (-(row["difference"] or 0.0), row["models"]))


_SERIES = {"value": "intervals apart", "paired": "paired test, Holm-corrected"}


def build(analysis: Analysis) -> Drawing:
    """A row a data set and one for all together, by both criteria."""
    found = needed(analysis, "separability")
    datasets = {"overall": "overall", **dataset_labels(analysis)}
    rows = [
        {"row": label, "series": series, **figure}
        for dataset, label in datasets.items()
        for key, series in _SERIES.items()
        if (figure := known({"value": (found["datasets"].get(dataset) or found["overall"])[key]}))
    ]
    if not rows:
        raise Lacking("there is one model only")
    layout = Layout(
        rows=list(datasets.values()),
        series=list(_SERIES.values()),
        x="share of model pairs told apart",
        domain=(0, 1),
        format="~%",
        step=11,
    )
    pairs = found["overall"]["pairs"]
    lines = [
        f"{basis(analysis)}; {pairs:,} pairs. Intervals apart: the "
        f"{100 * analysis['settings']['level']:g} % intervals of performance do not overlap."
    ]
    return dots(rows, layout, "Separability: the share of model pairs that a data set tells apart", lines)
