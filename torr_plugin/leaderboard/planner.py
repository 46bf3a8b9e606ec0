"""The budget planner's figures: what reaches each target reliability, and what each size would reach.

All are ``torr budget``'s, made by its functions with its defaults; the page only picks from them.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..analysis import Options
from ..analysis.budget import Budgets, Measure, budgets
from ..analysis.cube import Cube
from ..analysis.options import Settings
from ..analysis.result import OVERALL, Interval
from ..core.errors import counted
from ..running.usage import Usage, mean_usage, priced, usage
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


@dataclass(frozen=True)
class PlannerFigures:
    """What plans are made of, which takes seconds to compute.

    Attributes:
        sizes: that each plan offers.
        places: all data sets together, where there are several, and each of them -> its data sets.
        budgets: of each place; raises an AnalysisError where its components cannot be estimated.
        costs: data set -> what a cell costs; empty for scores only.
    """

    sizes: Sizes
    places: Mapping[str, Sequence[str]]
    budgets: Mapping[str, Callable[[], Mapping[str, Budgets]]]
    costs: Callable[[], Mapping[str, Usage]]


def planner_figures(study: Study) -> PlannerFigures:
    """Start to compute a study's."""
    cubes, run, sizes = study.cubes, study.source.run, offered_sizes(study.analysis.settings)
    places: dict[str, Sequence[Cube]] = {OVERALL: cubes} if len(study.datasets) > 1 else {}
    places.update((cube.dataset, [cube]) for cube in cubes)
    grid = [(k, n) for k in sizes.configurations for n in sizes.examples]
    asked = {cube.dataset: cube.configurations for cube in cubes}
    return PlannerFigures(
        sizes,
        {place: [cube.dataset for cube in chosen] for place, chosen in places.items()},
        {place: study.ahead(budgets, chosen, Options(), TARGETS, grid) for place, chosen in places.items()},
        study.ahead(usage, run, asked) if run is not None else dict,
    )


def plans(figures: PlannerFigures, place: str, said: Container[str] = ()) -> Iterator[BudgetPlan]:
    """The plans of a place, one per measure; without notes that are ``said`` already.

    Raises:
        AnalysisError: the variance components cannot be estimated from these scores.
    """
    datasets, found, costs = figures.places[place], figures.budgets[place](), figures.costs()
    known = [costs[dataset] for dataset in datasets if dataset in costs]
    cost = mean_usage(known) if len(known) == len(datasets) else None
    several, level = len(datasets) > 1, Options().level
    wide = len(figures.sizes.examples)
    for measure in MEASURES:
        own = found[measure]

        def with_prices(options: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
            return options if cost is None else [priced(option, cost) for option in options]

        yield BudgetPlan(
            measure=measure,
            wishes=tuple(
                _wish(
                    f"{_REACHED[measure]} {target:.2f}", target, with_prices(reaching), own.ceiling, several
                )
                for target, reaching in zip(TARGETS, own.options, strict=True)
            ),
            sizes=tuple(
                tuple(
                    f"{_told([option], several)}." for option in with_prices(own.sizes[first : first + wide])
                )
                for first in range(0, len(own.sizes), wide)
            ),
            level=percent(level),
            notes=(
                *(f"{sentence(note)}." for note in own.notes if note not in said),
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
