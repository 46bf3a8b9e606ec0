"""Which differences between models are real: separate intervals, and paired tests (ToRR, Fig. 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from pydantic import TypeAdapter

from ..arrays import Booleans, Floats
from ..charts.labels import ChartContext, NoChart
from ..charts.panels import DotLayout, dot_chart
from ..charts.vega import Spec
from ..estimates import Estimate
from ..figure import Figure, FigureChart, FigureTable, Row
from ..frame import OVERALL
from ..paired_tests import (
    Differences,
    PairedTest,
    example_differences,
    holm_adjusted,
    holm_significant,
    paired_test,
)
from ..result import FigureResult, number
from ..statistics import example_means
from ..study import StudyScores

METHOD: dict[str, str] = {
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
    apart: Booleans = low[:, None] > high[None, :]
    either: Booleans = np.logical_or(apart, apart.T)
    return either


def share_of_pairs(pairs: Booleans, known: Booleans) -> float:
    """The share of True among the pairs of models that are ``known``, (models,); NaN if there is no pair."""
    first, second = np.triu_indices(len(pairs), k=1)
    both = known[first] & known[second]
    return float(pairs[first, second][both].mean()) if both.any() else float("nan")


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


class PairShares(FigureResult):
    """Shares of the pairs of models that are told apart, see ``METHOD``, and how many pairs there are.

    ``pairs_separated``, overall alone: those separated by either, the largest difference first.
    """

    value: float | None
    paired: float | None
    pairs: int
    pairs_separated: list[SeparatedPair] | None = None


class Separability(FigureResult):
    """The shares of pairs over all data sets and on each."""

    overall: PairShares
    datasets: dict[str, PairShares]
    method: dict[str, str]

    def places(self) -> dict[str, PairShares]:
        """All data sets together, then each."""
        return {OVERALL: self.overall, **self.datasets}


def separability(study: StudyScores) -> Separability:
    """Which models' differences are real, per data set and overall."""
    per_dataset, overall = study.estimates
    pairs = [example_differences(example_means(cube.scores)) for cube in study.cubes]
    level = study.options.level
    together = pair_shares(study.models, pairs, overall["performance"], level, named=True)
    datasets = {
        cube.dataset: pair_shares(study.models, [own], found["performance"], level)
        for cube, found, own in zip(study.cubes, per_dataset, pairs, strict=True)
    }
    return Separability(overall=together, datasets=datasets, method=METHOD)


def pair_shares(
    models: Sequence[str],
    differences: Sequence[Differences],
    performance: Estimate,
    level: float,
    *,
    named: bool = False,
) -> PairShares:
    """How many pairs of models can be told apart, and which.

    Args:
        models: their names.
        differences: of each data set whose mean is looked at.
        performance: of the models; one without a figure is in no pair.
        level: of the intervals and tests.
        named: say which pairs.
    """
    bounds = performance.bounds(level)
    known = ~np.isnan(bounds[0])
    apart = separable(*bounds)[known][:, known]
    upper = np.triu_indices(len(apart), k=1)
    share, paired = share_of_pairs(apart, np.ones(len(apart), dtype=bool)), None
    separated: list[SeparatedPair] = []
    if len(upper[0]):
        test = paired_test([one.among(known) for one in differences])
        rejected = holm_significant(test.p_values[upper], level)
        paired = number(float(rejected.mean()))
        names = [name for name, there in zip(models, known, strict=True) if there]
        separated = _separated(names, test, (apart[upper], rejected), level) if named else []
    found = PairShares(value=number(share), paired=paired, pairs=len(upper[0]))
    return found.model_copy(update={"pairs_separated": separated}) if named else found


def _separated(
    names: Sequence[str], test: PairedTest, separated: tuple[Booleans, Booleans], level: float
) -> list[SeparatedPair]:
    """The pairs that either of ``separated`` (intervals apart, tests) has, the largest difference first."""
    first, second = np.triu_indices(len(names), k=1)
    low, high = (bound[first, second] for bound in test.bounds(level))
    difference, p_values = test.difference[first, second], holm_adjusted(test.p_values[first, second])
    rows = []
    for place in np.flatnonzero(separated[0] | separated[1]):
        swap = difference[place] < 0
        sign, ends = (-1.0, (high, low)) if swap else (1.0, (low, high))
        pair = names[first[place]], names[second[place]]
        rows.append(
            SeparatedPair(
                models=pair[::-1] if swap else pair,
                difference=number(sign * difference[place]),
                low=number(sign * ends[0][place]),
                high=number(sign * ends[1][place]),
                p=number(p_values[place]),
                apart=bool(separated[0][place]),
                paired=bool(separated[1][place]),
            )
        )
    return sorted(rows, key=lambda row: (-(row.difference or 0.0), row.models))


def _rows(result: Separability) -> Iterator[Row]:
    for dataset, own in result.places().items():
        yield dataset, own.value, own.paired, own.pairs


_SERIES = {"value": "intervals apart", "paired": "paired test, Holm-corrected"}


def _chart(result: Separability, context: ChartContext) -> Spec:
    """A row a data set and one for all together, by both criteria."""
    datasets = {OVERALL: OVERALL, **context.dataset_labels()}
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
        x="share of model pairs told apart",
        domain=(0, 1),
        format="~%",
        step=11,
    )
    lines = [
        f"{context.basis}; {result.overall.pairs:,} pairs. Intervals apart: the "
        f"{context.level} intervals of performance do not overlap."
    ]
    title = "Separability: the share of model pairs that a data set tells apart"
    return dot_chart(rows, layout, title, lines)


class SeparabilityFigure(Figure[Separability]):
    """Shares of pairs of models that are told apart."""

    key = "separability"
    adapter = TypeAdapter(Separability)
    required = True
    tables = (
        FigureTable(
            "separability",
            ("dataset", "value", "paired", "pairs"),
            _rows,
            "shares of model pairs that can be told apart",
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
        pairs = f"{found.pairs} pair{'' if found.pairs == 1 else 's'}"
        return [
            f"told apart: {found.value:.0%} of {pairs} by intervals, "
            f"{found.paired:.0%} by paired tests (Holm)"
        ]


SEPARABILITY = SeparabilityFigure()
