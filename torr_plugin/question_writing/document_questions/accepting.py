"""From reviewed questions about documents to a mirror that the cards of TableQuest read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.parquet as pq

from ...core.atomic_files import atomic_folder
from ...core.errors import DataError, RunError
from ..asking import read_record
from ..verdicts import Review, counts_of, read_reviews
from .question import (
    COMMAND,
    DOCUMENT_SCHEMA,
    DOCUMENTS_FILE,
    LEVELS,
    QUESTION_FILE,
    DocumentQuestion,
    read_kept,
)
from .recall import recall_by_length
from .task import SynthesisTask

_COLUMNS = (
    *("id", "document", "level", "question", "answer", "steps", "evidence", "table", "grounding"),
    "provenance",
)
_SCHEMA = pa.schema({name: pa.int32() if name == "table" else pa.string() for name in _COLUMNS})
_NO_REVIEW = Review("")


def accept_questions(
    folder: Path, mirror: Path, *, reviews: Sequence[Path] = (), unreviewed: bool = False
) -> dict[str, Any]:
    """Make a mirror of the accepted and changed questions and their documents.

    Args:
        folder: what ``torr synth qa`` wrote.
        mirror: the folder that ``TORR_DATA`` names; the files go into its ``tablequest``, which must be new.
        reviews: files with verdicts; none for those in the folder that have any.
        unreviewed: whether to take what the filter kept and nobody reviewed, too; verdicts are not needed.

    Returns:
        ``folder`` (with the two files that cards read), ``documents`` (that have a question), ``questions``
        (their number, by level), ``unreviewed_taken``, ``accepted``, ``changed``, ``rejected``,
        ``unreviewed`` and ``dropped`` (by the filter: questions), and ``recall`` (of what was taken).

    Raises:
        InputError: no such folder, no verdicts, a wrong line in a review, no question left, a document that
            is missing, or a mirror that has such questions.
    """
    record, kept = read_record(SynthesisTask, folder), read_kept(folder)
    if "made" not in record:
        raise RunError(f"{folder}: was not ended; the same {COMMAND!r} goes on with it")
    candidates = {name: question.answer for name, question in kept.items()}
    verdicts = read_reviews(folder, reviews, candidates) if reviews or not unreviewed else {}
    reviewed = {name: verdicts.get(name, _NO_REVIEW) for name in kept if unreviewed or name in verdicts}
    taken = {
        name: _corrected(kept[name], review)
        for name, review in reviewed.items()
        if review.verdict != "reject"
    }
    if not taken:
        raise DataError(
            f"{reviews[0] if reviews else folder}: no question is accepted; expected the verdict 'accept' or "
            "'change' on one, or one that the filter kept"
        )
    names = {question.document for question in taken.values()}
    rows = [_row(question, kept[name], reviewed[name]) for name, question in taken.items()]
    with atomic_folder(mirror / "tablequest", "--to") as out:
        documents = _documents(folder / DOCUMENTS_FILE, names)
        pq.write_table(documents, out / DOCUMENTS_FILE, compression="zstd")
        pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), out / QUESTION_FILE, compression="zstd")
    levels = Counter(question.level for question in taken.values())
    return {
        "folder": mirror / "tablequest",
        "documents": len(names),
        "questions": {level: levels[level] for level in LEVELS if levels[level]},
        "unreviewed_taken": unreviewed,
        **counts_of(verdicts, len(kept)),
        "dropped": sum(counts["written"] for counts in record["made"]["levels"].values()) - len(kept),
        "recall": recall_by_length(list(taken.values())),
    }


def _corrected(question: DocumentQuestion, review: Review) -> DocumentQuestion:
    """The question with its corrections; steps and grounding of another answer are left out."""
    changed = replace(question, question=review.question or question.question)
    return replace(changed, answer=review.answer, steps=(), grounding="") if review.answer else changed


def _row(question: DocumentQuestion, before: DocumentQuestion, review: Review) -> dict[str, Any]:
    provenance = {
        "question": before.question,
        "answer": before.answer,
        "filter": before.reason,
        "verdict": review.verdict or None,
        "reviewers": review.reviewers,
        "comments": review.comments,
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
        documents = pads.dataset(path, schema=DOCUMENT_SCHEMA).to_table(filter=pads.field("path").isin(paths))
    except (OSError, pa.ArrowException) as error:
        reason = str(error).split("\n")[0][:200]
        raise RunError(f"{path}: cannot be read: {reason}; expected what {COMMAND!r} wrote") from None
    missing = sorted(set(paths) - set(documents["path"].to_pylist()))
    if missing:
        name = missing[0].removesuffix(".html")
        raise RunError(f"{path}: no document {name!r}; expected all that questions are about")
    return documents
