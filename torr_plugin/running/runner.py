"""The loop that asks: every distinct request goes to every model once, each answer is stored as it comes.

Where models run an executor decides: in this process, or on Ray.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import ModelError, RunError, described, nearest
from ..core.redaction import without_secrets
from ..core.versions import install_hint
from ..prompts import designs, is_picture
from ..recipes import labelled
from .answer import ANSWERED_BY, CUT, IN_THOUGHTS, Answer
from .engines.lm_eval import release
from .loaded_model import OnKnown, load_model
from .model_classes import ModelClass, baselines, check_name, engine_versions, lm_class
from .progress import ModelProgress, Progress, RunSummary
from .request_sources import ListedRequests, StopRequest
from .store.joining import reuse as reuse_answers
from .store.lock import exclusive
from .store.manifest import recorded_study
from .store.run import Run
from .study_source import StudySource

if TYPE_CHECKING:
    from ..recipes import Configuration, ModelEntry, Plan
    from .store.shards import AnswerStore

_log = logging.getLogger(__name__)

Outcome: TypeAlias = "list[Answer] | ModelError"
SECONDS_A_BATCH = 5.0
# once all requests are handed out: others may follow from the answers, and the engine could use them
SECONDS_A_BATCH_AWAITED = 0.25
# answers do not wait for the next outcome of an engine that takes as long
SECONDS_AN_OUTCOME = 1.0
MOST_A_BATCH = 4096
FIRST_ANSWERS = 20
"""So many answers tell whether ``max_tokens`` suffices."""


# -- a plan --------------------------------------------------------------------------------------------------


def execute(
    plan: Plan,
    models: Sequence[ModelEntry],
    out: Path | str,
    *,
    executor: str | RayCluster = "local",
    progress: Progress | None = None,
    retry_failed: bool = False,
    reuse: Sequence[Path | str] = (),
    stop: StopRequest | None = None,
    mix_versions: bool = False,
) -> RunSummary:
    """Send every model every request of a plan that has no answer yet, and what follows from the answers.

    The first Ctrl-C or SIGTERM lets requests in flight finish and stores them, the second ends at once.

    Args:
        plan: the requests.
        models: the models that answer them.
        out: the run directory; a new one is begun, an existing one resumed.
        executor: ``local`` (in this process, one model after the other), ``ray``, or a Ray cluster.
        progress: reports how far each model is.
        retry_failed: repeat requests that have an error from an earlier attempt.
        reuse: earlier runs whose answers are taken where they fit.
        stop: the caller's own request to stop; without it this function handles signals.
        mix_versions: let another version of a model's engine add to its answers.

    Raises:
        ModelError: a model is unknown, or all of them could not be loaded or broke, and nothing is answered.
        RunError: the directory holds another study's run or answers of another version of an engine, or
            cannot be written; no such executor.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    started = time.monotonic()
    path = Path(out)
    models = _checked(plan, models)
    with (
        exclusive(path),
        open_executor(executor) as opened,
        interruptible(path),
        stoppable(_log.warning) if stop is None else nullcontext(stop) as stop_request,
    ):
        there = recorded_study(path)
        for study in [there] if there else map(recorded_study, map(Path, reuse)):
            plan, models = with_more_room(plan, models, study)
        run = Run.create_or_resume(path, plan, models, there)
        run.mix_versions = mix_versions
        reused = 0
        for entry in models if reuse else ():
            count, notes = reuse_answers(run, entry, reuse)
            reused, run.notes = reused + count, run.notes + notes
        sources = _sources(run, plan, models, stop_request, retry_failed=retry_failed)
        work = [
            AskedModel(entry, plan.asked_generation, source, source.store, _MORE_TOKENS)
            for entry, source in zip(models, sources, strict=True)
        ]
        _say(run.notes)
        _record(run, work, here=executor == "local")
        broken = ask(work, opened, progress or Progress())
        run.compact()
        _refuse_in_vain(work, broken)
        if stop_request.requested:
            raise Interrupted(path)
    return RunSummary(
        path,
        requests=sum(map(len, sources)),
        answered=sum(source.common(source.store.answered) for source in sources),
        failed=sum(source.common(source.store.failed) for source in sources),
        seconds=time.monotonic() - started,
        notes=tuple(run.notes),
        unloaded={label: str(error) for label, error in broken.items()},
        reused=reused,
    )


def _checked(plan: Plan, models: Sequence[ModelEntry]) -> tuple[ModelEntry, ...]:
    """The models, each with its own label.

    Raises:
        RunError: there is none.
        ModelError: one is unknown, or takes no images where a configuration has some.
    """
    if not models:
        raise RunError("no model to ask; expected at least one")
    entries = labelled(models)
    for entry in entries:
        check_name(entry.model, entry.label)
    check_images(entries, getattr(plan, "configurations", ()))
    return entries


def with_more_room(
    plan: Plan, models: Sequence[ModelEntry], study: Mapping[str, Any]
) -> tuple[Plan, Sequence[ModelEntry]]:
    """Let a run go on, or be reused, of whose study.yaml the recipe allows longer answers now.

    Requests keep the keys that they have there, and the longer answers are the models' own, so that only what
    was cut is asked again.
    """
    most = getattr(plan, "generation", {}).get("max_tokens")
    then = study.get("generation") or {}
    before = then.get("max_tokens") if isinstance(then, dict) else None
    if most is None or not isinstance(before, int) or before >= most:
        return plan, models
    if without_secrets({**plan.generation, "max_tokens": before}) != without_secrets(then):
        return plan, models
    recipe = plan.recipe
    generation = recipe.generation.model_copy(update={"max_tokens": before})
    kept = replace(plan, recipe=recipe.model_copy(update={"generation": generation}))
    longer = [
        entry.model_copy(update={"generation": entry.generation.model_copy(update={"max_tokens": most})})
        if "max_tokens" not in entry.generation.given
        else entry
        for entry in models
    ]
    return kept, longer


def check_images(models: Sequence[ModelEntry], configurations: Iterable[Configuration]) -> None:
    """Refuse models that take no images if a configuration shows some, before anything runs.

    Raises:
        ModelError: a model that sees text only; or Pillow is not installed.
    """
    shown = next((each for each in configurations if _shows_pictures(each)), None)
    if shown is None:
        return
    for entry in models:
        if not ModelClass(lm_class(entry.model)).images:
            raise ModelError(
                f"model {entry.label!r} ({entry.model}) sees text only, and configuration {shown.id} shows "
                "pictures; expected a model that sees, such as hf-multimodal, vllm-vlm or "
                "local-chat-completions"
            )
    if find_spec("PIL") is None:
        raise ModelError(
            f"configuration {shown.id} shows pictures, which needs Pillow: {install_hint('.[image]')}"
        )


def _shows_pictures(configuration: Configuration) -> bool:
    return is_picture(configuration.serializer) and not designs.get(configuration.design).carries


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        _log.warning("%s", note)


_MORE_TOKENS = "'--gen max_tokens=N' gives more, and only what was cut is asked again"


def _sources(
    run: Run, plan: Plan, models: Sequence[ModelEntry], stop: StopRequest, *, retry_failed: bool
) -> list[StudySource]:
    """The requests of each model of a run.

    Raises:
        RunError: requests or answers cannot be read.
    """
    sources = list[StudySource]()
    for entry in models:
        store = run.answers(entry.label)
        run.notes += store.notes
        sources.append(StudySource(run, plan, entry, store, stop, retry_failed=retry_failed))
    return sources


def _record(run: Run, work: Sequence[AskedModel], *, here: bool) -> None:
    """Let the run record what each engine is sent, and its version; baselines have none.

    A server names what answers; other machines have versions of their own.

    Raises:
        RunError: an engine has another version than the answers that the run has of it.
    """
    for each in work:
        if each.entry.model not in baselines() and not each.source.is_empty():
            each.on_known = partial(_record_known, run, each.entry.label)
            if here and (versions := engine_versions(each.entry.model)):
                each.on_known(ANSWERED_BY, versions)
    _say(run.record_attempt())


def _record_known(run: Run, label: str, field: str, value: Mapping[str, Any]) -> None:
    _say(run.record_known(label, field, value))


def _refuse_in_vain(work: Sequence[AskedModel], broken: Mapping[str, ModelError]) -> None:
    """Raise the first error if all models broke, nothing is answered, and no stop was requested."""
    # a signal to all processes of a run also ends engines, which then counts as a stop
    in_vain = not any(each.source.stopped or len(each.store.answered) for each in work)
    if broken and len(broken) == len(work) and in_vain:
        raise next(iter(broken.values()))


# -- any models and their requests ---------------------------------------------------------------------------


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
                slow, last = now - last >= SECONDS_AN_OUTCOME, now
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
