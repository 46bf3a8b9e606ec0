"""The loop that asks: models get their open requests, and each batch of answers is stored as it comes.

Where models run an executor decides: in this process, or on Ray.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import ModelError, RunError, described, nearest
from .answer import CUT, IN_THOUGHTS, Answer
from .engines.lm_eval import release
from .loaded_model import OnKnown
from .loading import load_model
from .progress import ModelProgress, Progress
from .request_sources import ListedRequests, StopRequest

if TYPE_CHECKING:
    from ..recipes import ModelEntry
    from .store.shards import AnswerStore
    from .study_source import StudySource


Outcome: TypeAlias = "list[Answer] | ModelError"
SECONDS_A_BATCH = 5.0
# while requests may follow from the answers, and the engine could use them
SECONDS_A_BATCH_AWAITED = 0.25
# answers do not wait for the next step of an engine whose steps take as long
SECONDS_A_STEP = 1.0
MOST_A_BATCH = 4096
FIRST_ANSWERS = 20
"""So many answers tell whether ``max_tokens`` suffices."""


@dataclass(slots=True)
class AskedModel:
    """A model, its requests and its answers.

    Attributes:
        entry: the model.
        generation: the parameters of all requests, those of the keys.
        source: its requests.
        store: its answers.
        more_tokens: what gives its answers more room, for a person.
        on_known: called with what becomes known of who answers.
        waiting: answers that are not stored yet, as some seconds of them make one shard.
        since: when the last ones were stored.
        state: how far it is, as last shown.
        refused: how many requests could not be made by then.
        first: its first answers of this attempt.
    """

    entry: ModelEntry
    generation: Mapping[str, Any]
    source: StudySource | ListedRequests
    store: AnswerStore
    more_tokens: str = ""
    on_known: OnKnown = lambda field, value: None
    waiting: list[Answer] = field(default_factory=list)
    since: float = field(default_factory=time.monotonic)
    state: ModelProgress = field(default_factory=lambda: ModelProgress(0, 0))
    refused: int = 0
    first: list[Answer] = field(default_factory=list)

    def begin(self, progress: Progress) -> None:
        """Show the start."""
        total, self.refused = len(self.source), self.source.refused
        self.state = ModelProgress(total, total - self.source.pending)
        progress.show(self.entry.label, self.state)

    def is_due(self, now: float) -> bool:
        """Whether to store the answers that wait."""
        source = self.source
        if source.is_exhausted and len(self.waiting) >= source.in_flight:
            return True  # nothing else can come
        most = SECONDS_A_BATCH_AWAITED if source.is_exhausted and not source.done else SECONDS_A_BATCH
        return len(self.waiting) >= MOST_A_BATCH or now - self.since >= most

    def keep(self, progress: Progress) -> None:
        """Store the answers that wait, report them, and let the requests that follow from them be made."""
        answers, self.waiting, self.since = self.waiting, [], time.monotonic()
        if answers:
            self.store.append(answers)
            self.source.answered(answers)
            self._warn_of_cuts(answers)
            self.report(answers, progress)

    def _warn_of_cuts(self, answers: Sequence[Answer]) -> None:
        """After the first answers, say so where most ran out of tokens, and what helps."""
        before, self.first = len(self.first), [*self.first, *answers][:FIRST_ANSWERS]
        if before == FIRST_ANSWERS or len(self.first) < FIRST_ANSWERS:
            return
        cut = [each for each in self.first if each.finish_reason in (CUT, IN_THOUGHTS)]
        empty = [each for each in cut if each.is_unfinished]
        if len(cut) <= FIRST_ANSWERS / 2:
            return
        how = f", {len(empty)} of them before any text" if empty else ""
        most = max((each.max_tokens or 0 for each in cut), default=0)
        _log.warning(
            "%s: %d of the first %d answers ran out of tokens%s%s; %s",
            self.entry.label,
            len(cut),
            FIRST_ANSWERS,
            how,
            f" (max_tokens {most})" if most else "",
            self.more_tokens,
        )

    def report(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Show stored answers, and requests that are new or could not be made since the last time."""
        self.state.total = len(self.source)
        refused, self.refused = self.source.refused - self.refused, self.source.refused
        failed = sum(answer.error is not None for answer in answers)
        tokens = sum(answer.completion_tokens or 0 for answer in answers)
        if answers or refused:
            self.state.add(len(answers) + refused, failed + refused, tokens)
            progress.show(self.entry.label, self.state)


Executor: TypeAlias = "Callable[[Sequence[AskedModel]], Generator[tuple[str, Outcome], None, None]]"
"""Asks models their pending requests: yields the label of a model and its answers as they come, one for each
request taken, or none for a while. A model that cannot be loaded, or whose engine broke, comes once with its
:class:`ModelError`; the others continue."""

EXECUTORS = ("local", "ray")


@dataclass(frozen=True, slots=True)
class RayCluster:
    """A Ray cluster, where ``ray`` alone means one of this machine's own.

    Attributes:
        address: of one that runs, ``auto`` for that of this machine; None to start one here.
        runtime_env: Ray's runtime environment of the models there (variables, packages).
    """

    address: str | None = None
    runtime_env: Mapping[str, Any] | None = None


def open_executor(where: str | RayCluster) -> AbstractContextManager[Executor]:
    """An executor, to be used in a ``with``.

    Args:
        where: ``local``, ``ray`` or a cluster.

    Raises:
        RunError: no such executor, or its package is not installed.
    """
    if where == "local":
        return nullcontext(ask_here)
    cluster = RayCluster() if where == "ray" else where
    if isinstance(cluster, RayCluster):
        from .ray.executor import ray_executor

        return ray_executor(cluster.address, runtime_env=cluster.runtime_env)
    raise RunError(f"unknown executor {where!r}; {nearest(cluster, EXECUTORS)}")


_log = logging.getLogger(__name__)


def ask_here(models: Sequence[AskedModel]) -> Generator[tuple[str, Outcome], None, None]:
    """See :data:`Executor`; a model's memory is free before the next is loaded."""
    for number, asked in enumerate(models):
        if asked.source.done:  # a stop was requested, so load no model
            continue
        if number:
            release()
        try:
            yield from _answers_of(asked)
        except ModelError as error:
            # without its traceback, which would keep the weights of what was being loaded in memory
            error.__cause__ = error.__context__ = None
            yield asked.entry.label, error.with_traceback(None)


def _answers_of(asked: AskedModel) -> Generator[tuple[str, Outcome], None, None]:
    model = load_model(asked.entry, asked.generation)
    try:
        for answers in model.stream(asked.source, asked.on_known):
            yield asked.entry.label, answers
    finally:
        try:
            model.engine.close()
        except Exception as error:  # of a broken one, which must not stop the next model
            _log.warning("a model's engine did not close cleanly: %s", described(error))


def ask(models: Sequence[AskedModel], executor: Executor, progress: Progress) -> dict[str, ModelError]:
    """Ask models their open requests, and store the answers batch by batch.

    Args:
        models: their labels differ.
        executor: where they run.
        progress: reports how far each model is.

    Returns:
        The models that could not be loaded or broke, and why.
    """
    by_label = {each.entry.label: each for each in models}
    open_ones = [each for each in models if not each.source.is_empty()]
    for each in models:
        each.begin(progress)
    broken: dict[str, ModelError] = {}
    last = time.monotonic()
    # closed in any case, so that actors do not outlive an error
    with closing(executor(open_ones)) as outcomes:
        try:
            for label, outcome in outcomes:
                if isinstance(outcome, ModelError):
                    by_label[label].keep(progress)
                    broken[label], by_label[label].state.unloaded = outcome, str(outcome)
                    progress.show(label, by_label[label].state)
                else:
                    by_label[label].waiting += outcome
                now = time.monotonic()
                slow, last = now - last >= SECONDS_A_STEP, now
                for each in open_ones:
                    if each.waiting and (slow or each.is_due(now)):
                        each.keep(progress)
        finally:
            for each in open_ones:
                each.keep(progress)
    for label, each in by_label.items():
        each.report((), progress)
        each.state.ended = True
        progress.show(label, each.state)
    return broken


SIGNALS = (signal.SIGINT, signal.SIGTERM)
FINISHING = "finishing what is in flight; again to stop at once"


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a run: what was answered is stored in ``run``, and the same command resumes it."""

    def __init__(self, run: Path) -> None:
        self.run = run
        super().__init__(f"what was answered is kept in {run}")


@contextmanager
def interruptible(run: Path) -> Iterator[None]:
    """Turn a :class:`KeyboardInterrupt` into an :class:`Interrupted` that names the directory."""
    try:
        yield
    except Interrupted:
        raise
    except KeyboardInterrupt:
        raise Interrupted(run) from None


@contextmanager
def stoppable(say: Callable[[str], object]) -> Iterator[StopRequest]:
    """Turn the first SIGINT (Ctrl-C) or SIGTERM (a scheduler's warning) into a request to stop.

    The second raises :class:`KeyboardInterrupt`. Only the main thread receives signals; in any other thread
    this does nothing.

    Args:
        say: called once, with a message, when the stop is requested.
    """
    stop = StopRequest()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def received(number: int, frame: object) -> None:
        if stop.requested:
            raise KeyboardInterrupt
        stop.requested = True
        _announce(say)

    before = {number: signal.signal(number, received) for number in SIGNALS}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)  # None: set by C code


def _announce(say: Callable[[str], object]) -> None:
    """Say it from a signal handler, which may interrupt another write to the same stream."""
    try:
        say(FINISHING)
    except RuntimeError:  # "reentrant call" of the stream's buffer
        with suppress(OSError):
            os.write(2, f"{FINISHING}\n".encode())
