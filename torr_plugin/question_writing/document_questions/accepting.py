"""From reviewed questions about documents to a mirror that the cards of TableQuest read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_folder
from ...core.errors import DataError, RunError
from ..verdicts import Review, ReviewCounts, counts_of, read_reviews
from .question import (
    DOCUMENT_SCHEMA,
    DOCUMENTS_FILE,
    FOLDER,
    LEVELS,
    QUESTION_FILE,
    DocumentQuestion,
    read_kept,
)
from .recall import RecallRow, recall_by_length

_COLUMNS = (
    *("id", "document", "level", "question", "answer", "steps", "evidence", "table", "grounding"),
    "provenance",
)
_SCHEMA = pa.schema({name: pa.int32() if name == "table" else pa.string() for name in _COLUMNS})


@dataclass(frozen=True, kw_only=True)
class AcceptedQuestions(ReviewCounts):
    """What became of a review.

    Attributes:
        folder: with the two files that cards read.
        documents: how many have a question.
        questions: how many, by level.
        unreviewed_taken: whether questions without a verdict were taken, too.
        dropped: left out by the filter before any review.
        recall: of what was taken.
    """

    folder: Path
    documents: int
    questions: Mapping[str, int]
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
    record, kept = FOLDER.read(folder), read_kept(folder)
    if "made" not in record:
        raise RunError(f"{folder}: was not ended; the same {FOLDER.command!r} goes on with it")
    candidates = {name: each.answer for name, each in kept.items()}
    found = read_reviews(folder, reviews, candidates) if reviews or not unreviewed else {}
    taken = [
        _reviewed(each, found.get(name))
        for name, each in kept.items()
        if (found[name].verdict != "reject" if name in found else unreviewed)
    ]
    if not taken:
        raise DataError(
            f"{reviews[0] if reviews else folder}: no question is accepted; expected the verdict 'accept' or "
            "'change' on one, or one that the filter kept"
        )
    documents = {each.document for each in taken}
    rows = [_row(each, kept[each.id], found.get(each.id)) for each in taken]
    with atomic_folder(mirror / "tablequest", "--to") as out:
        pq.write_table(
            _documents(folder / DOCUMENTS_FILE, documents), out / DOCUMENTS_FILE, compression="zstd"
        )
        pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), out / QUESTION_FILE, compression="zstd")
    levels = Counter(each.level for each in taken)
    return AcceptedQuestions(
        folder=mirror / "tablequest",
        documents=len(documents),
        questions={level: levels[level] for level in LEVELS if levels[level]},
        unreviewed_taken=unreviewed,
        dropped=sum(each["written"] for each in record["made"]["levels"].values()) - len(kept),
        recall=recall_by_length(taken),
        **counts_of(found, len(kept)),
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
    said = json.dumps(provenance, ensure_ascii=False)
    return {**asdict(question), "steps": "\n".join(question.steps), "provenance": said}


def _documents(path: Path, names: Collection[str]) -> pa.Table:
    """The documents of these names.

    Raises:
        RunError: the file cannot be read, or one is not in it.
    """
    paths = [f"{name}.html" for name in sorted(names)]
    try:
        found = pads.dataset(path, schema=DOCUMENT_SCHEMA).to_table(filter=pads.field("path").isin(paths))
    except (OSError, pa.ArrowException) as error:
        reason = str(error).split("\n")[0][:200]
        raise RunError(f"{path}: cannot be read: {reason}; expected what {FOLDER.command!r} wrote") from None
    missing = sorted(set(paths) - set(found["path"].to_pylist()))
    if missing:
        name = missing[0].removesuffix(".html")
        raise RunError(f"{path}: no document {name!r}; expected all that questions are about")
    return found
