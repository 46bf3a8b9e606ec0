"""Runs a plan: asks every model every different request once, and stores each answer as it comes."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..errors import RunError
from .atomic import make_directory
from .executors import Ask, open_executor
from .interrupted import Interrupted
from .lock import exclusive
from .progress import Progress, Silent
from .registry import check_name
from .seeing import check_sees
from .store import Run

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan
    from .predictions import AnswerStore

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run came to, over all models and over earlier attempts.

    Attributes:
        run: the run directory.
        requests: different requests, times models.
        answered: those with a prediction.
        failed: those with an error; they are kept, and asked again only if that is wished.
        seconds: wall-clock time of this attempt.
        notes: what was found in the directory and mended or left alone, a line each.
    """

    run: Path
    requests: int
    answered: int
    failed: int
    seconds: float
    notes: tuple[str, ...] = ()


def execute(
    plan: Plan,
    models: Sequence[ModelEntry],
    out: Path | str,
    *,
    executor: Literal["local", "ray"] | str = "local",
    progress: Progress | None = None,
    retry_failed: bool = False,
) -> Summary:
    """Ask every model every request of a plan that has no answer yet.

    Args:
        plan: what to ask.
        models: whom to ask, one after the other.
        out: the run directory; begun, or gone on with.
        executor: ``local`` (in this process) or ``ray``.
        progress: told how far each model is.
        retry_failed: ask again what has an error from an earlier attempt.

    Raises:
        ModelError: a model is unknown or cannot be loaded; what was answered before is kept.
        RunError: the directory holds another study's run or cannot be written; no such executor.
        Interrupted: Ctrl-C; what was answered is kept.
    """
    from ..recipes import labelled

    started = time.monotonic()
    if not models:
        raise RunError("no model to ask; expected at least one")
    models = labelled(models)
    for entry in models:
        check_name(entry.model)
    check_sees(models, getattr(plan, "configurations", ()))
    path = Path(out)
    with open_executor(executor) as ask:
        make_directory(path)
        with exclusive(path):
            try:
                run = Run.create_or_resume(path, plan, models)
                _say(run.notes)
                asking = _Asking(run, plan.generation, ask, progress or Silent(), retry_failed)
                counts = [asking.model(entry) for entry in models]
            except KeyboardInterrupt:
                raise Interrupted(path) from None
    return Summary(
        path,
        requests=sum(count.requests for count in counts),
        answered=sum(count.answered for count in counts),
        failed=sum(count.failed for count in counts),
        seconds=time.monotonic() - started,
        notes=tuple(run.notes),
    )


@dataclass(frozen=True, slots=True)
class _Count:
    requests: int
    answered: int
    failed: int


@dataclass(frozen=True, slots=True)
class _Asking:
    """Asks the models of a run, one after the other, what has no answer yet."""

    run: Run
    generation: Mapping[str, Any]
    ask: Ask
    progress: Progress
    retry_failed: bool

    def model(self, entry: ModelEntry) -> _Count:
        store, keys = self.run.answers(entry.label), self.run.keys(entry.label)
        self.run.notes += store.notes
        _say(store.notes)
        done = keys & (store.answered if self.retry_failed else store.answered | store.failed)
        self.progress.start(entry.label, len(keys), len(done))
        if len(done) < len(keys):
            self._pending(entry, store, done, len(keys) - len(done))
        self.progress.finish(entry.label)
        return _Count(len(keys), len(keys & store.answered), len(keys & store.failed))

    def _pending(self, entry: ModelEntry, store: AnswerStore, done: set[str], count: int) -> None:
        pending = (asked for asked in self.run.prompts(entry.label) if asked[0] not in done)
        # closed in any case, so that actors do not outlive an error
        with closing(self.ask(entry, self.generation, pending, count)) as batches:
            for answers in batches:
                store.append(answers)
                failed = sum(answer.error is not None for answer in answers)
                self.progress.advance(entry.label, len(answers), failed)


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        _log.warning("%s", note)
