"""Every pair of models: how far they lie apart in performance and robustness, and whether that is real."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..arrays import ROUNDING
from ..cube import Cube, missing_counts
from ..estimates import STATISTICS, Estimate, number
from ..frame import OVERALL
from ..paired_tests import Differences, example_differences, holm_adjusted, holm_significant, paired_test
from .separability import separable

if TYPE_CHECKING:
    from ..arrays import Booleans, Floats

FIGURES = ("performance", "robustness")

MOST = 40
"""Models of which every pair is given; of more, each with its ``NEXT`` in the ranking."""

NEXT = 5

METHOD = (
    "difference of two models' means over examples, paired: of an example's mean score over configurations, "
    "or of its robustness (1 less the range over configurations); low and high are its own two-sided t "
    "interval, p is Holm's over all pairs of models of that data set or overall, made as separability's "
    "paired is; apart: the two models' own intervals do not overlap"
)


@dataclass(frozen=True)
class _Tests:
    """All pairs on one data set, or overall; (models x models) each, row less column.

    ``complete`` is False where one of the two lacks a score; NaN, and False, where nothing can be said.
    """

    difference: Floats
    low: Floats
    high: Floats
    p: Floats
    paired: Booleans
    apart: Booleans
    complete: Booleans

    def figure(self, first: int, second: int) -> dict[str, Any]:
        """The first model less the second, in plain values."""
        at = first, second
        found = {
            "difference": number(self.difference[at]),
            "low": number(self.low[at]),
            "high": number(self.high[at]),
            "p": number(self.p[at]),
            "paired": bool(self.paired[at]),
            "apart": bool(self.apart[at]),
        }
        return found if self.complete[at] else {**found, "complete": False}


def model_pairs(
    all_cubes: Sequence[Cube],
    per_dataset: Sequence[Mapping[str, Estimate]],
    overall: Mapping[str, Estimate],
    level: float,
) -> list[dict[str, Any]]:
    """The differences between models, overall and per data set.

    Args:
        all_cubes: of all data sets.
        per_dataset: their estimates, for the intervals that are ``apart`` or not.
        overall: likewise.
        level: of the intervals and tests.

    Returns:
        In the order of the ranking by overall performance, a pair each: ``models`` (the better one first),
        and for ``performance`` and ``robustness`` ``overall`` and ``datasets`` -> ``difference`` (the first
        less the second), ``low``, ``high``, ``p``, ``paired``, ``apart`` (see ``METHOD``), null where nothing
        can be said, and ``complete``: False where scores of one of the two are missing. Of more than
        ``MOST`` models each stands with its ``NEXT`` in the ranking alone; ``p`` is for all pairs anyhow.
    """
    models = all_cubes[0].models
    tests = {name: dict(_tests(name, all_cubes, per_dataset, overall, level)) for name in FIGURES}
    return [
        {
            "models": [models[first], models[second]],
            **{
                name: {
                    OVERALL: places[OVERALL].figure(first, second),
                    "datasets": {
                        cube.dataset: places[cube.dataset].figure(first, second) for cube in all_cubes
                    },
                }
                for name, places in tests.items()
            },
        }
        for first, second in _listed(_ranking(overall["performance"].values))
    ]


def pairs_notes(models: int) -> list[str]:
    """What a reader must be told where not every pair is given."""
    if models <= MOST:
        return []
    given, every = sum(1 for _ in _listed(range(models))), models * (models - 1) // 2
    return [
        f"pairs: of {models} models, each is given with the {NEXT} next in the ranking ({given:,} of "
        f"{every:,} pairs); their p-values are corrected for all pairs"
    ]


def _ranking(performance: Floats) -> list[int]:
    """Places in the array, the best first, then in the study's order; those without a figure last."""
    import numpy as np

    return [int(model) for model in np.argsort(-np.round(performance, ROUNDING), kind="stable")]


def _listed(ranked: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The pairs that are given."""
    reach = len(ranked) if len(ranked) <= MOST else NEXT
    for place, first in enumerate(ranked):
        for second in ranked[place + 1 : place + 1 + reach]:
            yield first, second


def _tests(
    name: str,
    all_cubes: Sequence[Cube],
    per_dataset: Sequence[Mapping[str, Estimate]],
    overall: Mapping[str, Estimate],
    level: float,
) -> Iterator[tuple[str, _Tests]]:
    """Of one figure: overall, and of each data set."""
    import numpy as np

    differences = [example_differences(STATISTICS[name](cube.scores)) for cube in all_cubes]
    lacks = [missing_counts(cube).sum(axis=1) > 0 for cube in all_cubes]
    bounds = overall[name].bounds(level)
    yield OVERALL, _tested(differences, bounds, np.any(lacks, axis=0), level)
    for cube, found, own, lacking in zip(all_cubes, per_dataset, differences, lacks, strict=True):
        yield cube.dataset, _tested([own], found[name].bounds(level), lacking, level)


def _tested(
    differences: Sequence[Differences], bounds: tuple[Floats, Floats], lacks: Booleans, level: float
) -> _Tests:
    """Tests among the models that have a figure; the others are in no pair, nor do they count in Holm's."""
    import numpy as np

    known = np.flatnonzero(~np.isnan(bounds[0]))
    size = len(lacks)
    test = paired_test([one.among(~np.isnan(bounds[0])) for one in differences])
    upper = np.triu_indices(len(known), k=1)
    low, high = test.bounds(level)

    def symmetric(values: Floats, empty: float) -> Floats:
        """Values of pairs, both ways round."""
        found = np.full((len(known), len(known)), empty)
        found[upper] = found.T[upper] = values
        return found

    def spread(found: Floats) -> Floats:
        """Of the known models to all."""
        whole = np.full((size, size), np.nan)
        whole[np.ix_(known, known)] = found
        return whole

    p_values = test.p_values[upper]
    paired = spread(symmetric(holm_significant(p_values, level).astype(float), 0.0)) == 1
    return _Tests(
        difference=spread(test.difference),
        low=spread(low),
        high=spread(high),
        p=spread(symmetric(holm_adjusted(p_values), 1.0)),
        paired=paired,
        apart=separable(*bounds),
        complete=~(lacks[:, None] | lacks[None, :]),
    )
