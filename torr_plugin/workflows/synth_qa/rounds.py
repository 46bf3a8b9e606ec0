"""Rounds of questions from level to level, then the filter's; what their replies give."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from ...synthesis.annotation.parsing import same_question
from ...synthesis.document_questions import (
    DocumentExcerpt,
    DocumentQuestion,
    Draft,
    FilterVerdict,
    is_quoted,
    read_answer,
    read_draft,
    read_verdict,
)
from ...synthesis.filings.questions.question import Level
from ..annotation.questions import question_id
from ..rounds import AskedRounds, ItemT

if TYPE_CHECKING:
    from ...prompts import Prompt
    from ...recipes import ModelEntry
    from .task import SynthesisTask

FoundT = TypeVar("FoundT", Draft, FilterVerdict, tuple[str, tuple[str, ...]])

NOT_QUOTED = "the grounding sentence is not in the chunk's text"
"""Why a question is dropped without being filtered."""

_NOT_QUOTED = FilterVerdict(False, NOT_QUOTED)

_Place = tuple[str, int]
"""A document and a chunk of it."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A question with the level and the chunk that it is about."""

    id: str
    level: Level
    excerpt: DocumentExcerpt
    draft: Draft


@dataclass
class SynthesisRounds:
    """What the replies of each round give; they make the prompts of the next."""

    task: SynthesisTask
    asked: AskedRounds
    malformed: Counter[str] = field(default_factory=Counter)
    repeated: int = 0

    def written(self) -> list[_Written]:
        """The questions of all levels, each chunk's shown to the writer of its next."""
        places = {(each.document, each.chunk): each for each in self.task.excerpts}
        earlier: dict[_Place, list[tuple[Level, Draft]]] = defaultdict(list)
        found: dict[tuple[str, str], _Written] = {}
        for level, name in self._rounds():
            for place, draft in self._drafts(level, name, places, earlier).items():
                earlier[place].append((level, draft))
                key = (place[0], same_question(draft.question))
                self.repeated += key in found
                number = question_id(place[0], level, draft.question)
                found.setdefault(key, _Written(number, level, places[place], draft))
        return list(found.values())

    def _rounds(self) -> Iterator[tuple[Level, str]]:
        """Level and name of each round of questions."""
        most = self.task.options.questions
        for level in self.task.options.levels:
            for number in range(1, most + 1):
                yield level, f"{level} questions" + (f", {number} of {most}" if most > 1 else "")

    def _drafts(
        self,
        level: Level,
        name: str,
        places: Mapping[_Place, DocumentExcerpt],
        earlier: Mapping[_Place, list[tuple[Level, Draft]]],
    ) -> dict[_Place, Draft]:
        """A question for each chunk, as far as its reply has one."""
        ground = self.task.options.ground
        prompts = {
            place: self.task.question_prompt(level, excerpt, earlier.get(place, []))
            for place, excerpt in places.items()
        }
        replies = self._replies(name, prompts)
        drafts = {place: read_draft(reply, ground=ground) for place, reply in replies.items()}
        found = self._readable(f"{level} question", drafts)
        return self._answered(level, name, found, places) if ground else found

    def _answered(
        self,
        level: Level,
        name: str,
        drafts: Mapping[_Place, Draft],
        places: Mapping[_Place, DocumentExcerpt],
    ) -> dict[_Place, Draft]:
        """The questions with answers from the tables alone; those that quote nothing are asked no answer."""
        quoted = {
            place: draft
            for place, draft in drafts.items()
            if is_quoted(draft.sentence, places[place].sentences)
        }
        prompts = {
            place: self.task.answer_prompt(level, places[place], draft.question)
            for place, draft in quoted.items()
        }
        replies = self._replies(f"answers to {name}", prompts)
        answers = self._readable(
            f"{level} answer", {place: read_answer(reply) for place, reply in replies.items()}
        )
        answered = {
            place: replace(quoted[place], answer=answer, steps=steps)
            for place, (answer, steps) in answers.items()
        }
        kept = {place: answered.get(place, draft) for place, draft in drafts.items()}
        return {place: draft for place, draft in kept.items() if draft.answer or place not in quoted}

    def filtered(self, written: Sequence[_Written]) -> list[DocumentQuestion]:
        """The questions with the filter's verdicts; those without an answer are dropped unasked."""
        quoted = [each for each in written if each.draft.answer]
        prompts = {each.id: self.task.filter_prompt(each.level, each.excerpt, each.draft) for each in quoted}
        replies = self._replies("verdicts", prompts, self.task.filter)
        read = {name: read_verdict(reply) for name, reply in replies.items()}
        self._readable("verdict", read)
        verdicts = {name: _dropped(found) for name, found in read.items()}
        failed = FilterVerdict(False, "the request to the filter failed")
        return [
            _question(each, verdicts.get(each.id, failed) if each.draft.answer else _NOT_QUOTED)
            for each in written
        ]

    def _replies(
        self, what: str, prompts: Mapping[ItemT, Prompt], model: ModelEntry | None = None
    ) -> Mapping[ItemT, str]:
        """Item -> reply; nobody is asked nothing."""
        asked = model or self.task.writer
        return self.asked.replies(what, prompts, [asked])[asked.label] if prompts else {}

    def _readable(self, what: str, found: Mapping[ItemT, FoundT | str]) -> dict[ItemT, FoundT]:
        """What can be read; problems of form are counted."""
        self.malformed.update(f"{what}: {each}" for each in found.values() if isinstance(each, str))
        return {item: each for item, each in found.items() if not isinstance(each, str)}


def _dropped(found: FilterVerdict | str) -> FilterVerdict:
    return FilterVerdict(False, f"the filter's reply: {found}") if isinstance(found, str) else found


def _question(written: _Written, verdict: FilterVerdict) -> DocumentQuestion:
    draft, excerpt = written.draft, written.excerpt
    only = next(iter(excerpt.tables)) if len(excerpt.tables) == 1 else None
    table = draft.table if draft.table in excerpt.tables else only
    return DocumentQuestion(
        id=written.id,
        document=excerpt.document,
        level=written.level,
        chunk=excerpt.chunk,
        table=table,
        question=draft.question,
        answer=draft.answer,
        steps=draft.steps,
        evidence=excerpt.evidence_of(table),
        grounding=draft.sentence,
        kept=verdict.keep,
        reason=verdict.reason,
    )
