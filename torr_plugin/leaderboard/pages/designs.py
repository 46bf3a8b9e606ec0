"""Designs: which to use for a model, what each changes against its base, within formats and over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...analysis.figures.design_table import places_of
from ...analysis.figures.designs import Designs
from ..candidates import candidates_view, glance_view
from ..claims import Claims
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
from ..files import PageFile, SiteFile, packed_script
from ..heat_maps import difference_matrix
from ..study import Study
from ..text import listed
from ..views import View, ViewCell, as_data
from .formats import model_cells, places_of_study


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choices show; nothing of a study without designs to compare."""
    found = study.analysis.designs
    if found is None:
        return
    places = [place for place in places_of_study(study) if _there(found, place.name)]
    bold, sentences = study.claims.bold, study.claims.sentences
    links = model_cells(study)
    over = compared_formats(study.source.scores, found)
    candidates = [
        [design_candidates(found, model, place.name, sentences) for place in places] for model in study.models
    ]
    chosen = [
        [
            _with_formats(candidates_view(own, "design"), over.get(place.name, ()))
            for own, place in zip(of_model, places, strict=True)
        ]
        for of_model in candidates
    ]
    glance = [
        glance_view({model: candidates[m][p] for m, model in enumerate(study.models)}, links)
        for p in range(len(places))
    ]
    changes = [
        [change_view(found, model, place.name, sentences, bold) for place in places] for model in study.models
    ]
    scopes = (EVERY, *found.by_serializer) if len(found.by_serializer) > 1 else (EVERY,)
    everyone = [[_of_all(found, links, place.name, scope, bold) for scope in scopes] for place in places]
    rows = found.rows()
    table_places = places_of(rows)
    tables = [
        table_view(found, [row for row in rows if row.model == model], table_places, bold)
        for model in study.models
    ]
    interactions = [interaction_view(found, place.name, links) for place in places]
    path = f"{study.paths.scripts}/designs.js"
    yield PageFile(
        path=study.paths.designs,
        template="designs.html",
        title="Designs",
        current="designs",
        values={
            "found": found,
            "places": places,
            "chosen": chosen[0][0] if any(view.rows for row in chosen for view in row) else None,
            "glance": glance[0],
            "changes": changes[0][0],
            "everyone": everyone[0][0],
            "scopes": [_scope_title(found, scope) for scope in scopes],
            "table": tables[0] if any(view.rows for view in tables) else None,
            "interaction": interactions[0] if any(view.rows for view in interactions) else None,
            "base_lines": tuple(base_lines(found, _formats(study))),
            "bold_line": bold.bold_line,
            "data": path,
        },
        scripts=("views.js", "designs.js"),
    )
    yield packed_script(
        path,
        {
            "choice": [[as_data(view) for view in row] for row in chosen],
            "glance": [as_data(view) for view in glance],
            "changes": [[as_data(view) for view in row] for row in changes],
            "everyone": [[as_data(view) for view in row] for row in everyone],
            "tables": [as_data(view) for view in tables],
            "interaction": [as_data(view) for view in interactions],
        },
    )


def _there(found: Designs, place: str) -> bool:
    """Whether anything is compared on a data set; over all of them nothing may be."""
    return bool(
        found.differences.get(place)
        or any(places.get(place) for places in found.by_serializer.values())
        or any(own.places().get(place) for own in found.choice.values())
    )


def _formats(study: Study) -> int:
    return int(study.source.scores["serializer"].nunique())


def _with_formats(view: View, formats: Sequence[str]) -> View:
    """The advice, and over which formats the means are."""
    if not view.rows:
        return View(view.head, lines=("No two designs were asked in the same format here.",))
    if not formats:
        return view
    asked = "the format" if len(formats) == 1 else "the formats"
    line = f"Means are over {listed(formats)}, {asked} that all of these designs were asked in."
    return View(view.head, view.rows, (*view.lines, line))


def _of_all(found: Designs, links: Mapping[str, ViewCell], place: str, scope: str, bold: Claims) -> View:
    """What each design changes for every model, over formats or within one."""
    own = found.differences.get(place, {}) if scope == EVERY else found.by_serializer[scope].get(place, {})
    names = {name for by_name in own.values() for name in by_name}
    columns = [name for name in found.bases if name in names]
    return difference_matrix(
        own, links, columns, lambda model, name: hypothesis(found, model, place, name, scope) in bold
    )


def _scope_title(found: Designs, scope: str) -> str:
    return scope or (
        OVER_FORMATS if len(found.by_serializer) > 1 else f"In {next(iter(found.by_serializer))}"
    )
