"""Reliability curves of every data set and overall, with their names.

MERGED: Kendall's W of rankings that rest on some configurations and examples (ToRR, Fig. 6b and 7).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..bootstrap import generator, interval
from ..charts.labels import Analysis, Lacking, Row, basis, known, labels, needed
from ..charts.panels import MOST_BANDS, curves, panel_labels, panel_width
from ..charts.vega import Drawing
from ..complete import Block, common, complete
from ..cube import Cube
from ..estimates import Options, number
from ..frame import OVERALL
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
)
from ..statistics import divided

if TYPE_CHECKING:
    from ..arrays import Floats

METHOD = (
    "w: Kendall's W over some rankings (`rankings` beside each point; settings say how many are sought and "
    "how often this is repeated), each by the means over k configurations and n examples drawn at random "
    "without replacement; mean over repeats; low and high: quantiles over repeats, so where one such W "
    "lies, not how exactly their mean is known. prompts: all examples; rankings share configurations, and "
    "are equal where k is all. disjoint: no configuration is in two rankings of a repeat, so fewer may fit; "
    "the examples are the same. chance: W of random rankings, 1 over their number; spearman: the mean "
    "Spearman correlation of two of the rankings, which does not depend on how many they are. overall: the "
    "same configurations in all data sets, n examples of each, unweighted mean. Missing scores are left "
    "out, every score drawn counts alike"
)


@dataclass(frozen=True)
class _Means:
    """Means of draws per k, per n and k, per k of disjoint draws.

    ``all_examples`` is how many examples a data set has, None where the data sets have not equally many.
    """

    prompts: Floats
    examples: Floats
    disjoint: tuple[Floats, ...]
    ks: Sequence[int]
    ns: Sequence[int]
    all_examples: int | None


def reliability(cubes: Sequence[Cube], options: Options) -> dict[str, Any]:
    """Curves of W against the numbers of configurations and examples.

    Args:
        cubes: of all data sets.
        options: rankings, repeats, level and seed are used.

    Returns:
        Data set or "overall" -> ``prompts``, ``examples``, ``disjoint``: points with ``k``, ``n`` (null: all,
        and not as many in every data set), ``w``, ``low``, ``high`` (null where no repeat has one),
        ``spearman``, ``rankings``, ``chance``.
    """
    blocks = sorted((complete(cube) for cube in cubes), key=lambda block: block.dataset)
    shared = common(blocks)
    fewest = min(block.scores.shape[2] for block in shared)
    curves: dict[str, Any] = {}
    total: _Means | None = None
    for block, part in zip(blocks, shared, strict=True):
        own = _means(block, block.scores.shape[2], options)
        same = part.scores is block.scores and part.scores.shape[2] == fewest
        of_part = own if same else _means(part, fewest, options)
        curves[block.dataset] = _curves(own, options)
        total = of_part if total is None else _added(total, of_part)
    assert total is not None  # noqa: S101 (there is a data set)
    return {
        **{cube.dataset: curves[cube.dataset] for cube in cubes},
        OVERALL: curves[blocks[0].dataset] if len(blocks) == 1 else _curves(total, options),
    }


def _means(block: Block, most_examples: int, options: Options) -> _Means:
    """Means of all draws; data sets with the same configurations draw the same of them."""
    import numpy as np

    configurations, examples = block.scores.shape[1:]
    wanted = options.repeats, options.rankings
    names = "reliability", "configurations", *block.configurations
    orders = random_orders(generator(options.seed, *names), configurations, *wanted)
    rng = generator(options.seed, "reliability", "examples", block.dataset)
    draws = Draws(orders, random_orders(rng, examples, *wanted))
    ks, ns = steps(1, configurations), steps(5, most_examples)
    cells = cell_sums(block.scores)
    prompts = prompt_means(*cells, orders)
    by_example = example_means(block.scores, draws, ks, [n for n in ns if n < examples])
    if examples in ns:
        by_example = np.concatenate([by_example, prompts[None, [k - 1 for k in ks]]])
    disjoint = tuple(disjoint_means(*cells, orders, k) for k in range(1, configurations // 2 + 1))
    return _Means(prompts, by_example, disjoint, ks, ns, examples)


def _added(one: _Means, other: _Means) -> _Means:
    """The sum of two data sets' means, which ranks as their mean does."""
    return _Means(
        one.prompts + other.prompts,
        one.examples + other.examples,
        tuple(a + b for a, b in zip(one.disjoint, other.disjoint, strict=True)),
        one.ks,
        one.ns,
        one.all_examples if one.all_examples == other.all_examples else None,
    )


def _curves(means: _Means, options: Options) -> dict[str, list[dict[str, Any]]]:
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
    return {
        "prompts": prompts,
        "examples": examples,
        "disjoint": _points(disjoint, everything, means.all_examples, pieces, options.level),
    }


def _points(
    values: Sequence[Floats] | Floats, ks: Sequence[int], n: int | None, rankings: Sequence[int], level: float
) -> list[dict[str, Any]]:
    """A point a row of ``values``, which are W of the repeats, (points x repeats)."""
    import numpy as np

    if not len(values):
        return []
    table = np.stack(list(values))
    known = ~np.isnan(table)
    means = divided(np.where(known, table, 0.0).sum(axis=1), known.sum(axis=1))
    low, high = interval(table, level)
    return [
        {
            "k": k,
            "n": n,
            "w": number(means[row]),
            "low": number(low[row]),
            "high": number(high[row]),
            "spearman": number(mean_spearman(float(means[row]), fitting)),
            "rankings": fitting,
            "chance": number(1 / fitting),
        }
        for row, (k, fitting) in enumerate(zip(ks, rankings[: len(table)], strict=False))
    ]


def by_prompts(analysis: Analysis) -> Drawing:
    """W against the number of configurations, drawn for each ranking from all (Fig. 6b)."""
    title = "Agreement of rankings against the configurations that each rests on"
    return _curves_reliability(
        analysis, "prompts", title, "rankings share configurations, which alone drives W to 1"
    )


def disjoint(analysis: Analysis) -> Drawing:
    """As Fig. 6b, with rankings that share no configuration."""
    title = "Agreement of rankings that share no configuration"
    return _curves_reliability(analysis, "disjoint", title, "no two rankings share a configuration")


def by_examples(analysis: Analysis) -> Drawing:
    """W against the number of examples, a curve a number of configurations (Fig. 7)."""
    found = needed(analysis, "reliability")
    names = _labels(analysis)
    rows = [
        {**row, "x": row["n"], "series": row["k"]}
        for name, label in names.items()
        for row in _rows(found, name, "examples", label)
        if row["n"]
    ]
    _refuse_flat(rows)
    lines = [_basis(analysis, found, "examples", "each rests on some examples and configurations")]
    if len({row["series"] for row in rows}) > MOST_BANDS:
        lines.append("Bands of the fewest and the most configurations alone: those between would cover them")
    title = "Agreement of rankings against the examples and configurations that each rests on"
    axes = ("examples", "configurations")
    return curves(rows, list(names.values()), axes, title, lines)


def _curves_reliability(analysis: Analysis, kind: str, title: str, remark: str) -> Drawing:
    found = needed(analysis, "reliability")
    names = _labels(analysis)
    rows = [
        {**row, "x": row["k"]} for name, label in names.items() for row in _rows(found, name, kind, label)
    ]
    _refuse_flat(rows)
    lines = [_basis(analysis, found, kind, remark)]
    return curves(rows, list(names.values()), ("configurations", ""), title, lines)


def _refuse_flat(rows: Sequence[Row]) -> None:
    if len({row["x"] for row in rows}) < 2:
        raise Lacking("there are too few models, configurations or examples to draw from")


def _labels(analysis: Analysis) -> dict[str, str]:
    return labels(["overall", *analysis["settings"]["examples"]], panel_labels(panel_width()))


def _rows(found: Mapping[str, Any], name: str, kind: str, label: str) -> list[Row]:
    """The points of a curve."""
    return [
        {"panel": label, "k": point["k"], "n": point["n"], "chance": point["chance"], **figure}
        for point in (found.get(name) or {}).get(kind) or []
        if (figure := known({"value": point["w"], "low": point["low"], "high": point["high"]}))
    ]


def _basis(analysis: Analysis, found: Mapping[str, Any], kind: str, remark: str) -> str:
    points = [point for entry in found.values() for point in entry.get(kind) or []]
    rankings = sorted({point["rankings"] for point in points})
    many = f"{rankings[0]}" if len(rankings) == 1 else f"{rankings[0]} to {rankings[-1]}"
    return (
        f"{basis(analysis)}. W over {many} rankings of randomly drawn configurations; {remark}. "
        f"Bands: where {100 * analysis['settings']['level']:g} % of single draws lie; dashed: random rankings"
    )
