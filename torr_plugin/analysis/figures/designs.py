"""Designs against direct asking: what a design changes (RealHiTBench, Tables 4, 6 and 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..charts.labels import ChartContext, NoChart
from ..charts.vega import Spec
from ..cube import Cube
from ..figure import Figure, FigureChart, FigureTable
from ..result import CONTRAST, OVERALL, Contrast, FigureResult, contrast_rows
from ..study import StudyScores
from .factor_scores import panel_chart
from .perturbation_impact import Pairs, ScoreDifferences, score_differences

BASE = "default"
"""The design that asks directly, in one call."""


class Designs(FigureResult):
    """Data set or "overall" -> model -> design -> its score less that of ``base``.

    Each difference is over all that was asked both ways: the same serializer, perturbation and example.
    """

    base: str
    differences: ScoreDifferences


def direct_pairs(cube: Cube) -> dict[str, Pairs]:
    """For each design the configurations with it, each beside that of the base in the same format.

    Returns:
        design -> (places of its configurations, places of the base's), by name; designs without a pair are
        left out. Empty where the scores do not say serializer, perturbation and design of every one.
    """
    parts = [cube.parts.get(part, {}) for part in ("serializer", "perturbation", "design")]
    if not all(set(cube.configurations) <= set(part) for part in parts):
        return {}
    serializers, perturbations, designs = parts
    places = {
        (serializers[config], perturbations[config], designs[config]): place
        for place, config in enumerate(cube.configurations)
    }
    pairs: dict[str, Pairs] = {}
    for (serializer, perturbation, design), place in sorted(places.items()):
        base = places.get((serializer, perturbation, BASE))
        if design != BASE and base is not None:
            with_design, without = pairs.setdefault(design, ([], []))
            with_design.append(place)
            without.append(base)
    return dict(sorted(pairs.items()))


def designs(study: StudyScores) -> Designs | None:
    """Compare designs with the base; None where nothing was asked by both in the same format."""
    pairs = [direct_pairs(cube) for cube in study.cubes]
    if not any(pairs):
        return None
    return Designs(base=BASE, differences=score_differences(study.cubes, pairs, study.options))


def _chart(result: Mapping[str, Mapping[str, Contrast]], context: ChartContext) -> Spec:
    if not any(result.values()):
        raise NoChart("no design was asked of all data sets")
    return panel_chart(
        result,
        context.model_labels(),
        "Mean change of the score by each design",
        [
            f"{context.basis}. Score with the design less that of {BASE}, same format and example; dashed: 0",
            context.intervals,
        ],
        reference=0.0,
        x="change of the score",
        width=150,
        columns=4,
    )


class DesignsFigure(Figure[Designs]):
    """What designs change against direct asking."""

    key = "designs"
    title = "Designs against direct asking"
    explanation = (
        "What a design of the prompt, such as one that makes the header tree first, changes against asking "
        f"directly (the design {BASE}): the mean score with it less that without, over the examples that "
        "were asked both ways in the same format. Intervals are of single differences, and p is of one being "
        "0; neither is corrected for how many there are."
    )
    page = "configurations"
    tables = (
        FigureTable(
            "designs",
            ("dataset", "model", "design", *CONTRAST),
            contrast_rows,
            f"mean change of the score by each design, against {BASE}",
            lambda result: result.differences,
        ),
    )
    charts = (
        FigureChart(
            "designs",
            _chart,
            absent=f"no design was asked beside {BASE} in the same format",
            part=lambda result: result.differences.get(OVERALL),
        ),
    )

    def compute(self, study: StudyScores) -> Designs | None:
        """Compare them."""
        return designs(study)

    def lines(self, result: Designs) -> list[str]:
        """What each design changes over all data sets: with its interval, or of several models the range."""
        found = result.differences.get(OVERALL, {})
        names = dict.fromkeys(name for own in found.values() for name in own)
        changes = {name: _change([own[name] for own in found.values() if name in own]) for name in names}
        return [f"{name} less {result.base}: {change}" for name, change in changes.items()]


def _change(found: Sequence[Contrast]) -> str:
    values = [own.value for own in found if own.value is not None]
    if not values:
        return "unknown"
    low, high = found[0].low, found[0].high
    if len(found) == 1 and low is not None and high is not None:
        return f"{values[0]:+.3f} [{low:+.3f}, {high:+.3f}]"
    return f"{min(values):+.3f} to {max(values):+.3f} over the models"


DESIGNS = DesignsFigure()
