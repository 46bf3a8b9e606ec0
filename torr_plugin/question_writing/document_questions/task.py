"""A model writes questions about documents, level by level, and another decides which to keep."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ...core.errors import InputError, counted
from ...core.parquet import open_rows
from ...scoring.judges.prompts import between, fenced, without_turns
from ..asking import (
    Rounds,
    model_called,
    prompt,
    prompt_values,
    question_id,
    record_of,
    started,
    write_record,
)
from ..review import write_review
from .excerpts import DocumentExcerpt, canonical_html, digest_of, drawn, read_excerpts
from .question import (
    COMMAND,
    DOCUMENT_SCHEMA,
    DOCUMENTS_FILE,
    LEVELS,
    QUESTION_FILE,
    DocumentQuestion,
    Level,
    review_sheet,
    write_questions,
)
from .recall import recall_by_length
from .replies import (
    MOST_ANSWER,
    MOST_QUESTION,
    MOST_STEPS,
    Draft,
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

_OPTIONS = ("questions", "chunk_tokens", "chunks", "ground", "seed")
_EXPECTED_ANSWER = {"steps": ["word " * 30] * 5, "answer": "word " * 40}  # for a plan


@dataclass(frozen=True, kw_only=True)
class SynthesisTask:
    """What is to be asked about documents, and by whom.

    Attributes:
        source: see :func:`.document_files.document_files`.
        roles: ``writer`` and ``filter`` -> the model.
        levels: of the questions, from easy to hard.
        questions: of a level about a chunk.
        chunk_tokens: of a chunk, at most, where no single table is longer.
        chunks: of a document, at most; None for all.
        ground: whether each question quotes a sentence to check its answer by, and its answer is written by
            another request, from the tables alone.
        seed: of the choice of chunks.
    """

    command: ClassVar[str] = COMMAND
    record_name: ClassVar[str] = "synthesis.yaml"
    fixed: ClassVar[tuple[str, ...]] = (
        *_OPTIONS,
        "levels",
        "generation",
        "prompts",
        "documents",
        "writer",
        "filter",
    )

    source: Path
    roles: Mapping[str, Sequence[ModelEntry]]
    levels: Sequence[Level] = LEVELS
    questions: int = 1
    chunk_tokens: int = 4000
    chunks: int | None = None
    ground: bool = False
    seed: int = 0

    @cached_property
    def documents(self) -> Sequence[Sequence[DocumentExcerpt]]:
        """The chunks of each document.

        Raises:
            InputError: a document cannot be read, or none has a table.
        """
        return read_excerpts(self.source, self.chunk_tokens)

    @cached_property
    def excerpts(self) -> Sequence[DocumentExcerpt]:
        """The chunks that are asked about.

        Raises:
            InputError: there is none, or as above.
        """
        suitable = [list(filter(self._is_suitable, chunks)) for chunks in self.documents]
        chosen = [excerpt for chunks in suitable for excerpt in drawn(chunks, self.chunks, self.seed)]
        if not chosen:
            raise InputError(f"{self.source}: no chunk can be asked about; {'; '.join(self._left_out())}")
        return chosen

    def _is_suitable(self, excerpt: DocumentExcerpt) -> bool:
        return bool(excerpt.sentences) or not self.ground

    def _left_out(self) -> list[str]:
        number = sum(not self._is_suitable(excerpt) for chunks in self.documents for excerpt in chunks)
        why = "without text, so that no sentence can be quoted for --ground"
        return [f"{counted(number, 'chunk')} left out: {why}"] if number else []

    @property
    def about(self) -> Mapping[str, int]:
        """The numbers of documents, and of chunks that are asked about."""
        return {"documents": len(self.documents), "chunks": len(self.excerpts)}

    @property
    def notes(self) -> Sequence[str]:
        """Remarks on chunks that are left out, and on one model that does both."""
        writer, label = (model.label for (model,) in self.roles.values())
        same = f"{label} writes and filters the questions; --filter names another"
        return (*self._left_out(), *[same] * (writer == label))

    def settings(self) -> dict[str, Any]:
        """Options, a fingerprint of the documents."""
        return {
            "source": str(self.source),
            "documents": digest_of(self.documents),
            "levels": list(self.levels),
            **{name: getattr(self, name) for name in _OPTIONS},
        }

    def question_prompt(
        self, level: Level, excerpt: DocumentExcerpt, earlier: Sequence[DocumentQuestion]
    ) -> Prompt:
        """Asks for a question about a chunk that goes beyond those of lower levels and repeats none."""
        lower, same = (
            [
                {"question": without_turns(before.question), "answer": without_turns(before.answer)}
                for before in earlier
                if (before.level == level) is of_level
            ]
            for of_level in (False, True)
        )
        return prompt(
            "document_question",
            level=level_guides()[level],
            lower=lower,
            same=same,
            ground=self.ground,
            excerpt=between(excerpt.text),
        )

    def ask(self, rounds: Rounds) -> list[DocumentQuestion]:
        """The questions of all levels, each chunk's shown to the writer of its next, with verdicts."""
        (writer,), (filter_by,) = self.roles["writer"], self.roles["filter"]
        written = list[DocumentQuestion]()
        earlier: dict[DocumentExcerpt, list[DocumentQuestion]] = defaultdict(list)
        for level, number in product(self.levels, range(self.questions)):
            prompts = {
                excerpt: self.question_prompt(level, excerpt, earlier[excerpt]) for excerpt in self.excerpts
            }
            expected = partial(_expected_question, f"{level} {number}")
            parse = partial(read_draft, ground=self.ground)
            drafts, _ = rounds.read(f"{level} questions", writer, prompts, expected, parse)
            questions = {excerpt: _question(level, excerpt, draft) for excerpt, draft in drafts.items()}
            if self.ground:
                questions = _answered(rounds, writer, level, questions)
            written += questions.values()
            for excerpt, question in questions.items():
                earlier[excerpt].append(question)
        different = rounds.without_repeated(written, lambda question: (question.document, question.question))
        return self._filtered(rounds, filter_by, different)

    def _filtered(
        self, rounds: Rounds, model: ModelEntry, questions: Sequence[DocumentQuestion]
    ) -> list[DocumentQuestion]:
        """The questions with the filter's verdicts; those without an answer are dropped unasked."""
        texts = {(excerpt.document, excerpt.chunk): excerpt.text for excerpt in self.excerpts}
        prompts = {
            question: filter_prompt(question, texts[question.document, question.chunk])
            for question in questions
            if question.answer
        }
        verdicts, wrong = rounds.read("verdicts", model, prompts, lambda *_: "", read_verdict)
        filtered = []
        for question in questions:
            failed = "the request to the filter failed" if question.answer else NOT_QUOTED
            reason = f"the filter's reply: {wrong[question]}" if question in wrong else failed
            keep, why = verdicts.get(question, (False, reason))
            filtered.append(replace(question, kept=keep, reason=why))
        return filtered


def synthesis_roles(
    models: Sequence[ModelEntry], writer: str | None, filter_by: str | None
) -> dict[str, Sequence[ModelEntry]]:
    """Who writes and filters, by label; without one the first and the last model.

    Raises:
        InputError: no model, or an unknown label.
    """
    return {
        "writer": [model_called(models, writer, "--writer")],
        "filter": [model_called(models, filter_by, "--filter", -1)],
    }


def level_guides() -> Mapping[str, Mapping[str, Any]]:
    """Level -> what a writer and a filter are told of it, with examples."""
    guides: Mapping[str, Mapping[str, Any]] = prompt_values("levels")
    return guides


def answer_prompt(level: Level, tables: str, question: str) -> Prompt:
    """Asks for the answer to a question from a chunk's tables alone."""
    return prompt(
        "document_answer",
        level=level_guides()[level],
        tables=between(tables),
        question=without_turns(question),
    )


def filter_prompt(question: DocumentQuestion, text: str) -> Prompt:
    """Asks whether a question about a chunk's text, and its answer, are to be kept."""
    return prompt(
        "document_verdict",
        level=level_guides()[question.level],
        excerpt=between(text),
        question=fenced(question.question, MOST_QUESTION),
        answer=fenced("\n".join([*question.steps, f"Answer: {question.answer}"]), MOST_STEPS + MOST_ANSWER),
    )


def _expected_question(words: str, excerpt: DocumentExcerpt, _: str) -> str:
    """For a plan: another question about each chunk."""
    sentence = max(excerpt.sentences, key=len, default="")
    question = f"{'word ' * 50}{words} {excerpt.chunk}"
    return json.dumps({"question": question, "sentence": sentence, **_EXPECTED_ANSWER})


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
    rounds: Rounds, writer: ModelEntry, level: Level, questions: Mapping[DocumentExcerpt, DocumentQuestion]
) -> dict[DocumentExcerpt, DocumentQuestion]:
    """The questions with answers from the tables alone.

    Those that quote nothing are asked no answer; those whose answer cannot be read are left out.
    """
    prompts = {
        excerpt: answer_prompt(level, "\n\n".join(excerpt.tables.values()), question.question)
        for excerpt, question in questions.items()
        if is_quoted(question.grounding, excerpt.sentences)
    }
    answers, _ = rounds.read(
        f"{level} answers", writer, prompts, lambda *_: json.dumps(_EXPECTED_ANSWER), read_answer
    )
    answered = {excerpt: question for excerpt, question in questions.items() if excerpt not in prompts}
    for excerpt, (answer, steps) in answers.items():
        answered[excerpt] = replace(questions[excerpt], answer=answer, steps=steps)
    return {excerpt: answered[excerpt] for excerpt in questions if excerpt in answered}


def synthesize(task: SynthesisTask, rounds: Rounds) -> dict[str, Any]:
    """Have questions written and filtered; write ``questions.parquet`` and review files; again to resume.

    Returns:
        ``folder``, ``documents`` and ``chunks`` (their numbers), ``levels`` (level -> the numbers of
        questions ``asked`` for, ``written`` in a form that can be read, and ``kept`` by the filter),
        ``repeated`` and ``ungrounded`` (questions left out), ``malformed`` (what is wrong with replies -> how
        many), ``failed`` (requests), ``recall`` (of the answers that were kept) and ``notes``.

    Raises:
        InputError: a model or the folder is wrong, or the folder is of another task or reviewed.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    out = rounds.out
    with started(task, rounds):
        if not (out / DOCUMENTS_FILE).exists():
            with open_rows(out / DOCUMENTS_FILE, DOCUMENT_SCHEMA) as rows:
                rows.add(
                    {"path": f"{name}.html", "content": html} for name, html in canonical_html(task.source)
                )
        questions = task.ask(rounds)
        write_review(out, review_sheet(questions, task.excerpts))
        write_questions(out / QUESTION_FILE, questions)
        kept = [question for question in questions if question.kept]
        written_of, kept_of = (Counter(question.level for question in some) for some in (questions, kept))
        asked = len(task.excerpts) * task.questions
        counts = {
            **task.about,
            "levels": {
                level: {"asked": asked, "written": written_of[level], "kept": kept_of[level]}
                for level in task.levels
            },
            "repeated": rounds.repeated,
            "ungrounded": sum(question.reason == NOT_QUOTED for question in questions),
            "malformed": dict(sorted(rounds.malformed.items())),
            "failed": rounds.failed,
        }
        write_record(type(task), out, {**record_of(task, rounds), "made": counts})
    return {"folder": out, **counts, "recall": recall_by_length(kept), "notes": task.notes}
