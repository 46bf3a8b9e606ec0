"""Logs of inspect_ai, for their answers and for their scores; read without the package."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ...core.errors import InputError
from ...core.validation import validate
from ...prompts import Message, Prompt
from .board import AGGREGATE_COLUMNS, BoardScores, joined, stacked
from .eval_archive import Archive, opened_archive
from .files import Number, at
from .frames import ItemTable, aggregate_frame
from .inspect_files import SUCCESS, EvalFile, SampleSummary, text_of
from .json_stream import members_of
from .log import Log, LogFile, LogReader, Result, newest_runs
from .names import AS_IS, DEFAULT, NONE, plain_name
from .scales import observed_scales

_ATTACHED = "attachment://"
_SAMPLE = ["config", "item", "replicate"]
_KEYS = (b'"eval"', b'"status"', b'"task_id"')


def _holds(path: Path, head: bytes) -> bool:
    """Whether a file is a log."""
    if path.suffix == ".eval":
        return head.startswith(b"PK")
    return path.suffix == ".json" and head.lstrip()[:1] == b"{" and all(key in head for key in _KEYS)


class _EvalLogs(NamedTuple):
    """Logs with the names of their models, and what was chosen, a line each."""

    logs: tuple[tuple[EvalFile, str], ...]
    notes: tuple[str, ...]


def _newest_logs(path: Path) -> _EvalLogs:
    """The logs that count: of a task that a model was asked several times the newest that was finished.

    Raises:
        InputError: a header is damaged.
    """
    kept, notes = newest_runs(
        map(EvalFile.read, INSPECT_AI.files(path)),
        of=lambda log: (log.head.model, str(log.head.parameters), log.head.task, log.head.config),
        when=lambda log: (log.head.status == SUCCESS, log.head.created),
        said=lambda log: (log.head.task, log.head.model, log.path.name),
    )
    return _EvalLogs(tuple(zip(kept, _labels(kept), strict=True)), tuple(notes))


def _labels(logs: Sequence[EvalFile]) -> list[str]:
    """The models' names; of one that was asked with several parameters, with those that differ."""
    asked = defaultdict[str, list[dict[str, Any]]](list)
    for log in logs:
        asked[log.head.model].append(log.head.parameters)
    labels = []
    for log in logs:
        model, mine = log.head.model, log.head.parameters
        names = sorted({name for each in asked[model] for name in each})
        differing = [n for n in names if any(each.get(n) != mine.get(n) for each in asked[model])]
        labels.append(" ".join([model, *(f"{name}={mine.get(name)}" for name in differing)]))
    return labels


# -- answers ---------------------------------------------------------------------------------------------


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
    found = _newest_logs(path)
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
    return Log(tuple(files), version, (*found.notes, *notes))


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


# -- scores: all epochs as they are, or means, where a log has not all samples -------------------------------


def _scores(path: Path) -> BoardScores:
    """The scores in a log, or in those below a folder.

    Raises:
        InputError: a log that counts is unfinished and ``.json``, damaged, or has neither samples nor means.
    """
    found = _newest_logs(path)
    return joined([BoardScores(notes=found.notes), *(_of_log(log, label) for log, label in found.logs)])


def _of_log(log: EvalFile, model: str) -> BoardScores:
    head, tables, ids = log.head, defaultdict[str, ItemTable](ItemTable), dict[str, int | str]()
    for sample in log.summaries():
        item, config, cluster = sample.place(head.config, ours=head.ours)
        if ids.setdefault(str(item), item) != item:
            raise InputError(f"{log.path}: has two samples of id {item}, a number and a text; expected one")
        tables[config].add(
            item,
            sample.numbers(),
            replicate=sample.epoch - 1,
            failed=sample.error is not None,
            same=sample.same(),
            cluster=cluster,
        )
    names = head.score_names()
    items = stacked(table.frame(model, head.task, config, names) for config, table in tables.items())
    items = items[~items.duplicated([*_SAMPLE, "metric"], keep="last")]
    there = len(items.drop_duplicates(_SAMPLE))
    notes = list[str]()
    named = f"{head.task}: {model}"
    if head.status != SUCCESS:
        notes.append(f"{named}: the log is unfinished, with {there} of {head.expected or '?'} samples")
        items = stacked([items, _absent(log, model, items)])
    aggregates = pd.DataFrame(columns=list(AGGREGATE_COLUMNS))
    if head.status == SUCCESS and there < head.expected:
        aggregates = _aggregates(log, model)
        what = "no" if not there else f"only {there} of {head.expected:,}"
        notes.append(f"{named}: the log has {what} samples; its own aggregates count")
        items = items[:0]
    else:
        notes += [f"{named}: {note}" for note in _differences(log, items)]
    main = next(iter([*names, *items["metric"].unique()]), None)
    return BoardScores(
        items=items,
        aggregates=aggregates,
        scales=observed_scales(items) | observed_scales(aggregates),
        main={} if main is None else {head.task: main},
        versions={} if head.version is None else {head.task: str(head.version)},
        notes=tuple(notes),
    )


def _absent(log: EvalFile, model: str, items: pd.DataFrame) -> pd.DataFrame:
    """The samples that a run that was stopped did not come to."""
    there = set(zip(items["item"], items["replicate"], strict=True))
    table = ItemTable()
    for epoch in range(log.head.epochs or 1):
        for each in log.head.sample_ids or ():
            if (str(each), epoch) not in there:
                table.add(each, {}, replicate=epoch, failed=True)
    names = [*items["metric"].unique()] or log.head.score_names()
    return table.frame(model, log.head.task, log.head.config, names)


def _aggregates(log: EvalFile, model: str) -> pd.DataFrame:
    head, results = log.head, log.head.results
    known = [
        each
        for each in (results.scores if results is not None else ())
        if each.mean is not None and each.reducer in (None, "mean")
    ]
    if results is None or not known:
        raise InputError(f"{log.path}: holds neither all samples nor a mean of them; expected a whole log")
    done = results.completed_samples // (head.epochs or 1)
    return aggregate_frame(
        [each.mean for each in known],
        model=model,
        task=head.task,
        config=head.config,
        metric=[each.score for each in known],
        n=[(done if each.scored_samples is None else each.scored_samples) or None for each in known],
        error=[each.error for each in known],
    )


def _differences(log: EvalFile, items: pd.DataFrame) -> Iterator[str]:
    """Where inspect's own mean is another than that of the samples, each over its epochs."""
    for each in log.head.results.scores if log.head.results is not None else []:
        found = items.loc[items["metric"] == each.score].groupby(["item", "config"])["score"].mean().mean()
        if each.mean is not None and not math.isclose(each.mean, found, abs_tol=1e-6):
            reducer = f" by {each.reducer}" if each.reducer else ""
            yield f"{each.score}: the log reports {each.mean:.4g}{reducer}, its samples have {found:.4g}"


INSPECT_AI = LogReader(
    "Inspect",
    "logs of inspect_ai, .eval or .json",
    re.compile(r".*\.(?:eval|json)"),
    scores=_scores,
    holds=_holds,
    log=_log,
)
"""Reads a log, or all below a folder."""
