"""Ask models lists of prompts and store the answers; asked again, only those without an answer are sent."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ..core.atomic_files import make_directory, write_atomically
from ..core.errors import RunError
from .answer import CUT
from .progress import Progress
from .request_sources import ListedRequests, PendingRequest, StopRequest
from .runner import AskedModel, Interrupted, RayCluster, ask, interruptible, open_executor, stoppable
from .store.manifest import model_record, read_record
from .store.shards import AnswerStore, read_answers

if TYPE_CHECKING:
    from ..prompts import Prompt
    from ..recipes import ModelEntry

_log = logging.getLogger(__name__)
_MORE_TOKENS = "'--max-tokens N' gives more, and asks all again"


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
    executor: str | RayCluster = "local",
    progress: Progress | None = None,
    retry_failed: bool = False,
) -> dict[str, set[str]]:
    """Ask each model its prompts that have no answer yet, and store the answers batch by batch.

    Args:
        lists: one a model; their labels differ.
        generation: parameters of all prompts, those of the keys.
        kept: the folder that an interruption names.
        executor: ``local`` (one model after the other), ``ray`` or a Ray cluster.
        progress: reports how far each model is.
        retry_failed: ask again what has an error from an earlier attempt.

    Returns:
        Label -> keys of prompts that have an error.

    Raises:
        RunError: another model of this name was asked before, or a file cannot be read or written.
        ModelError: a model cannot be loaded; the others were asked, and their answers are kept.
        Interrupted: Ctrl-C or SIGTERM; what was answered is kept.
    """
    with interruptible(kept), stoppable(_log.warning) as stop:
        models = [_resumed(each, generation, stop, retry_failed=retry_failed) for each in lists]
        name = "local" if all(each.source.is_empty() for each in models) else executor
        with open_executor(name) as opened:
            broken = ask(models, opened, progress or Progress())
        if stop.requested:
            raise Interrupted(kept)
    for error in broken.values():
        raise error
    return {
        each.model.label: {key for key in each.prompts if key in asked.store.failed}
        for each, asked in zip(lists, models, strict=True)
    }


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


def _resumed(
    asked: PromptList, generation: Mapping[str, Any], stop: StopRequest, *, retry_failed: bool
) -> AskedModel:
    """A model with what it has not answered yet.

    Raises:
        RunError: another model of this name was asked before, or a file cannot be read or written.
    """
    make_directory(asked.folder)
    store = AnswerStore.resume(asked.folder / "answers")
    for note in store.notes:
        _log.warning("%s", note)
    _record(asked, answered=bool(store.answered))
    done = (store.answered,) if retry_failed else (store.answered, store.failed)
    pending = [
        PendingRequest(key, prompt)
        for key, prompt in asked.prompts.items()
        if not any(key in kept for kept in done)
    ]
    source = ListedRequests(pending, stop, answered=len(asked.prompts) - len(pending))
    return AskedModel(asked.model, generation, source, store, _MORE_TOKENS)


def _record(asked: PromptList, *, answered: bool) -> None:
    """Record the model.

    Raises:
        RunError: it or its arguments differ from those recorded before, and the former one ``answered``
            something, so that answers would mix; or the record cannot be read or written.
    """
    path = asked.folder / f"{asked.role}.yaml"
    record = {**model_record(asked.model, asked.folder.name), **asked.record}
    there = read_record(path) if path.exists() else None
    if answered and there not in (None, record):
        raise RunError(
            f"{path}: the {asked.role} {asked.model.label!r} was another model or had other arguments (found "
            f"{there!r:.200}); give this one another name, remove {asked.folder}, or go on with the former"
        )
    write_atomically(path, yaml.safe_dump(record, sort_keys=False, allow_unicode=True).encode("utf-8"))
