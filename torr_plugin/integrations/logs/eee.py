"""Files of Every Eval Ever 0.3, for their answers and for their scores."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...prompts import Message
from .board import BoardScores
from .eee_files import EeeInstance
from .eee_scores import NAMED, InstanceGroup, holds, read_folder, scores
from .files import at, read_lines
from .log import Log, LogFile, LogReader, Result, model_entry
from .names import AS_IS, DEFAULT, NONE, plain_name


class _Answered(EeeInstance):
    """An instance with what was asked and answered."""

    formatted: str | None = at("input", "formatted", default=None)
    texts: list[str] = at("output", "raw", default=[])
    messages: list[dict[str, Any]] | None = None

    def answer(self) -> str | None:
        """The answer, of a conversation its last turn; None where there is none."""
        said = [each.get("content") for each in self.messages or () if each.get("role") == "assistant"]
        found = self.texts[:1] or said[-1:]
        return None if not found or found[0] is None else str(found[0])


def _log(path: Path) -> Log:
    """The instances below a folder; of several epochs the first.

    Raises:
        InputError: there are none, only results.
    """
    found = read_folder(path)
    if not found.groups:
        raise InputError(f"{path}: holds results without instances, so no answers; torr audit reads them")
    notes = list(found.notes)
    files = []
    for group, board in found.groups:
        entry = model_entry(
            f"{group.path}: model_id", model="eee", args={"model": group.model}, name=group.model
        )
        files.append(LogFile(f"{group.path.name}: {group.name}", entry, partial(_results, group, board)))
        notes += board.notes
        if group.epochs and max(map(len, group.epochs.values())) > 1:
            notes.append(f"{group.name}: {group.model}: of several epochs the first is imported")
    return Log(EEE.name, path, tuple(files), notes=tuple(dict.fromkeys(notes)))


def _results(group: InstanceGroup, board: BoardScores) -> Sequence[Result]:
    items = board.items[board.items["replicate"] == 0]
    known: dict[str, dict[str, float]] = {}
    scored = items.loc[items["score"].notna(), ["item", "metric", "score"]]
    for item, metric, score in scored.itertuples(index=False):
        known.setdefault(item, {})[metric] = score
    task, config = (items["task"].iloc[0], items["config"].iloc[0]) if len(items) else (group.name, "")
    given, main = config.split("/"), board.main.get(task)
    found = dict[str, Result]()
    for where, line in read_lines(group.path, _Answered):
        if line.group != group.key or line.sample_id in found:
            continue
        answer = None if line.error is not None else line.answer()
        found[line.sample_id] = Result(
            dataset=plain_name(task),
            example=line.sample_id,
            config=config if len(given) == 3 and all(given) else f"{AS_IS}/{NONE}/{DEFAULT}",
            prompt=(Message("user", line.formatted or line.raw),),
            references=tuple(line.reference),
            answer=answer,
            where=where,
            error=line.error,
            scores=known.get(line.sample_id, {}),
            main=main,
        )
    return list(found.values())


EEE = LogReader(
    "EEE",
    "files of Every Eval Ever 0.3, results (.json) or instances (.jsonl)",
    NAMED,
    scores=scores,
    holds=holds,
    log=_log,
)
"""Reads a file, or all below a folder, as a data store's ``data`` is."""
