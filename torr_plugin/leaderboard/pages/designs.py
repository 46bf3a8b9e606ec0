"""Designs: which to use for a model, what each changes against its base, within formats and over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...analysis.figures.design_table import places_of
from ...analysis.figures.designs import Designs
from ..candidates import Candidate, candidates_view, glance_view
from ..chosen import (
    Choices,
    DatasetChoice,
    below,
    choices_script,
    first,
    model_cells,
    of_place,
    places_of_study,
)
from ..claims import Claims
from ..claims.bold import unsure
from ..design_views import (
    EVERY,
    OVER_FORMATS,
    base_lines,
    change_view,
    compared_formats,
    design_candidates,
    hypothesis,
    interaction_view,
    table_view,
)
from ..files import PageFile, SiteFile
from ..heat_maps import difference_matrix
from ..study import Study
from ..text import listed
from ..views import View, ViewCell


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choices show; nothing of a study without designs to compare."""
    found = study.analysis.designs
    if found is None:
        return
    places = [place for place in places_of_study(study) if _there(found, place.name)]
    bold, sentences, models = study.claims.bold, study.claims.sentences, model_cells(study)
    over = compared_formats(study.source.scores, found)
    candidates = {
        place: {model: design_candidates(found, model, place.name, sentences) for model in study.models}
        for place in places
    }
    scopes = (EVERY, *found.by_serializer) if len(found.by_serializer) > 1 else (EVERY,)
    rows = found.rows()
    shown = {place: study.short.get(place, place) for place in places_of(rows)}
    named: dict[str, Choices] = {
        "choice": [
            [
                _choice(study, model, place, candidates[place][model], over.get(place.name, ()))
                for place in places
            ]
            for model in study.models
        ],
        "glance": [
            replace(
                glance_view(candidates[place], models),
                caption=f"Which design for each model{of_place(study, place)}",
            )
            for place in places
        ],
        "changes": [[_changes(study, found, model, place) for place in places] for model in study.models],
        "everyone": [[_of_all(found, models, place, scope, bold) for scope in scopes] for place in places],
        "table": [
            replace(
                table_view(found, [row for row in rows if row.model == model], shown, bold),
                caption=f"Designs within formats for {model}",
            )
            for model in study.models
        ],
        "interaction": [
            replace(
                interaction_view(found, place.name, models),
                caption=f"Shares of the variance of mean scores{of_place(study, place)}",
            )
            for place in places
        ],
    }
    path = f"{study.paths.scripts}/designs.js"
    yield PageFile(
        path=study.paths.designs,
        template="designs.html",
        title="Designs",
        current="designs",
        values={
            "titles": [place.title for place in places],
            "views": {name: first(views) for name, views in named.items()},
            "shown": {name for name, views in named.items() if _any_rows(views)},
            "scopes": [_scope_title(found, scope) for scope in scopes],
            "base_lines": tuple(base_lines(found, int(study.source.scores["serializer"].nunique()))),
            "bold_rule": bold.bold_rule,
            "data": path,
        },
        scripts=("views.js", "chosen.js"),
    )
    yield choices_script(path, named)


def _any_rows(found: Choices) -> bool:
    return bool(found.rows) if isinstance(found, View) else any(map(_any_rows, found))


def _there(found: Designs, place: str) -> bool:
    """Whether anything is compared on a data set; over all of them nothing may be."""
    return bool(
        found.differences.get(place)
        or any(places.get(place) for places in found.by_serializer.values())
        or any(own.places().get(place) for own in found.choice.values())
    )


def _choice(
    study: Study, model: str, place: DatasetChoice, found: Sequence[Candidate], formats: Sequence[str]
) -> View:
    """The advice, and over which formats the means are."""
    where = below(study, place)
    perhaps = unsure(study.claims.bold, "design", where, study.short, place=place.name, model=model)
    view, title = candidates_view(found, "design", unsure=perhaps), f"{model}{of_place(study, place)}"
    lines = view.lines
    if not view.rows:
        lines = ("No two designs were asked in the same format here.",)
    elif formats:
        asked = "the format" if len(formats) == 1 else "the formats"
        lines += (f"Means are over {listed(formats)}, {asked} that all of these designs were asked in.",)
    return replace(view, lines=lines, title=title, caption=f"Designs for {title}, best mean first")


def _changes(study: Study, found: Designs, model: str, place: DatasetChoice) -> View:
    title, claims = f"{model}{of_place(study, place)}", study.claims
    view = change_view(found, model, place.name, claims.sentences, claims.bold, where=below(study, place))
    return replace(view, title=title, caption=f"What each design changes for {title}")


def _of_all(
    found: Designs, models: Mapping[str, ViewCell], place: DatasetChoice, scope: str, bold: Claims
) -> View:
    """What each design changes for every model, over formats or within one."""
    by_place = found.differences if scope == EVERY else found.by_serializer[scope]
    own = by_place.get(place.name, {})
    names = {name for by_name in own.values() for name in by_name}
    view = difference_matrix(
        own,
        models,
        [name for name in found.bases if name in names],
        lambda model, name: hypothesis(found, model, place.name, name, scope) in bold,
    )
    return replace(view, caption=f"What each design changes, {_scope_title(found, scope)}, {place.within}")


def _scope_title(found: Designs, scope: str) -> str:
    return scope or (
        OVER_FORMATS if len(found.by_serializer) > 1 else f"In {next(iter(found.by_serializer))}"
    )
