"""Joins runs of one study: its requests once, and each model's answers from the runs that asked it.

A model that several runs asked in the same way keeps the answers of the first; the others fill what it lacks.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...core.atomic_files import make_directory, write_error
from ...core.errors import RunError
from ...core.versions import ENGINES, changed
from . import requests
from .lock import recorded_holder
from .manifest import (
    decisive,
    difference,
    folder_name,
    model_difference,
    versions_of,
    write_study,
)
from .run import Run
from .shards import PLANNED, add_shard, later_series, list_shards


@dataclass(frozen=True)
class JoinedRuns:
    """The run that several were joined to.

    Attributes:
        run: it; without scores.
        shared: the models that several of the runs had asked.
        notes: a line on each of these.
    """

    run: Run
    shared: tuple[str, ...]
    notes: tuple[str, ...]


def study_difference(one: Run, other: Run) -> str | None:
    """The first thing in which two runs' studies differ, as ``field: 7 there, 8 here``; None if nothing does.

    Raises:
        RunError: requests are damaged or were not all written.
    """
    prints = [run.study.get("fingerprint") or None for run in (one, other)]
    if None in prints or prints[0] != prints[1]:
        there, here = decisive(one.study), decisive(other.study)
        return difference(there, here) or f"fingerprint: {prints[0]} there, {prints[1]} here"
    if _planned_keys(one) != _planned_keys(other):
        return "prompts: other ones there than here, as of another version or another harness"
    return None


def is_same_study(one: Run, other: Run) -> bool:
    """Whether two runs can be joined: one study, all of its requests written in both.

    Raises:
        RunError: requests are damaged.
    """
    prints = {run.study.get("fingerprint") for run in (one, other)}
    written = all(run.study.get("written") for run in (one, other))
    return len(prints) == 1 and written and study_difference(one, other) is None


def _planned_keys(run: Run) -> set[str]:
    run.request_tables()  # an error where they were not all written
    tables = requests.planned_tables(run.path / "requests", ("key",))
    return {key for table in tables for key in table["key"].to_pylist()}


def join_runs(runs: Sequence[Run], out: Path) -> JoinedRuns:
    """Join runs of one study in an empty folder, by links to their files.

    Args:
        runs: the first one's answers count before the others'. Nothing in them is changed.
        out: the folder.

    Raises:
        RunError: the studies differ, a label is another model in another run, a run is being written or
            damaged, or ``out`` cannot be written.
    """
    _refuse_unequal(runs)
    asked = _asked(runs)
    joined = Run(out, _joined_study(runs, asked))
    folder = out / "requests"
    _link_shards([runs[0].path / "requests"], folder, PLANNED)
    notes: list[str] = []
    for label, (first, *others) in asked.items():
        _link_shards([run.folder(label) for run in (first, *others)], joined.folder(label), PLANNED)
        _link_shards([first.path / "requests"], folder, later_series(folder_name(label)))
        for other in others:
            _add_follow_ups(folder, label, other)
            engines = changed(_versions(first, label), _versions(other, label), ENGINES)
            versions = f", made with other versions ({engines})" if engines else ""
            where = f"{label!r} is in {first.path} and in {other.path}"
            notes.append(f"{where}: answers that the former lacks are from the latter{versions}")
    write_study(out, joined.study)
    shared = tuple(label for label, having in asked.items() if len(having) > 1)
    return JoinedRuns(joined, shared, tuple(notes))


def refuse_repeats(runs: Sequence[Path]) -> None:
    """Each run is to be given once.

    Raises:
        RunError: one is given twice, be it under two names.
    """
    seen: dict[Path, Path] = {}
    for run in runs:
        other = seen.setdefault(run.resolve(), run)
        if other is not run:
            what = "it is given twice" if other == run else f"it is {other} under another name"
            raise RunError(f"{run}: {what}; expected each run once")


def _refuse_unequal(runs: Sequence[Run]) -> None:
    for run in runs:
        holder = recorded_holder(run.path)
        if holder is not None and holder.alive:
            raise RunError(f"{run.path}: {holder} is writing this run; wait for it")
    first, *others = runs
    for other in others:
        differs = study_difference(first, other)
        if differs is not None:
            raise RunError(
                f"{other.path}: is of another study than {first.path} ({differs}); expected runs of one study"
            )


def _asked(runs: Sequence[Run]) -> dict[str, list[Run]]:
    """Each model's label, and the runs that asked it.

    Raises:
        RunError: a label is another model, or one asked in another way, in another run.
    """
    asked: dict[str, list[Run]] = {}
    for run in runs:
        for label in run.models():
            asked.setdefault(label, []).append(run)
    for label, having in asked.items():
        # a model that could not be loaded may have come back with other arguments
        having[:] = [run for run in having if run.has_answers(label)] or having[:1]
        for other in having[1:]:
            differs = model_difference(having[0].record(label), other.record(label))
            if differs is not None:
                raise RunError(
                    f"{other.path}: model {label!r} is another than in {having[0].path} ({differs}); "
                    "expected one model under a name"
                )
    return asked


def _joined_study(runs: Sequence[Run], asked: Mapping[str, Sequence[Run]]) -> dict[str, Any]:
    """The first run's study.yaml with the models of all."""
    study = {**runs[0].study, "models": list[dict[str, Any]]()}
    for label, (run, *_) in asked.items():
        folder = folder_name(label, [model["folder"] for model in study["models"]])
        study["models"].append({**run.record(label), "folder": folder})
    return study


def _versions(run: Run, label: str) -> dict[str, str]:
    return versions_of(run.study, run.record(label))


def _add_follow_ups(folder: Path, label: str, other: Run) -> None:
    """Add the requests that followed from another run's answers, of cells that have none yet."""
    there = {
        cell
        for table in requests.later_tables(folder, label, requests.CELL)
        for cell in requests.cells(table)
    }
    for table in requests.later_tables(other.path / "requests", label):
        fresh = table.filter(pa.array([cell not in there for cell in requests.cells(table)], pa.bool_()))
        if fresh.num_rows:
            add_shard(folder, fresh, later_series(folder_name(label)))


def _link_shards(sources: Sequence[Path], target: Path, series: str) -> None:
    """Give the shards of several folders, in their order, names in one; a copy where no link can be made."""
    make_directory(target)
    shards = [shard for source in sources for shard in list_shards(source, series)]
    for number, shard in enumerate(shards):
        source, path = shard.path.resolve(), target / f"{series}-{number:06d}.parquet"
        try:
            try:
                os.symlink(source, path)
            except OSError:  # not every file system has links, nor every user the right to make them
                shutil.copyfile(source, path)
        except OSError as error:
            raise write_error(path, error) from error
