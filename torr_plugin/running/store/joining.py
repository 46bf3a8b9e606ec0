"""Joins runs of one study, to be read as one: its requests once, and each model's answers from a run.

A model that several runs asked is taken from the first that has answers of it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...core.atomic_files import make_directory, write_error
from ...core.errors import RunError
from . import requests
from .lock import recorded_holder
from .manifest import (
    decisive,
    difference,
    folder_name,
    model_difference,
    write_study,
)
from .run import Run
from .shards import PLANNED, later_series, list_shards


@dataclass(frozen=True)
class JoinedRuns:
    """The run that several were joined to.

    Attributes:
        run: it; without scores.
        sources: the run that each of its models is taken from, by label.
        notes: a line on each model that another run has asked too.
    """

    run: Run
    sources: Mapping[str, Run]
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
    sources, notes = _sources(runs)
    study = {**runs[0].study, "models": list[dict[str, Any]]()}
    for label, run in sources.items():
        folder = folder_name(label, [model["folder"] for model in study["models"]])
        study["models"].append({**run.record(label), "folder": folder})
    joined = Run(out, study)
    _link_shards(runs[0].path / "requests", out / "requests", PLANNED)
    for label, run in sources.items():
        _link_shards(run.folder(label), joined.folder(label), PLANNED)
        _link_shards(run.path / "requests", out / "requests", later_series(folder_name(label)))
    write_study(out, study)
    return JoinedRuns(joined, sources, tuple(notes))


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


def _sources(runs: Sequence[Run]) -> tuple[dict[str, Run], list[str]]:
    """The run that each model is taken from, and notes on those that others have too.

    Raises:
        RunError: a label is another model, or one asked in another way, in another run.
    """
    sources, notes = dict[str, Run](), list[str]()
    for label in dict.fromkeys(label for run in runs for label in run.models()):
        having = [run for run in runs if label in run.models()]
        # a model that could not be loaded may have come back with other arguments
        first, *others = [run for run in having if run.has_answers(label)] or having[:1]
        sources[label] = first
        for other in others:
            differs = model_difference(first.record(label), other.record(label))
            if differs is not None:
                raise RunError(
                    f"{other.path}: model {label!r} is another than in {first.path} ({differs}); "
                    "expected one model under a name"
                )
            notes.append(f"{label!r} is in {first.path} and in {other.path}: the former's answers count")
    return sources, notes


def _link_shards(source: Path, target: Path, series: str) -> None:
    """Give the shards of a folder their names in another; a copy where no link can be made."""
    make_directory(target)
    for shard in list_shards(source, series):
        path = target / shard.path.name
        try:
            try:
                os.symlink(shard.path.resolve(), path)
            except OSError:  # not every file system has links, nor every user the right to make them
                shutil.copyfile(shard.path, path)
        except OSError as error:
            raise write_error(path, error) from error
