"""Three rounds: models write questions, others answer them, a judge scores the answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...core.atomic_files import check_result_folder, write_atomically
from ...core.errors import SandboxError, SerializationError
from ...core.normal_form import normalize
from ...prompts import Prompt
from ...running import check_models, reserved
from ...running.progress import NoProgress, Progress
from ...scoring.judges import score_of
from ...scoring.metrics.spellings import values_of
from ...synthesis.annotation import (
    TYPES,
    distinct,
    final_answer,
    questions_in,
    ranked,
    with_scores,
)
from ...synthesis.annotation.parsing import same_question
from ...synthesis.annotation.question_types import AnswerKind
from ...tables import workbooks
from ..reviewing import check_unreviewed, write_review
from ..rounds import AskedRounds
from .charts import drawn_values, values_key
from .questions import (
    RECORD_FILE,
    TABLES_FILE,
    AnnotatedQuestion,
    annotation_folder,
    question_id,
    tables_as_bytes,
)
from .review import review_sheet

if TYPE_CHECKING:
    from .task import AnnotationTask


@dataclass(frozen=True)
class AnnotationReport:
    """What became of an annotation.

    Attributes:
        folder: where it is.
        tables: the number of tables.
        questions: the number of questions, by type.
        repeated: questions left out because another of the same table has the same words.
        unanswered: questions to which no model gave a final answer.
        unscored: answers without a score of the judge's.
        failed: requests with an error.
        notes: remarks for the user.
    """

    folder: Path
    tables: int
    questions: Mapping[str, int]
    repeated: int
    unanswered: int
    unscored: int
    failed: int
    notes: tuple[str, ...]


def annotate(
    task: AnnotationTask,
    out: Path,
    *,
    executor: str = "local",
    retry_failed: bool = False,
    progress: Callable[[], AbstractContextManager[Progress]] = lambda: nullcontext(NoProgress()),
    tell: Callable[[str], object] = lambda line: None,
) -> AnnotationReport:
    """Ask for questions and answers, have them scored, and write the files of the review; again to resume.

    Args:
        task: what, and by whom.
        out: the folder; an earlier one is gone on with, and nothing in it is asked again.
        executor: ``local`` or ``ray``.
        retry_failed: ask again what has an error from an earlier attempt.
        progress: shows how far the models are, round by round.
        tell: shows the rounds, and remarks.

    Raises:
        InputError: a model, a table or the folder is wrong, or reviewed questions would change.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    check_models(task.models, here=False)  # with all answers there, what they need may be gone
    check_result_folder(out, RECORD_FILE, "earlier annotation")
    first_prompts(task)  # an error about a table comes before anything is written
    record = task.record()
    with reserved(out):
        check_unreviewed(out, TABLES_FILE, tables_as_bytes(task.html), "tables")
        annotation_folder(out).write_record(record)
        write_atomically(out / TABLES_FILE, tables_as_bytes(task.html))
        asked = AskedRounds(out, task.generation, executor, retry_failed, progress, tell)
        asking = _Rounds(task, asked)
        questions, repeated = asking.questions()
        answered = asking.scored(asking.answered(questions))
        write_review(out, review_sheet(answered, task.tables))
    for note in sorted(asking.notes):
        tell(note)
    return AnnotationReport(
        folder=out,
        tables=len(task.tables),
        questions=dict(Counter(each.type for each in answered)),
        repeated=repeated,
        unanswered=sum(not each.alternatives for each in answered),
        unscored=sum(given.score is None for each in answered for given in each.alternatives),
        failed=sum(map(len, asked.failed.values())),
        notes=tuple(sorted(asking.notes)),
    )


@dataclass(frozen=True)
class _Rounds:
    """What the replies of each round give; they make the prompts of the next."""

    task: AnnotationTask
    asked: AskedRounds
    notes: set[str] = field(default_factory=set)

    def questions(self) -> tuple[list[AnnotatedQuestion], int]:
        """The questions, and how many were left out as they repeat another of their table."""
        asker = self.task.asker
        prompts = first_prompts(self.task)
        replies = self.asked.replies("questions", prompts, [asker])[asker.label]
        found: dict[tuple[str, str], AnnotatedQuestion] = {}
        drafts = [
            AnnotatedQuestion(
                question_id(table, kind, draft.text), table, kind, draft.subtype, draft.text, asker.label
            )
            for (table, kind), reply in replies.items()
            for draft in questions_in(TYPES[kind], reply, self.task.most)
        ]
        for each in drafts:
            found.setdefault((each.table, same_question(each.question)), each)
        return list(found.values()), len(drafts) - len(found)

    def answered(self, questions: Sequence[AnnotatedQuestion]) -> list[AnnotatedQuestion]:
        """The questions with their distinct answers."""
        prompts = {
            each.id: self.task.answer_prompt(TYPES[each.type], each.subtype, each.table, each.question)
            for each in questions
        }
        replies = self.asked.replies("answers", prompts, self.task.answerers)
        return [self._with_answers(each, replies) for each in questions]

    def _with_answers(
        self, question: AnnotatedQuestion, replies: Mapping[str, Mapping[str, str]]
    ) -> AnnotatedQuestion:
        kind = TYPES[question.type]
        given = {
            model: final_answer(kind.kind, said[question.id]) if question.id in said else None
            for model, said in replies.items()
        }
        values = self._values(question, set(filter(None, given.values()))) if kind.kind == "code" else {}
        if values:  # a program that draws nothing is no answer
            given = {model: answer if answer and values[answer] else None for model, answer in given.items()}
        found = distinct(
            given, lambda answer: values_key(values[answer]) if values else equal_key(kind.kind, answer)
        )
        alternatives = [replace(each, values=values.get(each.answer, "")) for each in found]
        return replace(question, alternatives=tuple(alternatives))

    def _values(self, question: AnnotatedQuestion, programs: Collection[str]) -> dict[str, str]:
        """Program -> what its chart shows; empty where programs cannot be run."""
        try:
            workbook = workbooks.to_bytes(self.task.tables[question.table])
            return {each: drawn_values(each, question.subtype, workbook) for each in programs}
        except (SandboxError, SerializationError) as error:
            self.notes.add(f"{error}; so programs are compared as texts")
            return {}

    def scored(self, questions: Sequence[AnnotatedQuestion]) -> list[AnnotatedQuestion]:
        """The questions with their answers scored, the candidate first."""
        prompts = {
            (each.id, given.answer): self.task.judge_prompt(
                TYPES[each.type], each.table, each.question, given.answer
            )
            for each in questions
            for given in each.alternatives
        }
        judge = self.task.judge
        replies = self.asked.replies("scores", prompts, [judge])[judge.label]
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for (question, answer), reply in replies.items():
            if (score := score_of(reply)) is not None:
                scores[question][answer] = score
        return [
            replace(each, alternatives=tuple(ranked(with_scores(each.alternatives, scores[each.id]))))
            for each in questions
        ]


def first_prompts(task: AnnotationTask) -> dict[tuple[str, str], Prompt]:
    """(table, type) -> the prompt that asks for questions."""
    return {
        (name, kind.name): task.question_prompt(kind, name) for name in task.tables for kind in task.types
    }


_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def equal_key(kind: AnswerKind, answer: str) -> str:
    """What equal answers of a kind share.

    Values are normalized one by one, as ``exact_match`` does; a program counts without its comments, blank
    lines and spaces.
    """
    if kind == "code":
        return "".join(_COMMENT.sub("", answer).split())
    return " | ".join(values_of(answer)) if kind == "values" else normalize(answer)
