"""Results of OpenCompass: ``results/MODEL/DATASET.json``, with details or without, and ``summary/*.csv``."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import RootModel

from ...core.errors import InputError
from . import readers
from .board import BoardScores, MetricScale, joined
from .files import number, read_json
from .frames import ItemTable, aggregate_frame, decoded, number_of_digits
from .helm_files import SPEC
from .log import LogReader, newest_runs
from .names import digest
from .table_files import read_columns

_SUMMARY = re.compile(r"summary_\d{8}_\d{6}\.csv")
_NAMED = re.compile(rf".+\.json|{_SUMMARY.pattern}")
_SHARD = re.compile(r"(?P<dataset>.+)_(?P<part>\d+)")
_JUDGED = re.compile(r".+_replica\d+")
_CORRECT = ("correct", "is_correct", "cascade_correct")  # in the order in which OpenCompass looks
_GOLD = ("references", "gold", "refr")
_MAIN: tuple[str, ...] = (
    *("score", "auc_score", "accuracy", "humaneval_pass@1", "rouge1", "avg_toxicity_score", "bleurt_diff"),
    *("matthews_correlation", "truth", "f1", "exact_match", "extract_rate"),
)
_NO_METRIC = frozenset(("bp", "sys_len", "ref_len", "type", "details"))
_HEADER = ["dataset", "version", "metric", "mode"]


class _Result(RootModel[dict[str, Any]]):
    """A result file: metrics and, if they were asked for, details."""


class _ResultFile(NamedTuple):
    """A result file, by its place."""

    path: Path
    run: str
    model: str
    dataset: str

    @classmethod
    def at(cls, path: Path) -> _ResultFile | None:
        """``RUN/results/MODEL/DATASET.json``; None elsewhere, and for what a judge said."""
        *_, run, results, model, name = ("", "", "", *path.absolute().parts)
        whole = results == "results" and name.endswith(".json") and not _JUDGED.fullmatch(name[:-5])
        return cls(path, run, model, name[:-5]) if whole else None


def _read(path: Path) -> BoardScores:
    """The newest results of each model and data set; else what a summary says.

    Raises:
        InputError: a file is damaged, or a part of a data set is missing.
    """
    below = OPENCOMPASS.files(path)
    newest, notes = newest_runs(
        filter(None, map(_ResultFile.at, below)),
        of=lambda file: (file.model, file.dataset),
        when=lambda file: file.run,
        said=lambda file: (file.dataset, file.model, file.run),
    )
    if not newest:
        summaries = [file for file in below if _SUMMARY.fullmatch(file.name)]
        return joined(_summary(file) for file in summaries[-1:])
    return joined([*(_scores(files) for files in _whole(newest)), BoardScores(notes=tuple(notes))])


def _whole(newest: Sequence[_ResultFile]) -> Iterator[list[_ResultFile]]:
    """Data sets, each as its only file or as its parts in order: ``arc_0.json``, ``arc_1.json``, ..."""
    parts, known = defaultdict[tuple[str, str], dict[int, _ResultFile]](dict), {each[2:] for each in newest}
    for file in newest:
        if (match := _SHARD.fullmatch(file.dataset)) and (file.model, match["dataset"]) not in known:
            parts[file.model, match["dataset"]][int(match["part"])] = file
    sharded = {key: each for key, each in parts.items() if 0 in each and 1 in each}
    for (_, dataset), each in sharded.items():
        if sorted(each) != list(range(len(each))):
            missing = next(part for part in range(len(each)) if part not in each)
            raise InputError(
                f"{each[0].path}: half-written run: {dataset}_{missing}.json is missing beside it"
            )
        yield [each[part]._replace(dataset=dataset) for part in range(len(each))]
    in_parts = {file.path for each in sharded.values() for file in each.values()}
    yield from ([file] for file in newest if file.path not in in_parts)


def _scores(files: Sequence[_ResultFile]) -> BoardScores:
    """Of one model and data set."""
    read, first = [read_json(file.path, _Result).root for file in files], files[0]
    details = [_entries(result.get("details")) for result in read]
    numbers = (name for name, value in read[0].items() if number(value) is not None)
    metrics = [name for name in numbers if name not in _NO_METRIC]
    why = ""
    if any("error" in result for result in read):
        why = f"failed for {first.model}, and is left out"
    elif all(any(_first(each, _CORRECT) is not None for each in part) for part in details):
        return _items(first, details, number(read[0].get("accuracy")) if len(read) == 1 else None)
    elif len(files) > 1:
        why = f"parts without details have no common mean; {first.model} is left out"
    elif not metrics:
        why = f"has no score of {first.model}, and is left out"
    if why:
        return BoardScores(notes=(f"{first.dataset}: {why}",))
    metric = _main(metrics)
    value = float(read[0][metric])
    frame = aggregate_frame(
        [value],
        model=first.model,
        task=first.dataset,
        metric=_percent(metric),
        n=len(details[0]) or None,
        digits=number_of_digits(value),
    )
    return BoardScores(aggregates=frame, scales=_scale(metric, [value]))


def _main(metrics: Sequence[str]) -> str:
    """The metric that OpenCompass's own summary shows."""
    return next((name for name in _MAIN if name in metrics), metrics[0])


def _percent(metric: str) -> str:
    return f"{metric} (%)"


def _scale(metric: str, values: Iterable[float]) -> dict[str, MetricScale]:
    inside = all(0 <= value <= 100 for value in values)
    return {_percent(metric): MetricScale(high=100.0) if inside else MetricScale(-np.inf, None)}


# -- details -----------------------------------------------------------------------------------------


def _entries(details: Any) -> list[dict[str, Any]]:
    """Of each example what is said of it, in a list, or in an object with numbered keys beside ``type``."""
    if isinstance(details, dict):
        details = [each for name, each in details.items() if name.isdecimal()]
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((entry[name] for name in names if entry.get(name) is not None), None)


def _items(
    file: _ResultFile, parts: Sequence[Sequence[Mapping[str, Any]]], accuracy: float | None
) -> BoardScores:
    """The examples of all parts; of several answers to one, and its target as often, each is a replicate."""
    table = ItemTable()
    for item, entry in enumerate(each for part in parts for each in part):
        found, gold = _first(entry, _CORRECT), _first(entry, _GOLD)
        several = isinstance(found, list)
        if several and isinstance(gold, list):
            gold = gold[0] if gold else None
        same = "" if gold is None else digest(str(gold))
        for replicate, one in enumerate(found if several else [found]):
            score = float(one) if isinstance(one, bool) else number(one)
            table.add(item, {"correct": score}, replicate=replicate, same=same)
    frame = table.frame(file.model, file.dataset)
    scores, notes = frame["score"].dropna(), list[str]()
    percent = bool(scores.max() > 1)
    mean = float(scores.mean()) * (1 if percent else 100)
    if accuracy is not None and abs(accuracy - mean) > 0.01:
        notes.append(
            f"{file.dataset}: OpenCompass's accuracy of {file.model} is {accuracy:g}, its details' {mean:g}"
        )
    if len(parts) > 1:
        notes.append(f"{file.dataset}: parts are counted on, as each starts at 0")
    if not percent:
        return BoardScores(frame, notes=tuple(notes))
    frame = frame.assign(metric=_percent("correct"))
    return BoardScores(frame, scales=_scale("correct", scores), notes=tuple(notes))


# -- summary_*.csv -----------------------------------------------------------------------------------


def _summary(path: Path) -> BoardScores:
    """Percentages with two decimals; a group, which has no version, is the mean of its parts."""
    columns = read_columns(path)
    if list(columns.names[:4]) != _HEADER:
        raise InputError(f"{path}: has the columns {list(columns.names[:4])}; expected {_HEADER}")
    texts = (columns.texts(at) for at in range(3))
    dataset, version, metric = (decoded(names, codes) for codes, names in texts)
    single = (version != "-") & (metric != "-")
    parts = list[Any]()
    for at in range(4, len(columns.names)):
        numbers = columns.numbers(at)
        parts.append(
            aggregate_frame(
                np.where(single, numbers.values, np.nan),
                model=columns.names[at].strip(),
                task=dataset,
                metric=np.array([_percent(name) for name in metric], dtype=object),
                digits=2,
            )
        )
    board = joined(BoardScores(aggregates=part) for part in parts)
    scales = dict[str, MetricScale]()
    for name in dict.fromkeys(metric[single]):
        scales |= _scale(name, list(board.aggregates["score"][board.aggregates["metric"] == _percent(name)]))
    main = {task: _percent(_main(list(metric[single & (dataset == task)]))) for task in dataset[single]}
    groups = sorted(set(dataset[~single]))
    notes = (f"left out, as means of others or without results: {', '.join(groups[:8])}",) if groups else ()
    return BoardScores(aggregates=board.aggregates, scales=scales, main=main, notes=notes)


def _holds(path: Path, head: bytes) -> bool:
    if _SUMMARY.fullmatch(path.name):
        return head.startswith(",".join(_HEADER).encode())
    if _ResultFile.at(path) is None or head.lstrip()[:1] != b"{" or (path.parent / SPEC).is_file():
        return False
    # files of other harnesses may lie in a folder of that name too, and say whose they are
    others = (readers.get(name) for name in readers.names() if name not in ("opencompass", "table"))
    return not any(each.holds is not None and each.holds(path, head) for each in others)


OPENCOMPASS = LogReader(
    "opencompass",
    "a work_dir of OpenCompass, a folder results in it, or summary_*.csv",
    _NAMED,
    scores=_read,
    holds=_holds,
)
"""Reads what ``--work-dir`` named, or a run in it."""
