"""How far rankings can be trusted, and what a study has to hold for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ...analysis import AnalysisError
from ...analysis.budget import examples_each
from ...analysis.charts.drawing import chart_context
from ...analysis.figures.dataset_agreement import DatasetAgreement
from ...analysis.figures.generalizability import GENERALIZABILITY, Generalizability
from ...analysis.figures.reliability import Curves
from ...analysis.options import Settings
from ...analysis.result import OVERALL
from .. import planner
from ..agreement import (
    configuration_view,
    drawn_curves,
    example_view,
    prompt_view,
    separability_view,
    tau_view,
    variance_view,
)
from ..charts import Chart
from ..charts.chart import figure_chart
from ..charts.reliability import example_chart, example_rows, prompt_chart, prompt_rows, variance_chart
from ..files import PageFile, SiteFile, packed_script
from ..formats import ALL_DATASETS
from ..results import StudyResults
from ..sentences import reliability_findings
from ..single_model import spread_view, widths_view
from ..study import Study
from ..unranked import unranked_line
from ..views import Panel, View, as_data, panels

Plans = Mapping[str, Mapping[str, planner.BudgetPlan]]
"""Data set or "overall" -> measure -> plan."""


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choices show."""
    if len(study.models) == 1:
        return iter([_single_model_page(study)])
    return _files(study, study.planner or planner.planner_figures(study))


def _files(study: Study, figures: planner.PlannerFigures) -> Iterator[SiteFile]:
    analysis = study.analysis
    several = len(study.datasets) > 1
    places = [OVERALL, *study.datasets] if several else list(study.datasets)
    titles = _titles(places)
    pooled = {place: several and place == OVERALL for place in places}
    curves = [drawn_curves(analysis.reliability.get(place) or Curves()) for place in places]
    prompts, examples = (
        [view(own, pooled[place]) for own, place in zip(curves, places, strict=True)]
        for view in (prompt_view, example_view)
    )
    varied = _varied(analysis, places)
    sizes = analysis.settings.examples
    harmonic = examples_each(list(sizes.values()))
    variances = [
        variance_view(found, pooled[place], sizes.get(place, harmonic)) for place, found in varied.items()
    ]
    plans, why_not = _plans(figures, varied)
    planned = [place for place in places if place in plans]
    links = study.paths.datasets
    agreement = _agreement(analysis) if several else None
    first = curves[0]
    planner_values = _planner_values(plans, planned, figures.sizes, analysis.settings)
    # of one data set alone, where all together have no plan, the plan is not the study's; nor is it one for
    # models that do not differ
    wish = planner_values["wish"].view.lines[0] if planned[:1] == places[:1] and places[0] in varied else ""
    short = tuple(reliability_findings(study, places[0], wish))
    yield PageFile(
        path=study.paths.reliability,
        template="reliability.html",
        title="Reliability",
        current="reliability",
        values={
            "titles": titles,
            "several": several,
            "prompts": prompts[0] if prompt_rows(first) else None,
            "examples": examples[0] if example_rows(first) else None,
            "prompt_charts": _charts(
                [partial(prompt_chart, level=study.level)] * len(places), curves, prompts, titles
            ),
            "example_charts": _charts(
                [partial(example_chart, pooled=own) for own in pooled.values()], curves, examples, titles
            ),
            "configurations": configuration_view(study),
            "tau": tau_view(agreement, links) if agreement else None,
            "variance": variances[0] if variances else None,
            "variance_titles": _titles(list(varied)),
            "not_varied": _titles([place for place in places if place not in varied]),
            "variance_chart": variance_chart(varied, ALL_DATASETS),
            "separability": separability_view(study),
            "why_not": why_not,
            "planned": _titles(planned),
            "frontier": _frontier(analysis),
            **planner_values,
            "short": short,
            "left_out": [
                (title, line)
                for place, title in zip(places, titles, strict=True)
                if (line := unranked_line(study, place))
            ],
            "data": f"{study.paths.scripts}/reliability.js",
            "budget_data": f"{study.paths.scripts}/budget.js",
        },
        scripts=("views.js", "reliability.js"),
        description=" ".join(one.text for one in short[:2]),
    )
    yield packed_script(
        f"{study.paths.scripts}/reliability.js",
        {
            "prompts": [as_data(one) for one in prompts],
            "examples": [as_data(one) for one in examples],
            "variance": [as_data(one) for one in variances],
        },
    )
    if plans:
        shown = [{name: _plan_data(plan) for name, plan in plans[place].items()} for place in planned]
        budget = {"targets": list(planner.TARGETS), "places": shown}
        yield packed_script(f"{study.paths.scripts}/budget.js", budget)


def _varied(analysis: StudyResults, places: Sequence[str]) -> dict[str, Generalizability]:
    """The places that have components; with holes some, often all data sets together, have none."""
    found = analysis.generalizability
    return {
        place: found[place]
        for place in places
        if place in found and found[place].coefficient.value is not None
    }


def _charts(
    drawn: Sequence[Callable[[Curves, str, str, int], Chart | None]],
    curves: Sequence[Curves],
    views: Sequence[View],
    titles: Sequence[str],
) -> tuple[Panel[Chart | None], ...]:
    """A chart for each place that can be chosen, by what draws it."""
    places = enumerate(zip(drawn, curves, views, titles, strict=True))
    return panels(
        (str(number), title, chart(one, title, " ".join(view.lines) or "The numbers follow.", number))
        for number, (chart, one, view, title) in places
    )


def _frontier(analysis: StudyResults) -> Chart | None:
    """What reaches several reliabilities, over all data sets."""
    found = analysis.results.get(GENERALIZABILITY)
    name = "reliability_frontier"
    (chart,) = (each for each in GENERALIZABILITY.charts if each.name == name)
    drawn = figure_chart(chart, found, chart_context(analysis.results), name) if found else None
    return replace(drawn, note="The cross is this study.") if drawn else None


def _single_model_page(study: Study) -> PageFile:
    """The page of a study of one model, which has no ranking."""
    (model,) = study.models
    return PageFile(
        path=study.paths.reliability,
        template="reliability_alone.html",
        title="Reliability",
        current="reliability",
        values={
            "model": model,
            "spread": spread_view(study.analysis, model, study.paths.datasets),
            "widths": widths_view(study.analysis, model, ALL_DATASETS),
        },
    )


def _titles(places: Sequence[str]) -> list[str]:
    return [ALL_DATASETS if place == OVERALL else place for place in places]


def _agreement(analysis: StudyResults) -> DatasetAgreement | None:
    """Between data sets; None where no two of them rank models, as where all tie."""
    found = analysis.dataset_agreement
    if found is None or not any(row[:place].count(None) < place for place, row in enumerate(found.tau)):
        return None
    return found


def _plans(
    figures: planner.PlannerFigures, varied: Mapping[str, Generalizability]
) -> tuple[Plans, list[str]]:
    """The planner's figures of all data sets and of each that has them; of the others, why not.

    Without the notes that stand beside the components of ``varied``.
    """
    found, why_not = {}, []
    for place in figures.places:
        try:
            said = varied[place].notes if place in varied else ()
            found[place] = {plan.measure: plan for plan in planner.plans(figures, place, said)}
        except AnalysisError as error:
            why_not.append(str(error))
    return found, why_not


def _planner_values(
    plans: Plans, planned: Sequence[str], sizes: planner.Sizes, settings: Settings
) -> dict[str, Any]:
    """What the page shows at first: the default wish, and one configuration with the study's examples."""
    if not plans:
        return {"plan": None}
    several = planned[0] == OVERALL
    own = sizes.examples.index(max(settings.examples.values()))
    plan = plans[planned[0]]["generalizability"]
    wish = plan.wishes[planner.TARGETS.index(planner.DEFAULT)]
    size = plan.sizes[0][own]
    return {
        "plan": plan,
        "notes": View(lines=plan.notes),
        "wish": wish,
        "size": View(lines=(size,)),
        "each": several,
        "summary": planner.summary_view(plan, several),
        "targets": planner.TARGETS,
        "target": planner.DEFAULT,
        "sizes": sizes,
        "own": own,
        "measures": planner.MEASURES,
    }


def _plan_data(plan: planner.BudgetPlan) -> dict[str, Any]:
    return {
        "wishes": [as_data(wish.view) for wish in plan.wishes],
        "sizes": [list(row) for row in plan.sizes],
        "notes": list(plan.notes),
    }
