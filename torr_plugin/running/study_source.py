"""The source of a model's requests in a run: those planned, then round by round what follows from answers.

A design of several calls asks in rounds: each asks, of all cells, what follows from the answers before it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from ..recipes import Configuration, ScoreCell, in_prefix_order, prompt_of_row
from .answer import CUT, Answer, longest, storable_text
from .request_sources import PendingRequest, StopRequest
from .rounds import follow_up, refused_key, rounds_of
from .store.manifest import plain
from .store.shards import append_requests, later_tables, planned_tables, read_answers

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan, Request
    from .store.run import Run
    from .store.shards import AnswerStore


_log = logging.getLogger(__name__)

_CELL = ("dataset", "example", "config", "design", "replicate")
_PROMPT = ("key", "prompt", "messages", "images")
_OF_CHANGES = ("design", "stage", "replicate")

CELLS_AT_ONCE = 20_000
"""Of designs of several calls: for so many the answers are looked through once, to make what follows."""

LOST = "the prompt could not be built from the earlier answers; the reason was lost with a damaged shard"

StepKeys: TypeAlias = "dict[int, str]"
"""The stored requests of a cell: the number of a step in its design -> key."""


def asked_again(run: Run, plan: Plan, entry: ModelEntry, failed: Iterable[str] = ()) -> set[str]:
    """The keys of what is asked again: what ``failed``, and answers that were cut at fewer tokens than now.

    Of designs that take several calls, answers to the last one alone: prompts hold the others.
    """
    again, cut = set(failed), cut_answers(run.folder(entry.label), run.longest_answer)
    if not cut:
        return again
    folder, columns = run.path / "requests", ("key", "design", "stage")
    later = later_tables(folder, plain(entry.label), columns) if plan.steps else ()

    @cache
    def most_now(design: str, number: int) -> float:
        if design in plan.steps and number + 1 < len(plan.steps[design]):
            return 0
        return longest(entry.generation_under(plan.asked_generation, plan.changes_of(design, number, 0)))

    for table in chain(planned_tables(folder, columns), later):
        for key, design, number in zip(*(table[name].to_pylist() for name in columns), strict=True):
            if key in cut and cut[key] < most_now(design, number):
                again.add(key)
    return again


def cut_answers(folder: Path, most: int | None) -> dict[str, int]:
    """The answers that ended at their ``max_tokens``: key -> that number.

    Args:
        folder: the model's.
        most: the number where none is stored, as in files of earlier versions; None where it is not known.
    """
    table = read_answers(folder, ["key", "finish_reason", "max_tokens"])
    cut = table.filter(pc.fill_null(pc.equal(table["finish_reason"], CUT), False))
    pairs = zip(cut["key"].to_pylist(), cut["max_tokens"].to_pylist(), strict=True)
    limits = ((key, most if limit is None else limit) for key, limit in pairs)
    return {key: limit for key, limit in limits if limit}  # 0: without a limit


class StudySource:
    """Streams requests in windows, each in the order of shared beginnings; see :class:`RequestSource`.

    Requests with an answer are left out, and equal prompts are asked once. A round begins when all answers to
    the one before are stored: what follows from them is made and stored, then asked. Of stored requests and
    answers only keys are kept, so that memory does not grow with the texts.

    Args:
        run: whose requests.
        plan: makes the prompts that follow from answers.
        entry: the model.
        store: its answers.
        stop: once it is requested, the source ends.
        retry_failed: ask again what failed in an earlier attempt.

    Attributes:
        store: the model's answers.
        refused: how many requests could not be made from the answers before them; they are stored as failed.
        is_exhausted: whether all known requests are handed out, so that others can only follow from answers.
    """

    def __init__(
        self,
        run: Run,
        plan: Plan,
        entry: ModelEntry,
        store: AnswerStore,
        stop: StopRequest,
        *,
        retry_failed: bool = False,
    ) -> None:
        self._folder, self._plan, self.store, self._stop = run.path / "requests", plan, store, stop
        self._label, self._planned = plain(entry.label), run.planned_keys
        self._again = asked_again(run, plan, entry, store.failed if retry_failed else ())
        self._given: set[str] = set()  # handed out or about to be, and not answered yet
        self._later: set[str] = set()  # keys of requests that follow from answers, but for planned ones
        self._rounds = {design: rounds_of(steps) for design, steps in plan.steps.items()}
        self._round = self.refused = 0
        if self._rounds:
            self._know_later()
        self._open, self.is_exhausted = self._requests_of_round(), False

    # -- what the requests are -----------------------------------------------------------------------------

    def __len__(self) -> int:
        """How many requests there are: those planned, and those that were made so far."""
        return len(self._planned) + len(self._later)

    def common(self, keys: set[str]) -> int:
        """How many of the requests' keys another set has."""
        return len(keys & self._planned) + len(keys & self._later)  # which share none

    @property
    def pending(self) -> int:
        """How many known requests are still open."""
        done = self.common(self.store.answered) + self.common(self.store.failed)
        return len(self) - done + self.common(self._again)

    def is_empty(self) -> bool:
        """Whether there is nothing to ask, now or later, so that no model need be loaded.

        Where all known requests are answered, those that follow are made, up to a round with one to ask.
        """
        while not self.pending:
            if self._is_last_round:
                return True
            self._begin_round()
        return False

    # -- what executors ask --------------------------------------------------------------------------------

    @property
    def stopped(self) -> bool:
        """Whether the run stops; then requests that wait inside an engine are dropped."""
        return self._stop.requested

    @property
    def done(self) -> bool:
        """See :class:`RequestSource`."""
        return self.stopped or (self.is_exhausted and self._is_last_round)

    def take(self, most: int) -> list[PendingRequest]:
        """See :class:`RequestSource`."""
        found: list[PendingRequest] = []
        while len(found) < most and not self.stopped:
            found += islice(self._open, most - len(found))
            self.is_exhausted = len(found) < most
            if self.is_exhausted:
                if self._given or self._is_last_round:
                    break
                self._begin_round()
        return found

    def answered(self, answers: Sequence[Answer]) -> None:
        """Take answers that were stored."""
        keys = [answer.key for answer in answers]
        self._given.difference_update(keys)
        self._again.difference_update(keys)

    # -- one round after the other -------------------------------------------------------------------------

    @property
    def _is_last_round(self) -> bool:
        return self._round + 1 >= max(map(len, self._rounds.values()), default=1)

    def _now(self, design: str) -> list[int]:
        """The numbers of a design's steps that the round asks."""
        rounds = self._rounds.get(design, [])
        return rounds[self._round] if self._round < len(rounds) else []

    def _begin_round(self) -> None:
        """Make and store the round's requests of all cells whose answers before it are there."""
        self._round += 1
        stored: dict[str, StepKeys] = {}
        for table in self._later_tables():
            for cell, number, key in self._rows(table):
                stored.setdefault(cell.id, {})[number] = key
        for cells in self._planned_cells():
            known = [(cell, {**first, **stored.pop(cell.id, {})}) for cell, first in cells.items()]
            wanted = [(cell, keys, number) for cell, keys in known for number in self._missing(cell, keys)]
            texts = self.store.texts({key for _, keys, _ in wanted for key in keys.values()})
            refused = list[Answer]()
            made = [self._make(*each, texts, refused) for each in wanted]
            self.store.append([each for each in refused if each.key not in self.store.failed])
            append_requests(self._folder, made)
            self._add_later([request.key for request in made])
        self._open, self.is_exhausted = self._requests_of_round(), False

    def _missing(self, cell: ScoreCell, keys: StepKeys) -> list[int]:
        """The numbers of a cell's steps that are asked next; none once any of its requests failed."""
        if any(key not in self.store.answered or key in self._again for key in keys.values()):
            return []
        steps = self._plan.steps[cell.config.design]
        there = {steps[number].name for number in keys}
        now = self._now(cell.config.design)
        return [number for number in now if number not in keys and there.issuperset(steps[number].after)]

    def _make(
        self, cell: ScoreCell, keys: StepKeys, number: int, texts: Mapping[str, str], refused: list[Answer]
    ) -> Request:
        """The request of a step; where there is none, why goes to ``refused``."""
        steps = self._plan.steps[cell.config.design]
        answers = {steps[before].name: texts[key] for before, key in keys.items()}
        made = follow_up(self._plan, cell, steps[number], answers, self._label)
        if not isinstance(made, str):
            return made
        if not self.refused:
            _log.warning("%s; further ones are among the failed requests", made)
        self.refused += 1
        key = refused_key(cell, number)
        refused.append(Answer(key, None, error=storable_text(made)))
        return self._plan.unasked(cell, number, self._label, key)

    def _planned_cells(self) -> Iterator[dict[ScoreCell, StepKeys]]:
        """The cells of designs of several calls with their planned requests, some at a time."""
        cells: dict[ScoreCell, StepKeys] = {}
        for table in planned_tables(self._folder, (*_CELL, "stage", "key")):
            for cell, number, key in self._rows(table):
                cells.setdefault(cell, {})[number] = key
            if len(cells) > CELLS_AT_ONCE:  # the last one may go on in the next table
                last = next(reversed(cells))
                rest = {last: cells.pop(last)}
                yield cells
                cells = rest
        yield cells

    def _rows(self, table: pa.Table) -> Iterator[tuple[ScoreCell, int, str]]:
        """Cell, number of the step and key of the requests of designs that take several calls."""
        columns = (table[name].to_pylist() for name in (*_CELL, "stage", "key"))
        for dataset, example, config, design, replicate, number, key in zip(*columns, strict=True):
            if design in self._rounds:
                yield ScoreCell(dataset, example, Configuration.of(config), replicate or 0), number, key

    # -- which requests are open ---------------------------------------------------------------------------

    def _know_later(self) -> None:
        """Take later requests that an earlier attempt stored; what could not be made is never asked."""
        for table in self._later_tables():
            self._add_later(table["key"].to_pylist())
            refused = [key for cell, number, key in self._rows(table) if key == refused_key(cell, number)]
            self._again.difference_update(refused)
            lost = [key for key in refused if key not in self.store.failed]
            self.store.append([Answer(key, None, error=LOST) for key in lost])

    def _add_later(self, keys: Sequence[str]) -> None:
        self._later.update(key for key in keys if key not in self._planned)

    def _later_tables(self) -> Iterator[pa.Table]:
        return later_tables(self._folder, self._label, (*_CELL, "stage", "key"))

    def _requests_of_round(self) -> Iterator[PendingRequest]:
        """The open requests of the round, in order.

        First answers come before replicates, so that a prompt is not asked again in the same batch.
        """
        columns = (*_PROMPT, *_OF_CHANGES)
        tables = (
            later_tables(self._folder, self._label, columns)
            if self._round
            else planned_tables(self._folder, columns)
        )
        fresh = (each for table in tables for each in self._unasked(table))
        parts = groupby(fresh, itemgetter(0))
        ordered = chain.from_iterable(in_prefix_order(part, itemgetter(1)) for _, part in parts)
        return (request for _, _, request in ordered)

    def _unasked(self, table: pa.Table) -> Iterator[tuple[bool, str, PendingRequest]]:
        """Those of a table that the round asks: whether it asks again, the text, and the request."""
        names = ("key", "design", "stage")
        places = zip(*(table[name].to_pylist() for name in names), strict=True)
        fresh = table.filter(pa.array([self._claim(*place) for place in places], pa.bool_()))
        columns = [fresh[name].to_pylist() for name in (*_PROMPT, *_OF_CHANGES)]
        for key, text, messages, images, design, number, replicate in zip(*columns, strict=True):
            changes = self._plan.changes_of(design, number, replicate or 0)
            prompt = prompt_of_row({"prompt": text, "messages": messages, "images": images})
            request = PendingRequest(key, prompt, changes)
            yield bool(replicate), text, request

    def _claim(self, key: str, design: str, number: int) -> bool:
        """Whether to ask a request now: it is of this round, without an answer, and was not handed out."""
        settled = (key in self.store.answered or key in self.store.failed) and key not in self._again
        if settled or key in self._given or (self._round and number not in self._now(design)):
            return False
        self._given.add(key)
        return True
