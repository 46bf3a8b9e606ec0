"""Ratings of models from battles: who wins, how sure that is, and what is known of the judges."""

from __future__ import annotations

from collections.abc import Iterator

from ...analysis.ratings import Ratings
from ...analysis.result import OVERALL
from ..battles.views import (
    MOST_IN_MATRIX,
    judge_table,
    judges_table,
    level_table,
    pairs_table,
    rating_table,
    win_matrix,
)
from ..charts.ratings import MOST_ROWS, rating_chart
from ..files import DataFile, PageFile, SiteFile, packed_script
from ..study import Study
from ..views import as_data, panels

ALL_QUESTIONS = "All questions"


def files(study: Study) -> Iterator[SiteFile]:
    """The page, and what its choice of a level shows; nothing for a study without battles."""
    rated = study.rated
    if rated is None:
        return
    found, data = rated.found, f"{study.paths.scripts}/ratings.js"
    values: dict[str, object] = {"rated": rated, "found": found, "data": data, "first": ALL_QUESTIONS}
    if found is not None:
        values |= _shown(found, study)
        by_judge = judges_table(found, rated.by_judge, study.paths.models) if rated.by_judge else None
        values["by_judge"] = by_judge
        yield _data(found, study, data)
    yield PageFile(
        path=study.paths.ratings,
        template="ratings.html",
        title="Ratings",
        current="ratings",
        values=values,
        scripts=("views.js", "ratings.js"),
        styles=("battles.css",),
    )


def _shown(found: Ratings, study: Study) -> dict[str, object]:
    links = study.paths.models
    return {
        "levels": list(found.levels),
        "table": rating_table(found, links),
        "rating_charts": panels(
            (str(number), name, rating_chart(f"ratings-{number}", part, name))
            for number, (name, part) in enumerate(({ALL_QUESTIONS: found} | dict(found.levels)).items())
        ),
        "by_level": level_table(found, links) if found.levels else None,
        "pairs": pairs_table(found),
        "matrix": win_matrix(found),
        "judges": judge_table(found.judges) if found.judges else None,
        "judge_notes": found.judges.notes if found.judges else [],
        "notes": found.notes,
        "models": len(found.bradley_terry),
        "most_rows": MOST_ROWS,
        "most_in_matrix": MOST_IN_MATRIX,
    }


def _data(found: Ratings, study: Study, path: str) -> DataFile:
    places = {OVERALL: found, **found.levels}.values()
    tables = ((rating_table(part, study.paths.models), win_matrix(part)) for part in places)
    return packed_script(path, [{"table": as_data(one), "matrix": as_data(two)} for one, two in tables])
