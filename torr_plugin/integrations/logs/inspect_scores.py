"""The scores in logs of inspect_ai: all epochs as they are, or means, where a log has not all samples."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ...core.errors import InputError
from .board import AGGREGATE_COLUMNS, BoardScores, ItemTable, joined, stacked
from .files import files_of
from .frames import aggregate_frame
from .inspect_files import SUCCESS, EvalFile
from .log import newest_runs
from .scales import observed_scales

_SAMPLE = ["config", "item", "replicate"]
NAMED = re.compile(r".*\.(?:eval|json)")
"""Matches the names of logs, and of other JSON."""

_KEYS = (b'"eval"', b'"status"', b'"task_id"')


def holds(path: Path, head: bytes) -> bool:
    """Whether a file is a log."""
    if path.suffix == ".eval":
        return head.startswith(b"PK")
    return path.suffix == ".json" and head.lstrip()[:1] == b"{" and all(key in head for key in _KEYS)


def scores(path: Path) -> BoardScores:
    """The scores in a log, or in those below a folder.

    Raises:
        InputError: a log that counts is unfinished and ``.json``, damaged, or has neither samples nor means.
    """
    found = eval_logs(path)
    parts = (_of_log(log, label) for log, label in found.logs)
    return joined([BoardScores(notes=found.notes), *parts])


def _labels(logs: Sequence[EvalFile]) -> list[str]:
    """The models' names; of one that was asked with several parameters, with those that differ."""
    asked = defaultdict[str, list[dict[str, Any]]](list)
    for log in logs:
        asked[log.head.model].append(log.head.parameters)
    labels = []
    for log in logs:
        model, mine = log.head.model, log.head.parameters
        differing = sorted(
            name
            for name in {name for each in asked[model] for name in each}
            if any(each.get(name) != mine.get(name) for each in asked[model])
        )
        labels.append(" ".join([model, *(f"{name}={mine.get(name)}" for name in differing)]))
    return labels


class EvalLogs(NamedTuple):
    """Logs with the names of their models, and what was chosen, a line each."""

    logs: tuple[tuple[EvalFile, str], ...]
    notes: tuple[str, ...]


def eval_logs(path: Path) -> EvalLogs:
    """The logs that count: of a task that a model was asked several times the newest that was finished.

    Raises:
        InputError: a header is damaged.
    """
    kept, notes = newest_runs(
        [EvalFile.read(file) for file in files_of(path, NAMED, holds)],
        of=lambda log: (log.head.model, str(log.head.parameters), log.head.task, log.head.config),
        when=lambda log: (log.head.status == SUCCESS, log.head.created),
        said=lambda log: (log.head.task, log.head.model, log.path.name),
    )
    return EvalLogs(tuple(zip(kept, _labels(kept), strict=True)), tuple(notes))


def _of_log(log: EvalFile, model: str) -> BoardScores:
    head, tables = log.head, defaultdict[str, ItemTable](lambda: ItemTable(str(log.path)))
    for sample in log.summaries():
        item, config, cluster = sample.place(head.config, ours=head.ours)
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
    if (several := items["metric"].nunique()) > 1:
        notes.append(f"{head.task}: {main} is taken for the main one of {several} scores")
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
    table = ItemTable(str(log.path))
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
    done = results.completed_samples / (head.epochs or 1)
    return aggregate_frame(
        log.path,
        [each.mean for each in known],
        model=model,
        task=head.task,
        config=head.config,
        metric=[each.score for each in known],
        n=[done if each.scored_samples is None else each.scored_samples for each in known],
        error=[each.error for each in known],
    )


def _differences(log: EvalFile, items: pd.DataFrame) -> Iterator[str]:
    """Where inspect's own mean is another than that of the samples, each over its epochs."""
    for each in log.head.results.scores if log.head.results is not None else []:
        found = items.loc[items["metric"] == each.score].groupby(["item", "config"])["score"].mean().mean()
        if each.mean is not None and not math.isclose(each.mean, found, abs_tol=1e-6):
            reducer = f" by {each.reducer}" if each.reducer else ""
            yield f"{each.score}: the log reports {each.mean:.4g}{reducer}, its samples have {found:.4g}"
