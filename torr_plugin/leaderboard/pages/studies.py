"""The list of a site's studies, and the models that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..board import Board, board
from ..files import PageFile
from ..findings import StudyFinding, study_findings
from ..several import harness, same_scores, shared_models
from ..study import Study

MANY = 8
"""Of more studies than that, the list can be searched."""
_FINDINGS = 3


@dataclass(frozen=True)
class StudyEntry:
    """A study in the list; ``words`` is what a search looks at, in small letters."""

    study: Study
    board: Board
    study_findings: tuple[StudyFinding, ...]
    begun: str
    harness: str
    same: tuple[str, ...]
    words: str


def list_of_studies(studies: Sequence[Study]) -> PageFile:
    """``index.html`` of a site of several studies."""
    same = same_scores(studies)
    return PageFile(
        path="index.html",
        template="studies.html",
        title="How well models read tables",
        values={
            "studies": studies,
            "entries": [_entry(study, same[study.slug]) for study in studies],
            "shared": shared_models(studies),
            "many": len(studies) > MANY,
        },
        scripts=("studies.js",),
    )


def _entry(study: Study, same: tuple[str, ...]) -> StudyEntry:
    found = board(study.analysis)
    words = (study.title, study.description, *study.models, *study.datasets)
    return StudyEntry(
        study=study,
        board=found,
        findings=study_findings(study, found)[:_FINDINGS],
        begun=str(study.source.study.get("created") or "")[:10],
        harness=harness(study.source.study),
        same=same,
        words=" ".join(words).lower(),
    )
