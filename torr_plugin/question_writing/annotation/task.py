"""Three rounds: a model writes questions about tables, others answer them, a judge scores the answers."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from ...catalog.own_tables import Tables
from ...core.atomic_files import write_atomically
from ...core.errors import InputError, SandboxError, SerializationError, nearest
from ...scoring.judges import score_of
from ...scoring.judges.prompts import fenced, without_turns
from ...tables import Table, serializers, workbooks
from ...tables.header_tuples import header_tuples, tree_text
from ..asking import PlannedRounds, Rounds, as_lines, model_called, prompt, question_id, started
from ..review import check_unreviewed, write_review
from .question import COMMAND, TABLES_FILE, AnnotatedQuestion, QuestionType, question_types, review_sheet
from .replies import MOST_CODE, final_answer, questions_in
from .voting import distinct, drawn_values, equal_key, ranked, values_key

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry

_FORMAT = "latex"
"""The format in which models see tables: RealHiTBench's."""


@dataclass(frozen=True, kw_only=True)
class AnnotationTask:
    """What is to be annotated, and by whom.

    Attributes:
        source: the tables.
        roles: ``asker``, ``answerers`` and ``judge`` -> the models.
        types: names of types of questions; empty for all.
        questions: of a type about a table, at most.
        tree: whether those who answer see the table's header trees too.
        command: writes the folder, its record, questions and their review.
        fixed: the fields of the record that must stay the same.
    """

    command: ClassVar[str] = COMMAND
    record_name: ClassVar[str] = "annotation.yaml"
    fixed: ClassVar[tuple[str, ...]] = ("prompts",)

    source: Tables
    roles: Mapping[str, Sequence[ModelEntry]]
    types: Sequence[str] = ()
    questions: int = 5
    tree: bool = False

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
    def about(self) -> Mapping[str, int]:
        """The number of tables."""
        return {"tables": len(self.tables)}

    @property
    def notes(self) -> Sequence[str]:
        """Remarks on the tables."""
        return (*self.source.texts.notes(), *self.source.notes()) if self.tables else ()

    def written(self, serializer: str) -> dict[str, str]:
        """Name -> the table in a format.

        Raises:
            InputError: the format cannot hold one of them.
        """
        texts = {}
        for name, table in self.tables.items():
            try:
                texts[name] = str(serializers.get(serializer).serialize(table))
            except SerializationError as error:
                raise InputError(f"table {name!r}: {error}") from error
        return texts

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """Name -> the table as models see it; errors as above."""
        return self.written(_FORMAT)

    def settings(self) -> dict[str, Any]:
        """Options, fingerprints of the tables."""
        return {
            "types": [kind.name for kind in self.kinds],
            "questions": self.questions,
            "serializer": _FORMAT,
            "tree": self.tree,
            "tables": {
                name: hashlib.sha256(html.encode()).hexdigest() for name, html in self.written("html").items()
            },
        }

    def question_prompts(self) -> dict[tuple[str, QuestionType], Prompt]:
        """Table and type -> the prompt that asks for questions."""
        return {
            (name, kind): prompt("table_question", kind=kind, table=self.texts[name], number=self.questions)
            for name in self.tables
            for kind in self.kinds
        }

    def answer_prompt(self, question: AnnotatedQuestion) -> Prompt:
        """Asks for the answer to a question."""
        return prompt(
            "table_answer",
            kind=question.kind,
            subtype=question.subtype,
            table=self.texts[question.table],
            tree=tree_text(header_tuples(self.tables[question.table])) if self.tree else "",
            question=without_turns(question.question),
        )

    def score_prompt(self, question: AnnotatedQuestion, answer: str) -> Prompt:
        """Asks for a score of an answer, which is hostile text, from 0 to 100."""
        return prompt(
            "table_score",
            kind=question.kind,
            table=self.texts[question.table],
            question=without_turns(question.question),
            answer=fenced(answer, MOST_CODE),
        )

    def ask(self, rounds: Rounds) -> list[AnnotatedQuestion]:
        """The questions with their answers scored, the candidate first."""
        (asker,), (judge,) = self.roles["asker"], self.roles["judge"]
        asked = rounds.replies("questions", [asker], self.question_prompts(), self._expected_questions)
        written = [
            self._question(table, kind, text, subtype)
            for (table, kind), reply in asked[asker.label].items()
            for text, subtype in questions_in(kind, reply, self.questions)
        ]
        questions = rounds.without_repeated(written, lambda question: (question.table, question.question))
        prompts = {question: self.answer_prompt(question) for question in questions}
        replies = rounds.replies("answers", self.roles["answerers"], prompts, _expected_answer)
        answered = [
            self._with_answers(rounds, question, {model: of.get(question) for model, of in replies.items()})
            for question in questions
        ]
        to_score = {
            (question, alternative.answer): self.score_prompt(question, alternative.answer)
            for question in answered
            for alternative in question.alternatives
        }
        scored = rounds.replies("scores", [judge], to_score, lambda *_: "")[judge.label]
        scores: dict[AnnotatedQuestion, dict[str, float]] = defaultdict(dict)
        for (question, answer), reply in scored.items():
            if (score := score_of(reply)) is not None:
                scores[question][answer] = score
        return [
            replace(question, alternatives=tuple(ranked(question.alternatives, scores[question])))
            for question in answered
        ]

    def _question(self, table: str, kind: QuestionType, text: str, subtype: str) -> AnnotatedQuestion:
        number, asker = question_id(table, kind.name, text), self.roles["asker"][0].label
        return AnnotatedQuestion(number, table, kind.name, subtype, text, asker)

    def _expected_questions(self, item: tuple[str, QuestionType], _: str) -> str:
        """For a plan: other questions of each type."""
        _, kind = item
        words, subtype = f"{'word ' * 48}{kind.name}", next(iter(kind.subtypes))
        numbers = range(self.questions)
        return "\n".join(f"Question {n}: {words} {n}\nSubtype {n}: {subtype}" for n in numbers)

    def _with_answers(
        self, rounds: Rounds, question: AnnotatedQuestion, replies: Mapping[str, str | None]
    ) -> AnnotatedQuestion:
        """The question with its distinct answers, by model; programs are run to compare what they draw."""
        form = question.kind.form
        answers = {
            model: None if reply is None else final_answer(form, reply) for model, reply in replies.items()
        }
        drawn: dict[str, str] = {}
        if form == "code" and not isinstance(rounds, PlannedRounds):
            programs = {answer for answer in answers.values() if answer}
            try:
                workbook = workbooks.to_bytes(self.tables[question.table])
                drawn = {text: drawn_values(text, question.subtype, workbook) for text in programs}
            except (SandboxError, SerializationError) as error:
                rounds.remarks.add(f"{error}; so programs are compared as texts")
        if drawn:  # a program that draws nothing is no answer
            answers = {model: text if text and drawn[text] else None for model, text in answers.items()}
        alternatives = distinct(
            answers, lambda text: values_key(drawn[text]) if drawn else equal_key(form, text)
        )
        return replace(
            question,
            alternatives=tuple(replace(one, values=drawn.get(one.answer, "")) for one in alternatives),
        )


def annotation_roles(
    models: Sequence[ModelEntry], asker: str | None, answerers: Sequence[str], judge: str | None
) -> dict[str, Sequence[ModelEntry]]:
    """Who asks, answers and judges, by label; without one the first, all, and the asker.

    Raises:
        InputError: no model, or an unknown label.
    """
    asking = model_called(models, asker, "--asker")
    return {
        "asker": [asking],
        "answerers": [model_called(models, label, "--answerers") for label in dict.fromkeys(answerers)]
        or models,
        "judge": [model_called(models, judge or asking.label, "--judge")],
    }


def _expected_answer(question: AnnotatedQuestion, model: str) -> str:
    """For a plan: another answer of each model."""
    answer = f"{'word ' * 20}{model}"
    code = f"```python\nimport matplotlib\nprint({answer!r})\n```"
    return code if question.kind.form == "code" else f"Final answer: {answer}"


def annotate(task: AnnotationTask, rounds: Rounds) -> dict[str, Any]:
    """Ask for questions and answers, have them scored, and write the files of the review; again to resume.

    Returns:
        ``folder``, ``tables`` (their number), ``questions`` (their number, by type), ``repeated`` (questions
        left out), ``unanswered`` (questions), ``unscored`` (answers), ``failed`` (requests) and ``notes``.

    Raises:
        InputError: a model, a table or the folder is wrong, or reviewed questions would change.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    out = rounds.out
    tables = as_lines({"table": name, "html": html} for name, html in task.written("html").items())
    task.question_prompts()  # an error about a table comes before anything is written
    check_unreviewed(out, TABLES_FILE, tables, "tables")
    with started(task, rounds):
        write_atomically(out / TABLES_FILE, tables)
        questions = task.ask(rounds)
        write_review(out, review_sheet(questions, task.tables))
    remarks = sorted(rounds.remarks)
    for remark in remarks:
        rounds.tell(remark)
    return {
        "folder": out,
        **task.about,
        "questions": dict(Counter(question.type for question in questions)),
        "repeated": rounds.repeated,
        "unanswered": sum(not question.alternatives for question in questions),
        "unscored": sum(one.score is None for question in questions for one in question.alternatives),
        "failed": rounds.failed,
        "notes": remarks,
    }
