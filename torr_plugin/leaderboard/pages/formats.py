"""Ways to write a table down: which to use for a model, what they cost and win, every configuration."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...analysis.figures.deviations import Deviations
from ...analysis.figures.factor_scores import WinRates
from ...analysis.figures.perturbations import Perturbations
from ...analysis.figures.serializers import Serializers
from ...analysis.result import OVERALL, Interval
from ..candidates import candidates_view, glance_view
from ..charts.chart import Chart
from ..charts.comparisons import description, win_chart, win_rows
from ..claims.worded import best_format_costs
from ..coverage import comparison_lines, configuration_parts, design_lines, serializer_pairs
from ..files import PageFile, SiteFile, packed_script
from ..formats import ALL_DATASETS, cost_view, formats
from ..heat_maps import HeatMap, Strip, difference_matrix, heat_maps, strip
from ..results import StudyResults
from ..source import keeps_labels
from ..study import Study
from ..views import DASH, Dots, View, ViewCell, as_data, axis_of, figure_cell, number_cell, whisker

_PARTS = ("serializer", "perturbation")


@dataclass(frozen=True)
class DatasetChoice:
    """A data set, or all of them: ``name`` as the analysis has it, ``title`` as readers do."""

    name: str
    title: str


@dataclass(frozen=True)
class ConfigurationPart:
    """What the page shows of serializers, or of perturbations."""

    name: str
    away: tuple[View, ...]
    wins: tuple[View, ...]
    win_titles: tuple[str, ...]
    chart: Chart
    chart_rows: tuple[list[dict[str, Any]], ...]
    descriptions: tuple[str, ...]


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choices show."""
    analysis = study.analysis
    places = places_of_study(study)
    links = _links(study)
    bold, sentences = study.claims.bold, study.claims.sentences
    chosen = _format_choices(study, places, sentences)
    parts = tuple(
        part
        for name, found in zip(_PARTS, (analysis.serializers, analysis.perturbations), strict=True)
        if found and (part := _part(study, name, found, places, bold))
    )
    glance = tuple(
        glance_view({model: formats(analysis, model, place.name, sentences) for model in study.models}, links)
        for place in places
    )
    impact = tuple(_impact(analysis, place, links, bold) for place in places)
    every = tuple(_every(analysis, place, study.models, links) for place in places)
    path = f"{study.paths.scripts}/formats.js"
    yield PageFile(
        path=study.paths.formats,
        template="formats.html",
        title="Formats",
        current="formats",
        values={
            "places": places,
            "several": len(places) > 1,
            "chosen": chosen[0][0] if chosen and chosen[0] else None,
            "glance": glance[0],
            "sentence_line": sentences.sentence_line,
            "bold_line": bold.bold_line,
            "parts": parts,
            "impact": impact[0] if impact[0].rows else None,
            "absolute": _absolute(analysis),
            "changing": _changing(study),
            "strips": every[0][0],
            "maps": [(found.title, _map_view(found)) for found in every[0][1]],
            "made_of": configuration_parts(study.source.scores),
            "compared": tuple(comparison_lines(analysis)),
            "at_design": tuple(design_lines(analysis)),
            "pairs": serializer_pairs(analysis),
            "data": path,
        },
        scripts=("views.js", "formats.js"),
    )
    yield packed_script(
        path,
        {
            "formats": [[_shown(one) for one in of_model] for of_model in chosen],
            "glance": [as_data(view) for view in glance],
            "impact": [as_data(view) for view in impact],
            "parts": {part.name: _part_data(part) for part in parts},
            "strips": [as_data(view) for view, _ in every],
            "maps": [[_map_data(found) for found in maps] for _, maps in every],
        },
    )


def _links(study: Study) -> dict[str, str]:
    """Models, best first, and their pages."""
    return {model: study.paths.models[model] for model in study.models}


def places_of_study(study: Study) -> tuple[DatasetChoice, ...]:
    """All data sets first; a single data set alone."""
    found = tuple(DatasetChoice(name, name) for name in study.datasets)
    return found if len(found) == 1 else (DatasetChoice(OVERALL, ALL_DATASETS), *found)


@dataclass(frozen=True)
class FormatChoice:
    """What a model's choice of a format shows: the formats, and what perturbations cost in the first."""

    formats: View
    costs: View
    best: str


def _format_choices(
    study: Study, places: Sequence[DatasetChoice], claims: Container[Hashable]
) -> list[list[FormatChoice]]:
    """Per model and place; empty where no model has two formats."""
    changing = _changing(study)
    found = [
        [_of_model(study.analysis, model, place, changing, claims) for place in places]
        for model in study.models
    ]
    return found if any(one.best for row in found for one in row) else []


def _of_model(
    analysis: StudyResults,
    model: str,
    place: DatasetChoice,
    changing: Mapping[str, Sequence[str]],
    claims: Container[Hashable],
) -> FormatChoice:
    known = formats(analysis, model, place.name, claims)
    best, costs = best_format_costs(analysis, model, place.name)
    untrue = {name for name, where in changing.items() if place.name in (OVERALL, *where)}
    claimed = {name for name in costs if ("cost", model, place.name, name) in claims}
    return FormatChoice(candidates_view(known), cost_view(costs, sorted(untrue), claimed), best)


def _changing(study: Study) -> dict[str, tuple[str, ...]]:
    """Perturbation -> the data sets whose answers it may change; empty where the study does not say."""
    perturbations = study.analysis.perturbations
    if perturbations is None:
        return {}
    keeps = keeps_labels(study.source.study)
    found = {
        name: tuple(dataset for dataset, kept in keeps.items() if name not in kept)
        for name in perturbations.scores.get(OVERALL) or {}
        if name != "none"
    }
    return {name: where for name, where in found.items() if where}


def _part(
    study: Study,
    name: str,
    found: Serializers | Perturbations,
    places: Sequence[DatasetChoice],
    bold: Container[Hashable],
) -> ConfigurationPart | None:
    """None where there are not two serializers, or perturbations."""
    if not found.deviations and not (found.win_rates and len(found.win_rates.overall) > 1):
        return None
    links = _links(study)
    rates = _win_scopes(study, found.win_rates, places)
    figures = [figure for _, by_name in rates for figure in by_name.values()]
    ends = 0.0, axis_of(figures, 0.0)[1]
    return ConfigurationPart(
        name=name,
        away=tuple(_away(name, found, place, links, bold) for place in places),
        wins=tuple(_wins(name, by_name, ends) for _, by_name in rates),
        win_titles=tuple(title for title, _ in rates),
        chart=win_chart(name, rates[0][1], max(len(one) for _, one in rates), ends[1]),
        chart_rows=tuple(win_rows(by_name) for _, by_name in rates),
        descriptions=tuple(description(name, by_name) for _, by_name in rates),
    )


def _away(
    part: str,
    found: Serializers | Perturbations,
    place: DatasetChoice,
    links: Mapping[str, str],
    bold: Container[Hashable],
) -> View:
    """Best first, by the mean over models."""
    own = found.deviations.get(place.name, Deviations())
    columns = sorted(own.all_models, key=lambda name: -(own.all_models[name].value or 0.0))
    return difference_matrix(
        own.models,
        links,
        columns,
        lambda model, name: (part, place.name, model, name) in bold,
        own.all_models,
    )


def _win_scopes(
    study: Study, rates: WinRates | None, places: Sequence[DatasetChoice]
) -> list[tuple[str, Mapping[str, Interval]]]:
    """What win rates can be of: all, each data set, each model; titles and rates."""
    rates = rates or WinRates()
    title = "All models and data sets" if len(places) > 1 else "All models"
    datasets = study.datasets if len(places) > 1 else ()
    return [
        (title, rates.overall),
        *((name, rates.models.get(name, {})) for name in study.models),
        *((name, rates.datasets.get(name, {})) for name in datasets),
    ]


def _wins(name: str, figures: Mapping[str, Interval], ends: tuple[float, float]) -> View:
    known = {key: one for key, one in figures.items() if one.value is not None}
    chance = 1 / len(known) if known else None
    rows = tuple(
        (ViewCell(key), figure_cell(known[key], "num", whisker(known[key], ends, chance)))
        for key in sorted(known, key=lambda key: -(known[key].value or 0.0))
    )
    lines = () if chance is None else (f"By chance (dashed line) each would win {chance:.3f}.",)
    return View((name.capitalize(), "Win rate"), rows, lines)


def _impact(
    analysis: StudyResults, place: DatasetChoice, links: Mapping[str, str], bold: Container[Hashable]
) -> View:
    found = analysis.perturbations.differences.get(place.name, {}) if analysis.perturbations else {}
    columns = list(dict.fromkeys(name for by_name in found.values() for name in by_name))
    return difference_matrix(
        found, links, columns, lambda model, name: ("impact", place.name, model, name) in bold
    )


def _absolute(analysis: StudyResults) -> View | None:
    """Mean absolute impact, a row per data set, then a row per model."""
    impact = analysis.perturbations.absolute_impact if analysis.perturbations else None
    if impact is None or not (impact.datasets or impact.models):
        return None
    rows = [
        (ViewCell(name, kind), by_name)
        for kind, found in (("data set", impact.datasets), ("model", impact.models))
        for name, by_name in found.items()
    ]
    columns = list(dict.fromkeys(name for _, by_name in rows for name in by_name))
    return View(
        ("Data set or model", *columns),
        tuple(
            (first, *(figure_cell(by_name[name]) if name in by_name else DASH for name in columns))
            for first, by_name in rows
        ),
    )


def _every(
    analysis: StudyResults, place: DatasetChoice, models: Sequence[str], links: Mapping[str, str]
) -> tuple[View, tuple[HeatMap, ...]]:
    """Strips and heat maps of a place."""
    scores = analysis.configurations.get(place.name) or {}
    rows = tuple(_strip_row(strip(model, scores), links[model]) for model in models)
    head = (
        "Model",
        "Each configuration\N{RIGHT SINGLE QUOTATION MARK}s mean, 0 to 1",
        "Apart",
        "Lowest",
        "Highest",
    )
    return View(head, rows if scores else ()), heat_maps(scores, models)


def _strip_row(found: Strip, href: str) -> tuple[ViewCell, ...]:
    dots = Dots(tuple((dot.x, f"{dot.config}: {dot.value}") for dot in found.dots), found.mean)
    ends = tuple(
        ViewCell(end.value, end.config) if end else ViewCell("\N{EN DASH}")
        for end in (found.lowest, found.highest)
    )
    return ViewCell(found.model, href=href), ViewCell(dots=dots), number_cell(found.spread), *ends


def _shown(one: FormatChoice) -> dict[str, Any]:
    return {"formats": as_data(one.formats), "costs": as_data(one.costs), "best": one.best}


def _part_data(part: ConfigurationPart) -> dict[str, Any]:
    return {
        "away": [as_data(view) for view in part.away],
        "wins": [as_data(view) for view in part.wins],
        "chart": list(part.chart_rows),
        "descriptions": list(part.descriptions),
    }


def _map_view(found: HeatMap) -> View:
    rows = tuple(
        (
            ViewCell(name),
            *(
                ViewCell(cell.text, style="" if cell.shade is None else f"shade-{cell.shade}")
                for cell in cells
            ),
        )
        for name, cells in found.rows
    )
    return View(("Serializer", *found.columns), rows, (f"Means from {found.low} to {found.high}.",))


def _map_data(found: HeatMap) -> dict[str, Any]:
    return {**as_data(_map_view(found)), "title": found.title}
