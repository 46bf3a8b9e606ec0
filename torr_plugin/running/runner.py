"""Run a plan: send every distinct request to every model once, and store each answer as it comes."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.errors import ModelError, RunError
from ..core.redaction import without_secrets
from ..core.versions import install_hint
from ..prompts import designs, is_picture
from ..recipes import labelled
from .answer import ANSWERED_BY
from .loop import AskedModel, Interrupted, RayCluster, ask, interruptible, open_executor, stoppable
from .model_classes import ModelClass, baselines, check_name, engine_versions, lm_class
from .progress import Progress, RunSummary
from .request_sources import StopRequest
from .store.joining import reuse as reuse_answers
from .store.lock import exclusive
from .store.manifest import plain, recorded_study
from .store.run import Run
from .study_source import StudySource

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
        _say(run.notes)
        reused = sum(_reused(run, entry, reuse) for entry in models) if reuse else 0
        sources = _sources(run, plan, models, stop_request, retry_failed=retry_failed)
        work = [
            AskedModel(entry, plan.asked_generation, source, source.store, _MORE_TOKENS)
            for entry, source in zip(models, sources, strict=True)
        ]
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


def _reused(run: Run, entry: ModelEntry, folders: Sequence[Path | str]) -> int:
    """Take answers of earlier runs, and return their number."""
    count, notes = reuse_answers(run, entry, folders)
    run.notes += notes
    _say(notes)
    return count


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
        _say(store.notes)
        # failures under other arguments are not held against these
        again = retry_failed or plain(entry.label) in run.changed
        sources.append(StudySource(run, plan, entry, store, stop, retry_failed=again))
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
