"""A model writes questions about documents, level by level, and another decides which to keep."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...core.parquet import open_rows
from ...scoring.judges.prompts import between, fenced, without_turns
from ..flow import (
    QUIETLY,
    Asking,
    FolderKind,
    PlannedRound,
    Rounds,
    WritingReport,
    WritingTask,
    question_id,
    started,
    without_repeated,
)
from ..review import write_review
from ..words import PROMPTS_VERSION, level_guides, prompt
from .excerpts import DocumentExcerpt, DocumentSample, Place, canonical_html, read_documents
from .question import (
    DOCUMENT_SCHEMA,
    DOCUMENTS_FILE,
    FOLDER,
    LEVELS,
    OPTIONS,
    QUESTION_FILE,
    DocumentQuestion,
    Level,
    review_sheet,
    write_questions,
)
from .recall import RecallRow, recall_by_length
from .replies import (
    MOST_ANSWER,
    MOST_QUESTION,
    MOST_STEPS,
    Draft,
    FilterVerdict,
    is_quoted,
    read_answer,
    read_draft,
    read_verdict,
)

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry


NOT_QUOTED = "the grounding sentence is not in the chunk's text"
"""Why a question is dropped without being filtered."""


@dataclass(frozen=True, kw_only=True)
class SynthesisTask(WritingTask):
    """What is to be asked about documents, and by whom.

    Attributes:
        source: see :func:`.document_files.document_files`.
        writer: the label of the model that writes questions and answers; None for the first one.
        filter_by: the label of the model that decides which to keep; None for the last one.
        levels: of the questions, from easy to hard.
        questions: of a level about a chunk.
        chunk_tokens: of a chunk, at most, where no single table is longer.
        context_tokens: chunks that are longer are left out; None for no limit.
        chunks: of a document, at most; None for all.
        ground: whether each question quotes a sentence to check its answer by, and its answer is written by
            another request, from the tables alone.
        seed: of the choice of chunks.
    """

    folder_kind: ClassVar[FolderKind] = FOLDER
    source: Path
    writer: str | None = None
    filter_by: str | None = None
    levels: Sequence[Level] = LEVELS
    questions: int = 1
    chunk_tokens: int = 4000
    context_tokens: int | None = None
    chunks: int | None = None
    ground: bool = False
    seed: int = 0

    @cached_property
    def roles(self) -> Mapping[str, ModelEntry]:
        """Who writes and filters; errors as said there."""
        return {
            "writer": self.model(self.writer, "--writer"),
            "filter": self.model(self.filter_by, "--filter", -1),
        }

    @property
    def about(self) -> Mapping[str, int]:
        """The numbers of documents, and of chunks that are asked about."""
        return {"documents": self.read.documents, "chunks": len(self.excerpts)}

    @property
    def excerpts(self) -> Mapping[Place, DocumentExcerpt]:
        """The chunks that are asked about."""
        return self.read.excerpts

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on chunks that are left out, and on one model that does both."""
        writer, label = (each.label for each in self.roles.values())
        same = f"{label} writes and filters the questions; --filter names another"
        return (*self.read.notes, *[same] * (writer == label))

    @cached_property
    def read(self) -> DocumentSample:
        """The documents.

        Raises:
            InputError: one cannot be read, or there is nothing to ask about.
        """
        return read_documents(self.source, self.chunk_tokens, self._problem, self.chunks, self.seed)

    def _problem(self, excerpt: DocumentExcerpt) -> str:
        """Why nothing can be asked about a chunk; empty where something can."""
        if self.context_tokens is not None and excerpt.tokens > self.context_tokens:
            return "longer than --context-tokens"
        if self.ground and not excerpt.sentences:
            return "without text, so that no sentence can be quoted for --ground"
        return ""

    def question_prompt(self, level: Level, place: Place, earlier: Sequence[DocumentQuestion]) -> Prompt:
        """Asks for a question about a chunk that goes beyond those of lower levels and repeats none."""
        lower, same = (
            [
                {"question": without_turns(each.question), "answer": without_turns(each.answer)}
                for each in earlier
                if (each.level == level) is of_level
            ]
            for of_level in (False, True)
        )
        return prompt(
            "document_question",
            level=level_guides()[level],
            lower=lower,
            same=same,
            ground=self.ground,
            excerpt=between(self.excerpts[place].text),
        )

    def answer_prompt(self, level: Level, place: Place, question: str) -> Prompt:
        """Asks for the answer to a question from the chunk's tables alone."""
        tables = "\n\n".join(self.excerpts[place].tables.values())
        return prompt(
            "document_answer",
            level=level_guides()[level],
            tables=between(tables),
            question=without_turns(question),
        )

    def filter_prompt(self, each: DocumentQuestion) -> Prompt:
        """Asks whether a question and its answer are to be kept."""
        return prompt(
            "document_verdict",
            level=level_guides()[each.level],
            excerpt=between(self.excerpts[each.document, each.chunk].text),
            question=fenced(each.question, MOST_QUESTION),
            answer=fenced("\n".join([*each.steps, f"Answer: {each.answer}"]), MOST_STEPS + MOST_ANSWER),
        )

    def planned(self) -> Iterator[PlannedRound]:
        """Of each level the questions, with ``ground`` their answers; at the end verdicts."""
        levels, times = self.levels, self.questions
        for number, level in enumerate(levels, start=1):
            # before the last question of the level
            earlier = [_longest(each) for each in levels[:number] for _ in range(times)][:-1]
            questions = [self.question_prompt(level, place, earlier) for place in self.excerpts]
            yield PlannedRound(f"{level} questions", self.roles["writer"], questions, times)
            if self.ground:
                answers = [
                    self.answer_prompt(level, place, _longest(level).question) for place in self.excerpts
                ]
                yield PlannedRound(f"{level} answers", self.roles["writer"], answers, times)
        verdicts = [
            self.filter_prompt(_longest(level, *place)) for level in levels for place in self.excerpts
        ]
        yield PlannedRound("verdicts", self.roles["filter"], verdicts, times)

    def settings(self) -> dict[str, Any]:
        """Prompts and options, a fingerprint of the documents."""
        return {
            "prompts": PROMPTS_VERSION,
            "source": str(self.source),
            "documents": self.read.digest,
            **{name: getattr(self, name) for name in OPTIONS},
            "levels": list(self.levels),
        }


def _longest(level: Level, document: str = "", chunk: int = 0) -> DocumentQuestion:
    """A question as long as questions may be expected to be."""
    steps = (" word" * 30,) * 5
    return DocumentQuestion("", document, level, chunk, None, " word" * 50, " word" * 40, steps)


@dataclass(frozen=True, kw_only=True)
class SynthesisReport(WritingReport):
    """What became of a synthesis.

    Attributes:
        documents: their number.
        chunks: that were asked about.
        levels: level -> the numbers of questions ``asked`` for, ``written`` in a form that can be read, and
            ``kept`` by the filter.
        ungrounded: questions whose grounding sentence is not in the chunk; they are not filtered, nor kept.
        malformed: what is wrong with the form of replies -> how many.
        recall: how far the answers of the kept questions stand in their evidence.
    """

    documents: int
    chunks: int
    levels: Mapping[str, Mapping[str, int]]
    ungrounded: int
    malformed: Mapping[str, int]
    recall: Sequence[RecallRow]


def synthesize(task: SynthesisTask, out: Path, how: Asking = QUIETLY) -> SynthesisReport:
    """Have questions written and filtered; write ``questions.parquet`` and review files; again to resume.

    Args:
        task: what, and by whom.
        out: the folder; an earlier one of the same task is gone on with, and nothing in it is asked again.
        how: models are asked.

    Raises:
        InputError: a model or the folder is wrong, or the folder is of another task or reviewed.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    with started(task, out, how) as rounds:
        if not (out / DOCUMENTS_FILE).exists():
            with open_rows(out / DOCUMENTS_FILE, DOCUMENT_SCHEMA) as rows:
                rows.add(
                    {"path": f"{name}.html", "content": html} for name, html in canonical_html(task.source)
                )
        written = _written(task, rounds)
        questions = _filtered(
            task, rounds, without_repeated(written, lambda each: (each.document, each.question))
        )
        write_review(
            out, review_sheet(questions, {place: each.blocks for place, each in task.excerpts.items()})
        )
        write_questions(out / QUESTION_FILE, questions)
        kept = [each for each in questions if each.kept]
        of_level, kept_of_level = (Counter(each.level for each in some) for some in (questions, kept))
        asked = len(task.excerpts) * task.questions
        report = SynthesisReport(
            folder=out,
            **task.about,
            levels={
                level: {"asked": asked, "written": of_level[level], "kept": kept_of_level[level]}
                for level in task.levels
            },
            repeated=len(written) - len(questions),
            ungrounded=sum(each.reason == NOT_QUOTED for each in questions),
            malformed=dict(sorted(rounds.malformed.items())),
            failed=len(rounds.failed),
            recall=recall_by_length(kept),
            notes=task.notes,
        )
        counts = {
            key: value for key, value in asdict(report).items() if key not in ("folder", "recall", "notes")
        }
        task.folder_kind.write(out, {**task.record(), "made": counts})
    return report


def _written(task: SynthesisTask, rounds: Rounds) -> list[DocumentQuestion]:
    """The questions of all levels, each chunk's shown to the writer of its next."""
    found: dict[Place, list[DocumentQuestion]] = defaultdict(list)
    written: list[DocumentQuestion] = []
    most = task.questions
    for level, number in product(task.levels, range(1, most + 1)):
        what = f"{level} questions" + (f", {number} of {most}" if most > 1 else "")
        prompts = {place: task.question_prompt(level, place, found[place]) for place in task.excerpts}
        parse = partial(read_draft, ground=task.ground)
        drafts, _ = rounds.read(task.roles["writer"], what, prompts, parse, f"{level} question")
        questions = {place: _question(level, task.excerpts[place], draft) for place, draft in drafts.items()}
        if task.ground:
            questions = _answered(task, rounds, level, f"answers to {what}", questions)
        for place, question in questions.items():
            found[place].append(question)
            written.append(question)
    return written


def _question(level: Level, excerpt: DocumentExcerpt, draft: Draft) -> DocumentQuestion:
    only = next(iter(excerpt.tables)) if len(excerpt.tables) == 1 else None
    table = draft.table if draft.table in excerpt.tables else only
    return DocumentQuestion(
        id=question_id(excerpt.document, level, draft.question),
        document=excerpt.document,
        level=level,
        chunk=excerpt.chunk,
        table=table,
        question=draft.question,
        answer=draft.answer,
        steps=draft.steps,
        evidence=excerpt.evidence_of(table),
        grounding=draft.sentence,
    )


def _answered(
    task: SynthesisTask,
    rounds: Rounds,
    level: Level,
    what: str,
    questions: Mapping[Place, DocumentQuestion],
) -> dict[Place, DocumentQuestion]:
    """The questions with answers from the tables alone.

    Those that quote nothing are asked no answer; those whose answer cannot be read are left out.
    """
    quoting = {
        place: each
        for place, each in questions.items()
        if is_quoted(each.grounding, task.excerpts[place].sentences)
    }
    prompts = {place: task.answer_prompt(each.level, place, each.question) for place, each in quoting.items()}
    answers, _ = rounds.read(task.roles["writer"], what, prompts, read_answer, f"{level} answer")
    answered = {
        place: replace(quoting[place], answer=answer, steps=steps)
        for place, (answer, steps) in answers.items()
    }
    return {
        place: answered.get(place, each)
        for place, each in questions.items()
        if place in answered or place not in quoting
    }


def _filtered(
    task: SynthesisTask, rounds: Rounds, questions: Sequence[DocumentQuestion]
) -> list[DocumentQuestion]:
    """The questions with the filter's verdicts; those without an answer are dropped unasked."""
    prompts = {each.id: task.filter_prompt(each) for each in questions if each.answer}
    verdicts, wrong = rounds.read(task.roles["filter"], "verdicts", prompts, read_verdict, "verdict")
    found = []
    for each in questions:
        failed = "the request to the filter failed" if each.answer else NOT_QUOTED
        reason = f"the filter's reply: {wrong[each.id]}" if each.id in wrong else failed
        verdict = verdicts.get(each.id, FilterVerdict(False, reason))
        found.append(replace(each, kept=verdict.keep, reason=verdict.reason))
    return found
