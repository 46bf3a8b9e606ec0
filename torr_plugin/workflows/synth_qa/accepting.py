"""From reviewed questions about documents to a mirror that the cards of TableQuest read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...catalog.loading import FILES_AT_ONCE
from ...core.atomic_files import atomic_folder
from ...core.errors import DataError, RunError
from ...synthesis.document_questions import (
    DocumentQuestion,
    GroundedAnswer,
    RecallRow,
    read_questions,
    recall_by_length,
)
from ...synthesis.document_questions.question import QUESTION_FILE
from ...synthesis.filings.corpus import DOCUMENT_SCHEMA, FOLDER
from ...synthesis.filings.questions.question import LEVELS
from ...synthesis.parquet_rows import open_rows
from ..reviewing import Review, files_with_verdicts, read_reviews
from .task import DOCUMENTS_FILE

_SCHEMA = pa.schema(
    [
        *(
            (name, pa.string())
            for name in ("id", "document", "level", "question", "answer", "steps", "evidence")
        ),
        ("table", pa.int32()),
        ("grounding", pa.string()),
        ("provenance", pa.string()),
    ]
)


@dataclass(frozen=True)
class AcceptedQuestions:
    """What became of a review.

    Attributes:
        folder: with the two files that cards read.
        documents: how many have a question.
        questions: how many, by level.
        accepted: taken as they are by a reviewer; ``changed`` with corrections.
        rejected: left out by a verdict.
        unreviewed: without a verdict; left out unless ``unreviewed_taken``.
        dropped: left out by the filter before any review.
        recall: of what was taken.
    """

    folder: Path
    documents: int
    questions: Mapping[str, int]
    accepted: int
    changed: int
    rejected: int
    unreviewed: int
    unreviewed_taken: bool
    dropped: int
    recall: Sequence[RecallRow]


def accept_questions(
    folder: Path, mirror: Path, *, reviews: Sequence[Path] = (), unreviewed: bool = False
) -> AcceptedQuestions:
    """Make a mirror of the accepted and changed questions and their documents.

    Args:
        folder: what ``torr synth qa`` wrote.
        mirror: the folder that ``TORR_DATA`` names; the files go into its ``tablequest``, which must be new.
        reviews: files with verdicts; none for those in the folder that have any.
        unreviewed: whether to take what the filter kept and nobody reviewed, too; verdicts are not needed.

    Raises:
        InputError: no such folder, no verdicts, a wrong line in a review, no question left, a document that
            is missing, or a mirror that has such questions.
    """
    questions = {each.id: each for each in read_questions(folder / QUESTION_FILE)}
    kept = {name: each for name, each in questions.items() if each.kept}
    paths = list(reviews) or ([] if unreviewed else files_with_verdicts(folder))
    found = read_reviews(paths, kept)
    verdicts = Counter(review.verdict for review in found.values())
    taken = [
        _reviewed(each, found.get(name))
        for name, each in kept.items()
        if (found[name].verdict != "reject" if name in found else unreviewed)
    ]
    if not taken:
        where = paths[0] if paths else folder / QUESTION_FILE
        raise DataError(
            f"{where}: no question is accepted; expected the verdict 'accept' or 'change' on one, or one "
            "that the filter kept"
        )
    documents = {each.document for each in taken}
    rows = [_row(each, questions[each.id], found.get(each.id)) for each in taken]
    with atomic_folder(mirror / FOLDER, "--to") as out:
        _copy_documents(folder / DOCUMENTS_FILE, out / DOCUMENTS_FILE, documents)
        with open_rows(out / QUESTION_FILE, _SCHEMA) as written:
            written.add(rows)
    levels = Counter(each.level for each in taken)
    return AcceptedQuestions(
        folder=mirror / FOLDER,
        documents=len(documents),
        questions={level: levels[level] for level in LEVELS if levels[level]},
        accepted=verdicts["accept"],
        changed=verdicts["change"],
        rejected=verdicts["reject"],
        unreviewed=len(kept) - len(found),
        unreviewed_taken=unreviewed,
        dropped=len(questions) - len(kept),
        recall=recall_by_length([GroundedAnswer.of(each) for each in taken]),
    )


def _reviewed(question: DocumentQuestion, review: Review | None) -> DocumentQuestion:
    """The question with its corrections; steps and grounding of another answer are left out."""
    if review is None:
        return question
    changed = replace(question, question=review.question or question.question)
    return replace(changed, answer=review.answer, steps=(), grounding="") if review.answer else changed


def _row(question: DocumentQuestion, before: DocumentQuestion, review: Review | None) -> dict[str, Any]:
    provenance = {
        "question": before.question,
        "answer": before.answer,
        "filter": before.reason,
        "verdict": review.verdict if review else None,
        "reviewers": review.reviewers if review else (),
        "comments": review.comments if review else (),
    }
    names = ("id", "document", "level", "question", "answer", "evidence", "table", "grounding")
    return {
        **{name: getattr(question, name) for name in names},
        "steps": "\n".join(question.steps),
        "provenance": json.dumps(provenance, ensure_ascii=False),
    }


def _copy_documents(source: Path, target: Path, wanted: Collection[str]) -> None:
    """Copy documents by their names, a few in memory at a time.

    Raises:
        RunError: the file cannot be read, or one is not in it.
    """
    missing = set(wanted)
    with open_rows(target, DOCUMENT_SCHEMA) as rows:
        for row in _documents(source):
            name = row["path"].removesuffix(".html")
            if name in missing:
                missing.remove(name)
                rows.add([row])
    if missing:
        raise RunError(f"{source}: no document {min(missing)!r}; expected all that questions are about")


def _documents(source: Path) -> Iterator[dict[str, str]]:
    """Rows with ``path`` and ``content``."""
    try:
        with pq.ParquetFile(source) as file:
            for batch in file.iter_batches(FILES_AT_ONCE, columns=DOCUMENT_SCHEMA.names):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as error:
        reason = str(error).split("\n")[0][:200]
        raise RunError(f"{source}: cannot be read: {reason}; expected what 'torr synth qa' wrote") from None
