"""Have questions written and filtered; the files of the folder, and what became of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.atomic_files import check_result_folder
from ...running import check_models, reserved
from ...running.progress import NoProgress, Progress
from ...synthesis.document_questions import (
    DocumentQuestion,
    GroundedAnswer,
    RecallRow,
    chunk_blocks,
    recall_by_length,
    write_questions,
)
from ...synthesis.document_questions.question import QUESTION_FILE
from ...synthesis.filings.corpus import DOCUMENT_SCHEMA
from ...synthesis.parquet_rows import open_rows
from ..reviewing import write_review
from ..rounds import AskedRounds
from .documents import canonical_documents, canonical_html
from .review import Context, review_sheet
from .rounds import NOT_QUOTED, SynthesisRounds
from .task import DOCUMENTS_FILE, RECORD_FILE, synthesis_folder

if TYPE_CHECKING:
    from .task import SynthesisTask


@dataclass(frozen=True, slots=True)
class LevelCounts:
    """What became of a level: questions asked for, written in a form that can be read, kept by the filter."""

    asked: int
    written: int
    kept: int


@dataclass(frozen=True)
class SynthesisReport:
    """What became of a synthesis.

    Attributes:
        folder: where it is.
        documents: their number.
        chunks: that were asked about.
        levels: level -> counts.
        repeated: questions left out because another of the same document has the same words.
        ungrounded: questions whose grounding sentence is not in the chunk; they are not filtered, nor kept.
        malformed: what is wrong with the form of replies -> how many.
        failed: requests with an error.
        recall: how far the answers of the kept questions stand in their evidence.
        notes: remarks for the user.
    """

    folder: Path
    documents: int
    chunks: int
    levels: Mapping[str, LevelCounts]
    repeated: int
    ungrounded: int
    malformed: Mapping[str, int]
    failed: int
    recall: Sequence[RecallRow]
    notes: tuple[str, ...]


def synthesize(
    task: SynthesisTask,
    out: Path,
    *,
    executor: str = "local",
    retry_failed: bool = False,
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(NoProgress()),
    tell: Callable[[str], object] = lambda line: None,
) -> SynthesisReport:
    """Have questions written and filtered; write ``questions.parquet`` and review files; again to resume.

    Args:
        task: what, and by whom.
        out: the folder; an earlier one of the same task is gone on with, and nothing in it is asked again.
        executor: ``local`` or ``ray``.
        retry_failed: ask again what has an error from an earlier attempt.
        progress: shows how far the models are, round by round.
        tell: shows remarks and the rounds.

    Raises:
        InputError: a model or the folder is wrong, or the folder is of another task or reviewed.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    check_models(task.models, here=False)  # with all answers there, what they need may be gone
    check_result_folder(out, RECORD_FILE, "earlier questions")
    with reserved(out):
        folder = synthesis_folder(out)
        folder.write_record(task.record())
        _keep_documents(task, out / DOCUMENTS_FILE)
        for note in task.notes:
            tell(note)
        asked = AskedRounds(out, task.generation, executor, retry_failed, progress, tell)
        rounds = SynthesisRounds(task, asked)
        questions = rounds.filtered(rounds.written())
        write_review(out, review_sheet(questions, _contexts(task, questions)))
        write_questions(out / QUESTION_FILE, questions)
        report = _report(rounds, questions)
        folder.write_record({**task.record(), "made": _counts(report)})
    return report


def _keep_documents(task: SynthesisTask, path: Path) -> None:
    """Write the documents as canonical HTML, from which a mirror can be made."""
    if not path.exists():
        with open_rows(path, DOCUMENT_SCHEMA) as rows:
            for name, content in canonical_html(task.source):
                rows.add([{"path": f"{name}.html", "content": content}])


def _contexts(task: SynthesisTask, questions: Sequence[DocumentQuestion]) -> dict[tuple[str, int], Context]:
    """(document, chunk) -> the blocks, of what was kept; the documents are read again, one at a time."""
    wanted = {(each.document, each.chunk) for each in questions if each.kept}
    return {
        (name, number): blocks
        for name, document in canonical_documents(task.source, {name for name, _ in wanted})
        for number, blocks in enumerate(chunk_blocks(document, task.options.chunk_tokens))
        if (name, number) in wanted
    }


def _report(rounds: SynthesisRounds, questions: Sequence[DocumentQuestion]) -> SynthesisReport:
    task, of_level = rounds.task, Counter(each.level for each in questions)
    kept = Counter(each.level for each in questions if each.kept)
    asked = len(task.excerpts) * task.options.questions
    return SynthesisReport(
        folder=rounds.asked.out,
        documents=task.documents,
        chunks=len(task.excerpts),
        levels={level: LevelCounts(asked, of_level[level], kept[level]) for level in task.options.levels},
        repeated=rounds.repeated,
        ungrounded=sum(each.reason == NOT_QUOTED for each in questions),
        malformed=dict(sorted(rounds.malformed.items())),
        failed=sum(map(len, rounds.asked.failed.values())),
        recall=recall_by_length([GroundedAnswer.of(each) for each in questions if each.kept]),
        notes=task.notes,
    )


def _counts(report: SynthesisReport) -> dict[str, Any]:
    return {key: value for key, value in asdict(report).items() if key not in ("folder", "recall", "notes")}
