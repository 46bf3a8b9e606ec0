"""Ask models lists of prompts and store the answers; asked again, only those without an answer are sent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ..core.atomic_files import make_directory, read_error, write_atomically
from ..core.errors import ModelError, RunError
from .answer import CUT
from .executors import ModelJob, open_executor
from .interruption import Interrupted, stoppable
from .pending_request import ListedRequests, PendingRequest, StoppableSource, StopRequest
from .progress import NoProgress, Progress
from .store.manifest import model_record
from .store.predictions import AnswerStore, read_answers

if TYPE_CHECKING:
    from ..prompts import Prompt
    from ..recipes import ModelEntry
    from .answer import Answer

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PromptList:
    """The prompts for one model.

    Attributes:
        model: who is asked.
        prompts: request key -> prompt.
        folder: of this model alone; ``answers/*.parquet`` and ``<role>.yaml``, which
            records the model, go there.
        role: what the model does: ``judge``.
        record: what else ``<role>.yaml`` keeps, and what must stay the same for the answers to go together.
    """

    model: ModelEntry
    prompts: Mapping[str, Prompt]
    folder: Path
    role: str
    record: Mapping[str, str] = field(default_factory=dict)


def ask_prompts(
    lists: Sequence[PromptList],
    generation: Mapping[str, Any],
    *,
    kept: Path,
    executor: str = "local",
    progress: Progress | None = None,
    retry_failed: bool = False,
) -> dict[str, set[str]]:
    """Ask each model its prompts that have no answer yet, and store the answers batch by batch.

    Args:
        lists: one a model; their labels differ.
        generation: parameters of all prompts, those of the keys.
        kept: the folder that an interruption names.
        executor: ``local`` (one model after the other) or ``ray``.
        progress: reports how far each model is.
        retry_failed: ask again what has an error from an earlier attempt.

    Returns:
        Label -> keys of prompts that have an error.

    Raises:
        RunError: another model of this name was asked before, or a file cannot be read or written.
        ModelError: a model cannot be loaded; the others were asked, and their answers are kept.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    asked = [_AskedModel.resume(each, progress or NoProgress(), retry_failed=retry_failed) for each in lists]
    try:
        _ask([each for each in asked if each.pending], generation, executor)
    except KeyboardInterrupt:
        raise Interrupted(kept) from None
    for each in asked:
        each.progress.finish(each.label)
    return {each.label: {key for key in each.prompts if key in each.store.failed} for each in asked}


def predictions_in(folder: Path) -> dict[str, str]:
    """Key -> answer of everything that the model of this folder answered.

    Raises:
        RunError: the answers are damaged or cannot be read.
    """
    rows = read_answers(folder / "answers", ["key", "prediction"]).to_pylist()
    return {row["key"]: row["prediction"] for row in rows if row["prediction"] is not None}


def cut_in(folder: Path) -> set[str]:
    """The keys of the answers in this folder that were cut at the most tokens.

    Raises:
        RunError: the answers are damaged or cannot be read.
    """
    rows = read_answers(folder / "answers", ["key", "finish_reason"]).to_pylist()
    return {row["key"] for row in rows if row["finish_reason"] == CUT}


@dataclass(frozen=True, slots=True)
class _AskedModel:
    """A model, the prompts that it has not answered, and its answers."""

    prompts: Mapping[str, Prompt]
    pending: Mapping[str, Prompt]
    model: ModelEntry
    store: AnswerStore
    progress: Progress

    @classmethod
    def resume(cls, asked: PromptList, progress: Progress, *, retry_failed: bool) -> _AskedModel:
        make_directory(asked.folder)
        store = AnswerStore.resume(asked.folder / "answers")
        for note in store.notes:
            _log.warning("%s", note)
        # failures under other arguments, such as a wrong address, are not held against these
        again = _record(asked, answered=bool(store.answered)) or retry_failed
        pending = {
            key: prompt
            for key, prompt in asked.prompts.items()
            if key not in store.answered and (again or key not in store.failed)
        }
        progress.start(asked.model.label, len(asked.prompts), len(asked.prompts) - len(pending))
        return cls(asked.prompts, pending, asked.model, store, progress)

    @property
    def label(self) -> str:
        return self.model.label

    def job(self, generation: Mapping[str, Any], stop: StopRequest) -> ModelJob:
        requests = ListedRequests(PendingRequest(key, prompt) for key, prompt in self.pending.items())
        on_traffic = partial(self.progress.traffic, self.label)
        return ModelJob(
            self.model, generation, StoppableSource(requests, stop), len(self.pending), on_traffic
        )

    def keep(self, answers: Sequence[Answer]) -> None:
        self.store.append(answers)
        failed = sum(answer.error is not None for answer in answers)
        self.progress.advance(self.label, len(answers), failed)


def _ask(asked: Sequence[_AskedModel], generation: Mapping[str, Any], executor: str) -> None:
    """Ask all pending prompts.

    Raises:
        ModelError: of the first model that cannot be loaded or broke, once the others are done.
    """
    if not asked:
        return
    by_label = {each.label: each for each in asked}
    broken: list[ModelError] = []
    with stoppable(_log.warning) as stop:
        jobs = [each.job(generation, stop) for each in asked]
        with open_executor(executor) as opened, closing(opened.run(jobs)) as batches:
            for label, answers in batches:
                if isinstance(answers, ModelError):
                    broken.append(answers)
                    if len(asked) > 1:  # the others may take hours
                        by_label[label].progress.give_up(label, str(answers))
                else:
                    by_label[label].keep(answers)
        if stop.requested:
            raise KeyboardInterrupt
    if broken:
        raise broken[0]


def _record(asked: PromptList, *, answered: bool) -> bool:
    """Record the model; return whether it or its arguments differ from those recorded before.

    Raises:
        RunError: they do, and the former one ``answered`` something, so that answers would mix; or the record
            cannot be read or written.
    """
    path = asked.folder / f"{asked.role}.yaml"
    record = {**model_record(asked.model, asked.folder.name), **asked.record}
    there = _recorded(path)
    if answered and there not in (None, record):
        raise RunError(
            f"{path}: the {asked.role} {asked.model.label!r} was another model or had other arguments (found "
            f"{there!r:.200}); give this one another name, remove {asked.folder}, or go on with the former"
        )
    write_atomically(path, yaml.safe_dump(record, sort_keys=False, allow_unicode=True).encode("utf-8"))
    return there not in (None, record)


def _recorded(path: Path) -> Any:
    """What the record holds; None where there is none."""
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    except OSError as error:
        raise read_error(path, error) from error
    except (yaml.YAMLError, UnicodeDecodeError):
        raise RunError(f"{path}: is not YAML; expected what was written there") from None
