"""Three rounds: a model writes questions about tables, others answer them, a judge scores the answers."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...catalog.own_tables import Tables
from ...core.atomic_files import write_atomically
from ...core.errors import InputError, SandboxError, SerializationError, nearest
from ...scoring.judges import score_of
from ...scoring.judges.prompts import fenced, without_turns
from ...tables import Table, serializers, workbooks
from ...tables.header_tuples import header_tuples, tree_text
from ..flow import (
    QUIETLY,
    Asking,
    FolderKind,
    PlannedRound,
    Rounds,
    WritingReport,
    WritingTask,
    as_lines,
    question_id,
    started,
    without_repeated,
)
from ..review import AnswerForm, check_unreviewed, write_review
from ..words import PROMPTS_VERSION, QuestionType, prompt, question_types
from .question import FOLDER, TABLES_FILE, AnnotatedQuestion, review_sheet
from .replies import MOST_CODE, final_answer, questions_in
from .voting import distinct, drawn_values, equal_key, ranked, values_key

if TYPE_CHECKING:
    from ...prompts import Prompt

_FORMAT = "latex"
"""The format in which models see tables: RealHiTBench's."""

_QUESTION, _ANSWER = " word" * 50, " word" * 20  # as long as they may be expected to be


@dataclass(frozen=True, kw_only=True)
class AnnotationTask(WritingTask):
    """What is to be annotated, and by whom.

    Attributes:
        source: the tables.
        types: names of types of questions; empty for all.
        questions: of a type about a table, at most.
        asker: the label of the model that writes questions; None for the first one.
        answerers: labels of those that answer; empty for all.
        judge: the label of the model that scores answers; None for the asker.
        tree: whether those who answer see the table's header trees too.
    """

    folder_kind: ClassVar[FolderKind] = FOLDER
    source: Tables
    types: Sequence[str] = ()
    questions: int = 5
    asker: str | None = None
    answerers: Sequence[str] = ()
    judge: str | None = None
    tree: bool = False

    @cached_property
    def roles(self) -> Mapping[str, Any]:
        """Who asks, answers and judges; errors as said there."""
        asker = self.model(self.asker, "--asker")
        answerers = [self.model(name, "--answerers") for name in dict.fromkeys(self.answerers)]
        judge = self.model(self.judge, "--judge") if self.judge else asker
        return {"asker": asker, "answerers": answerers or self.available, "judge": judge}

    @cached_property
    def kinds(self) -> Sequence[QuestionType]:
        """The types of questions.

        Raises:
            InputError: an unknown one.
        """
        known = question_types()
        for name in self.types:
            if name not in known:
                raise InputError(f"--types: unknown type {name!r}; {nearest(name, known)}")
        return [known[name] for name in dict.fromkeys(self.types or known)]

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """Name -> table.

        Raises:
            InputError: one cannot be read.
        """
        return dict(self.source.every())

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on the tables."""
        return (*self.source.texts.notes(), *self.source.notes()) if self.tables else ()

    @property
    def about(self) -> Mapping[str, int]:
        """The number of tables."""
        return {"tables": len(self.tables)}

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Name -> the table as models see it.

        Raises:
            InputError: the format cannot hold one of them.
        """
        return self._written(_FORMAT)

    @cached_property
    def html(self) -> Mapping[str, str]:
        """Name -> the table as HTML, which can be read back without loss; errors as above."""
        return self._written("html")

    def _written(self, serializer: str) -> dict[str, str]:
        found = {}
        for name, table in self.tables.items():
            try:
                found[name] = str(serializers.get(serializer).serialize(table))
            except SerializationError as error:
                raise InputError(f"table {name!r}: {error}") from error
        return found

    def question_prompts(self) -> dict[tuple[str, str], Prompt]:
        """(table, type) -> the prompt that asks for questions."""
        return {
            (name, kind.name): prompt(
                "table_question", kind=kind, table=self.texts[name], number=self.questions
            )
            for name in self.tables
            for kind in self.kinds
        }

    def answer_prompt(self, kind: QuestionType, subtype: str, table: str, question: str) -> Prompt:
        """Asks for the answer to a question about the table of this name."""
        tree = tree_text(header_tuples(self.tables[table])) if self.tree else ""
        return prompt(
            "table_answer",
            kind=kind,
            subtype=subtype,
            table=self.texts[table],
            tree=tree,
            question=without_turns(question),
        )

    def score_prompt(self, kind: QuestionType, table: str, question: str, answer: str) -> Prompt:
        """Asks for a score of an answer, which is hostile text, from 0 to 100."""
        return prompt(
            "table_score",
            kind=kind,
            table=self.texts[table],
            question=without_turns(question),
            answer=fenced(answer, MOST_CODE),
        )

    def planned(self) -> Iterator[PlannedRound]:
        """Questions, the answers of each model, scores."""
        asked = [(name, kind) for name in self.tables for kind in self.kinds]
        answers = [self.answer_prompt(kind, "", name, _QUESTION) for name, kind in asked]
        scores = [self.score_prompt(kind, name, _QUESTION, _ANSWER) for name, kind in asked]
        yield PlannedRound("questions", self.roles["asker"], list(self.question_prompts().values()))
        for each in self.roles["answerers"]:
            yield PlannedRound("answers", each, answers, self.questions)
        answered = self.questions * len(self.roles["answerers"])
        yield PlannedRound("scores", self.roles["judge"], scores, answered)

    def settings(self) -> dict[str, Any]:
        """Prompts and options, fingerprints of the tables."""
        return {
            "prompts": PROMPTS_VERSION,
            "types": [kind.name for kind in self.kinds],
            "questions": self.questions,
            "serializer": _FORMAT,
            "tree": self.tree,
            "tables": {name: hashlib.sha256(text.encode()).hexdigest() for name, text in self.html.items()},
        }


@dataclass(frozen=True, kw_only=True)
class AnnotationReport(WritingReport):
    """What became of an annotation.

    Attributes:
        tables: the number of tables.
        questions: the number of questions, by type.
        unanswered: questions to which no model gave a final answer.
        unscored: answers without a score of the judge's.
    """

    tables: int
    questions: Mapping[str, int]
    unanswered: int
    unscored: int


def annotate(task: AnnotationTask, out: Path, how: Asking = QUIETLY) -> AnnotationReport:
    """Ask for questions and answers, have them scored, and write the files of the review; again to resume.

    Args:
        task: what, and by whom.
        out: the folder; an earlier one is gone on with, and nothing in it is asked again.
        how: models are asked.

    Raises:
        InputError: a model, a table or the folder is wrong, or reviewed questions would change.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    tables = as_lines({"table": name, "html": html} for name, html in task.html.items())
    first = task.question_prompts()  # an error about a table comes before anything is written
    check_unreviewed(out, TABLES_FILE, tables, "tables")
    notes = set[str]()
    with started(task, out, how) as rounds:
        write_atomically(out / TABLES_FILE, tables)
        written = _written(task, rounds.replies_of(task.roles["asker"], "questions", first))
        questions = without_repeated(written, lambda each: (each.table, each.question))
        answered = _scored(task, rounds, _answered(task, rounds, questions, notes))
        write_review(out, review_sheet(answered, task.tables))
    for note in sorted(notes):
        how.tell(note)
    return AnnotationReport(
        folder=out,
        **task.about,
        questions=dict(Counter(each.type for each in answered)),
        repeated=len(written) - len(questions),
        unanswered=sum(not each.alternatives for each in answered),
        unscored=sum(given.score is None for each in answered for given in each.alternatives),
        failed=len(rounds.failed),
        notes=tuple(sorted(notes)),
    )


def _written(task: AnnotationTask, replies: Mapping[tuple[str, str], str]) -> list[AnnotatedQuestion]:
    """The questions in the asker's replies."""
    asker = task.roles["asker"].label
    return [
        AnnotatedQuestion(question_id(table, kind, draft.text), table, kind, draft.subtype, draft.text, asker)
        for (table, kind), reply in replies.items()
        for draft in questions_in(question_types()[kind], reply, task.questions)
    ]


def _answered(
    task: AnnotationTask, rounds: Rounds, questions: Sequence[AnnotatedQuestion], notes: set[str]
) -> list[AnnotatedQuestion]:
    """The questions with their distinct answers."""
    prompts = {
        each.id: task.answer_prompt(question_types()[each.type], each.subtype, each.table, each.question)
        for each in questions
    }
    replies = rounds.replies("answers", prompts, task.roles["answerers"])
    found = []
    for each in questions:
        form = question_types()[each.type].form
        given = {
            model: final_answer(form, said[each.id]) if each.id in said else None
            for model, said in replies.items()
        }
        drawn = _drawn(each, task.tables[each.table], given.values(), notes) if form == "code" else {}
        if drawn:  # a program that draws nothing is no answer
            given = {model: answer if answer and drawn[answer] else None for model, answer in given.items()}
        alternatives = distinct(given, partial(_key, form, drawn))
        valued = (replace(given, values=drawn.get(given.answer, "")) for given in alternatives)
        found.append(replace(each, alternatives=tuple(valued)))
    return found


def _key(form: AnswerForm, drawn: Mapping[str, str], answer: str) -> str:
    """What equal answers share."""
    return values_key(drawn[answer]) if drawn else equal_key(form, answer)


def _drawn(
    question: AnnotatedQuestion, table: Table, programs: Iterable[str | None], notes: set[str]
) -> dict[str, str]:
    """Program -> what its chart shows; empty where programs cannot be run."""
    try:
        workbook = workbooks.to_bytes(table)
        return {each: drawn_values(each, question.subtype, workbook) for each in set(programs) if each}
    except (SandboxError, SerializationError) as error:
        notes.add(f"{error}; so programs are compared as texts")
        return {}


def _scored(
    task: AnnotationTask, rounds: Rounds, questions: Sequence[AnnotatedQuestion]
) -> list[AnnotatedQuestion]:
    """The questions with their answers scored, the candidate first."""
    prompts = {
        (each.id, given.answer): task.score_prompt(
            question_types()[each.type], each.table, each.question, given.answer
        )
        for each in questions
        for given in each.alternatives
    }
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for (question, answer), reply in rounds.replies_of(task.roles["judge"], "scores", prompts).items():
        if (score := score_of(reply)) is not None:
            scores[question][answer] = score
    return [
        replace(each, alternatives=tuple(ranked(each.alternatives, scores[each.id]))) for each in questions
    ]
