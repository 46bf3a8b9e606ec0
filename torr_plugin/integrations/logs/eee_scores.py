"""Every Eval Ever 0.3: aggregate results, and instances where they are what the results are of.

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
from math import isnan
from pathlib import Path

import pandas as pd

from ...core.errors import InputError
from .board import BoardScores, ItemTable, MetricScale, joined, stacked
from .eee_files import (
    HELM,
    INSPECT,
    LIGHTEVAL,
    LM_EVAL,
    OURS,
    EeeAggregate,
    EeeInstance,
    check_version,
)
from .eee_results import EeeEntry, board_of_results, newest_results, scale_of_result
from .files import files_of, is_count, read_json, read_lines
from .inspect_files import score_number
from .names import digest

NAMED = re.compile(r".*\.jsonl?")
"""Matches the names of both files, and of others."""

_WRITTEN = re.compile(rb'"schema_version"\s*:\s*"')  # not so the schemas themselves
_BESIDE = {LM_EVAL: "lm_eval_metrics", LIGHTEVAL: "lighteval_metrics"}
_PROMPTS = {LM_EVAL, HELM}  # whose raw input went through a model's chat template, or was cut to its window


def holds(path: Path, head: bytes) -> bool:
    """Whether a file is one of the two."""
    wanted = {".jsonl": b'"sample_id"', ".json": b'"source_metadata"'}.get(path.suffix)
    found = wanted is not None and wanted in head and b'"evaluation_id"' in head
    return found and _WRITTEN.search(head) is not None


@dataclass(frozen=True)
class EeeFolder:
    """What is below a folder, or in a file.

    Attributes:
        groups: the instances, each with their board: items of a result, or none.
        results: the results that no instances are of.
        notes: what was chosen, a line each.
    """

    groups: tuple[tuple[InstanceGroup, BoardScores], ...]
    results: BoardScores
    notes: tuple[str, ...]


def scores(path: Path) -> BoardScores:
    """The results and instances below a folder, or in a file.

    Raises:
        InputError: a file is damaged or by another version of the schemas; or a metric has two directions.
    """
    found = read_folder(path)
    boards = (board for _, board in found.groups)
    return joined([BoardScores(notes=found.notes), *boards, found.results])


def read_folder(path: Path) -> EeeFolder:
    """The results and instances, matched.

    Raises:
        InputError: as :func:`scores`.
    """
    files = files_of(path, NAMED, holds)
    aggregates = [read_json(each, EeeAggregate) for each in files if each.suffix == ".json"]
    results, notes = newest_results(aggregates)
    libraries = {each.evaluation_id: each.library for each in aggregates}
    # those of results that do not count, for newer ones are there, do not either
    counted = {each.aggregate.evaluation_id for each in results}
    known = {each.evaluation_id for each in aggregates} - counted
    read = (group for each in files if each.suffix == ".jsonl" for group in _instances(each, libraries))
    groups = [group for group in read if group.key[0] not in known]
    used = set[int]()
    matched = tuple((group, _of_instances(group, results, used, groups)) for group in groups)
    others = board_of_results([each for place, each in enumerate(results) if place not in used])
    return EeeFolder(matched, others, tuple(notes))


# -- instances -------------------------------------------------------------------------------------------


@dataclass
class InstanceGroup:
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
    table: ItemTable
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


def _instances(path: Path, libraries: Mapping[str, str]) -> list[InstanceGroup]:
    groups = dict[tuple[str, ...], InstanceGroup]()
    for where, line in read_lines(path, EeeInstance):
        if (group := groups.get(line.group)) is None:
            try:
                check_version(line.schema_version)
            except ValueError as error:
                raise InputError(f"{where}: schema_version: {error}") from None
            library = libraries.get(line.evaluation_id) or _library(line)
            group = groups[line.group] = InstanceGroup(path, line.group, library, ItemTable(str(path)))
        _add(group, line)
    return list(groups.values())


def _library(line: EeeInstance) -> str:
    """Which converter wrote a line, where its aggregate results are not there."""
    known = line.metadata or {}
    beside = (library for library, key in _BESIDE.items() if key in known)
    return next(beside, INSPECT if {"epoch", "stop_reason"} <= known.keys() else "unknown")


def _add(group: InstanceGroup, line: EeeInstance) -> None:
    known = line.metadata or {}
    epoch = str(known.get("epoch", known.get("replicate", "")))
    replicate = int(epoch) - (group.library == INSPECT) if is_count(epoch) else 0
    scores: dict[str, float | None] = {"": line.score}
    if beside := _BESIDE.get(group.library):
        numbers = {name: score_number(value) for name, value in line.logged(beside).items()}
        scores = {name: score for name, score in numbers.items() if score is not None}
        if not scores:
            group.notes["instances without a score, where the converter wrote 0, are unscored"] += 1
    if line.error is not None:
        scores = {}
        group.notes["failed instances that the converter scored are failed"] += 1
    raw = "" if group.library in _PROMPTS else line.raw
    same = str(known.get("doc_hash") or digest(raw, *line.reference))
    if epoch:
        group.epochs[line.sample_id].append(line.score)
    cluster = str(known.get("table", "")) if group.library == OURS else ""
    failed = line.error is not None
    group.table.add(line.sample_id, scores, replicate=replicate, failed=failed, same=same, cluster=cluster)


def _of_instances(
    group: InstanceGroup, results: Sequence[EeeEntry], used: set[int], groups: Sequence[InstanceGroup]
) -> BoardScores:
    """The instances as items of the result that they are of; nothing where they are of none."""
    candidates = _candidates(group, results)
    task = next((each.task for each in candidates.values()), group.name)
    config = next((each.config for each in candidates.values()), "")
    notes = [f"{count} {note}" for note, count in group.notes.items()]
    others = {other.library for other in groups if other.name == group.name}
    if len(others) > 1:
        task = f"{task} ({group.library})"
        notes.append(f"is kept apart from that of {', '.join(sorted(others - {group.library}))}")
    frame = group.table.frame(group.model, task, config)
    frame, repeated = _without_repeats(group, frame)
    if repeated:
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
        name = str(metric) or "score"
        if place is not None:
            name = candidates[place].metric
            scales[name] = scale_of_result(candidates[place])
            used.add(place)
        main.setdefault(task, name)
        kept.append(_as_result(rows, candidates.get(place if place is not None else -1)).assign(metric=name))
    said = (f"{task}: {group.model}: {note}" for note in notes)
    return BoardScores(items=stacked(kept), scales=scales, main=main, notes=tuple(said))


def _candidates(group: InstanceGroup, results: Sequence[EeeEntry]) -> dict[int, EeeEntry]:
    """The results that instances may be of: by id, else by name, else all of their evaluation."""
    mine = {
        place: each
        for place, each in enumerate(results)
        if (each.aggregate.evaluation_id, each.aggregate.model) == group.key[:2]
    }
    by_id = {
        place: each
        for place, each in mine.items()
        if group.key[3] and each.result.evaluation_result_id == group.key[3]
    }
    by_name = {
        place: each for place, each in mine.items() if group.name in {each.task, each.result.evaluation_name}
    }
    return by_id or by_name or mine


def _as_result(rows: pd.DataFrame, entry: EeeEntry | None) -> pd.DataFrame:
    """Scores in the unit of their result; -1 is none where its scale has a level that is not known."""
    if entry is None:
        return rows
    scores = rows["score"]
    unknown = (scores == -1) & entry.result.metric_config.has_unknown_level
    status = rows["status"].where(~unknown, "unscored")
    share: pd.DataFrame = rows.assign(
        score=scores.where(~unknown) / (100 if entry.result.percent else 1), status=status
    )
    return share


def _without_repeats(group: InstanceGroup, frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """One row a sample where the epochs' mean stands in each of them."""
    most = max(map(len, group.epochs.values()), default=0)
    if group.library != INSPECT or most < 2 or any(len(set(each)) > 1 for each in group.epochs.values()):
        return frame, False
    return frame[~frame.duplicated(["item", "metric"])].assign(replicate=0), True


def _result_of(
    metric: str, rows: pd.DataFrame, candidates: Mapping[int, EeeEntry], *, exact: bool
) -> int | None:
    """The result whose score is these instances' mean, each over its replicates."""
    for place, each in candidates.items():
        mean = _as_result(rows, each).groupby("item")["score"].mean().mean()
        digits = each.result.digits
        near = max(1e-6, 0.5 * 10.0**-digits) if digits < 6 else 1e-6
        named = not metric or metric in each.result.names or each.metric.partition(",")[0] == metric
        whole = not rows["item"].nunique() < each.result.n
        if named and (exact or (whole and abs(mean - each.score) <= near)):
            return place
    return None
