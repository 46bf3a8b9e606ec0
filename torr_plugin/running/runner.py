"""Runs a plan: asks every model every different request once, and stores each answer as it comes.

MERGED: Puts the models of a run to an executor, and keeps what they answer.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..core.atomic_files import make_directory
from ..core.errors import ModelError, RunError
from ..prompts import designs, is_picture
from .answer import Answer
from .executors import Executor, ModelJob, open_executor
from .interruption import Interrupted, StopRequest, stoppable
from .library_settings import infrequent_garbage_collection
from .model_class import model_class_of
from .progress import NoProgress, Progress, RunSummary
from .registry import baselines, check_name, lm_class
from .stages.study_source import StudyContext, StudySource, planned_keys
from .store.keyset import KeySet
from .store.lock import exclusive
from .store.reuse import reuse as reuse_answers
from .store.run import Run

if TYPE_CHECKING:
    from ..recipes import Configuration, ModelEntry, Plan
    from .store.predictions import AnswerStore
    from .store.run import Run

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
    stop: StopRequest | None = None,
    held: bool = False,
    mix_versions: bool = False,
) -> RunSummary:
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
        infrequent_garbage_collection(),
    ):
        run = Run.create_or_resume(path, plan, models)
        _say(run.notes)
        reused = sum(_reused(run, entry, reuse) for entry in models) if reuse else 0
        work = model_work(run, plan, models, wish, retry_failed=retry_failed)
        asked = [each for each in work if each.asks_engine()]
        begun = [] if mix_versions else [each for each in asked if len(each.store.answered)]
        _say(run.go_on(_labels(asked), _labels(begun)))
        unloaded = ask(work, plan.generation, asking, progress or NoProgress())
        if wish.requested:
            raise Interrupted(path)
    return RunSummary(
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


def _labels(work: Sequence[ModelWork]) -> list[str]:
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


def _listening(stop: StopRequest | None) -> AbstractContextManager[StopRequest]:
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


@dataclass(slots=True)
class ModelWork:
    """One model of a run: what it is asked, and where its answers are kept.

    Attributes:
        entry: the model.
        store: its answers.
        source: its requests.
        total: the number of requests that the progress was told.
        refused: how many of them, as it was told, could not be made.
    """

    entry: ModelEntry
    store: AnswerStore
    source: StudySource
    total: int = 0
    refused: int = 0

    def count(self, kept: KeySet) -> int:
        """How many of the requests are among ``kept``."""
        return self.source.keys.common(kept)

    def asks_engine(self) -> bool:
        """Whether an engine is to be asked, whose version can change the answers; the baselines have none."""
        return self.entry.model not in baselines() and not self.source.is_empty()

    def begin(self, progress: Progress) -> int:
        """Tell how far it is; gives how many requests are pending."""
        pending, self.total, self.refused = self.source.pending, len(self.source.keys), self.source.refused
        progress.start(self.entry.label, self.total, self.total - pending)
        return pending

    def keep(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Store answers, make what follows from them, and tell how far it is."""
        self.store.append(answers)
        self.source.answered(answers)
        self.tell(answers, progress)

    def tell(self, answers: Sequence[Answer], progress: Progress) -> None:
        """Tell of stored answers, and of requests that came or could not be made since the last time."""
        if len(self.source.keys) > self.total:
            progress.grow(self.entry.label, len(self.source.keys) - self.total)
            self.total = len(self.source.keys)
        refused, self.refused = self.source.refused - self.refused, self.source.refused
        failed = sum(answer.error is not None for answer in answers)
        tokens = sum(answer.completion_tokens or 0 for answer in answers)
        if answers or refused:
            progress.advance(self.entry.label, len(answers) + refused, failed + refused, tokens)


def model_work(
    run: Run, plan: Plan, models: Sequence[ModelEntry], stop: StopRequest, *, retry_failed: bool = False
) -> list[ModelWork]:
    """The work of each model of a run.

    Raises:
        RunError: requests or answers cannot be read.
    """
    planned, found = planned_keys(run), []
    for entry in models:
        store = run.answers(entry.label)
        run.notes += store.notes
        for note in store.notes:
            _log.warning("%s", note)
        asks = StudyContext(plan, planned, stop, retry_failed=retry_failed)
        found.append(ModelWork(entry, store, StudySource(run, entry, store, asks)))
    return found


def ask(
    work: Sequence[ModelWork], generation: Mapping[str, Any], executor: Executor, progress: Progress
) -> dict[str, str]:
    """Ask the models what has no answer yet, and store it batch by batch.

    Returns:
        Which models could not be loaded or broke, and why.

    Raises:
        ModelError: none of them could be loaded, and no stop was requested.
    """
    by_label = {each.entry.label: each for each in work}
    empty = {label for label, each in by_label.items() if each.source.is_empty()}
    counts = {label: each.begin(progress) for label, each in by_label.items()}
    jobs = [
        ModelJob(each.entry, generation, each.source, counts[label])
        for label, each in by_label.items()
        if label not in empty
    ]
    broken: dict[str, ModelError] = {}
    if jobs:
        # closed in any case, so that actors do not outlive an error
        with closing(executor.run(jobs)) as batches:
            for label, given in batches:
                if isinstance(given, ModelError):
                    broken[label] = given
                    _log.warning("%s", given)
                else:
                    by_label[label].keep(given, progress)
    for label, each in by_label.items():
        each.tell((), progress)
        progress.finish(label)
    # a signal to all processes of a run ends engines as well: then it is a stop like any other
    if broken and len(broken) == len(work) and not any(each.source.stopped for each in work):
        raise next(iter(broken.values()))
    return {label: str(error) for label, error in broken.items()}


def sees(model: str) -> bool:
    """Whether a model can be shown images.

    Raises:
        ModelError: no such model, or a package that it needs is missing.
    """
    return model_class_of(lm_class(model)).images


def _shows_pictures(configuration: Configuration) -> bool:
    return is_picture(configuration.serializer) and not designs.get(configuration.design).carries


def check_sees(models: Sequence[ModelEntry], configurations: Iterable[Configuration]) -> None:
    """Refuse models that see text alone where a configuration shows pictures; before anything runs.

    Raises:
        ModelError: model, configuration and which kinds of models see; or Pillow is not installed.
    """
    shown = next((each for each in configurations if _shows_pictures(each)), None)
    if shown is None:
        return
    for entry in models:
        if not sees(entry.model):
            raise ModelError(
                f"model {entry.label!r} ({entry.model}) sees text alone, and configuration {shown.id} shows "
                "pictures; expected a model that sees, such as hf-multimodal, vllm-vlm or "
                "local-chat-completions"
            )
    if find_spec("PIL") is None:
        raise ModelError(f"configuration {shown.id} shows pictures, which needs Pillow: pip install pillow")
