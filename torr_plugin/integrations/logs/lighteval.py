"""Results of lighteval: of each run a ``results_*.json``, and a ``details_*.parquet`` a task."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from ...core.errors import InputError
from .board import BoardScores, MetricScale, joined
from .files import DATE, HarnessModel, Text, at, files_below, head_of, number, read_json
from .frames import aggregate_frame, item_frame
from .log import LogReader, newest_runs
from .scales import scale_of
from .table_files import check_parquet, numbered, open_table

_DETAILS = re.compile(rf"details_(?P<task>.+)_(?P<date>{DATE})\.parquet")
_RESULTS = re.compile(rf"results_(?P<date>{DATE})\.json")
_OVERALL = re.compile(r"all|.*:_average(?:\|.*)?")
_NUMPY = re.compile(r"np\.(?:float|int|bool)\w*\(([^()]*)\)")
_LONGEST = 100_000  # characters of one sample's scores
_ROWS = 1 << 14  # at once: prompts and answers stand beside the scores


class _LightevalRun(HarnessModel):
    """``results_*.json``."""

    model: Text = at("config_general", "model_name")
    results: dict[str, dict[str, Any]]
    config_tasks: dict[str, Any] = Field(default_factory=dict)


class _DetailsFile(NamedTuple):
    """A file, and whose and of when it is."""

    path: Path
    date: str
    model: str
    task: str = ""


def _read(path: Path) -> BoardScores:
    """The newest results of each model and task; means only of what has no details.

    Raises:
        InputError: a file is damaged, or has another version's fields.
    """
    details, results = list[_DetailsFile](), list[tuple[_DetailsFile, _LightevalRun]]()
    for file in files_below(path):
        if match := _DETAILS.fullmatch(file.name):
            details.append(_DetailsFile(file, match["date"], _model_of(file), match["task"]))
        elif (match := _RESULTS.fullmatch(file.name)) and (file == path or _holds(file, head_of(file))):
            run = read_json(file, _LightevalRun)
            results.append((_DetailsFile(file, match["date"], run.model), run))
    newest, notes = newest_runs(
        details,
        of=lambda file: (file.model, file.task),
        when=lambda file: file.date,
        said=lambda file: (file.task, file.model, f"of {file.date}"),
    )
    parts, detailed = list(map(_details, newest)), {(file.model, file.task) for file in newest}
    means = dict[tuple[str, str], tuple[_DetailsFile, _LightevalRun]]()
    for source, run in sorted(results, key=lambda each: each[0].date):
        means |= {(run.model, task): (source, run) for task in run.results if not _OVERALL.fullmatch(task)}
    parts += [_means(*of, task) for (model, task), of in means.items() if (model, task) not in detailed]
    return joined([*parts, BoardScores(notes=tuple(notes))])


def _model_of(file: Path) -> str:
    """``details/ORG/MODEL/DATE/``, or ``details_ORG__MODEL/DATE/`` as on the hub."""
    above = file.absolute().parent.parent.parts
    if "details" in above:
        return "/".join(above[len(above) - above[::-1].index("details") :]) or above[-1]
    return above[-1].removeprefix("details_").replace("__", "/")


# -- details -----------------------------------------------------------------------------------------


def _details(file: _DetailsFile) -> BoardScores:
    """The samples of a task."""
    ids, same, scores = list[str | None](), list[str](), dict[str, list[Any]]()
    for rows in _batches(file.path):
        for name in dict.fromkeys([*scores, *rows.scores]):
            column = scores.setdefault(name, [None] * len(ids))
            column += rows.scores.get(name) or [None] * len(rows.ids)
        ids += rows.ids
        same += rows.same
    metrics = [name for name, column in scores.items() if any(number(each) is not None for each in column)]
    if not metrics:
        raise InputError(f"{file.path}: has no scores; expected a column metric, or metrics, with numbers")
    frames, scales = list[pd.DataFrame](), dict[str, MetricScale]()
    for metric in metrics:
        # a sample has a row for each kind of answer that it was asked for, with the scores of that kind
        asked = [place for place, each in enumerate(scores[metric]) if each is not None]
        items = [ids[place] if ids[place] is not None else str(count) for count, place in enumerate(asked)]
        values = [float(scores[metric][place]) for place in asked]
        scales |= scale_of(metric, values)
        frames.append(
            item_frame(
                file.path,
                values,
                model=file.model,
                task=file.task,
                item=np.array(numbered([str(each) for each in items]), dtype=object),
                metric=metric,
                same=np.array([same[place] for place in asked], dtype=object),
            )
        )
    notes = (f"{file.task}: {metrics[0]} counts, of {', '.join(metrics)}",) if len(metrics) > 1 else ()
    return BoardScores(
        pd.concat(frames, ignore_index=True), scales=scales, main={file.task: metrics[0]}, notes=notes
    )


class _Rows(NamedTuple):
    """Some samples: ids or None, digests of the questions, scores by metric with None where not asked for."""

    ids: list[str | None]
    same: list[str]
    scores: dict[str, list[Any]]


def _batches(path: Path) -> Iterator[_Rows]:
    """A column ``metric`` since June 2025; ``metrics`` before, which was once a text."""
    with open_table(path) as file:
        check_parquet(path, file)
        table = pq.ParquetFile(file)
        there = set(table.schema_arrow.names)
        names = [
            name for name in ("metric", "metrics", "doc", "example", "gold", "gold_index") if name in there
        ]
        fields = ["metric", "metrics", "doc.id", "doc.query", "example", "gold"]
        if not {"metric", "metrics"} & set(names):
            raise InputError(f"{path}: has the columns {sorted(there)[:8]}; expected metric or metrics")
        for batch in table.iter_batches(_ROWS, columns=fields, use_threads=False):
            scores = batch.column("metric" if "metric" in there else "metrics")
            doc = batch.column("doc") if "doc" in names else None
            ids = _field(doc, "id", len(batch))
            queries = _field(doc, "query", len(batch)) if doc is not None else _texts(batch, "example")
            golds = _texts(batch, "gold")
            questions = [f"{query}\n{gold}" for query, gold in zip(queries, golds, strict=True)]
            same = [f"{code:016x}" for code in pd.util.hash_array(np.array(questions, dtype=object))]
            yield _Rows(ids, same, _by_metric(scores, path))


def _field(doc: Any, name: str, rows: int) -> list[str | None]:
    if doc is None or name not in {field.name for field in doc.type}:
        return [None] * rows
    return list(doc.field(name).cast(pa.string()).to_pylist())


def _texts(batch: Any, name: str) -> list[str | None]:
    if name not in batch.schema.names:
        return [None] * len(batch)
    return [None if each is None else str(each) for each in batch.column(name).to_pylist()]


def _by_metric(scores: Any, path: Path) -> dict[str, list[Any]]:
    if pa.types.is_struct(scores.type):
        kinds = (pa.types.is_floating, pa.types.is_integer, pa.types.is_boolean)
        numeric = [field.name for field in scores.type if any(kind(field.type) for kind in kinds)]
        return {name: _numbers(scores.field(name)) for name in numeric}
    if not pa.types.is_string(scores.type):
        raise InputError(f"{path}: metrics: is of type {scores.type!s:.80}; expected scores by metric")
    found = [_literal(text, path) for text in scores.to_pylist()]
    return {
        name: [each.get(name) for each in found]
        for name in dict.fromkeys(key for each in found for key in each)
    }


def _numbers(column: Any) -> list[float | None]:
    return list(column.cast(pa.uint8() if pa.types.is_boolean(column.type) else pa.float64()).to_pylist())


def _literal(text: str | None, path: Path) -> Mapping[str, Any]:
    """``{'acc': 1}``, as Python writes it."""
    plain = re.sub(r"\bnan\b", "None", _NUMPY.sub(r"\1", (text or "")[: _LONGEST + 1]))
    try:
        found = ast.literal_eval(plain) if len(plain) <= _LONGEST else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        found = None
    if not isinstance(found, dict):
        raise InputError(f"{path}: metrics: found {text!r:.60}; expected scores by metric")
    return {str(name): float(each) for name, each in found.items() if isinstance(each, (bool, int, float))}


# -- results -----------------------------------------------------------------------------------------


def _means(file: _DetailsFile, run: _LightevalRun, task: str) -> BoardScores:
    values = {name: number(each) for name, each in run.results[task].items()}
    metrics = [name for name, each in values.items() if each is not None and not name.endswith("_stderr")]
    if not metrics:
        return BoardScores(notes=(f"{task}: {run.model} has no score, and is left out",))
    frame = aggregate_frame(
        file.path,
        [values[name] for name in metrics],
        model=run.model,
        task=task,
        metric=metrics,
        error=[values.get(f"{name}_stderr") for name in metrics],
        n=_count(run.config_tasks, task),
    )
    scales = {name: scale for name in metrics for scale in scale_of(name, [values[name] or 0.0]).values()}
    return BoardScores(aggregates=frame, scales=scales, main={task: metrics[0]})


def _count(tasks: Mapping[str, Any], task: str) -> float:
    """How many samples were asked; the configurations' names may lack the number of shots."""
    for name in (task, task.rsplit("|", 1)[0]):
        config = tasks.get(name)
        count = number(config.get("effective_num_docs")) if isinstance(config, dict) else None
        if count is not None and count >= 1:
            return count
    return float("nan")


def _holds(path: Path, head: bytes) -> bool:
    if _DETAILS.fullmatch(path.name):
        return head.startswith(b"PAR1")
    return _RESULTS.fullmatch(path.name) is not None and b'"config_general"' in head


LIGHTEVAL = LogReader(
    "lighteval",
    "a folder that lighteval wrote, or a file details_*.parquet or results_*.json of it",
    re.compile(rf"details_.+_{DATE}\.parquet|results_{DATE}\.json"),
    scores=_read,
    holds=_holds,
)
"""Reads what ``--output-dir`` named, and details as they are on the hub."""
