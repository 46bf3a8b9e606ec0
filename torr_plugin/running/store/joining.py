"""Joins runs of one study: its requests once, and each model's answers from the run that asked it.

A model that several runs asked in the same way keeps the answers of the first; the others fill what it lacks.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...core.atomic_files import make_directory, write_error
from ...core.errors import RunError
from ...core.versions import ENGINES, changed
from . import requests
from .keyset import KeySet
from .lock import recorded_holder
from .manifest import ANSWERED_BY, decisive, difference, folder_name, same_model, write_study
from .predictions import AnswerStore, read_answers
from .resumption import last_versions, versions_of
from .run import Run
from .shards import PLANNED, add_shard, later_series, list_folder, parquet_bytes

Place = Callable[[Path, Path], object]
"""Puts a shard of a run, which never changes, under a second name: a copy, or a link for a while."""

_SHOWN = 40


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
    again = [(run.study.get("written") or {}).get("replicates", 0) for run in (one, other)]
    if again[0] != again[1]:
        return f"replicates: {again[0]} requests there, {again[1]} here"
    if _written_alike(one, other) or _planned_keys(one) == _planned_keys(other):
        return None
    return "prompts: other ones there than here, as of another version or another harness"


def is_same_study(one: Run, other: Run) -> bool:
    """Whether two runs can be joined: one study, all of its requests written in both.

    Raises:
        RunError: requests are damaged.
    """
    prints = {run.study.get("fingerprint") for run in (one, other)}
    written = all(run.study.get("written") for run in (one, other))
    return len(prints) == 1 and written and study_difference(one, other) is None


def _written_alike(one: Run, other: Run) -> bool:
    """Whether one version planned both; an import's requests are what the harness asked."""
    if "imported" in one.study or "imported" in other.study:
        return False
    versions = [(run.study.get("versions") or {}).get("torr-plugin") for run in (one, other)]
    written = [run.study.get("written") for run in (one, other)]
    return bool(written[0]) and written[0] == written[1] and versions[0] == versions[1]


def _planned_keys(run: Run) -> set[str]:
    run.request_tables()  # an error where they were not all written
    tables = requests.planned_tables(run.path / "requests", ("key",))
    return {key for table in tables for key in table["key"].to_pylist()}


def join_runs(runs: Sequence[Run], out: Path, place: Place = shutil.copyfile) -> JoinedRuns:
    """Join runs of one study in an empty folder, which becomes a run that can be resumed.

    Args:
        runs: the first one's answers count before the others'. Nothing in them is changed.
        out: the folder.
        place: how a shard gets there.

    Raises:
        RunError: the studies differ, a label is another model in another run, a run is being written or
            damaged, or ``out`` cannot be written.
    """
    _refuse_unequal(runs)
    asked = _asked(runs)
    study = _joined_study(runs, asked)
    make_directory(out / "requests")
    _place_shards(runs[0].path / "requests", out / "requests", PLANNED, place)
    joined = Run(out, study)
    notes = [note for label, having in asked.items() for note in _join_model(joined, label, having, place)]
    write_study(out, study)
    shared = tuple(label for label, having in asked.items() if len(having) > 1)
    return JoinedRuns(joined, shared, tuple(notes))


def refuse_repeats(runs: Sequence[Path]) -> None:
    """Each run is to be given once.

    Raises:
        RunError: one is given twice, be it under two names.
    """
    seen: dict[Path, Path] = {}
    for run in runs:
        place = run.resolve()
        if place in seen:
            other = seen[place]
            found = "it is given twice" if other == run else f"it is {other} under another name"
            raise RunError(f"{run}: {found}; expected each run once")
        seen[place] = run


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
    found: dict[str, list[Run]] = {}
    for run in runs:
        for label in run.models():
            found.setdefault(label, []).append(run)
    for label, having in found.items():
        # a model that could not be loaded may have come back with other arguments
        having[:] = [run for run in having if run.has_answers(label)] or having[:1]
        for one, other in combinations(having, 2):
            there, here = _record(one, label), _record(other, label)
            if not same_model(there, here):
                names = ("model", "args", "chat")
                differs = difference(
                    {name: there[name] for name in names}, {name: here[name] for name in names}
                )
                raise RunError(
                    f"{other.path}: model {label!r} is another than in {one.path} ({differs}); "
                    "expected one model under a name"
                )
    return found


def _record(run: Run, label: str) -> dict[str, Any]:
    return next(dict(model) for model in run.study["models"] if model["label"] == label)


def _joined_study(runs: Sequence[Run], asked: Mapping[str, Sequence[Run]]) -> dict[str, Any]:
    """The first run's study.yaml with the models of all, and what the others were made with."""
    study = dict(runs[0].study)
    study["models"] = list[dict[str, Any]]()
    taken = set[str]()
    for label, (run, *_) in asked.items():
        record = _record(run, label)
        record["folder"] = folder_name(label, taken)
        taken.add(record["folder"])
        engines = {name: one for name, one in versions_of(run.study, record).items() if name in ENGINES}
        study["models"].append({**record, ANSWERED_BY: engines})
    for run in runs[1:]:
        before, now = last_versions(study), last_versions(run.study)
        other = {name: now.get(name) for name in {**before, **now} if before.get(name) != now.get(name)}
        if other:
            attempt = {"at": run.study.get("created"), "versions": other}
            study["resumed"] = [*(study.get("resumed") or ()), attempt]
        study["reused"] = [*(study.get("reused") or ()), *(run.study.get("reused") or ())]
    study["merged"] = [{"run": str(run.path), "models": run.models()} for run in runs]
    return {name: value for name, value in study.items() if name != "reused" or value}


def _join_model(joined: Run, label: str, having: Sequence[Run], place: Place) -> Iterator[str]:
    """Put the answers of a model in place, with the requests that follow from them; a line on each choice."""
    first, *others = having
    folder, asked = joined.folder(label), joined.path / "requests"
    series = later_series(folder_name(label))
    make_directory(folder)
    _place_shards(first.folder(label), folder, PLANNED, place)
    _place_shards(first.path / "requests", asked, series, place)
    for other in others:
        yield _ModelInTwoRuns(joined, label, first, other).add_answers()


@dataclass(frozen=True)
class _ModelInTwoRuns:
    """A model that the joined run has from its first run, and another one has too."""

    joined: Run
    label: str
    first: Run
    other: Run

    @property
    def _requests(self) -> Path:
        return self.joined.path / "requests"

    def add_answers(self) -> str:
        """Add the answers that the joined run lacks; a line that says how many, and how many differ."""
        store = AnswerStore.resume(self.joined.folder(self.label))
        there = read_answers(self.other.folder(self.label))
        differing = _differing(read_answers(store.folder), there)
        self._add_later_requests(differing)
        wanted = KeySet()
        for table in requests.request_tables(self._requests, ("key",), replicates=True):
            wanted.add(table["key"].to_pylist())
        keys, failed = there["key"].to_pylist(), there["error"].is_valid().to_pylist()
        known = (keyset.contained(keys) for keyset in (wanted, store.answered, store.failed))
        lacking = [
            asked and not answered and not (error and failed_here)
            for asked, answered, failed_here, error in zip(*known, failed, strict=True)
        ]
        store.append_table(there.filter(pa.array(lacking, pa.bool_())))
        return self._line(sum(lacking), differing)

    def _add_later_requests(self, differing: Mapping[str, object]) -> None:
        """Add the follow-ups of cells that have none yet, and whose answers are the same in both runs."""
        closed = KeySet()
        for table in requests.planned_tables(self._requests, ("key", *requests.CELL)):
            closed.add(_cells_of(table, differing))
        for table in requests.later_tables(self._requests, self.label, requests.CELL):
            closed.add(requests.cells(table))
        series = later_series(folder_name(self.label))
        for table in requests.later_tables(self.other.path / "requests", self.label):
            known = closed.contained(requests.cells(table))
            fresh = table.filter(pa.array([not there for there in known], pa.bool_()))
            if fresh.num_rows:
                index = list_folder(self._requests).next_index(series)
                add_shard(self._requests, index, parquet_bytes(fresh), series=series)

    def _line(self, added: int, differing: Mapping[str, tuple[str, str]]) -> str:
        text = (
            f"{self.label!r} is in {self.first.path} and in {self.other.path}: {added:,} of its answers are "
            "from the latter"
        )
        before, now = (versions_of(run.study, _record(run, self.label)) for run in (self.first, self.other))
        engines = changed(before, now, ENGINES)
        if engines:
            text += f", made with other versions ({engines})"
        if not differing:
            return text
        key, answers = next(iter(differing.items()))
        one, two = (repr(answer[:_SHOWN]) for answer in answers)
        return (
            f"{text}; requests with two answers: {len(differing):,}, the former's stay "
            f"(the first: {self._cell(key)}: {one}, and {two})"
        )

    def _cell(self, key: str) -> str:
        """Data set, configuration and example of a request; its key where it is gone."""
        tables = requests.request_tables(self._requests, ("key", *requests.CELL), replicates=True)
        cell = next((cell for table in tables for cell in _cells_of(table, {key: None})), f"request {key}")
        return ", ".join(cell.split("\n")[:3])


def _differing(here: pa.Table, there: pa.Table) -> dict[str, tuple[str, str]]:
    """The keys with two different answers, and both."""
    answers = dict(zip(here["key"].to_pylist(), here["prediction"].to_pylist(), strict=True))
    pairs = zip(there["key"].to_pylist(), there["prediction"].to_pylist(), strict=True)
    return {
        key: (answers[key], text)
        for key, text in pairs
        if text is not None and answers.get(key) is not None and answers[key] != text
    }


def _cells_of(table: pa.Table, keys: Mapping[str, object]) -> Iterator[str]:
    pairs = zip(table["key"].to_pylist(), requests.cells(table), strict=True)
    return (cell for key, cell in pairs if key in keys)


def _place_shards(source: Path, target: Path, series: str, place: Place) -> None:
    for shard in list_folder(source).of(series):
        path = target / shard.path.name
        try:
            place(shard.path.resolve(), path)
        except OSError as error:
            raise write_error(path, error) from error
