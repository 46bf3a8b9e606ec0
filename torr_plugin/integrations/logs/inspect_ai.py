"""Logs of inspect_ai, for their answers and for their scores; read without the package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ...core.errors import InputError
from ...core.validation import validate
from ...prompts import Message, Prompt
from .eval_archive import Archive, opened_archive
from .files import Number, at
from .inspect_files import SUCCESS, EvalFile, SampleSummary, text_of
from .inspect_scores import NAMED, eval_logs, holds, scores
from .json_stream import members_of
from .log import Log, LogFile, LogReader, Result
from .names import AS_IS, DEFAULT, NONE, plain_name

_ATTACHED = "attachment://"


class _EvalSample(SampleSummary):
    """A sample with what was asked and answered."""

    messages: list[dict[str, Any]] = at("messages", default=[])
    completion: str = at("output", "completion", default="")
    answered: Any = at("output", "choices", 0, "message", default=None)
    attachments: dict[str, Any] = at("attachments", default={})
    total_time: Number = None

    def text(self, message: object) -> str:
        """A message's text; long ones stand beside, by a hash."""
        text = text_of(message)
        if text.startswith(_ATTACHED):
            return str(self.attachments.get(text.removeprefix(_ATTACHED), text))
        return text

    def prompt(self) -> Prompt:
        """What was sent first: the messages before the first answer."""
        asked = list[Message]()
        for each in self.messages:
            if each.get("role") == "assistant":
                break
            asked.append(Message("system" if each.get("role") == "system" else "user", self.text(each)))
        given = self.input if isinstance(self.input, list) else [self.input]
        return tuple(asked) or tuple(Message("user", self.text(each)) for each in given)


def _log(path: Path) -> Log:
    found = eval_logs(path)
    notes = [
        f"{log.head.task}: {label}: of {log.head.epochs} epochs the first is imported; torr audit reads all"
        for log, label in found.logs
        if (log.head.epochs or 1) > 1
    ]
    files = [
        LogFile(log.path.name, log.head.entry(label), partial(_results, log)) for log, label in found.logs
    ]
    versions = (log.head.packages.get("inspect_ai") for log, _ in found.logs)
    version = next((str(each) for each in versions if each is not None), None)
    return Log(INSPECT_AI.name, path, tuple(files), version, (*found.notes, *notes))


def _results(log: EvalFile) -> Sequence[Result]:
    head, found = log.head, list[Result]()
    samples = {str(each.id): each for each in _samples(log) if each.epoch == 1}  # the last attempt at each
    expected = head.expected // (head.epochs or 1)
    if len(samples) < expected and head.status == SUCCESS:
        raise InputError(
            f"{log.path}: holds {len(samples)} samples of {expected}, by its results; expected a whole log"
        )
    main = next(iter(head.score_names()), None)
    for name, sample in samples.items():
        numbers = sample.numbers()
        example, config, _ = sample.place(head.config or DEFAULT, ours=head.ours)
        answer = sample.completion or sample.text(sample.answered)
        error = sample.error.get("message") if isinstance(sample.error, Mapping) else sample.error
        target = sample.target if isinstance(sample.target, list) else [sample.target]
        found.append(
            Result(
                dataset=plain_name(head.task),
                example=str(example),
                config=config if config.count("/") == 2 else f"{AS_IS}/{NONE}/{config}",
                prompt=sample.prompt(),
                references=tuple(str(each) for each in target),
                answer=None if error is not None or sample.answered is None else answer,
                where=f"{log.path}: sample {name}",
                error=None if error is None else str(error),
                scores={metric: score for metric, score in numbers.items() if score is not None},
                main=main if main is not None else next(iter(numbers), None),
                same=sample.same(),
                seconds=sample.total_time,
            )
        )
    return found


def _samples(log: EvalFile) -> Iterator[_EvalSample]:
    where = f"{log.path}: sample"
    if log.path.suffix != ".eval":
        log.check_finished()
        for key, value in members_of(log.path, "samples"):
            if key == "samples":
                yield validate(_EvalSample, value, where)
        return
    keys = [(each.id, each.epoch) for each in log.summaries()]
    with opened_archive(log.path) as archive:
        for id_, epoch in dict.fromkeys(keys):
            if epoch == 1:
                yield validate(
                    _EvalSample, _sample(archive, f"samples/{id_}_epoch_{epoch}"), f"{where} {id_}"
                )


def _sample(archive: Archive, name: str) -> Any:
    """A sample in one piece, or in chunks, whose messages and attachments are put together."""
    if f"{name}.json" in archive.names:
        return archive.value(f"{name}.json")
    if f"{name}/sample.json" not in archive.names:
        raise InputError(f"{archive.path}: has no {name}.json; expected a whole log, with its samples")
    found = archive.value(f"{name}/sample.json")
    messages, attached = (list(archive.pieces(f"{name}/{what}/")) for what in ("messages", "attachments"))
    ranges = found.get("message_refs") or []
    found["messages"] = [each for start, end in ranges for each in messages[start:end]]
    found["attachments"] = {str(place): text for place, text in enumerate(attached)}
    return found


INSPECT_AI = LogReader(
    "Inspect",
    "logs of inspect_ai, .eval or .json",
    NAMED,
    scores=scores,
    holds=holds,
    log=_log,
)
"""Reads a log, or all below a folder."""
