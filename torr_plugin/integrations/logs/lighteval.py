"""Results of lighteval: of each run a ``results_*.json``, and a ``details_*.parquet`` a task."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq
from pydantic import Field

from ...core.errors import InputError
from .board import BoardScores, joined, stacked
from .files import DATE, HarnessModel, Text, at, number, read_json
from .frames import ItemTable, aggregate_frame
from .log import LogReader, newest_runs
from .names import digest
from .scales import observed_scales
from .table_files import check_parquet, open_table

_DETAILS = re.compile(rf"details_(?P<task>.+)_(?P<date>{DATE})\.parquet")
_RESULTS = re.compile(rf"results_{DATE}\.json")
_OVERALL = re.compile(r"all|.*:_average(?:\|.*)?")
_NUMPY = re.compile(r"np\.(?:float|int|bool)\w*\(([^()]*)\)")
_LONGEST = 100_000  # characters of one sample's scores
_ROWS = 1 << 14  # at once: prompts and answers stand beside the scores
_STDERR = "_stderr"


class _LightevalRun(HarnessModel):
    """``results_*.json``."""

    model: Text = at("config_general", "model_name")
    results: dict[str, dict[str, Any]]
    config_tasks: dict[str, Any] = Field(default_factory=dict)


class _Details(NamedTuple):
    """A file of details, and whose and of when it is."""

    path: Path
    date: str
    model: str
    task: str


def _read(path: Path) -> BoardScores:
    """The newest results of each model and task; means only of what has no details.

    Raises:
        InputError: a file is damaged, or has another version's fields.
    """
    details, means = list[_Details](), dict[tuple[str, str], _LightevalRun]()
    for file in sorted(LIGHTEVAL.files(path), key=lambda file: file.name):  # of results, by date
        if match := _DETAILS.fullmatch(file.name):
            details.append(_Details(file, match["date"], _model_of(file), match["task"]))
        else:
            run = read_json(file, _LightevalRun)
            means |= {(run.model, task): run for task in run.results if not _OVERALL.fullmatch(task)}
    newest, notes = newest_runs(
        details,
        of=lambda file: (file.model, file.task),
        when=lambda file: file.date,
        said=lambda file: (file.task, file.model, f"of {file.date}"),
    )
    detailed = {(file.model, file.task) for file in newest}
    parts = [_items(file) for file in newest]
    parts += [_means(run, task) for (model, task), run in means.items() if (model, task) not in detailed]
    return joined([*parts, BoardScores(notes=tuple(notes))])


def _model_of(file: Path) -> str:
    """``details/ORG/MODEL/DATE/``, or ``details_ORG__MODEL/DATE/`` as on the hub."""
    above = file.absolute().parent.parent.parts
    if "details" in above:
        return "/".join(above[len(above) - above[::-1].index("details") :]) or above[-1]
    return above[-1].removeprefix("details_").replace("__", "/")


# -- details -----------------------------------------------------------------------------------------


def _items(file: _Details) -> BoardScores:
    """The samples of a task, which have a row for each kind of answer, with the scores of that kind."""
    tables, met = dict[str, ItemTable](), dict[str, Counter[str]]()
    for id_, same, scores in _samples(file.path):
        for metric, score in scores.items():
            table, ids = tables.setdefault(metric, ItemTable()), met.setdefault(metric, Counter())
            item = str(len(table)) if id_ is None else id_
            ids[item] += 1  # they start again in another split
            table.add(item if ids[item] == 1 else f"{item} ({ids[item]})", {metric: score}, same=same)
    if not tables:
        raise InputError(f"{file.path}: has no scores; expected a column metric, or metrics, with numbers")
    items = stacked(table.frame(file.model, file.task) for table in tables.values())
    return BoardScores(items, scales=observed_scales(items), main={file.task: next(iter(tables))})


def _samples(path: Path) -> Iterator[tuple[str | None, str, dict[str, float]]]:
    """Of each its id, a digest of its question, and its scores.

    They are in a column ``metric`` since June 2025, and in ``metrics`` before, which was once a text.
    """
    with open_table(path) as file:
        check_parquet(path, file)
        table = pq.ParquetFile(file)
        there = table.schema_arrow.names
        scores = next((name for name in ("metric", "metrics") if name in there), None)
        if scores is None:
            raise InputError(f"{path}: has the columns {sorted(there)[:8]}; expected metric or metrics")
        fields = [scores, "doc.id", "doc.query", "example", "gold"]
        for batch in table.iter_batches(_ROWS, columns=fields, use_threads=False):
            for row in batch.to_pylist():
                doc = row.get("doc") or {}
                same = digest(str(doc.get("query", row.get("example"))), str(row.get("gold")))
                id_ = doc.get("id")
                yield None if id_ is None else str(id_), same, _numbers(row[scores], path)


def _numbers(given: Any, path: Path) -> dict[str, float]:
    """Scores by metric, also ``{'acc': 1}`` as Python writes it; those of other kinds of answers are None."""
    if isinstance(given, str):
        plain = re.sub(r"\bnan\b", "None", _NUMPY.sub(r"\1", given[: _LONGEST + 1]))
        try:
            given = ast.literal_eval(plain) if len(plain) <= _LONGEST else None
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            given = None
    if not isinstance(given, Mapping):
        raise InputError(f"{path}: metrics: found {given!r:.60}; expected scores by metric")
    return {str(name): float(each) for name, each in given.items() if isinstance(each, (bool, int, float))}


# -- results -----------------------------------------------------------------------------------------


def _means(run: _LightevalRun, task: str) -> BoardScores:
    values = {name: number(each) for name, each in run.results[task].items()}
    metrics = [name for name, each in values.items() if each is not None and not name.endswith(_STDERR)]
    if not metrics:
        return BoardScores(notes=(f"{task}: {run.model} has no score, and is left out",))
    frame = aggregate_frame(
        [values[name] for name in metrics],
        model=run.model,
        task=task,
        metric=metrics,
        error=[values.get(f"{name}{_STDERR}") for name in metrics],
        n=_count(run.config_tasks, task),
    )
    return BoardScores(aggregates=frame, scales=observed_scales(frame), main={task: metrics[0]})


def _count(tasks: Mapping[str, Any], task: str) -> float | None:
    """How many samples were asked; the configurations' names may lack the number of shots."""
    for name in (task, task.rsplit("|", 1)[0]):
        config = tasks.get(name)
        count = number(config.get("effective_num_docs")) if isinstance(config, dict) else None
        if count is not None and count >= 1:
            return count
    return None


def _holds(path: Path, head: bytes) -> bool:
    if _DETAILS.fullmatch(path.name):
        return head.startswith(b"PAR1")
    return _RESULTS.fullmatch(path.name) is not None and b'"config_general"' in head


LIGHTEVAL = LogReader(
    "lighteval",
    "a folder that lighteval wrote, or a file details_*.parquet or results_*.json of it",
    re.compile(rf"{_DETAILS.pattern}|{_RESULTS.pattern}"),
    scores=_read,
    holds=_holds,
)
"""Reads what ``--output-dir`` named, and details as they are on the hub."""
