"""Run a plan: send every distinct request to every model once, and store each answer as it comes."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..core.atomic_files import make_directory
from ..core.errors import ModelError, RunError
from ..core.redaction import without_secrets
from ..core.versions import install_hint
from ..prompts import designs, is_picture
from ..recipes import labelled
from .executors import RayCluster, open_executor
from .interruption import Interrupted, interruptible, stoppable
from .loop import AskedModel, ask
from .model_class import model_class_of
from .pending_request import StopRequest
from .progress import NoProgress, Progress, RunSummary
from .registry import baselines, check_name, lm_class
from .store.lock import exclusive
from .store.manifest import STUDY_FILE, plain, read_study
from .store.reuse import reuse as reuse_answers
from .store.run import Run
from .study_source import StudyContext, StudySource, planned_keys

if TYPE_CHECKING:
    from ..recipes import Configuration, ModelEntry, Plan

_log = logging.getLogger(__name__)


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
    held: bool = False,
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
        held: the caller holds the directory's lock (:func:`.store.lock.reserved`); else it is held while
            this function runs.
        mix_versions: let another version of a model's engine add to its answers.

    Raises:
        ModelError: a model is unknown, or all of them could not be loaded or broke, and nothing is answered.
        RunError: the directory holds another study's run or answers of another version of an engine, or
            cannot be written; no such executor.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    started = time.monotonic()
    path = Path(out)
    plan, models = with_more_room(plan, _checked(plan, models), path)
    with (
        open_executor(executor) as opened,
        _locked(path, held=held),
        interruptible(path),
        stoppable(_log.warning) if stop is None else nullcontext(stop) as stop_request,
    ):
        run = Run.create_or_resume(path, plan, models)
        _say(run.notes)
        reused = sum(_reused(run, entry, reuse) for entry in models) if reuse else 0
        work = model_work(run, plan, models, stop_request, retry_failed=retry_failed)
        answers = {each.entry.label: len(each.store.answered) for each in work if each.needs_engine()}
        begun = [] if mix_versions else [label for label, count in answers.items() if count]
        # other machines have versions of their own
        _say(run.record_versions(list(answers), begun) if executor == "local" else run.record_versions([]))
        for each in work:
            each.unmixed = each.entry.label in begun
        broken = ask(work, plan.asked_generation, opened, progress or NoProgress())
        run.compact()
        _refuse_in_vain(work, broken)
        if stop_request.requested:
            raise Interrupted(path)
    return RunSummary(
        path,
        requests=sum(len(each.source) for each in work),
        answered=sum(each.count(each.store.answered) for each in work),
        failed=sum(each.count(each.store.failed) for each in work),
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


def with_more_room(plan: Plan, models: Sequence[ModelEntry], path: Path) -> tuple[Plan, Sequence[ModelEntry]]:
    """Let a run go on whose recipe allows longer answers now.

    Its requests keep their keys, and the longer answers are the models' own, so that only what was cut is
    asked again.
    """
    most = getattr(plan, "generation", {}).get("max_tokens")
    if most is None or not (path / STUDY_FILE).exists():
        return plan, models
    then = read_study(path).get("generation") or {}
    before = then.get("max_tokens") if isinstance(then, dict) else None
    if not isinstance(before, int) or before >= most:
        return plan, models
    if without_secrets({**plan.generation, "max_tokens": before}) != without_secrets(then):
        return plan, models
    recipe = plan.recipe
    generation = recipe.generation.model_copy(update={"max_tokens": before})
    kept = replace(
        plan, recipe=recipe.model_copy(update={"generation": generation}), generation=generation.in_keys()
    )
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
        if not takes_images(entry.model):
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


def takes_images(model: str) -> bool:
    """Whether a model can be shown images.

    Raises:
        ModelError: no such model, or a package that it needs is missing.
    """
    return model_class_of(lm_class(model)).images


def _locked(path: Path, *, held: bool) -> AbstractContextManager[None]:
    if held:
        return nullcontext()
    make_directory(path)
    return exclusive(path)


def _reused(run: Run, entry: ModelEntry, folders: Sequence[Path | str]) -> int:
    """Take answers of earlier runs, and return their number."""
    taken = reuse_answers(run, entry, folders)
    run.notes += taken.notes
    _say(taken.notes)
    return taken.count


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        _log.warning("%s", note)


@dataclass(slots=True)
class StudyModel(AskedModel):
    """One model of a run.

    Attributes:
        run: where it is recorded, unless it is a baseline, which has no engine.
        unmixed: all its answers must be by one version of its engine.
    """

    source: StudySource
    run: Run = field(kw_only=True)
    unmixed: bool = False

    @property
    def more_tokens(self) -> str:
        """See :class:`AskedModel`."""
        return "'--gen max_tokens=N' gives more, and only what was cut is asked again"

    @property
    def has_engine(self) -> bool:
        """Whether it is no baseline."""
        return self.entry.model not in baselines()

    def record_sent(self, sent: str) -> None:
        """See :class:`AskedModel`."""
        if self.has_engine:
            self.run.record_sent(self.entry.label, json.loads(sent))

    def record_versions(self, there: Mapping[str, str]) -> None:
        """See :class:`AskedModel`."""
        if self.has_engine:
            asked = [self.entry.label]
            _say(self.run.record_versions(asked, asked if self.unmixed else [], there))

    def count(self, kept: set[str]) -> int:
        """How many of the requests are among ``kept``."""
        return self.source.common(kept)

    def needs_engine(self) -> bool:
        """Whether an engine has open requests, so that its version matters."""
        return self.has_engine and not self.source.is_empty()


def model_work(
    run: Run, plan: Plan, models: Sequence[ModelEntry], stop: StopRequest, *, retry_failed: bool = False
) -> list[StudyModel]:
    """The work of each model of a run.

    Raises:
        RunError: requests or answers cannot be read.
    """
    planned, found = planned_keys(run), []
    for entry in models:
        store = run.answers(entry.label)
        run.notes += store.notes
        _say(store.notes)
        # failures under other arguments are not held against these
        again = retry_failed or plain(entry.label) in run.changed
        context = StudyContext(plan, planned, stop, retry_failed=again)
        source = StudySource(run, entry, store, context)
        found.append(StudyModel(entry, store, source, run=run))
    return found


def _refuse_in_vain(work: Sequence[StudyModel], broken: Mapping[str, ModelError]) -> None:
    """Raise the first error if all models broke, nothing is answered, and no stop was requested."""
    # a signal to all processes of a run also ends engines, which then counts as a stop
    in_vain = not any(each.source.stopped or len(each.store.answered) for each in work)
    if broken and len(broken) == len(work) and in_vain:
        raise next(iter(broken.values()))
