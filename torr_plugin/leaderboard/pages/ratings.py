"""Ratings of models from battles: who wins, how sure that is, and what is known of the judges."""

from __future__ import annotations

from collections.abc import Iterator

from ..battles.views import judge_table, rating_table
from ..files import PageFile, SiteFile
from ..study import Study


def files(study: Study) -> Iterator[SiteFile]:
    """The page; nothing for a study without battles."""
    rated = study.rated
    if rated is None:
        return
    found, links = rated.found, study.paths.models
    values: dict[str, object] = {"rated": rated, "found": found}
    if found is not None:
        values |= {
            "table": rating_table(found, links),
            "levels": {name: rating_table(part, links) for name, part in found.levels.items()},
            "judges": judge_table(found.judges) if found.judges else None,
        }
    yield PageFile(
        path=study.paths.ratings,
        template="ratings.html",
        title="Ratings",
        current="method",
        values=values,
        styles=("battles.css",),
    )
