"""Ways to write a table down: which to use for a model, how sure that is, and at what price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...analysis.figures.factor_scores import WinRates
from ...analysis.result import OVERALL, Interval
from ..candidates import Candidate, candidates_view, glance_view, summary
from ..charts.format_prices import format_prices
from ..chosen import (
    Choices,
    DatasetChoice,
    choices_script,
    first,
    model_cells,
    of_place,
    places_of_study,
    with_rows,
)
from ..coverage import apart_lines, comparison_lines, design_lines
from ..files import PageFile, SiteFile
from ..formats import ALL_MODELS, compared_examples, formats
from ..heat_maps import difference_matrix, heat_maps, models_map
from ..results import at_limit
from ..study import Study
from ..verdicts import swapped
from ..views import View, ViewCell, axis_of, figure_cell, whisker


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choices show; nothing of a study of one configuration."""
    if not study.analysis.varied:
        return
    every, models = places_of_study(study), model_cells(study)
    advised = {
        place.name: {model: _formats(study, model, place.name) for model in study.models} for place in every
    }
    places = [place for place in every if any(advised[place.name].values())]
    at_first = advised[places[0].name] if places else {}
    limits = {
        word: [model for model in study.models if at_limit(study.analysis, model, "performance") == limit]
        for word, limit in (("right", "ceiling"), ("wrong", "floor"))
    }
    at_ends = [model for those in limits.values() for model in those]
    titles, named = {"use": [place.title for place in places]}, dict[str, Choices]()
    named["formats"] = [
        [_view(study, model, place, advised[place.name][model]) for place in places] for model in study.models
    ]
    named["glance"] = [
        replace(
            glance_view(advised[place.name], models, at_ends),
            lines=summary(advised[place.name]),
            caption=f"What to use for each model{_where(study, place)}",
        )
        for place in places
    ]
    titles["away"], named["away"] = with_rows(every, lambda place: _away(study, place, models))
    titles["impact"], named["impact"] = with_rows(every, lambda place: _impact(study, place, models))
    titles["wins"], wins = _wins(study)
    titles["every"], titles["map"], named["map"] = _maps(study, every)
    path = f"{study.paths.scripts}/formats.js"
    yield PageFile(
        path=study.paths.formats,
        template="formats.html",
        title="Formats",
        current="formats",
        values={
            "titles": titles,
            "views": {name: first(found) for name, found in (named | wins).items()},
            "wins": list(wins),
            "alone": len(places) > 1 and places[0].name != OVERALL,
            "over": "" if len(every) == 1 or not places else places[0].within,
            "charts": tuple(format_prices(at_first, study.short)),
            "some_worse": any(one.worse for own in at_first.values() for one in own),
            "limits": limits,
            "compared_examples": compared_examples(study.analysis, at_first, places[0].name)
            if places
            else "",
            "changing": study.changing,
            "compared": (
                *apart_lines(study.compared.apart, study.short, several=len(study.datasets) > 1),
                *comparison_lines(study.analysis),
            ),
            "at_design": tuple(design_lines(study.analysis)),
            "data": path,
        },
        scripts=("views.js", "chosen.js"),
    )
    yield choices_script(path, named | wins)


def _formats(study: Study, model: str, place: str) -> list[Candidate]:
    """A model's formats by their short names."""
    found = formats(study.analysis, model, place)
    return [replace(one, name=study.short.get(one.name, one.name), whole=one.name) for one in found]


def _view(study: Study, model: str, place: DatasetChoice, found: Sequence[Candidate]) -> View:
    title, own = f"{model}{of_place(study, place)}", (model,)
    view = candidates_view(
        found,
        examples=compared_examples(study.analysis, own, place.name),
    )
    return replace(
        view, title=title, caption=f"Formats for {model}{_where(study, place, own)}, best mean first"
    )


def _where(study: Study, place: DatasetChoice, models: Sequence[str] = ()) -> str:
    """On which data set formats are compared, and over how many examples of each model."""
    over = compared_examples(study.analysis, models or study.models, place.name)
    return f"{of_place(study, place)}, over {over}" if over else of_place(study, place)


def _away(study: Study, place: DatasetChoice, models: Mapping[str, ViewCell]) -> View:
    """What each format costs each model against its best, the best on average first."""
    behind = {
        model: {one.whole: swapped(one.behind) for one in _formats(study, model, place.name)}
        for model in (ALL_MODELS, *study.models)
    }
    average = behind.pop(ALL_MODELS)
    known = {model: own for model, own in behind.items() if own}
    columns = list(average or dict.fromkeys(name for own in known.values() for name in own))
    found = difference_matrix(known, models, columns, average)
    return replace(
        found,
        head=tuple(study.short.get(name, name) for name in found.head),
        caption=f"The mean of each format minus that of the best{_where(study, place)}",
    )


def _impact(study: Study, place: DatasetChoice, models: Mapping[str, ViewCell]) -> View:
    """What each change to the table costs or gains."""
    perturbations = study.analysis.perturbations
    found = perturbations.differences.get(place.name, {}) if perturbations else {}
    columns = list(dict.fromkeys(name for by_name in found.values() for name in by_name))
    average = perturbations.average.get(place.name, {}) if perturbations else {}
    view = difference_matrix(found, models, columns, average)
    return replace(view, caption=f"Score with a change minus the score without{of_place(study, place)}")


def _wins(study: Study) -> tuple[list[str], dict[str, Choices]]:
    """Of formats, and of changes to the table: of all, of a model, on a data set; wherever two are there."""
    datasets = study.datasets if len(study.datasets) > 1 else ()
    titles = ["All models and data sets" if datasets else "All models", *study.models, *datasets]
    parts = {"format": study.analysis.serializers, "change": study.analysis.perturbations}
    found: dict[str, list[View]] = {}
    for name, part in parts.items():
        if part is None:
            continue
        rates: WinRates = part.pairwise_win_rates
        scopes = [
            rates.overall,
            *(rates.models.get(each, {}) for each in study.models),
            *(rates.datasets.get(each, {}) for each in datasets),
        ]
        if any(len(own) > 1 for own in scopes):
            ends = axis_of([figure for own in scopes for figure in own.values()], 0.5)
            found[f"wins-{name}"] = [
                _win_view(name, own, ends, study.short, title)
                for own, title in zip(scopes, [titles[0].lower(), *titles[1:]], strict=True)
            ]
    kept = [n for n in range(len(titles)) if any(views[n].rows for views in found.values())]
    shown = found if kept else {}
    return [titles[n] for n in kept], {name: [views[n] for n in kept] for name, views in shown.items()}


def _win_view(
    name: str,
    figures: Mapping[str, Interval],
    ends: tuple[float, float],
    short: Mapping[str, str],
    title: str,
) -> View:
    known = {key: one for key, one in figures.items() if one.value is not None}
    rows = tuple(
        (
            ViewCell(short.get(key, key), whole=key),
            figure_cell(known[key], "num", whisker(known[key], ends, 0.5)),
        )
        for key in sorted(known, key=lambda key: -(known[key].value or 0.0))
    )
    head = name.capitalize(), "Scores higher, a tie counting half"
    return View(head, rows if len(rows) > 1 else (), caption=f"How often each {name} scores higher, {title}")


def _maps(study: Study, places: Sequence[DatasetChoice]) -> tuple[list[str], list[str], Choices]:
    """Every configuration: data sets, maps, and a view of each; where a data set lacks a map, its first.

    Nothing where configurations are the formats alone, of which the page has spoken.
    """
    perturbations = study.analysis.perturbations
    changes = perturbations is not None and perturbations.several
    if study.analysis.serializers and not study.several_designs and not changes:
        return [], [], []
    found: dict[str, dict[str, View]] = {}
    for place in places:
        if scores := study.compared.scores.get(place.name):
            maps = heat_maps(scores, study.models, study.short) or (
                models_map(scores, study.models, study.short),
            )
            about = f"{of_place(study, place)}: mean score of each configuration"
            found[place.title] = {one.title: replace(one, caption=f"{one.title}{about}") for one in maps}
    titles = list(dict.fromkeys(title for own in found.values() for title in own))
    views = [[own.get(title, next(iter(own.values()))) for title in titles] for own in found.values()]
    return list(found), titles, views
