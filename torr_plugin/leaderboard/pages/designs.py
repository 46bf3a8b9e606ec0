"""Designs: what each changes against its base, on average over models and for each, and which to use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ...analysis.figures.designs import Designs
from ..candidates import candidates_view
from ..chosen import Choices, DatasetChoice, choices_script, first, model_cells, of_place, places_of_study
from ..design_views import base_lines, change_view, compared_formats, design_candidates
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
    places = [place for place in places_of_study(study) if found.differences.get(place.name)]
    models, over = model_cells(study), compared_formats(study.source.scores, found)
    named: dict[str, Choices] = {
        "choice": [[_choice(study, found, model, place, over) for place in places] for model in study.models],
        "changes": [[_changes(study, found, model, place) for place in places] for model in study.models],
        "everyone": [_of_all(found, models, place) for place in places],
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
            "base_lines": tuple(base_lines(found, int(study.source.scores["serializer"].nunique()))),
            "data": path,
        },
        scripts=("views.js", "chosen.js"),
    )
    yield choices_script(path, named)


def _any_rows(found: Choices) -> bool:
    return bool(found.rows) if isinstance(found, View) else any(map(_any_rows, found))


def _choice(
    study: Study, found: Designs, model: str, place: DatasetChoice, over: Mapping[str, tuple[str, ...]]
) -> View:
    """The advice, and over which formats the means are."""
    title, formats = f"{model}{of_place(study, place)}", over.get(place.name, ())
    view = candidates_view(design_candidates(found, model, place.name), "design")
    lines = view.lines
    if not view.rows:
        lines = ("No two designs were asked in the same format here.",)
    elif formats:
        asked = "the format" if len(formats) == 1 else "the formats"
        lines += (f"Means are over {listed(formats)}, {asked} that all of these designs were asked in.",)
    return replace(view, lines=lines, title=title, caption=f"Designs for {title}, best mean first")


def _changes(study: Study, found: Designs, model: str, place: DatasetChoice) -> View:
    title = f"{model}{of_place(study, place)}"
    view = change_view(found, found.differences.get(place.name, {}).get(model, {}))
    return replace(view, title=title, caption=f"What each design changes for {title}")


def _of_all(found: Designs, models: Mapping[str, ViewCell], place: DatasetChoice) -> View:
    """What each design changes for every model."""
    own = found.differences.get(place.name, {})
    names = {name for by_name in own.values() for name in by_name}
    columns = [name for name in found.bases if name in names]
    view = difference_matrix(own, models, columns, found.average.get(place.name, {}))
    return replace(view, caption=f"What each design changes, {place.within}")
