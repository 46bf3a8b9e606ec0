"""Follow-up requests: the later steps of strategies, made from a model's answers and stored."""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ...recipes import Configuration, ScoreCell
from ..answer import Answer, one_line
from ..pending_request import PendingRequest
from ..store import requests
from .cells import MultiStepCells, StepCall
from .remaining_work import RemainingWork, RequestKeys

if TYPE_CHECKING:
    import pyarrow as pa

    from ...prompts import Prompt
    from ...prompts.design import Steps
    from ...recipes import Plan, Request

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _FollowUp:
    call: StepCall
    request: Request
    refusal: str | None = None


class FollowUps:
    """The later steps of one model's cells.

    A request is on the disk before the model gets it. After a kill, a missing follow-up is made again, and
    a stored one without an answer is asked.

    Attributes:
        ready: requests that can be asked now.
        refused: how many requests could not be made from the answers before them.
        keys: the keys of the model's requests; those of follow-ups are added, stored ones too.
    """

    def __init__(
        self, plan: Plan, label: str, folder: Path, remaining: RemainingWork, keys: RequestKeys
    ) -> None:
        self._plan, self._label, self._folder, self._remaining = plan, label, folder, remaining
        self._stages = MultiStepCells()
        self.steps: Mapping[str, Steps] = plan.steps
        self.ready: deque[PendingRequest] = deque()
        self.refused, self._warned = 0, False
        self.earlier = read_stored_follow_ups(folder, label, self.steps, remaining, keys)
        self.keys, self._closed = keys, self.earlier.closed

    @property
    def waits(self) -> bool:
        """Whether requests are ready, or an answer may bring more."""
        return bool(self.ready) or self._stages.waits

    def close(self, cells: Iterable[ScoreCell]) -> None:
        """Close cells: they get no further requests."""
        ids = []
        for cell in cells:
            self._stages.close(cell)
            ids.append(cell.id)
        self._closed.update(ids)

    def stored(self, table: pa.Table) -> None:
        """Take follow-ups that an earlier attempt stored, and wait for those without an answer."""
        for cell, stage, key in staged_rows(table, self.steps):
            # compacting shards during this scan can bring up a request that failed in the meantime
            if cell.id in self.earlier.unfinished and not self._remaining.is_settled(key):
                self._stages.begin(cell, self.steps[cell.config.design])
                self._stages.wait(cell, stage, key)

    def planned(self, table: pa.Table) -> None:
        """Take planned requests: make the follow-ups of those answered, wait for the others."""
        rows = staged_rows(table, self.steps)
        open_ = [row for row in rows if row[0].id not in self._closed]
        cells = list(dict.fromkeys(cell for cell, *_ in open_))
        for cell in cells:
            known = self.earlier.unfinished.get(cell.id, {})
            self._stages.begin(cell, self.steps[cell.config.design], known)
            # those without an answer were registered when they were read
            open_ += [(cell, *each) for each in known.items() if self._is_new(cell, *each)]
        self._classify(open_)
        self._make_next(cells)

    def _is_new(self, cell: ScoreCell, stage: int, key: str) -> bool:
        return self._remaining.answered(key) and not self._stages.knows(cell, stage)

    def add_answers(self, answers: Sequence[Answer]) -> None:
        """Take answers that were stored, and make their follow-ups."""
        cells: dict[ScoreCell, None] = {}
        for answer in answers:
            waiting = self._stages.add_answer(answer.key, answer.prediction)
            if answer.prediction is None:
                self.close(waiting)
            elif waiting:
                self._remaining.remember(answer.key, answer.prediction)
                cells.update(dict.fromkeys(waiting))
        self._make_next(cells)

    def _make_next(self, cells: Iterable[ScoreCell]) -> None:
        """Make all follow-ups that can be asked now, also those of answers that are stored already."""
        cells = list(cells)
        while made := [self._make(call) for cell in cells for call in self._stages.next(cell)]:
            self._refuse([each for each in made if each.refusal is not None])
            requests.append(self._folder, [each.request for each in made])
            self.keys.add([each.request.key for each in made])
            good = [each for each in made if each.refusal is None]
            self._classify([(each.call.cell, each.call.stage, each.request.key) for each in good])
            self._queue(good)
            cells = list(dict.fromkeys(each.call.cell for each in good))

    def _classify(self, rows: Sequence[StagedRow]) -> None:
        """Add what is answered, close what failed, wait for the rest."""
        answered = []
        for cell, stage, key in rows:
            if self._remaining.failed(key):
                self.close([cell])
            elif self._remaining.answered(key):
                answered.append((cell, stage, key))
            else:
                self._stages.wait(cell, stage, key)
        texts = self._remaining.texts({key for _, _, key in answered}) if answered else {}
        for cell, stage, key in answered:
            self._stages.complete(cell, stage, texts[key])

    def _queue(self, made: Sequence[_FollowUp]) -> None:
        if not made:
            return
        fresh = self._remaining.claim([each.request.key for each in made])
        for each, new in zip(made, fresh, strict=True):
            if new:
                cell = each.call.cell
                changes = self._plan.changes_of(cell.config.design, each.call.stage, cell.replicate)
                self.ready.append(PendingRequest(each.request.key, each.request.prompt, changes))

    def _make(self, call: StepCall) -> _FollowUp:
        made = next_request(self._plan, call, self._label)
        return self._refused(call, made) if isinstance(made, str) else _FollowUp(call, made)

    def _refused(self, call: StepCall, reason: str) -> _FollowUp:
        if not self._warned:
            _log.warning("%s; further ones are among the failed requests", reason)
        self._warned = True
        request = self._plan.unasked(call.cell, call.stage, self._label, refused_key(call.cell, call.stage))
        return _FollowUp(call, request, reason)

    def _refuse(self, made: Sequence[_FollowUp]) -> None:
        answers = [Answer(each.request.key, None, error=each.refusal) for each in made]
        self._remaining.store.append([each for each in answers if not self._remaining.failed(each.key)])
        self.refused += len(made)
        self.close([each.call.cell for each in made])


def next_request(plan: Plan, call: StepCall, label: str) -> Request | str:
    """The request of a later step, or why there is none.

    A design may fail on what a model answered; that costs this cell only.
    """
    try:
        request = plan.follow_up(call.cell, call.step, call.answers, label)
        _check(request.prompt)
    except Exception as error:
        where = f"design {call.cell.config.design}, step {call.step.name}"  # quoted, status would hide it
        return f"{where}: the prompt cannot be built from the earlier answers: {one_line(error)}"
    return request


def _check(prompt: Prompt) -> None:
    """Refuse a prompt that cannot be stored or asked, so that it does not end the run."""
    if not prompt:
        raise ValueError("the design gave no message")
    for message in prompt:
        message.content.encode()


CELL_COLUMNS = ("dataset", "example", "config", "design", "stage", "replicate")

StagedRow: TypeAlias = "tuple[ScoreCell, int, str]"
"""Cell, stage and key of a stored request."""


@dataclass(frozen=True)
class StoredFollowUps:
    """The stored later requests of one model.

    Attributes:
        closed: the cells (their ids) without further requests: the last step was answered, or one failed.
        unfinished: of the others, by id, the stages that are stored with their keys.
        pending: whether any of the requests has no answer.
    """

    closed: set[str] = field(default_factory=set)
    unfinished: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    pending: bool = False


def read_stored_follow_ups(
    folder: Path, label: str, steps: Mapping[str, Steps], remaining: RemainingWork, keys: RequestKeys
) -> StoredFollowUps:
    """Look through the later requests of a model, and add their keys to ``keys``.

    Raises:
        RunError: they cannot be read.
    """
    closed, pending = set[str](), False
    for row in _stored(folder, label, steps):
        cell, stage, key = row
        keys.add([key])
        if key == refused_key(cell, stage):
            remaining.settle(key)
        if _closes(row, steps, remaining):
            closed.add(cell.id)
        pending = pending or not (remaining.answered(key) or remaining.failed(key))
    unfinished: dict[str, dict[int, str]] = {}
    for cell, stage, key in _stored(folder, label, steps):
        if cell.id not in closed:
            unfinished.setdefault(cell.id, {})[stage] = key
    return StoredFollowUps(closed, unfinished, pending)


def _closes(row: StagedRow, steps: Mapping[str, Steps], remaining: RemainingWork) -> bool:
    cell, stage, key = row
    last = stage == len(steps[cell.config.design]) - 1
    return remaining.failed(key) or (last and remaining.answered(key))


def _stored(folder: Path, label: str, steps: Mapping[str, Steps]) -> Iterator[StagedRow]:
    for table in requests.later_tables(folder, label, ("key", *CELL_COLUMNS)):
        yield from staged_rows(table, steps)


def staged_rows(table: pa.Table, steps: Mapping[str, Steps]) -> list[StagedRow]:
    """The rows of designs that take several calls."""
    names = (*CELL_COLUMNS, "key")
    rows = zip(*(table[name].to_pylist() for name in names), strict=True)
    return [
        (ScoreCell(dataset, example, _configuration(config), replicate or 0), stage, key)
        for dataset, example, config, design, stage, replicate, key in rows
        if design in steps
    ]


@lru_cache(maxsize=4096)
def _configuration(text: str) -> Configuration:
    return Configuration.of(text)


def refused_key(cell: ScoreCell, stage: int) -> str:
    """The key of the answer that records why a step of a cell has no prompt; no prompt has this key."""
    return hashlib.sha256(f"refused {stage} {cell.id}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
