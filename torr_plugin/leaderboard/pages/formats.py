"""Ways to write a table down: which to use for a model, how sure that is, and at what price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...analysis.figures.deviations import Deviations
from ...analysis.figures.factor_scores import WinRates
from ...analysis.result import OVERALL, Interval
from ..candidates import Candidate, candidates_view, glance_view, summary
from ..charts.format_prices import format_prices
from ..claims import Claims, at_limit
from ..coverage import comparison_lines, design_lines
from ..files import PageFile, SiteFile, packed_script
from ..formats import ALL_DATASETS, apart_lines, apart_view, compared_examples, formats
from ..heat_maps import HeatMap, difference_matrix, heat_maps, models_map
from ..source import keeps_labels
from ..study import Study
from ..views import View, ViewCell, as_data, axis_of, figure_cell, whisker


@dataclass(frozen=True)
class DatasetChoice:
    """A data set, or all of them: ``name`` as the analysis has it, ``title`` as readers do."""

    name: str
    title: str


def places_of_study(study: Study) -> tuple[DatasetChoice, ...]:
    """All data sets first; a single data set alone."""
    found = tuple(DatasetChoice(name, study.short[name]) for name in study.datasets)
    return found if len(found) == 1 else (DatasetChoice(OVERALL, ALL_DATASETS), *found)


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choices show."""
    places = places_of_study(study)
    models = model_cells(study)
    bold, sentences = study.claims.bold, study.claims.sentences
    advised = {
        place.name: {model: _formats(study, model, place.name) for model in study.models} for place in places
    }
    shown = [
        [_view(study, model, place.name, advised[place.name][model]) for place in places]
        for model in study.models
    ]
    limits = _limits(study)
    glance = [glance_view(advised[place.name], models, limits) for place in places]
    away = [_away(study, place, models, bold) for place in places]
    impact = [_impact(study, place, models, bold) for place in places]
    wins = dict(_wins(study, places))
    maps = [_maps(study, place) for place in places]
    path = f"{study.paths.scripts}/formats.js"
    yield PageFile(
        path=study.paths.formats,
        template="formats.html",
        title="Formats",
        current="formats",
        values={
            "places": places,
            "several": len(places) > 1,
            "chosen": shown[0][0] if any(one.rows for own in shown for one in own) else None,
            "glance": glance[0],
            "summary": summary(advised[places[0].name]),
            "charts": tuple(format_prices(advised[places[0].name], study.short)),
            "limits": limits,
            "sentence_line": sentences.sentence_line,
            "bold_line": bold.bold_line,
            "away": away[0] if away[0].rows else None,
            "wins": wins,
            "win_titles": _win_titles(study, places),
            "impact": impact[0] if any(view.rows for view in impact) else None,
            "changing": _changing(study),
            "maps": [(found.title, _map_view(found, study.short)) for found in maps[0]],
            "compared": tuple(comparison_lines(study.analysis)),
            "at_design": tuple(design_lines(study.analysis)),
            "apart_lines": tuple(apart_lines(study.analysis)),
            "apart": apart_view(study.analysis, models, study.short, sentences),
            "apart_best": apart_view(study.analysis, models, study.short, sentences, with_best=True),
            "data": path,
        },
        scripts=("views.js", "formats.js"),
    )
    yield packed_script(
        path,
        {
            "formats": [[as_data(view) for view in own] for own in shown],
            "glance": [as_data(view) for view in glance],
            "away": [as_data(view) for view in away],
            "impact": [as_data(view) for view in impact],
            "wins": {part: [as_data(view) for view in views] for part, views in wins.items()},
            "maps": [
                [{**as_data(_map_view(one, study.short)), "title": one.title} for one in own] for own in maps
            ],
        },
    )


def model_cells(study: Study) -> dict[str, ViewCell]:
    """Models, best first, as the first cells of rows."""
    return {
        model: ViewCell(study.short[model], whole=model, href=study.paths.models[model])
        for model in study.models
    }


def _formats(study: Study, model: str, place: str) -> list[Candidate]:
    """A model's formats by their short names."""
    found = formats(study.analysis, model, place, study.claims.sentences)
    return [replace(one, name=study.short.get(one.name, one.name), whole=one.name) for one in found]


def _view(study: Study, model: str, place: str, found: Sequence[Candidate]) -> View:
    return candidates_view(found, examples=compared_examples(study.analysis, model, place))


def _limits(study: Study) -> tuple[str, ...]:
    """The models of whom formats say little, as nearly all answers are wrong, or right."""
    return tuple(model for model in study.models if at_limit(study.analysis, model, "performance"))


def _away(study: Study, place: DatasetChoice, models: Mapping[str, ViewCell], bold: Claims) -> View:
    """How far each format lies from the mean over them, the best on average first."""
    serializers = study.analysis.serializers
    every = serializers.advised_deviations if serializers else {}
    own = every.get(place.name, Deviations())
    columns = sorted(own.all_models, key=lambda name: -(own.all_models[name].value or 0.0))
    found = difference_matrix(
        own.models,
        models,
        columns,
        lambda model, name: ("serializer", place.name, model, name) in bold,
        own.all_models,
    )
    return replace(found, head=tuple(study.short.get(name, name) for name in found.head))


def _impact(study: Study, place: DatasetChoice, models: Mapping[str, ViewCell], bold: Claims) -> View:
    """What each change to the table costs or gains."""
    perturbations = study.analysis.perturbations
    found = perturbations.differences.get(place.name, {}) if perturbations else {}
    columns = list(dict.fromkeys(name for by_name in found.values() for name in by_name))
    return difference_matrix(
        found, models, columns, lambda model, name: ("impact", place.name, model, name) in bold
    )


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


def _wins(study: Study, places: Sequence[DatasetChoice]) -> Iterator[tuple[str, list[View]]]:
    """Of formats, and of changes to the table: a table for each of :func:`_win_titles`."""
    parts = ("format", study.analysis.serializers), ("change", study.analysis.perturbations)
    for name, part in parts:
        if part is None or len(part.pairwise_win_rates.overall) < 2:
            continue
        scopes = _win_scopes(study, part.pairwise_win_rates, places)
        ends = axis_of([figure for own in scopes for figure in own.values()], 0.5)
        views = [_win_view(name, own, ends, study.short) for own in scopes]
        if any(view.rows for view in views):
            yield name, views


def _win_titles(study: Study, places: Sequence[DatasetChoice]) -> list[str]:
    several = len(places) > 1
    first = "All models and data sets" if several else "All models"
    return [first, *study.models, *(study.datasets if several else ())]


def _win_scopes(
    study: Study, rates: WinRates, places: Sequence[DatasetChoice]
) -> list[Mapping[str, Interval]]:
    return [
        rates.overall,
        *(rates.models.get(name, {}) for name in study.models),
        *(rates.datasets.get(name, {}) for name in (study.datasets if len(places) > 1 else ())),
    ]


def _win_view(
    name: str, figures: Mapping[str, Interval], ends: tuple[float, float], short: Mapping[str, str]
) -> View:
    known = {key: one for key, one in figures.items() if one.value is not None}
    rows = tuple(
        (
            ViewCell(short.get(key, key), whole=key),
            figure_cell(known[key], "num", whisker(known[key], ends, 0.5)),
        )
        for key in sorted(known, key=lambda key: -(known[key].value or 0.0))
    )
    return View((name.capitalize(), "Scores higher than another"), rows)


def _maps(study: Study, place: DatasetChoice) -> tuple[HeatMap, ...]:
    """Every configuration; nothing where these are the formats alone, of which the page has spoken."""
    scores = study.analysis.configurations.get(place.name) or {}
    if study.analysis.serializers and not study.several_designs and not _several_changes(study):
        return ()
    if not scores:
        return ()
    return heat_maps(scores, study.models) or (models_map(scores, study.models),)


def _several_changes(study: Study) -> bool:
    perturbations = study.analysis.perturbations
    return any(len(own) > 1 for own in perturbations.scores.values()) if perturbations else False


def _map_view(found: HeatMap, short: Mapping[str, str]) -> View:
    rows = tuple(
        (
            ViewCell(short.get(name, name), whole=name),
            *(
                ViewCell(cell.text, style="" if cell.shade is None else f"shade-{cell.shade}")
                for cell in cells
            ),
        )
        for name, cells in found.rows
    )
    return View((found.head, *found.columns), rows, (f"Means from {found.low} to {found.high}.",))
