"""Which differences between models are real: separate intervals, and paired tests (ToRR, Fig. 4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ...core.errors import counted
from ...core.statistics import Booleans, Floats
from ..charts.labels import ChartContext, NoChart
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..estimates import Estimate
from ..figure import Figure, FigureChart, FigureTable
from ..paired_scores import ModelTests
from ..paired_tests import PairedTest
from ..result import ByDataset, FigureResult, number, rows_of
from ..study import StudyScores

METHOD: dict[str, str] = {
    "value": "share of model pairs whose performance intervals do not overlap (intervals that touch overlap)",
    "paired": (
        "share of model pairs whose interval of the difference in performance excludes 0 after Holm's "
        "correction over all pairs, at the intervals' level: two-sided t test of the per-example "
        "differences (each a mean over the configurations that both have), clustered by table where tables "
        "are known; where differences are skewed, the symmetric studentized bootstrap; overall: of their "
        "unweighted mean over data sets, with Welch-Satterthwaite degrees of freedom; configurations are "
        "taken as given"
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
    apart: Booleans = low[:, None] > high[None, :]
    either: Booleans = np.logical_or(apart, apart.T)
    return either


class SeparatedPair(FigureResult):
    """Two models that intervals or the paired test separate, the better one first.

    ``difference`` with ``low`` and ``high``, its own t interval without correction; ``p`` after Holm's
    correction; whether the intervals are ``apart``, and whether the paired test separates the two.
    """

    models: tuple[str, str]
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    apart: bool = False
    paired: bool = True
    skewed: bool = False


class PairShares(FigureResult):
    """Shares of the pairs of models that differ, see ``METHOD``, and how many pairs there are.

    ``pairs_separated``, overall alone: those separated by either, the largest difference first.
    """

    value: float | None
    paired: float | None
    pairs: int
    pairs_separated: list[SeparatedPair] | None = None


class Separability(ByDataset[PairShares]):
    """The shares of pairs over all data sets and on each."""

    method: dict[str, str]


def separability(study: StudyScores) -> Separability:
    """Which models' differences are real, per data set and overall."""
    per_dataset, overall = study.estimates
    together, *each = study.pair_tests["performance"]
    level = study.options.level
    datasets = {
        cube.dataset: pair_shares(study.models, own, found["performance"], level)
        for cube, found, own in zip(study.cubes, per_dataset, each, strict=True)
    }
    named = pair_shares(study.models, together, overall["performance"], level, named=True)
    return Separability(overall=named, datasets=datasets, method=METHOD)


def pair_shares(
    models: Sequence[str],
    tests: ModelTests,
    performance: Estimate,
    level: float,
    *,
    named: bool = False,
) -> PairShares:
    """How many pairs of models differ, and which.

    Args:
        models: their names.
        tests: of those that have a figure.
        performance: of the models.
        level: of the intervals and tests.
        named: say which pairs.
    """
    known, test = tests.known, tests.test
    upper = np.triu_indices(int(known.sum()), k=1)
    if not len(upper[0]):
        return PairShares(value=None, paired=None, pairs=0, **({"pairs_separated": []} if named else {}))
    apart, p_values = separable(*performance.bounds(level))[known][:, known], test.adjusted()
    found = PairShares(
        value=number(apart[upper].mean()),
        paired=number((p_values[upper] <= 1 - level).mean()),
        pairs=len(upper[0]),
    )
    if not named:
        return found
    names = [name for name, there in zip(models, known, strict=True) if there]
    separated = _separated(names, test, (apart, p_values), level)
    return found.model_copy(update={"pairs_separated": separated})


def _separated(
    names: Sequence[str], test: PairedTest, criteria: tuple[Booleans, Floats], level: float
) -> list[SeparatedPair]:
    """The pairs that intervals or corrected p-values separate, the largest difference first."""
    apart, p_values = criteria
    low, high = test.bounds()
    rows = [
        SeparatedPair(
            models=(names[better], names[worse]),
            difference=number(test.difference[better, worse]),
            low=number(low[better, worse]),
            high=number(high[better, worse]),
            p=number(p_values[better, worse]),
            apart=bool(apart[better, worse]),
            paired=bool(p_values[better, worse] <= 1 - level),
            **({"skewed": True} if test.skewed[better, worse] else {}),
        )
        for pair in combinations(range(len(names)), 2)
        for better, worse in [pair[::-1] if test.difference[pair] < 0 else pair]
        if apart[pair] or p_values[pair] <= 1 - level
    ]
    return sorted(rows, key=lambda row: (-(row.difference or 0.0), row.models))


_SERIES = {"value": "intervals apart", "paired": "paired test, Holm-corrected"}


def _chart(result: Separability, context: ChartContext) -> Spec:
    """A row a data set and one for all together, by both criteria."""
    datasets = context.place_labels()
    rows = [
        {"row": label, "series": series, "value": share, "low": share, "high": share}
        for dataset, label in datasets.items()
        for key, series in _SERIES.items()
        if (share := getattr(result.datasets.get(dataset, result.overall), key)) is not None
    ]
    if not rows:
        raise NoChart("there is one model only")
    layout = DotLayout(
        rows=list(datasets.values()),
        series=list(_SERIES.values()),
        x="share of separable model pairs",
        domain=(0, 1),
        format="~%",
        step=11,
    )
    lines = [
        f"{context.basis}; {result.overall.pairs:,} pairs. Intervals apart: the "
        f"{context.level} intervals of performance do not overlap."
    ]
    title = "Separability: the share of model pairs that a data set separates"
    return dot_chart(rows, layout, title, lines)


class SeparabilityFigure(Figure[Separability]):
    """Shares of pairs of models that differ."""

    key = "separability"
    required = True
    tables = (
        FigureTable(
            "separability",
            ("dataset", "value", "paired", "pairs"),
            rows_of("value", "paired", "pairs"),
            "shares of model pairs that are told apart",
        ),
    )
    charts = (FigureChart("separability", _chart, "Fig. 4"),)

    def compute(self, study: StudyScores) -> Separability:
        """Compute the shares, and name the pairs."""
        return separability(study)

    def lines(self, result: Separability) -> list[str]:
        """The shares over all data sets."""
        found = result.overall
        if not found.pairs or found.value is None or found.paired is None:
            return []
        pairs = counted(found.pairs, "pair")
        return [
            f"separable: {found.value:.0%} of {pairs} by intervals, {found.paired:.0%} by paired tests (Holm)"
        ]


SEPARABILITY = SeparabilityFigure()
