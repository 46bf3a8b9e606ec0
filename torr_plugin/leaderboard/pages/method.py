"""Definitions, versions, seeds, licences, holes, failures, and how to do it again."""

from __future__ import annotations

from collections.abc import Iterator

from ...core.redaction import without_homes
from ..citation import citations, commands_again
from ..facts import dataset_facts, model_facts, other_facts, recipe_to_run_again
from ..files import PageFile, SiteFile
from ..study import Study

CONTENTS = (
    ("missing", "Missing and not asked"),
    ("made", "Definitions"),
    ("parameters", "Parameters of the analysis"),
    ("notes", "Notes"),
    ("datasets", "Data sets"),
    ("models", "Models"),
    ("run", "The run"),
    ("again", "How to reproduce"),
    ("add-a-model", "Add a model"),
    ("cite", "How to cite"),
)
"""The page's sections: anchor and name; those that a study has nothing for are left out."""


def files(study: Study) -> Iterator[SiteFile]:
    """The page."""
    models, facts = model_facts(study.source), other_facts(study.source)
    notes = (*study.analysis.notes, *study.source.notes, *study.section_notes, *study.history_notes)
    there = {"notes": notes, "models": models, "run": facts}
    yield PageFile(
        path=study.paths.method,
        template="method.html",
        title="Method",
        current="method",
        values={
            "contents": [entry for entry in CONTENTS if there.get(entry[0], True)],
            "notes": [without_homes(note) for note in notes],
            "datasets": dataset_facts(study.source),
            "models": models,
            "facts": facts,
            "recipe": recipe_to_run_again(study.source),
            "again": commands_again(study),
            "unanswered": [each for each in study.source.failures if each.failed or each.unanswered],
            "citations": citations(study),
        },
    )
