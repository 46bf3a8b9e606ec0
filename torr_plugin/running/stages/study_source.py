"""The source of one model's requests in a run: those stored, and those that follow from its answers."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from ...prompts import Message
from ...recipes import in_prefix_order, prompt_of_row
from ..answer import Answer, longest
from ..pending_request import PendingRequest, StopRequest
from ..store import requests
from ..store.manifest import plain
from ..store.predictions import cut_answers
from .follow_ups import CELL_COLUMNS, FollowUps
from .remaining_work import RemainingWork, RequestKeys

if TYPE_CHECKING:
    import pyarrow as pa

    from ...prompts import Prompt
    from ...recipes import ModelEntry, Plan
    from ..store.predictions import AnswerStore
    from ..store.run import Run

_PROMPT = ("key", "prompt", "messages", "images")
_OF_CHANGES = ("design", "stage", "replicate")


class _Unasked(NamedTuple):
    """A request with its text; ``again`` if it is a planned replicate, which is asked after the others."""

    again: bool
    text: str
    request: PendingRequest


@dataclass(frozen=True, slots=True)
class StudyContext:
    """What the sources of all models share.

    Attributes:
        plan: makes the prompts that follow from answers.
        planned: the keys of the stored requests that follow from no answer.
        stop: once it is requested, the sources end.
        retry_failed: ask again what failed in an earlier attempt.
    """

    plan: Plan
    planned: set[str]
    stop: StopRequest
    retry_failed: bool = False


def planned_keys(run: Run) -> set[str]:
    """The keys of the planned requests, which follow from no answer.

    Raises:
        RunError: the requests cannot be read.
    """
    found = set[str]()
    for table in requests.planned_tables(run.path / "requests", ("key",)):
        found.update(map(sys.intern, table["key"].to_pylist()))
    return found


def asked_again(run: Run, plan: Plan, entry: ModelEntry, failed: Iterable[str] = ()) -> set[str]:
    """The keys of what is asked again: what ``failed``, and answers that were cut at fewer tokens than now.

    Of designs that take several calls, answers to the last one alone: prompts hold the others.
    """
    again = set(failed)
    cut_at = cut_answers(run.folder(entry.label), run.longest_answer)
    if not cut_at:
        return again
    folder, columns = run.path / "requests", ("key", "design", "stage")
    tables = [requests.planned_tables(folder, columns)]
    if plan.steps:
        tables.append(requests.later_tables(folder, plain(entry.label), columns))
    for table in chain.from_iterable(tables):
        keys, designs, stages = (table[name].to_pylist() for name in columns)
        places = list(zip(designs, stages, strict=True))
        most = {place: _most_tokens(plan, entry, *place) for place in set(places)}
        rows = zip(keys, places, strict=True)
        again.update(key for key, place in rows if cut_at.get(key, math.inf) < most[place])
    return again


def _most_tokens(plan: Plan, entry: ModelEntry, design: str, stage: int) -> float:
    """How many tokens a step may take now; none of a step that others follow, as it is not asked again."""
    if design in plan.steps and stage < len(plan.steps[design]) - 1:
        return 0
    return longest(entry.generation_under(plan.asked_generation, plan.changes_of(design, stage, 0)))


class StudySource:
    """Streams requests in windows, each in the order of shared beginnings; see :class:`RequestSource`.

    Requests with an answer are left out, equal prompts are asked once, follow-ups come first. Of designs that
    ask once only the keys are kept, so that memory does not grow with the number of prompts.

    Args:
        run: whose requests.
        entry: the model.
        store: its answers.
        context: what is asked, and how.

    Attributes:
        keys: the keys of all requests, and of follow-ups as they are made.
    """

    def __init__(self, run: Run, entry: ModelEntry, store: AnswerStore, context: StudyContext) -> None:
        self._folder, self._context, self.keys = run.path / "requests", context, RequestKeys(context.planned)
        self._label = plain(entry.label)
        again = asked_again(run, context.plan, entry, store.failed if context.retry_failed else ())
        self._remaining = RemainingWork(store, again)
        self._follow_ups: FollowUps | None = None
        if run.study.get("stages"):
            self._follow_ups = FollowUps(context.plan, self._label, self._folder, self._remaining, self.keys)
        self._walk, self._walked = self._in_order(), False
        self._held: list[PendingRequest] = []  # at most one request

    @property
    def stopped(self) -> bool:
        """Whether the run stops; then requests that wait inside an engine are dropped."""
        return self._context.stop.requested

    @property
    def refused(self) -> int:
        """How many follow-ups could not be built from earlier answers; they are stored as failed."""
        return self._follow_ups.refused if self._follow_ups else 0

    @property
    def done(self) -> bool:
        """See :class:`RequestSource`."""
        if self._context.stop.requested:
            return True
        return self._walked and not self._held and not (self._follow_ups and self._follow_ups.waits)

    def take(self, most: int) -> list[PendingRequest]:
        """See :class:`RequestSource`."""
        if self._context.stop.requested or most < 1:
            return []
        found = [*self._held, *self._take_ready(most - len(self._held))]
        self._held.clear()
        if len(found) < most and not self._walked:
            found += islice(self._walk, most - len(found))
            self._walked = len(found) < most
            found += self._take_ready(most - len(found))  # follow-ups found while reading
        return found

    @property
    def pending(self) -> int:
        """How many known requests are still open."""
        store = self._remaining.store
        done = self.keys.common(store.answered) + self.keys.common(store.failed)
        return len(self.keys) - done + self.keys.common(self._remaining.again)

    def is_empty(self) -> bool:
        """Whether there is nothing to ask, now or later, so that no model need be loaded.

        Where all known requests are answered, their follow-ups are made, up to the next request to ask.
        """
        if self.pending or self._follow_ups is None:
            return not self.pending
        found = self.take(1)
        self._held.extend(found)
        return not found and self.done

    def answered(self, answers: Sequence[Answer]) -> None:
        """Take answers that were stored; their follow-ups are stored too and handed out next.

        After a request to stop none are made; the next attempt makes them from the stored answers.
        """
        self._remaining.add_answers(answers)
        if self._follow_ups and not self._context.stop.requested:
            self._follow_ups.add_answers(answers)
            if self.done:
                self._remaining.forget()

    def _take_ready(self, most: int) -> list[PendingRequest]:
        ready = self._follow_ups.ready if self._follow_ups else ()
        return [ready.popleft() for _ in range(min(most, len(ready)))] if ready else []

    def _in_order(self) -> Iterator[PendingRequest]:
        """First answers before replicates, so that a prompt is not asked again in the same batch."""
        parts = groupby(self._stored(), attrgetter("again"))
        ordered = chain.from_iterable(in_prefix_order(part, attrgetter("text")) for _, part in parts)
        return (each.request for each in ordered)

    def _stored(self) -> Iterator[_Unasked]:
        """The stored requests that were not asked yet."""
        if self._follow_ups is None:
            for table in requests.planned_tables(self._folder, (*_PROMPT, *_OF_CHANGES)):
                yield from self._unasked(table)
        else:
            yield from self._stored_in_stages(self._follow_ups)

    def _stored_in_stages(self, follow_ups: FollowUps) -> Iterator[_Unasked]:
        columns = (*_PROMPT, *CELL_COLUMNS)
        if follow_ups.earlier.pending:
            for table in requests.later_tables(self._folder, self._label, columns):
                follow_ups.stored(table)
                yield from self._unasked(table)
        for table in requests.planned_tables(self._folder, columns):
            follow_ups.planned(table)
            yield from self._unasked(table)

    def _unasked(self, table: pa.Table) -> Iterator[_Unasked]:
        fresh = table.filter(self._remaining.claim(table["key"].to_pylist()))
        columns = [fresh[name].to_pylist() for name in ("replicate", *_PROMPT)]
        rows = zip(*columns, self._changes(fresh), strict=True)
        for replicate, key, text, messages, images, changes in rows:
            request = PendingRequest(key, _prompt(text, messages, images), changes)
            yield _Unasked(bool(replicate), text, request)

    def _changes(self, table: pa.Table) -> Iterable[Mapping[str, Any] | None]:
        """For each row the generation parameters in which its request differs from the study."""
        rows = zip(*(table[name].to_pylist() for name in _OF_CHANGES), strict=True)
        changes_of = self._context.plan.changes_of
        return [changes_of(design, stage, replicate or 0) for design, stage, replicate in rows]


def _prompt(text: str, messages: str | None, images: list[bytes] | None) -> Prompt:
    if messages is None and not images:
        return (Message("user", text),)
    return prompt_of_row({"prompt": text, "messages": messages, "images": images})
