"""Several runs: answers of earlier ones are reused in a run, and runs of one study are joined.

A key is asked once: reuse copies its answer. Joined runs are read as one: the requests once, and each
model's answers from the first run that has some.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ...core.atomic_files import make_directory, write_error
from ...core.errors import RunError
from ...core.versions import versions
from ..answer import ANSWERED_BY, SERVED
from .lock import recorded_holder
from .manifest import (
    decisive,
    difference,
    model_difference,
    model_record,
    other_engine,
    plain,
    served_by,
    write_study,
)
from .run import Run
from .shards import (
    PLANNED,
    folder_name,
    later_series,
    later_tables,
    list_shards,
    planned_keys,
    planned_tables,
    read_answers,
)

if TYPE_CHECKING:
    from ...recipes import ModelEntry


def reuse(run: Run, entry: ModelEntry, folders: Sequence[Path | str]) -> tuple[int, list[str]]:
    """Copy answers of earlier runs into a run, as if the model had given them now.

    A key stands for a prompt and all generation parameters, and an answer is taken only if it has a wanted
    key and comes from the same kind of model with the same arguments and the same chat setting; one that was
    cut at fewer tokens than now is then asked again, as in any run. Keys and passwords among the arguments
    are not recorded and so not compared. Errors are not taken. At a temperature above 0 the answers are the
    draws of the earlier run. Replicates are always asked: their answers are neither taken nor given.

    What was taken from where is added to study.yaml, under ``reused``, and the names by which a server gave
    it to those by which it ``answered_by``.

    Args:
        run: takes them; its lock is held.
        entry: the model; only what it has no answer to is taken.
        folders: the earlier runs, the first before the others.

    Returns:
        How many answers were taken, and a note on each run.

    Raises:
        RunError: a folder is not a run, or its answers are damaged, or they cannot be written here.
    """
    store, count = run.answers(entry.label), 0
    notes, wanted = list(store.notes), run.keys(entry.label)
    for folder in folders:
        earlier = Run.open(folder)
        if earlier.path.resolve() == run.path.resolve():
            notes.append(f"{folder}: is this run itself; it has nothing to reuse")
            continue
        record = model_record(entry, "")
        same = [model for model in earlier.study["models"] if model_difference(model, record) is None]
        if not same:
            labels = ", ".join(earlier.models()) or "none"
            notes.append(f"{folder}: has no model asked as {entry.label!r} is; its models: {labels}")
        for model in same:
            label = str(model["label"])
            keys = wanted | _follow_ups(earlier, label, wanted) if "stages" in run.study else wanted
            table = read_answers(earlier.folder(label))
            good = table.filter(pc.and_(table["error"].is_null(), table["prediction"].is_valid()))
            fresh = [key in keys and key not in store.answered for key in good["key"].to_pylist()]
            notes.append(_note(run, entry, earlier, model, sum(fresh)))
            if any(fresh):  # recorded first: a kill in between leaves no answer of unknown origin
                taken = {"run": str(earlier.path), "of": label, "answers": sum(fresh)}
                _record(run, entry, taken, served_by(model))
                store.append_table(good.filter(pa.array(fresh, pa.bool_())))
                count += sum(fresh)
    return count, notes


def _follow_ups(earlier: Run, label: str, wanted: set[str]) -> set[str]:
    """The keys of requests that followed from wanted ones, which cannot be planned."""
    folder, columns = earlier.path / "requests", ("key", "dataset", "config", "example", "replicate")
    planned, later = planned_tables(folder, columns), later_tables(folder, label, columns)
    begun = {cell for key, cell in _keyed_cells(planned) if key in wanted}
    return {key for key, cell in _keyed_cells(later) if cell in begun}


def _keyed_cells(tables: Iterable[pa.Table]) -> Iterator[tuple[str, str]]:
    """The key of each request, and the cell that it is for, as one text."""
    for table in tables:
        for key, *cell, replicate in zip(*(column.to_pylist() for column in table.columns), strict=True):
            yield key, "\n".join([*map(str, cell), str(replicate or 0)])  # earlier versions stored none


def _note(run: Run, entry: ModelEntry, earlier: Run, model: Mapping[str, Any], taken: int) -> str:
    text = f"{earlier.path}: {taken} answers of {entry.label!r} are reused"
    generation = (run.study.get("recipe") or {}).get("generation") or {}
    if taken and (generation.get("temperature") or 0) > 0:
        text += f", as drawn there at temperature {generation['temperature']}"
    differ = other_engine(model, versions())
    if taken and differ:
        text += f"; they were asked with other versions ({differ})"
    return text


def _record(run: Run, entry: ModelEntry, taken: Mapping[str, Any], names: Sequence[str]) -> None:
    label = plain(entry.label)
    reused, now = list(run.study.get("reused") or ()), {"model": label, **taken}
    reused += [now] * (now not in reused[-1:])  # recorded before a kill, and not taken
    models = [
        {**model, ANSWERED_BY: {SERVED: list(dict.fromkeys([*served_by(model), *names]))}}
        if names and model["label"] == label
        else model
        for model in run.study["models"]
    ]
    run.study = {**run.study, "models": models, "reused": reused}
    write_study(run.path, run.study)


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
    for run in (one, other):
        run.request_tables()  # an error where they were not all written
    if planned_keys(one.path / "requests") != planned_keys(other.path / "requests"):
        return "prompts: other ones there than here, as of another version or another harness"
    return None


def is_same_study(one: Run, other: Run) -> bool:
    """Whether two runs can be joined: one study, all of its requests written in both.

    Raises:
        RunError: requests are damaged.
    """
    return all(run.study.get("written") for run in (one, other)) and study_difference(one, other) is None


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
