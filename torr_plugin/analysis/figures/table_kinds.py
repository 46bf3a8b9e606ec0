"""Models on tables of some kind, pooled over data sets: by size, properties, groups, and data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ...core.names import value_order
from ...core.statistics import (
    ROUNDING,
    Booleans,
    Floats,
    Integers,
    clustered_means,
    mean_over_examples,
    score_bounds,
)
from ..examples import CLASSES, TABLE, joined_numbers, size_class
from ..figure import Figure, FigureTable, Row
from ..result import INTERVAL, FigureResult, Interval, interval_cells, interval_of
from ..study import StudyScores

DATASET, CELLS = "data set", "number of cells"
LEAST_EXAMPLES = 10
"""Of a kind of tables: a mean over fewer says next to nothing."""
MOST_FACETS, MOST_TOGETHER, MOST_KINDS, MOST_VALUES = 6, 3, 600, 40
"""What is distinguished, how much of it together, how many kinds in all; values of a facet."""
_NAMES = (TABLE, "pair")  # groups that name a table or a pair, and are no kinds of tables


class KindOfTable(FigureResult):
    """Mean scores over the examples about tables of one kind, of all data sets alike.

    An interval is that of a mean over data sets, each weighted by its examples (a stratified sample: Cochran,
    "Sampling Techniques", 1977, section 5.3), and whole tables are one piece of evidence each.

    ``of``: what is known of the tables, as facet -> value; empty for all of them.
    """

    of: dict[str, str]
    examples: int
    tables: int
    datasets: int
    models: dict[str, Interval]


class TableKinds(FigureResult):
    """Scores by kind of table.

    ``facets``: what is distinguished -> its values; ``left_out``: how many more it has, of fewer than
    ``LEAST_EXAMPLES`` each; ``kinds``: all tables first.
    """

    facets: dict[str, list[str]]
    left_out: dict[str, int] = {}
    kinds: list[KindOfTable]


@dataclass(frozen=True)
class PooledScores:
    """The examples of all data sets.

    ``scores``: mean over the configurations that models share, (models x examples), NaN where there is none;
    ``lacks``: whether some configuration has failed, likewise; ``strata`` and ``clusters``: the numbers of an
    example's data set and table, (examples,).
    """

    models: tuple[str, ...]
    scores: Floats
    lacks: Booleans
    strata: Integers
    clusters: Integers


def table_kinds(study: StudyScores) -> TableKinds | None:
    """Scores by kind of table; None where nothing but the data set is known of tables.

    A kind is given by at most ``MOST_TOGETHER`` facets, each a value, and holds at least ``LEAST_EXAMPLES``.
    """
    facets = _facets(study)
    if not facets.keys() - {DATASET}:
        return None
    pooled = _pooled(study)
    codes = {
        name: np.array([order.index(v) if v in order else -1 for v in values])
        for name, (order, values) in facets.items()
    }
    kinds = [_kind(pooled, {}, np.ones(pooled.scores.shape[1], bool), study.options.level)]
    for count in range(1, MOST_TOGETHER + 1):
        for names in combinations(facets, count):
            chosen = np.stack([codes[name] for name in names])
            known = chosen[:, (chosen >= 0).all(axis=0)]
            for values, size in sorted(Counter(map(tuple, known.T.tolist())).items()):
                if len(kinds) <= MOST_KINDS and size >= LEAST_EXAMPLES:
                    mask = (chosen == np.array(values)[:, None]).all(axis=0)
                    of = {name: facets[name][0][value] for name, value in zip(names, values, strict=True)}
                    kinds.append(_kind(pooled, of, mask, study.options.level))
    small = {name: len({*values} - {*order, None}) for name, (order, values) in facets.items()}
    return TableKinds(
        facets={name: order for name, (order, _) in facets.items()},
        left_out={name: count for name, count in small.items() if count},
        kinds=kinds,
    )


def _pooled(study: StudyScores) -> PooledScores:
    cubes = study.cubes
    return PooledScores(
        models=study.models,
        scores=np.concatenate([own["performance"] for own in study.example_statistics], axis=1),
        lacks=np.concatenate([(np.isnan(cube.scores) & cube.asked).any(axis=1) for cube in cubes], axis=1),
        strata=np.repeat(np.arange(len(cubes)), [len(cube.examples) for cube in cubes]),
        clusters=joined_numbers([cube.clusters for cube in cubes]),
    )


def _kind(pooled: PooledScores, of: Mapping[str, str], mask: Booleans, level: float) -> KindOfTable:
    strata, clusters = pooled.strata[mask], pooled.clusters[mask]
    values = pooled.scores[:, mask]
    parts = [
        clustered_means(values[:, own], np.unique(clusters[own], return_inverse=True)[1])
        for own in (strata == stratum for stratum in np.unique(strata))
    ]
    bounds = score_bounds(parts, level, np.stack([part.count for part in parts]))
    mean = mean_over_examples(values)
    low, high = (np.where(np.isnan(mean), np.nan, np.round(bound, ROUNDING)) for bound in bounds)
    complete = np.logical_not(pooled.lacks[:, mask].any(axis=1))
    return KindOfTable(
        of=dict(of),
        examples=int(mask.sum()),
        tables=len(set(clusters.tolist())),
        datasets=len(set(strata.tolist())),
        models={
            model: interval_of(mean[m], low[m], high[m], complete=bool(complete[m]))
            for m, model in enumerate(pooled.models)
        },
    )


def _facets(study: StudyScores) -> dict[str, tuple[list[str], list[str | None]]]:
    """Facet -> its values in order, and that of each example; those that tell examples apart."""
    known = [
        study.known_examples.get(cube.dataset, {}).get(example)
        for cube in study.cubes
        for example in cube.examples
    ]
    found: dict[str, list[str | None]] = {
        DATASET: [cube.dataset for cube in study.cubes for _ in cube.examples],
        CELLS: [None if one is None or one.cells is None else size_class(one.cells) for one in known],
    }
    properties = [one.properties.get(TABLE, {}) if one else {} for one in known]
    groups = [one.groups if one else {} for one in known]
    for of, without in ((properties, ()), (groups, _NAMES)):
        for name in dict.fromkeys(name for own in of for name in own if name not in without):
            found.setdefault(name, [_text(own.get(name)) for own in of])
    telling = {name: values for name, values in found.items() if _tells(values)}
    first = [name for name in (DATASET, CELLS) if name in telling]
    others = sorted(telling.keys() - set(first), key=lambda name: (_commonest(telling[name]), name))
    return {name: (_ordered(name, telling[name]), telling[name]) for name in [*first, *others][:MOST_FACETS]}


def _text(value: bool | int | str | None) -> str | None:
    if value is None:
        return None
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def _counts(values: Sequence[str | None]) -> Counter[str]:
    return Counter(value for value in values if value is not None)


def _tells(values: Sequence[str | None]) -> bool:
    """Whether two values or more have enough examples, and none too many different ones."""
    counts = _counts(values)
    return len(counts) <= MOST_VALUES and sum(count >= LEAST_EXAMPLES for count in counts.values()) > 1


def _commonest(values: Sequence[str | None]) -> int:
    return max(_counts(values).values())


def _ordered(name: str, values: Sequence[str | None]) -> list[str]:
    """The values that enough examples have."""
    there = [value for value, count in _counts(values).items() if count >= LEAST_EXAMPLES]
    if name == DATASET:
        return there
    return [one for one in CLASSES if one in there] if name == CELLS else sorted(there, key=value_order)


def kind_name(of: Mapping[str, str]) -> str:
    """What is known of a kind, in a text."""
    return "; ".join(f"{name}: {value}" for name, value in of.items()) or "all"


def _rows(result: TableKinds) -> Iterator[Row]:
    for kind in result.kinds:
        for model, figure in kind.models.items():
            yield (
                kind_name(kind.of),
                model,
                kind.examples,
                kind.tables,
                kind.datasets,
                *interval_cells(figure),
            )


class TableKindsFigure(Figure[TableKinds]):
    """Mean scores by kind of table, pooled over data sets."""

    key = "table_kinds"
    tables = (
        FigureTable(
            "table_kinds",
            ("kind", "model", "examples", "tables", "datasets", *INTERVAL),
            _rows,
            "scores by kind of table, pooled over data sets",
        ),
    )

    def compute(self, study: StudyScores) -> TableKinds | None:
        """Compute the means, where something is known of tables."""
        return table_kinds(study)


TABLE_KINDS = TableKindsFigure()
