"""The budget planner's figures: what reaches each target reliability, and what each size would reach.

All are ``torr budget``'s, made by its functions with its defaults; the page only picks from them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..analysis import Options
from ..analysis.budget import Measure, Planner
from ..analysis.cube import Cube
from ..analysis.options import Settings
from ..analysis.result import Interval
from ..core.errors import counted
from ..running.usage import mean_usage, priced, usage
from .agreement import examples_head, of_each
from .study import Study
from .text import sentence
from .views import DASH, View, ViewCell, figure_cell, interval_text, percent

TARGETS = tuple(round(0.70 + step / 100, 2) for step in range(30))
"""Target reliabilities that the page offers."""
DEFAULT = 0.9
SUMMARY = (0.8, 0.9, 0.95, 0.99)
"""Those of the table that needs no script."""
CONFIGURATIONS = (1, 2, 3, 5, 7, 10, 15, 20, 35, 50, 100)
EXAMPLES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
MEASURES: Mapping[Measure, str] = {
    "generalizability": "Generalizability coefficient",
    "w": "Expected Kendall\N{RIGHT SINGLE QUOTATION MARK}s W of ten rankings",
}

_REACHED: Mapping[Measure, str] = {
    "generalizability": "a generalizability coefficient of",
    "w": "an expected Kendall\N{RIGHT SINGLE QUOTATION MARK}s W of",
}


@dataclass(frozen=True)
class BudgetTarget:
    """A target reliability, what reaches it, and with the fewest requests."""

    target: float
    view: View
    cheapest: Mapping[str, Any] | None


@dataclass(frozen=True)
class BudgetPlan:
    """The planner for one data set, or all, and one measure.

    Attributes:
        measure: a key of ``MEASURES``.
        wishes: one per target.
        sizes: a sentence per pair of :class:`Sizes`, a row per number of configurations.
        level: of the intervals, in percent as text.
        notes: what to know of it.
    """

    measure: str
    wishes: tuple[BudgetTarget, ...]
    sizes: tuple[tuple[str, ...], ...]
    level: str
    notes: tuple[str, ...]


def cell_costs(study: Study, cubes: Sequence[Cube]) -> dict[str, Any]:
    """Data set -> what a cell costs (:class:`torr_plugin.running.usage.Usage`); empty for scores only."""
    run = study.source.run
    if run is None:
        return {}
    return dict(usage(run, {cube.dataset: cube.configurations for cube in cubes}))


@dataclass(frozen=True)
class Sizes:
    """Numbers of configurations and of examples a data set to choose from."""

    configurations: tuple[int, ...]
    examples: tuple[int, ...]


def offered_sizes(settings: Settings) -> Sizes:
    """Round numbers, and the most that the study has."""
    return Sizes(
        tuple(sorted({*CONFIGURATIONS, max(settings.configurations.values())})),
        tuple(sorted({*EXAMPLES, max(settings.examples.values())})),
    )


def plans(
    cubes: Sequence[Cube], costs: Mapping[str, Any], sizes: Sizes, said: Container[str] = ()
) -> Iterator[BudgetPlan]:
    """The planner of these data sets together, one plan per measure; without notes that are ``said`` already.

    Raises:
        AnalysisError: the variance components cannot be estimated from these scores.
    """
    known = [costs[cube.dataset] for cube in cubes if cube.dataset in costs]
    cost = mean_usage(known) if len(known) == len(cubes) else None
    several, options = len(cubes) > 1, Options()
    for measure in MEASURES:
        planner = Planner(cubes, measure, options)

        def with_prices(options: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
            return options if cost is None else [priced(option, cost) for option in options]

        yield BudgetPlan(
            measure=measure,
            wishes=tuple(
                _wish(
                    f"{_REACHED[measure]} {target:.2f}",
                    target,
                    with_prices(reaching),
                    planner.ceiling,
                    several,
                )
                for target, reaching in zip(TARGETS, planner.options(TARGETS), strict=True)
            ),
            sizes=tuple(
                tuple(
                    f"{_told([option], several)}."
                    for option in with_prices(planner.predicted([(k, n) for n in sizes.examples]))
                )
                for k in sizes.configurations
            ),
            level=percent(options.level),
            notes=(
                *(f"{sentence(note)}." for note in planner.notes if note not in said),
                *_cost_notes(cost),
            ),
        )


def _cost_notes(cost: Mapping[str, float] | None) -> tuple[str, ...]:
    if cost is None:
        return ("One request is counted for each model, configuration and example.",)
    if abs(cost["requests"] - 1) < 1e-9:
        return ()
    return (f"An answer takes {cost['requests']:.2f} requests in this study, on average; all are counted.",)


def _wish(
    wished: str,
    target: float,
    options: Sequence[Mapping[str, Any]],
    ceiling: Mapping[str, Any],
    several: bool,
) -> BudgetTarget:
    fewest = min((option["requests"] for option in options), default=None)
    best = [option for option in options if option["requests"] == fewest]
    line = (
        f"The fewest requests that are predicted to reach {wished}: {_told(best, several)}."
        if best
        else f"{sentence(wished)} is predicted not to be reached by "
        f"{ceiling['configurations']:,} configurations with "
        f"{ceiling['examples']:,} examples{of_each(several)}, the largest size considered: "
        f"{interval_text(_figure(ceiling))}."
    )
    rows = tuple(_row(option, best=option in best) for option in options)
    view = View((*_head(several), "Reliability"), rows, (line,))
    return BudgetTarget(target, view, best[0] if best else None)


def _head(several: bool) -> tuple[str, ...]:
    return "Configurations", examples_head(several), "Requests per model", "Requests"


def _row(option: Mapping[str, Any], *, best: bool) -> tuple[ViewCell, ...]:
    style = "num best" if best else "num"
    first, *others = (
        ViewCell(f"{option[key]:,}", style=style)
        for key in ("configurations", "examples", "requests_per_model", "requests")
    )
    first = replace(first, bounds="fewest requests" if best else "")
    return (first, *others, figure_cell(_figure(option), style))


def _figure(option: Mapping[str, Any]) -> Interval:
    return Interval(value=option["value"], low=option["low"], high=option["high"])


def _told(options: Sequence[Mapping[str, Any]], several: bool) -> str:
    """Sizes of as many requests, how many these are, and how reliable each size is."""
    sizes = " or ".join(
        f"{counted(option['configurations'], 'configuration')} with {counted(option['examples'], 'example')}"
        for option in options
    )
    reliability = " or ".join(interval_text(_figure(option)) for option in options)
    return (
        f"{sizes}{of_each(several)}, {options[0]['requests_per_model']:,} requests per model, "
        f"{options[0]['requests']:,} for all models; predicted reliability {reliability}"
    )


def summary_view(plan: BudgetPlan, several: bool) -> View:
    """The cheapest option for a few reliabilities, for readers without script."""
    rows = tuple(
        (
            ViewCell(f"{wish.target:.2f}"),
            *(_row(wish.cheapest, best=False) if wish.cheapest else (ViewCell("not reached"), *[DASH] * 4)),
        )
        for wish in plan.wishes
        if wish.target in SUMMARY
    )
    return View(("Target reliability", *_head(several), "Predicted"), rows)
