"""What questions are to be written about which documents, by whom, and the record of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...core.errors import InputError, SerializationError, counted
from ...core.versions import versions
from ...recipes import labelled
from ...running.store.manifest import folder_name, model_record
from ...scoring.judges.prompts import between, fenced, without_turns
from ...synthesis.document_questions import (
    PROMPTS_VERSION,
    DocumentExcerpt,
    Draft,
    answer_prompt,
    drawn,
    excerpts,
    filter_prompt,
    question_prompt,
)
from ...synthesis.document_questions.replies import MOST_ANSWER, MOST_QUESTION, MOST_STEPS
from ...synthesis.filings.questions.question import LEVELS, Level
from ..reviewing import WorkFolder
from ..rounds import as_prompt, model_called
from .documents import canonical_documents

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry

FORMAT = 1
RECORD_FILE, DOCUMENTS_FILE = "synthesis.yaml", "documents.parquet"


@dataclass(frozen=True, slots=True)
class SynthesisOptions:
    """What is asked for.

    Attributes:
        levels: of the questions, from easy to hard.
        questions: of a level about a chunk.
        chunk_tokens: of a chunk, at most, where no single table is longer.
        context_tokens: chunks that are longer are left out; None for no limit.
        chunks: of a document, at most; None for all.
        ground: whether each question quotes a sentence to check its answer by, and its answer is written by
            another request, from the tables alone.
        seed: of the choice of chunks.
        max_tokens: of a reply.
    """

    levels: tuple[Level, ...] = LEVELS
    questions: int = 1
    chunk_tokens: int = 4000
    context_tokens: int | None = None
    chunks: int | None = None
    ground: bool = False
    seed: int = 0
    max_tokens: int = 4096


@dataclass(frozen=True)
class SynthesisTask:
    """What is to be asked, about what, and by whom.

    Attributes:
        source: where the documents are.
        documents: their number.
        digest: of their names and texts.
        excerpts: the chunks that are asked about.
        options: see there.
        writer: writes questions and answers.
        filter: decides which to keep.
        notes: remarks for the user.
    """

    source: Path
    documents: int
    digest: str
    excerpts: tuple[DocumentExcerpt, ...]
    options: SynthesisOptions
    writer: ModelEntry
    filter: ModelEntry
    notes: tuple[str, ...] = field(default=())

    @property
    def generation(self) -> dict[str, Any]:
        """The generation parameters of all prompts; greedy, so that there is no seed."""
        return {"max_tokens": self.options.max_tokens, "temperature": 0.0, "until": []}

    @property
    def models(self) -> tuple[ModelEntry, ...]:
        """All models, each once."""
        return tuple({each.label: each for each in (self.writer, self.filter)}.values())

    def question_prompt(
        self, level: Level, excerpt: DocumentExcerpt, earlier: Sequence[tuple[Level, Draft]]
    ) -> Prompt:
        """Asks for a question about a chunk that is unlike the earlier ones."""
        lower = [_harmless(draft) for other, draft in earlier if other != level]
        same = [_harmless(draft) for other, draft in earlier if other == level]
        shown = between(excerpt.text)
        return as_prompt(question_prompt(level, shown, lower, same, ground=self.options.ground))

    def answer_prompt(self, level: Level, excerpt: DocumentExcerpt, question: str) -> Prompt:
        """Asks for the answer to a question from the chunk's tables alone."""
        tables = between("\n\n".join(excerpt.tables.values()))
        return as_prompt(answer_prompt(level, tables, without_turns(question)))

    def filter_prompt(self, level: Level, excerpt: DocumentExcerpt, draft: Draft) -> Prompt:
        """Asks whether a question and its answer are to be kept."""
        answer = "\n".join([*draft.steps, f"Answer: {draft.answer}"])
        return as_prompt(
            filter_prompt(
                level,
                between(excerpt.text),
                fenced(draft.question, MOST_QUESTION),
                fenced(answer, MOST_STEPS + MOST_ANSWER),
            )
        )

    def record(self) -> dict[str, Any]:
        """What ``synthesis.yaml`` says: options, prompts, models, and a fingerprint of the documents."""
        return {
            "format": FORMAT,
            "versions": dict(versions()),
            "prompts": PROMPTS_VERSION,
            "source": str(self.source),
            "documents": self.digest,
            **asdict(self.options),
            "levels": list(self.options.levels),
            "generation": self.generation,
            "writer": self.writer.label,
            "filter": self.filter.label,
            "models": [model_record(each, folder_name(each.label)) for each in self.models],
        }


def synthesis_folder(path: Path) -> WorkFolder:
    """The folder that ``torr synth qa`` writes."""
    why = "questions of both kinds"
    fixed = [*SynthesisOptions.__slots__, "prompts", "documents", "writer", "filter"]
    return WorkFolder(path, RECORD_FILE, "torr synth qa", FORMAT, dict.fromkeys(fixed, why))


def synthesis_task(
    source: Path,
    models: Sequence[ModelEntry],
    options: SynthesisOptions,
    *,
    writer: str | None = None,
    filter_by: str | None = None,
) -> SynthesisTask:
    """A task from what a person says; reads the documents.

    Args:
        source: see :func:`torr_plugin.catalog.document_files.document_files`.
        models: all models.
        options: what is asked for.
        writer: the label of the model that writes; None for the first one.
        filter_by: the label of the model that filters; None for the last one.

    Raises:
        InputError: no model, an unknown label; a document cannot be read, or none has a table.
    """
    if not models:
        raise InputError("no model: name one by --model (as in lm-eval) or a file of them by --models")
    by_label = {each.label: each for each in labelled(models)}
    first, *_, last = [*by_label.values()] * 2
    writing = model_called(by_label, writer, "--writer") if writer else first
    filtering = model_called(by_label, filter_by, "--filter") if filter_by else last
    chosen: list[DocumentExcerpt] = []
    notes, count, digest = _Omissions(), 0, hashlib.sha256()
    for name, document in canonical_documents(source):
        count += 1
        try:
            found = excerpts(name, document, options.chunk_tokens)
        except SerializationError as error:
            raise InputError(f"{source}: {name}: {error}") from error
        for each in found:
            digest.update(f"{name}\n{each.chunk}\n{each.text}\n".encode())
        chosen += drawn(notes.suitable(found, options), options.chunks, options.seed)
    if not chosen:
        raise InputError(f"{source}: {notes.why(count)}")
    if writing.label == filtering.label:
        notes.lines.append(f"{writing.label} writes and filters the questions; --filter names another")
    return SynthesisTask(
        source=source,
        documents=count,
        digest=digest.hexdigest(),
        excerpts=tuple(chosen),
        options=options,
        writer=writing,
        filter=filtering,
        notes=tuple(notes.all()),
    )


@dataclass
class _Omissions:
    """Counts the chunks that cannot be asked about."""

    tables: int = 0
    long: int = 0
    bare: int = 0
    lines: list[str] = field(default_factory=list)

    def suitable(self, found: Sequence[DocumentExcerpt], options: SynthesisOptions) -> list[DocumentExcerpt]:
        most = options.context_tokens
        short = [each for each in found if most is None or each.tokens <= most]
        kept = [each for each in short if each.sentences or not options.ground]
        self.tables += len(found)
        self.long += len(found) - len(short)
        self.bare += len(short) - len(kept)
        return kept

    def all(self) -> list[str]:
        said = [
            (self.long, "longer than --context-tokens"),
            (self.bare, "without text, so that no sentence can be quoted for --ground"),
        ]
        left_out = [f"{counted(count, 'chunk')} left out: {why}" for count, why in said if count]
        return [*left_out, *self.lines]

    def why(self, documents: int) -> str:
        """Why there is no chunk at all."""
        read = counted(documents, "document")
        if not self.tables:
            return f"{read} without a table; expected at least one with tables of data"
        return f"no chunk can be asked about; {'; '.join(self.all())}"


def _harmless(draft: Draft) -> Draft:
    return Draft(without_turns(draft.question), without_turns(draft.answer))
