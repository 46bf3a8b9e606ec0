"""Files of Every Eval Ever 0.3, for their answers and for their scores.

The project's converters write one score an instance, whatever results there are: HELM's exact match, or a
string match; lm-eval's first number, or 0; of inspect's epochs their mean, in each of them. So instances
count where their mean is a result's, and lm-eval's and lighteval's own scores, kept beside, come first. The
converters' hashes are made in three ways, and join nothing.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from ...core.errors import InputError
from ...prompts import Message
from .board import BoardScores, MetricScale, joined, stacked
from .eee_files import HELM, INSPECT, LIGHTEVAL, LM_EVAL, OURS, EeeAggregate, EeeInstance, check_version
from .eee_results import EeeEntry, board_of_results, newest_results, scale_of_result
from .files import at, is_count, read_json, read_lines
from .frames import ItemTable
from .inspect_files import score_number
from .log import Log, LogFile, LogReader, Result, model_entry
from .names import AS_IS, DEFAULT, NONE, digest, plain_name

_WRITTEN = re.compile(rb'"schema_version"\s*:\s*"')  # not so the schemas themselves
_BESIDE = {LM_EVAL: "lm_eval_metrics", LIGHTEVAL: "lighteval_metrics"}
_PROMPTS = {LM_EVAL, HELM}  # whose raw input went through a model's chat template, or was cut to its window


def _holds(path: Path, head: bytes) -> bool:
    """Whether a file is one of the two."""
    wanted = {".jsonl": b'"sample_id"', ".json": b'"source_metadata"'}.get(path.suffix)
    found = wanted is not None and wanted in head and b'"evaluation_id"' in head
    return found and _WRITTEN.search(head) is not None


class _Found(NamedTuple):
    """What is below a folder, or in a file.

    Attributes:
        groups: the instances, each with their board: items of a result, or none.
        results: the results that no instances are of.
        notes: what was chosen, a line each.
    """

    groups: tuple[tuple[_InstanceGroup, BoardScores], ...]
    results: BoardScores
    notes: tuple[str, ...]


def _found(path: Path) -> _Found:
    """The results and instances, matched.

    Raises:
        InputError: a file is damaged or by another version of the schemas; or a metric has two directions.
    """
    files = EEE.files(path)
    aggregates = [read_json(each, EeeAggregate) for each in files if each.suffix == ".json"]
    results, notes = newest_results(aggregates)
    libraries = {each.evaluation_id: each.library for each in aggregates}
    # those of results that do not count, for newer ones are there, do not either
    old = libraries.keys() - {each.aggregate.evaluation_id for each in results}
    read = (group for each in files if each.suffix == ".jsonl" for group in _instances(each, libraries))
    groups = [group for group in read if group.key[0] not in old]
    used = set[int]()
    matched = tuple((group, _of_instances(group, results, used, groups)) for group in groups)
    others = board_of_results([each for place, each in enumerate(results) if place not in used])
    return _Found(matched, others, tuple(notes))


def _scores(path: Path) -> BoardScores:
    """The results and instances below a folder, or in a file."""
    found = _found(path)
    return joined([BoardScores(notes=found.notes), *(board for _, board in found.groups), found.results])


# -- answers ---------------------------------------------------------------------------------------------


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
    found = _found(path)
    if not found.groups:
        raise InputError(f"{path}: holds results without instances, so no answers; torr audit reads them")
    notes, files = list(found.notes), list[LogFile]()
    for group, board in found.groups:
        entry = model_entry(
            f"{group.path}: model_id", model="eee", args={"model": group.model}, name=group.model
        )
        files.append(LogFile(f"{group.path.name}: {group.name}", entry, partial(_results, group, board)))
        notes += board.notes
        if group.most_epochs > 1:
            notes.append(f"{group.name}: {group.model}: of several epochs the first is imported")
    return Log(tuple(files), notes=tuple(dict.fromkeys(notes)))


def _results(group: _InstanceGroup, board: BoardScores) -> Sequence[Result]:
    items = board.items[board.items["replicate"] == 0]
    known = defaultdict[str, dict[str, float]](dict)
    scored = items.loc[items["score"].notna(), ["item", "metric", "score"]]
    for item, metric, score in scored.itertuples(index=False):
        known[item][metric] = score
    task, config = (items["task"].iloc[0], items["config"].iloc[0]) if len(items) else (group.name, "")
    given, main = config.split("/"), board.main.get(task)
    found = dict[str, Result]()
    for where, line in read_lines(group.path, _Answered):
        if line.group != group.key or line.sample_id in found:
            continue
        found[line.sample_id] = Result(
            dataset=plain_name(task),
            example=line.sample_id,
            config=config if len(given) == 3 and all(given) else f"{AS_IS}/{NONE}/{DEFAULT}",
            prompt=(Message("user", line.formatted or line.raw),),
            references=tuple(line.reference),
            answer=None if line.error is not None else line.answer(),
            where=where,
            error=line.error,
            scores=known[line.sample_id],
            main=main,
        )
    return list(found.values())


# -- instances -------------------------------------------------------------------------------------------


@dataclass
class _InstanceGroup:
    """The instances of one model and evaluation in a file.

    Attributes:
        path: the file.
        key: the aggregate results' id, the model, the name of the evaluation, the result's id where lines
            have one.
        library: which wrote them.
        table: the samples.
        epochs: their scores, by sample.
        notes: of how many something is to be said.
    """

    path: Path
    key: tuple[str, str, str, str]
    library: str
    table: ItemTable = field(default_factory=ItemTable)
    epochs: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    notes: Counter[str] = field(default_factory=Counter)

    @property
    def model(self) -> str:
        """Whose they are."""
        return self.key[1]

    @property
    def name(self) -> str:
        """What the evaluation is called."""
        return self.key[2]

    @property
    def most_epochs(self) -> int:
        """How often a sample was asked, at most."""
        return max(map(len, self.epochs.values()), default=0)


def _instances(path: Path, libraries: Mapping[str, str]) -> list[_InstanceGroup]:
    groups = dict[tuple[str, ...], _InstanceGroup]()
    for where, line in read_lines(path, EeeInstance):
        if (group := groups.get(line.group)) is None:
            try:
                check_version(line.schema_version)
            except ValueError as error:
                raise InputError(f"{where}: schema_version: {error}") from None
            library = libraries.get(line.evaluation_id) or _library(line)
            group = groups[line.group] = _InstanceGroup(path, line.group, library)
        _add(group, line)
    return list(groups.values())


def _library(line: EeeInstance) -> str:
    """Which converter wrote a line, where its aggregate results are not there."""
    known = line.metadata or {}
    beside = (library for library, key in _BESIDE.items() if key in known)
    return next(beside, INSPECT if {"epoch", "stop_reason"} <= known.keys() else "unknown")


def _add(group: _InstanceGroup, line: EeeInstance) -> None:
    known, failed = line.metadata or {}, line.error is not None
    epoch = str(known.get("epoch", known.get("replicate", "")))
    if epoch:
        group.epochs[line.sample_id].append(line.score)
    scores: dict[str, float | None] = {"": line.score}
    if beside := _BESIDE.get(group.library):
        numbers = {name: score_number(value) for name, value in line.logged(beside).items()}
        scores = {name: score for name, score in numbers.items() if score is not None}
        if not scores:
            group.notes["instances without a score, where the converter wrote 0, are unscored"] += 1
    if failed:
        group.notes["failed instances that the converter scored are failed"] += 1
    raw = "" if group.library in _PROMPTS else line.raw
    group.table.add(
        line.sample_id,
        {} if failed else scores,
        replicate=int(epoch) - (group.library == INSPECT) if is_count(epoch) else 0,
        failed=failed,
        same=str(known.get("doc_hash") or digest(raw, *line.reference)),
        cluster=str(known.get("table", "")) if group.library == OURS else "",
    )


def _of_instances(
    group: _InstanceGroup, results: Sequence[EeeEntry], used: set[int], groups: Sequence[_InstanceGroup]
) -> BoardScores:
    """The instances as items of the result that they are of; nothing where they are of none."""
    candidates = _candidates(group, results)
    first = next(iter(candidates.values()), None)
    task, config = (group.name, "") if first is None else (first.task, first.config)
    notes = [f"{count} {note}" for note, count in group.notes.items()]
    others = {other.library for other in groups if other.name == group.name} - {group.library}
    if others:
        task = f"{task} ({group.library})"
        notes.append(f"is kept apart from that of {', '.join(sorted(others))}")
    frame = group.table.frame(group.model, task, config)
    alike = all(len(set(each)) == 1 for each in group.epochs.values())
    if group.library == INSPECT and group.most_epochs > 1 and alike:
        frame = frame[~frame.duplicated(["item", "metric"])].assign(replicate=0)
        notes.append("all epochs have one score, which the converter repeats; one counts")
    if not candidates:
        notes.append("instances without results beside them, so nothing tells what their scores are")
    kept, scales, main = list[pd.DataFrame](), dict[str, MetricScale](), dict[str, str]()
    for metric, rows in frame.groupby("metric", sort=False):
        place = _result_of(str(metric), rows, candidates, exact=group.library == OURS)
        if place is None and candidates:
            own = ", ".join(
                f"{each.metric} {each.score:.4g}"
                + ("" if isnan(each.result.n) else f" of {each.result.n:,.0f}")
                for each in candidates.values()
            )
            found = f"{rows['item'].nunique():,} instances with a mean of {rows['score'].mean():.4g}"
            notes.append(f"{found} are of no result ({own}); the results count")
            continue
        name, scored = str(metric) or "score", rows
        if place is not None:
            entry = candidates[place]
            name, scored = entry.metric, _as_result(rows, entry)
            scales[name] = scale_of_result(entry)
            used.add(place)
        main.setdefault(task, name)
        kept.append(scored.assign(metric=name))
    said = (f"{task}: {group.model}: {note}" for note in notes)
    return BoardScores(items=stacked(kept), scales=scales, main=main, notes=tuple(said))


def _candidates(group: _InstanceGroup, results: Sequence[EeeEntry]) -> dict[int, EeeEntry]:
    """The results that instances may be of: by id, else by name, else all of their evaluation."""
    evaluation, model, name, id_ = group.key
    mine = {
        place: each
        for place, each in enumerate(results)
        if (each.aggregate.evaluation_id, each.aggregate.model) == (evaluation, model)
    }
    by_id = {at: each for at, each in mine.items() if id_ and each.result.evaluation_result_id == id_}
    by_name = {at: each for at, each in mine.items() if name in {each.task, each.result.evaluation_name}}
    return by_id or by_name or mine


def _as_result(rows: pd.DataFrame, entry: EeeEntry) -> pd.DataFrame:
    """Scores in the unit of their result; -1 is none where its scale has a level that is not known."""
    unknown = (rows["score"] == -1) & entry.result.metric_config.has_unknown_level
    scores = rows["score"].where(~unknown) / (100 if entry.result.percent else 1)
    found: pd.DataFrame = rows.assign(score=scores, status=rows["status"].where(~unknown, "unscored"))
    return found


def _result_of(
    metric: str, rows: pd.DataFrame, candidates: Mapping[int, EeeEntry], *, exact: bool
) -> int | None:
    """The result whose score is these instances' mean, each over its replicates."""
    for place, each in candidates.items():
        mean = _as_result(rows, each).groupby("item")["score"].mean().mean()
        near = max(1e-6, 0.5 * 10.0**-each.result.digits)
        named = not metric or metric in each.result.names or each.metric.partition(",")[0] == metric
        whole = not rows["item"].nunique() < each.result.n
        if named and (exact or (whole and abs(mean - each.score) <= near)):
            return place
    return None


EEE = LogReader(
    "EEE",
    "files of Every Eval Ever 0.3, results (.json) or instances (.jsonl)",
    re.compile(r".*\.jsonl?"),
    scores=_scores,
    holds=_holds,
    log=_log,
)
"""Reads a file, or all below a folder, as a data store's ``data`` is."""
