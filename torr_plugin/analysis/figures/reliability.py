"""Reliability: how far rankings from few configurations and examples agree (ToRR, Fig. 6b and 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...core.seeds import generator
from ...core.statistics import Floats, ratio_or_nan
from ..bootstrap import percentile_bounds
from ..charts.labels import ChartContext, NoChart
from ..charts.panels import CURVE_WIDTH, MOST_BANDS, curve_chart, panel_labels
from ..charts.vega import ChartRow, Spec
from ..complete import common_scores, complete_scores
from ..cube import Cube
from ..figure import Figure, FigureChart, FigureTable, Row
from ..number_format import format_range
from ..options import Options
from ..rankings import mean_spearman
from ..reliability_draws import (
    Draws,
    cell_sums,
    disjoint_means,
    draws_w,
    example_means,
    prompt_means,
    random_orders,
    steps,
    table_orders,
)
from ..result import OVERALL, FigureResult, number
from ..study import StudyScores

METHOD = (
    "w: Kendall's W over some rankings (`rankings` beside each point; settings say how many are sought and "
    "how often this is repeated), each by the means over k configurations and n examples drawn at random "
    "without replacement (those of a table together, of the last table as many as fit); mean over repeats; "
    "low and high: quantiles over repeats, so where one such W lies, not how exactly their mean is known. "
    "prompts: all examples; rankings share configurations, and are equal where k is all. disjoint: no "
    "configuration is in two rankings of a repeat, so fewer may fit; the examples are the same. chance: W "
    "of random rankings, 1 over their number; spearman: the mean Spearman correlation of two of the "
    "rankings, which does not depend on how many they are. overall: the same configurations in all data "
    "sets, n examples of each, unweighted mean. Models are ranked by the answers that all of them gave, to "
    "the examples that all configurations were asked about; every score drawn counts alike"
)


CurveName = Literal["prompts", "examples", "disjoint"]


class CurvePoint(FigureResult):
    """Kendall's W of rankings that rest on k configurations and n examples (None: all, unlike in number)."""

    k: int
    n: int | None
    w: float | None
    low: float | None
    high: float | None
    spearman: float | None = None
    rankings: int
    chance: float | None


class Curves(FigureResult):
    """W against configurations, drawn from all or sharing none (``disjoint``), and against examples."""

    prompts: list[CurvePoint] = []
    examples: list[CurvePoint] = []
    disjoint: list[CurvePoint] = []


@dataclass(frozen=True)
class _DrawMeans:
    """Means of draws per k, per n and k, per k of disjoint draws.

    ``all_examples`` is how many examples a data set has, None where the data sets have not equally many.
    """

    prompts: Floats
    examples: Floats
    disjoint: tuple[Floats, ...]
    ks: Sequence[int]
    ns: Sequence[int]
    all_examples: int | None


def reliability(cubes: Sequence[Cube], options: Options) -> dict[str, Curves]:
    """Curves of W against the numbers of configurations and examples.

    Args:
        cubes: of all data sets.
        options: rankings, repeats, level and seed are used.

    Returns:
        Data set or "overall" -> curves; W is None where no repeat has one.
    """
    blocks = sorted((complete_scores(cube) for cube in cubes), key=lambda block: block.cube.dataset)
    shared = common_scores(blocks)
    fewest = min(len(part.examples) for part in shared)
    curves: dict[str, Curves] = {}
    total: _DrawMeans | None = None
    for block, part in zip(blocks, shared, strict=True):
        own = _means(block.cube, len(part.examples), options)
        same = part is block.cube and len(part.examples) == fewest
        of_part = own if same else _means(part, fewest, options)
        curves[part.dataset] = _curves(own, options)
        total = of_part if total is None else _added(total, of_part)
    assert total is not None  # noqa: S101 (there is a data set)
    return {
        **{cube.dataset: curves[cube.dataset] for cube in cubes},
        OVERALL: curves[shared[0].dataset] if len(blocks) == 1 else _curves(total, options),
    }


def _means(cube: Cube, most_examples: int, options: Options) -> _DrawMeans:
    """Means of all draws; data sets with the same configurations draw the same of them."""
    configurations, examples = cube.scores.shape[1:]
    wanted = options.repeats, options.rankings
    names = "reliability", "configurations", *cube.configurations
    orders = random_orders(generator(options.seed, *names), configurations, *wanted)
    rng = generator(options.seed, "reliability", "examples", cube.dataset)
    draws = Draws(orders, table_orders(rng, cube.clusters, *wanted))
    ks, ns = steps(1, configurations), steps(5, most_examples)
    cells = cell_sums(cube.scores)
    prompts = prompt_means(*cells, orders)
    by_example = example_means(cube.scores, draws, ks, [n for n in ns if n < examples])
    if examples in ns:
        by_example = np.concatenate([by_example, prompts[None, [k - 1 for k in ks]]])
    disjoint = tuple(disjoint_means(*cells, orders, k) for k in range(1, configurations // 2 + 1))
    return _DrawMeans(prompts, by_example, disjoint, ks, ns, examples)


def _added(one: _DrawMeans, other: _DrawMeans) -> _DrawMeans:
    """The sum of two data sets' means, which ranks as their mean does."""
    return _DrawMeans(
        one.prompts + other.prompts,
        one.examples + other.examples,
        tuple(a + b for a, b in zip(one.disjoint, other.disjoint, strict=True)),
        one.ks,
        one.ns,
        one.all_examples if one.all_examples == other.all_examples else None,
    )


def _curves(means: _DrawMeans, options: Options) -> Curves:
    everything = range(1, len(means.prompts) + 1)
    rankings = [options.rankings] * len(everything)
    prompts = _points(draws_w(means.prompts), everything, means.all_examples, rankings, options.level)
    examples = [
        point
        for n, values in zip(means.ns, draws_w(means.examples), strict=True)
        for point in _points(values, means.ks, n, rankings, options.level)
    ]
    pieces = [found.shape[1] for found in means.disjoint]
    disjoint = [draws_w(found) for found in means.disjoint]
    return Curves(
        prompts=prompts,
        examples=examples,
        disjoint=_points(disjoint, everything, means.all_examples, pieces, options.level),
    )


def _points(
    values: Sequence[Floats] | Floats, ks: Sequence[int], n: int | None, rankings: Sequence[int], level: float
) -> list[CurvePoint]:
    """A point a row of ``values``, which are W of the repeats, (points x repeats)."""
    if not len(values):
        return []
    table = np.stack(list(values))
    known = ~np.isnan(table)
    means = ratio_or_nan(np.where(known, table, 0.0).sum(axis=1), known.sum(axis=1))
    low, high = percentile_bounds(table, level)
    return [
        CurvePoint(
            k=k,
            n=n,
            w=number(means[row]),
            low=number(low[row]),
            high=number(high[row]),
            spearman=number(mean_spearman(float(means[row]), fitting)),
            rankings=fitting,
            chance=number(1 / fitting),
        )
        for row, (k, fitting) in enumerate(zip(ks, rankings[: len(table)], strict=False))
    ]


def _rows(result: Mapping[str, Curves]) -> Iterator[Row]:
    for dataset, curves in result.items():
        for name, points in curves:
            for point in points:
                bounds = point.w, point.low, point.high
                yield dataset, name, point.k, point.n, *bounds, point.spearman, point.rankings, point.chance


def _by_configurations(result: Mapping[str, Curves], context: ChartContext) -> Spec:
    """W against the number of configurations (Fig. 6b)."""
    names = context.place_labels(panel_labels(CURVE_WIDTH))
    rows = [
        {**row, "x": row["k"]}
        for place, label in names.items()
        for row in _chart_rows(result, place, "prompts", label)
    ]
    _refuse_flat(rows)
    lines = [_basis(result, context, "prompts", "rankings share configurations, which alone drives W to 1")]
    title = "Agreement of rankings against the configurations that each rests on"
    return curve_chart(rows, list(names.values()), ("configurations", ""), title, lines)


def _by_examples(result: Mapping[str, Curves], context: ChartContext) -> Spec:
    """W against the number of examples, a curve a number of configurations (Fig. 7)."""
    names = context.place_labels(panel_labels(CURVE_WIDTH))
    rows = [
        {**row, "x": row["n"], "series": row["k"]}
        for place, label in names.items()
        for row in _chart_rows(result, place, "examples", label)
        if row["n"]
    ]
    _refuse_flat(rows)
    lines = [_basis(result, context, "examples", "each rests on some examples and configurations")]
    if len({row["series"] for row in rows}) > MOST_BANDS:
        lines.append("Bands of the fewest and the most configurations alone: those between would cover them")
    title = "Agreement of rankings against the examples and configurations that each rests on"
    return curve_chart(rows, list(names.values()), ("examples", "configurations"), title, lines)


def _refuse_flat(rows: Sequence[ChartRow]) -> None:
    if len({row["x"] for row in rows}) < 2:
        raise NoChart("there are too few models, configurations or examples to draw from")


def _chart_rows(result: Mapping[str, Curves], place: str, name: CurveName, label: str) -> list[ChartRow]:
    """The points of a curve."""
    return [
        {
            "panel": label,
            "k": point.k,
            "n": point.n,
            "chance": point.chance,
            "value": point.w,
            "low": point.w if point.low is None else point.low,
            "high": point.w if point.high is None else point.high,
        }
        for point in getattr(result.get(place, Curves()), name)
        if point.w is not None
    ]


def _basis(result: Mapping[str, Curves], context: ChartContext, name: CurveName, remark: str) -> str:
    rankings = {point.rankings for curves in result.values() for point in getattr(curves, name)}
    used = {
        place: (whole.k, whole.n or 0)
        for place in context.settings.examples
        for whole in result.get(place, Curves()).prompts[-1:]
    }
    over = context.ranked_over(used)
    return (
        f"{context.basis}{over}. W over {format_range(rankings)} rankings of randomly drawn configurations; "
        f"{remark}. Bands: where {context.level} of single draws lie; dashed: random rankings"
    )


class ReliabilityFigure(Figure[dict[str, Curves]]):
    """Curves of W against the numbers of configurations and examples."""

    key = "reliability"
    tables = (
        FigureTable(
            "reliability",
            ("dataset", "curve", "k", "n", "w", "low", "high", "spearman", "rankings", "chance"),
            _rows,
            "agreement of rankings against the configurations and examples they rest on",
        ),
    )
    charts = (
        FigureChart("reliability_prompts", _by_configurations, "Fig. 6b"),
        FigureChart("reliability_examples", _by_examples, "Fig. 7"),
    )

    def compute(self, study: StudyScores) -> dict[str, Curves]:
        """Draw the rankings."""
        return reliability(study.cubes, study.options)


RELIABILITY = ReliabilityFigure()
