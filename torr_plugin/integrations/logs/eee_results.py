"""The aggregate results of Every Eval Ever that count, and as a board's scores."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pandas as pd

from ...core.errors import InputError
from .board import AGGREGATE_COLUMNS, BoardScores, MetricScale
from .eee_files import EeeAggregate, EeeResult
from .helm_files import TEST

_OVERALL = re.compile(r"(.*[\s/_.:-])?(overall|average|avg|mean|total)([\s/_.:-].*)?", re.IGNORECASE)


class EeeEntry(NamedTuple):
    """A result with what it is of."""

    aggregate: EeeAggregate
    result: EeeResult
    task: str
    config: str
    metric: str
    split: str

    @property
    def cell(self) -> tuple[str, str, str, str]:
        """Model, task, configuration and metric."""
        return self.aggregate.model, self.task, self.config, self.metric

    @property
    def score(self) -> float:
        """The score, of a percentage as a share."""
        return self.result.score / (100 if self.result.percent else 1)


def newest_results(read: Iterable[EeeAggregate]) -> tuple[list[EeeEntry], list[str]]:
    """The results that count: known ones, of the test split where there is one, the newest of several."""
    found, notes = dict[tuple[str, str, str, str], EeeEntry](), list[str]()
    for aggregate in sorted(read, key=lambda each: each.evaluation_timestamp or each.retrieved_timestamp):
        entries = list(_entries(aggregate))
        for entry in _counted(entries, notes):
            if entry.result.unknown:
                notes.append(f"{entry.task}: {aggregate.model}: a score of -1 is one that is not known")
                continue
            if (other := found.get(entry.cell)) is not None and other.aggregate is not aggregate:
                notes.append(f"{entry.task}: several results of {aggregate.model}; the newest counts")
            found[entry.cell] = entry
    return list(found.values()), notes


def _entries(aggregate: EeeAggregate) -> Iterator[EeeEntry]:
    """The results of a file; of several scorers with one metric each by its own name."""
    given = [(result, *result.place(aggregate.library)) for result in aggregate.evaluation_results]
    several = Counter(
        (task, metric, split, result.metric_config.config) for result, task, metric, split in given
    )
    for result, task, metric, split in given:
        if several[task, metric, split, result.metric_config.config] > 1:
            metric = result.evaluation_result_id or result.evaluation_name  # noqa: PLW2901
        yield EeeEntry(aggregate, result, task, result.metric_config.config or "", metric, split)


def _counted(entries: Sequence[EeeEntry], notes: list[str]) -> Iterator[EeeEntry]:
    """A file's results without those of other splits than the test split, and without overalls of others."""
    tested = {(each.task, each.metric) for each in entries if each.split == TEST}
    parts = defaultdict[str, set[tuple[str, str]]](set)
    for each in entries:
        parts[each.metric].add((each.task, each.config))
    for each in entries:
        if each.split not in {"", TEST} and (each.task, each.metric) in tested:
            notes.append(f"{each.task}: {each.split} results left out, for those of the test split are there")
            continue
        others = parts[each.metric] - {(each.task, each.config)}
        below = {other for other in others if _is_part(other, each)}
        if below or (len(others) > 1 and _OVERALL.fullmatch(each.task)):
            notes.append(f"{each.task}: {each.metric} over others is left out, for its parts count")
            continue
        yield each


def _is_part(other: tuple[str, str], whole: EeeEntry) -> bool:
    task, config = other
    if task == whole.task:
        return bool(config) and not whole.config
    return task.startswith(tuple(f"{whole.task}{mark}" for mark in ("/", ".", ":", " - ", "_")))


def board_of_results(entries: Sequence[EeeEntry]) -> BoardScores:
    """Results as aggregates.

    Raises:
        InputError: a metric has two directions, or shares stand beside percentages.
    """
    rows = list[tuple[str, str, str, str, float, float, float, int]]()
    scales, main = dict[str, MetricScale](), dict[str, str]()
    notes = list[str]()
    for each in entries:
        result = each.result
        error = result.error / (100 if result.percent else 1)
        rows.append((*each.cell, each.score, result.n, error, result.digits))
        scales[each.metric] = _wider(scales.get(each.metric), scale_of_result(each))
        main.setdefault(each.task, each.metric)
        if result.percent:
            notes.append(f"{each.task}: {each.metric} is in percent, and is read as a share")
    frame: pd.DataFrame = pd.DataFrame(rows, columns=list(AGGREGATE_COLUMNS))
    _refuse_two_units(each for each in entries if not each.result.told)
    return BoardScores(aggregates=frame, scales=scales, main=main, notes=tuple(dict.fromkeys(notes)))


def _refuse_two_units(entries: Iterable[EeeEntry]) -> None:
    """Refuse shares beside percentages, where no file says which its scores are."""
    found = dict[tuple[str, str], EeeEntry]()
    for each in entries:
        other = found.setdefault((each.task, each.metric), each)
        low, high = sorted((each.score, other.score))
        if 0 < low <= 1 < high <= 100:
            raise InputError(
                f"{each.task}: {each.metric} is {low:g} of one model and {high:g} of another: a share beside "
                "a percentage? expected metric_unit, or max_score, in both"
            )
        if each.score > 1:
            found[each.task, each.metric] = each


def scale_of_result(entry: EeeEntry) -> MetricScale:
    """How to read a result's scores.

    Raises:
        InputError: its bounds are none.
    """
    low, high = (0.0, 1.0) if entry.result.percent else entry.result.bounds
    if high is not None and high <= low:
        raise InputError(
            f"{entry.task}: {entry.metric}: found min_score {low:g} and max_score {high:g}; expected a range"
        )
    return MetricScale(low, high, not entry.result.metric_config.lower_is_better)


def _wider(known: MetricScale | None, scale: MetricScale) -> MetricScale:
    if known is None or known == scale:
        return scale
    if known.higher_is_better is not scale.higher_is_better:
        raise InputError(f"a metric has two directions: {known} and {scale}; expected one of lower_is_better")
    high = None if None in (known.high, scale.high) else max(known.high or 0.0, scale.high or 0.0)
    return MetricScale(min(known.low, scale.low), high, scale.higher_is_better)
