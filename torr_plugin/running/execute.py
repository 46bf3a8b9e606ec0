"""Runs a plan: asks every model every different request once, and stores each answer as it comes."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..core.atomic_files import make_directory
from ..core.errors import RunError
from .asking import Work, ask, work_of
from .collecting import seldom_collected
from .executors import open_executor
from .interrupted import Interrupted
from .progress import Progress, Silent
from .registry import check_name
from .seeing import check_sees
from .stopping import Stop, stoppable
from .store.lock import exclusive
from .store.reuse import reuse as reuse_answers
from .store.run import Run
from .summary import Summary

if TYPE_CHECKING:
    from ..recipes import ModelEntry, Plan

_log = logging.getLogger(__name__)


def execute(
    plan: Plan,
    models: Sequence[ModelEntry],
    out: Path | str,
    *,
    executor: Literal["local", "ray"] | str = "local",
    progress: Progress | None = None,
    retry_failed: bool = False,
    reuse: Sequence[Path | str] = (),
    ray_address: str | None = None,
    stop: Stop | None = None,
    held: bool = False,
    mix_versions: bool = False,
) -> Summary:
    """Ask every model every request of a plan that has no answer yet, and what follows from the answers.

    The first Ctrl-C or SIGTERM lets what is in flight be finished and stored, the second ends at once.

    Args:
        plan: what to ask.
        models: whom to ask.
        out: the run directory; begun, or gone on with.
        executor: ``local`` (in this process, one model after the other) or ``ray``.
        progress: told how far each model is.
        retry_failed: ask again what has an error from an earlier attempt.
        reuse: earlier runs whose answers are taken instead of asking.
        ray_address: of a Ray cluster that is there; only with ``ray``.
        stop: a wish to stop that the caller looks after; without it this function listens to signals.
        held: the caller holds the directory's lock (:func:`.store.reserving.reserved`); else it is taken
            while this function runs.
        mix_versions: let a model that has answers be asked for more by another version of its engine.

    Raises:
        ModelError: a model is unknown, or none of them could be loaded; what was answered before is kept.
        RunError: the directory holds another study's run, or answers of another version of an engine, or
            cannot be written; no such executor.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    started = time.monotonic()
    models = _checked(plan, models)
    path = Path(out)
    with (
        open_executor(executor, ray_address=ray_address) as asking,
        _locked(path, held=held),
        _interruptible(path),
        _listening(stop) as wish,
        seldom_collected(),
    ):
        run = Run.create_or_resume(path, plan, models)
        _say(run.notes)
        reused = sum(_reused(run, entry, reuse) for entry in models) if reuse else 0
        work = work_of(run, plan, models, wish, retry_failed=retry_failed)
        asked = [each for each in work if each.asks_engine()]
        begun = [] if mix_versions else [each for each in asked if len(each.store.answered)]
        _say(run.go_on(_labels(asked), _labels(begun)))
        unloaded = ask(work, plan.generation, asking, progress or Silent())
        if wish.requested:
            raise Interrupted(path)
    return Summary(
        path,
        requests=sum(len(each.source.keys) for each in work),
        answered=sum(each.count(each.store.answered) for each in work),
        failed=sum(each.count(each.store.failed) for each in work),
        seconds=time.monotonic() - started,
        notes=tuple(run.notes),
        unloaded=unloaded,
        reused=reused,
    )


def _checked(plan: Plan, models: Sequence[ModelEntry]) -> tuple[ModelEntry, ...]:
    """The models, each with a label of its own.

    Raises:
        RunError: there is none.
        ModelError: one is unknown, or cannot see what it would be shown.
    """
    from ..recipes import labelled

    if not models:
        raise RunError("no model to ask; expected at least one")
    entries = labelled(models)
    for entry in entries:
        check_name(entry.model, entry.label)
    check_sees(entries, getattr(plan, "configurations", ()))
    return entries


def _labels(work: Sequence[Work]) -> list[str]:
    return [each.entry.label for each in work]


def _locked(path: Path, *, held: bool) -> AbstractContextManager[None]:
    if held:
        return nullcontext()
    make_directory(path)
    return exclusive(path)


@contextmanager
def _interruptible(path: Path) -> Iterator[None]:
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(path) from None


def _listening(stop: Stop | None) -> AbstractContextManager[Stop]:
    return stoppable(_log.warning) if stop is None else nullcontext(stop)


def _reused(run: Run, entry: ModelEntry, folders: Sequence[Path | str]) -> int:
    """Take answers of earlier runs; gives how many."""
    taken = reuse_answers(run, entry, folders)
    run.notes += taken.notes
    _say(taken.notes)
    return taken.count


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        _log.warning("%s", note)
