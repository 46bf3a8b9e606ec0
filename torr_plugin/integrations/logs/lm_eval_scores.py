"""The scores in runs of lm-eval: items where a task's samples are all there, else its means."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from ...core.errors import InputError
from .board import BoardScores, ItemTable, MetricScale, joined, stacked
from .files import number, read_lines
from .frames import aggregate_frame
from .lm_eval_files import HarnessRun, LoggedScores, TaskFile, task_runs
from .scales import observed_scales

_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_STDERR = "_stderr"


class _Scored(LoggedScores):
    target_hash: str = ""


def scores(path: Path) -> BoardScores:
    """The scores below a folder, or in the run of a file.

    Raises:
        InputError: neither samples nor means, or samples without their run's results.
    """
    found = task_runs(path)
    runs = {each.run.entry.digest: each.run for each in found.newest}
    runs |= {run.entry.digest: run for _, run in found.unlogged}
    labels = _labels(runs)
    parts = [_of_file(each, labels[each.run.entry.digest]) for each in found.newest]
    for task, run in found.unlogged if path.suffix != ".jsonl" else ():
        model = labels[run.entry.digest]
        parts.append(_of_means(run, task, model, f"{task}: {model} has no samples; the run's means count"))
    return joined([BoardScores(notes=found.notes), *parts])


def _labels(runs: Mapping[str, HarnessRun]) -> dict[str, str]:
    """Digests of models -> their names, on the hub where they have one."""
    names = {digest: _name(run) for digest, run in runs.items()}
    several = Counter(names.values())
    return {digest: name if several[name] == 1 else f"{name}-{digest}" for digest, name in names.items()}


def _name(run: HarnessRun) -> str:
    args = run.entry.args
    given = next((str(args[name]) for name in ("pretrained", "model") if args.get(name)), "")
    return given if _HUB_NAME.fullmatch(given) else run.entry.label


def _version(run: HarnessRun, task: str) -> dict[str, str]:
    return {task: str(run.versions[task])} if run.versions.get(task) is not None else {}


def _named(metric: str, filter_: str) -> str:
    """A metric as lm-eval's own table has it, without the filter that does nothing."""
    return metric if filter_ == "none" else f"{metric},{filter_}"


# -- items -----------------------------------------------------------------------------------------------


def _of_file(file: TaskFile, model: str) -> BoardScores:
    run, task = file.run, file.task
    tables, met = dict[str, ItemTable](), defaultdict[str, Counter[str]](Counter)
    main = list[str]()
    for _, sample in read_lines(file.path, _Scored):
        if (table := tables.get(sample.filter)) is None:
            table = tables[sample.filter] = ItemTable(str(file.path))
        of = sample.doc_hash or str(sample.doc_id)
        met[sample.filter][of] += 1  # documents that are alike are apart by their order
        again = met[sample.filter][of]
        found = _scores_of(sample)
        main += found if not main else ()
        table.add(of if again == 1 else f"{of}#{again}", found, same=sample.target_hash)
    items = stacked(table.frame(model, task) for table in tables.values())
    there, expected = max(map(len, tables.values()), default=0), run.counts.get(task)
    if expected is not None and there < expected.effective:
        part = f"{there} of {expected.effective:,}"
        board = _of_means(run, task, model, f"{task}: {model} has samples of {part}; the run's means count")
        if board.aggregates.empty:
            raise InputError(
                f"{file.path}: half-written run: holds {part} samples, and its results_*.json no mean; "
                "run lm_eval again"
            )
        return board
    notes = [f"{task}: {model}: {note}" for note in _differences(run, task, items)]
    metrics = list(items["metric"].unique())
    if len(metrics) > 1:
        notes.append(f"{task}: {main[0]}, the first of its metrics, is the main one of {', '.join(metrics)}")
    return BoardScores(
        items=items,
        scales=_scales(run, task, items),
        main={task: main[0]} if main else {},
        versions=_version(run, task),
        notes=tuple(notes),
    )


def _scores_of(sample: LoggedScores) -> dict[str, float | None]:
    """The scores by metric and filter, None where they are missing; what is no score is not among them."""
    return {_named(name, sample.filter): score for name, score in sample.given.items()}


# -- means -----------------------------------------------------------------------------------------------


def _means(run: HarnessRun, task: str, model: str) -> pd.DataFrame:
    """The means of a run with their standard errors, over all documents."""
    given, scores, errors = run.means.get(task, {}), dict[str, float](), list[float | None]()
    for key, value in given.items():
        metric, comma, filter_ = key.partition(",")
        if comma and not metric.endswith(_STDERR) and (score := number(value)) is not None:
            scores[_named(metric, filter_)] = score
            errors.append(number(given.get(f"{metric}{_STDERR},{filter_}")))
    n = run.counts[task].effective if task in run.counts else None
    return aggregate_frame(
        f"{model}: results_*.json",
        list(scores.values()),
        model=model,
        task=task,
        metric=list(scores),
        n=n,
        error=errors,
    )


def _of_means(run: HarnessRun, task: str, model: str, note: str) -> BoardScores:
    """A task whose samples are not there."""
    means = _means(run, task, model)
    if means.empty:
        return BoardScores()
    scales, versions = _scales(run, task, means), _version(run, task)
    return BoardScores(aggregates=means, scales=scales, versions=versions, notes=(note,))


def _differences(run: HarnessRun, task: str, items: pd.DataFrame) -> Iterator[str]:
    """Where the run's own figure is no mean of its samples."""
    found = items.groupby("metric")["score"].mean().to_dict()
    means = _means(run, task, run.entry.label)
    for metric, mean in zip(means["metric"], means["score"], strict=True):
        if metric in found and not math.isclose(mean, found[metric], abs_tol=1e-6):
            yield f"{metric}: the run reports {mean:.4g}, its samples have {found[metric]:.4g}"


def _scales(run: HarnessRun, task: str, given: pd.DataFrame) -> dict[str, MetricScale]:
    """Of metrics that are not from 0 to 1, the more the better."""
    higher = run.higher.get(task, {})
    metrics = map(str, given["metric"].unique())
    return observed_scales(given, {name for name in metrics if higher.get(name.partition(",")[0]) is False})
