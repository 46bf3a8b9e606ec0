"""Three rounds: models write questions, others answer them, a judge scores the answers."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ...core.atomic_files import check_result_folder
from ...core.errors import SandboxError, SerializationError
from ...prompts import Prompt
from ...recipes import request_key
from ...running import check_models, reserved
from ...running.asking import PromptList, ask_prompts, predictions_in
from ...running.progress import NoProgress, Progress
from ...running.store.manifest import folder_name
from ...scoring.judges import score_of
from ...scoring.metrics.exact_match import normalize
from ...scoring.metrics.structure import values_of
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
from .charts import drawn_values, values_key
from .questions import RECORD_FILE, AnnotatedQuestion, question_id, write_record, write_tables
from .review_files import check_tables_reviewed, write_review

if TYPE_CHECKING:
    from ...recipes import ModelEntry
    from .task import AnnotationTask

ItemT = TypeVar("ItemT", bound=Hashable)


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
        check_tables_reviewed(out, task.html)
        write_record(out, record)
        write_tables(out, task.html)
        asking = _Rounds(task, out, executor, retry_failed, progress, tell)
        questions, repeated = asking.questions()
        answered = asking.scored(asking.answered(questions))
        write_review(out, answered, task.tables)
    for note in sorted(asking.notes):
        tell(note)
    return AnnotationReport(
        folder=out,
        tables=len(task.tables),
        questions=dict(Counter(each.type for each in answered)),
        repeated=repeated,
        unanswered=sum(not each.alternatives for each in answered),
        unscored=sum(given.score is None for each in answered for given in each.alternatives),
        failed=sum(map(len, asking.failed.values())),
        notes=tuple(sorted(asking.notes)),
    )


@dataclass(frozen=True)
class _Rounds:
    """Asks round by round; what earlier rounds gave makes the prompts of the next."""

    task: AnnotationTask
    out: Path
    executor: str
    retry_failed: bool
    progress: Callable[[], AbstractContextManager[Progress]]
    tell: Callable[[str], object]
    failed: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)

    def questions(self) -> tuple[list[AnnotatedQuestion], int]:
        """The questions, and how many were left out as they repeat another of their table."""
        asker = self.task.asker
        prompts = first_prompts(self.task)
        replies = self._replies("questions", prompts, [asker])[asker.label]
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
        replies = self._replies("answers", prompts, self.task.answerers)
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
        replies = self._replies("scores", prompts, [judge])[judge.label]
        scores: dict[str, dict[str, float]] = defaultdict(dict)
        for (question, answer), reply in replies.items():
            if (score := score_of(reply)) is not None:
                scores[question][answer] = score
        return [
            replace(each, alternatives=tuple(ranked(with_scores(each.alternatives, scores[each.id]))))
            for each in questions
        ]

    def _replies(
        self, what: str, prompts: Mapping[ItemT, Prompt], models: Iterable[ModelEntry]
    ) -> dict[str, dict[ItemT, str]]:
        """Label -> item -> reply, without the items whose request failed."""
        keys = {item: request_key(prompt, self.task.generation) for item, prompt in prompts.items()}
        wanted = {keys[item]: prompt for item, prompt in prompts.items()}
        lists = [PromptList(each, wanted, model_folder(self.out, each), "model") for each in models]
        self.tell(f"Asking for {what}: {', '.join(each.model.label for each in lists)}")
        with self.progress() as shown:
            failed = ask_prompts(
                lists,
                self.task.generation,
                kept=self.out,
                executor=self.executor,
                progress=shown,
                retry_failed=self.retry_failed,
            )
        self.failed.update({(what, label): keys for label, keys in failed.items()})
        found = {each.model.label: predictions_in(each.folder) for each in lists}
        return {
            label: {item: said[key] for item, key in keys.items() if key in said}
            for label, said in found.items()
        }


def first_prompts(task: AnnotationTask) -> dict[tuple[str, str], Prompt]:
    """(table, type) -> the prompt that asks for questions."""
    return {
        (name, kind.name): task.question_prompt(kind, name) for name in task.tables for kind in task.types
    }


def model_folder(out: Path, model: ModelEntry) -> Path:
    """Where a model's replies are, in all its roles."""
    return out / "asked" / folder_name(model.label)


_COMMENT = re.compile(r"^[ \t]*#.*$", re.MULTILINE)


def equal_key(kind: AnswerKind, answer: str) -> str:
    """What equal answers of a kind share.

    Values are normalized one by one, as ``exact_match`` does; a program counts without its comments, blank
    lines and spaces.
    """
    if kind == "code":
        return "".join(_COMMENT.sub("", answer).split())
    return " | ".join(values_of(answer)) if kind == "values" else normalize(answer)


def stored(folder: Path) -> dict[str, str]:
    """Key -> reply of what a model said so far; empty where it was not asked yet."""
    return predictions_in(folder) if folder.exists() else {}
