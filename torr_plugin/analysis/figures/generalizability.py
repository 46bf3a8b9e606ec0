"""Generalizability theory: where the variance of scores comes from, and how far a ranking can be trusted.

Cronbach, Gleser, Nanda and Rajaratnam, "The dependability of behavioral measurements", 1972; Brennan,
"Generalizability Theory", 2001. Models are the objects of measurement and those of the study, all there are;
configurations and examples are samples of all there could be; data sets are a fixed facet.

Intervals are a parametric bootstrap of the mean squares, not resamples of the scores: resampling a facet of n
levels with replacement makes its component too small by (n - 1) / n and mixes it with others (Brennan 2001,
chapter 6), and for the three or five configurations that many studies have no correction gives an interval
that covers. Instead every mean square is drawn from its scaled chi-square distribution with degrees of
freedom that the data may lower (:class:`variance_components.MeanSquare`), and the model variance from the
means with their errors: generalized confidence intervals (Weerahandi 1993; Burdick, Borror and Montgomery
2005). Simulations with known truth are in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..complete import CrossedCubes, crossed
from ..cube import Cube
from ..decision import ratio
from ..figure import Figure, FigureTable, Row
from ..number_format import format_interval
from ..options import Options
from ..result import OVERALL, FigureResult, Interval, number
from ..study import StudyScores
from ..study_components import (
    lacking,
    left_out_notes,
    negative_notes,
    not_negative,
    study_components,
    table_notes,
)
from ..variance_components import COMPONENTS, MODEL, Components


class VarianceComponent(Interval):
    """A variance component; ``share`` of the sum of all."""

    share: float | None


class Generalizability(FigureResult):
    """Variance components, and the coefficient and relative error variance of the study's own numbers.

    ``models``, ``configurations``, ``examples`` (a data set's mean, overall) were used, ``left_out`` was not.
    Figures are None where there are not two models, configurations and examples to estimate components from.
    """

    components: dict[str, VarianceComponent]
    coefficient: Interval
    relative_error: Interval | None = None
    models: int
    configurations: int
    examples: float
    left_out: dict[str, int] = {}
    notes: list[str] = []


def generalizability(cubes: Sequence[Cube], options: Options) -> dict[str, Generalizability]:
    """Variance components and the generalizability coefficient, per data set and overall.

    Negative estimates of a component stay as they are where other components are computed from mean squares
    (Brennan's rule), and are reported as 0, with a note; they count as 0 in the error variance, the
    coefficient and the shares. Where scores are missing, the largest part without holes is used
    (:func:`.complete.crossed`).

    Args:
        cubes: of all data sets.
        options: resamples (draws here), level and seed are used.

    Returns:
        data set or "overall", which is of the models' mean over data sets, with one example a data set
        (:func:`~.variance_components.composite_components`) -> components and coefficient.
    """
    parts = {OVERALL: crossed(cubes), **{cube.dataset: crossed([cube]) for cube in cubes}}
    return {place: _labelled(study_components(part, options), part, options) for place, part in parts.items()}


def _labelled(found: Components | None, part: CrossedCubes, options: Options) -> Generalizability:
    coefficient = relative_error = Interval(value=None, low=None, high=None)
    components = {name: VarianceComponent(value=None, low=None, high=None, share=None) for name in COMPONENTS}
    if found is None:
        notes = [*left_out_notes(part), _unidentified(part)]
    else:
        drawn = ratio(found.draws[MODEL], found.error_draws)
        value = ratio(found.estimates[MODEL], found.error)
        coefficient = not_negative(value, drawn, options.level)
        relative_error = not_negative(found.error, found.error_draws, options.level)
        components = _components(found, options.level)
        notes = [*left_out_notes(part), *table_notes(part), *negative_notes(found)]
    return Generalizability(
        components=components,
        coefficient=coefficient,
        relative_error=relative_error,
        models=len(part.cubes[0].models),
        configurations=len(part.cubes[0].configurations),
        examples=sum(len(cube.examples) for cube in part.cubes) / len(part.cubes),
        left_out=part.left_out,
        notes=notes,
    )


def _components(found: Components, level: float) -> dict[str, VarianceComponent]:
    total = sum(max(float(found.estimates[name]), 0.0) for name in COMPONENTS)
    components = {}
    for name in COMPONENTS:
        own = not_negative(found.estimates[name], found.draws[name], level)
        share = number(max(float(found.estimates[name]), 0.0) / total) if total > 0 else None
        components[name] = VarianceComponent(value=own.value, low=own.low, high=own.high, share=share)
    return components


def _unidentified(part: CrossedCubes) -> str:
    names = " and ".join(f"one {name}" if _some(part) else f"no {name}" for name in lacking(part))
    return f"{names} only: components cannot be estimated"


def _some(part: CrossedCubes) -> bool:
    return all(cube.scores.size for cube in part.cubes)


def _rows(result: Mapping[str, Generalizability]) -> Iterator[Row]:
    for dataset, found in result.items():
        for name, own in found.components.items():
            yield dataset, name, own.value, own.low, own.high, own.share
        own_coefficient = found.coefficient
        bounds = own_coefficient.value, own_coefficient.low, own_coefficient.high
        yield dataset, "coefficient", *bounds, None


class GeneralizabilityFigure(Figure[dict[str, Generalizability]]):
    """Variance components and the generalizability coefficient."""

    key = "generalizability"
    tables = (
        FigureTable(
            "generalizability",
            ("dataset", "component", "value", "low", "high", "share"),
            _rows,
            "variance components, and the reliability of this study",
        ),
    )

    def compute(self, study: StudyScores) -> dict[str, Generalizability]:
        """Estimate the components."""
        return generalizability(study.cubes, study.options)

    def lines(self, result: dict[str, Generalizability]) -> list[str]:
        """The coefficient over all data sets."""
        found = result[OVERALL].coefficient
        if found.value is None:
            return []
        bounds = format_interval(found.value, found.low, found.high)
        return [f"reliability of the ranking (generalizability): {bounds}"]


GENERALIZABILITY = GeneralizabilityFigure()
