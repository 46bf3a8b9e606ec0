"""Reuse answers of earlier runs: do not ask a model the same request again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ...core.versions import ENGINES, changed, versions
from . import requests
from .manifest import model_difference, model_record, plain, versions_of, write_study
from .predictions import read_answers
from .run import Run

if TYPE_CHECKING:
    from ...recipes import ModelEntry


def reuse(run: Run, entry: ModelEntry, folders: Sequence[Path | str]) -> tuple[int, list[str]]:
    """Copy answers of earlier runs into a run, as if the model had given them now.

    A key stands for a prompt and all generation parameters, and an answer is taken only if it has a wanted
    key and comes from the same kind of model with the same arguments and the same chat setting; one that was
    cut at fewer tokens than now is then asked again, as in any run. Keys and passwords among the arguments
    are not recorded and so not compared. Errors are not taken. At a temperature above 0 the answers are the
    draws of the earlier run. Replicates are always asked: their answers are neither taken nor given.

    What was taken from where is added to study.yaml, under ``reused``.

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
            store.append_table(good.filter(pa.array(fresh, pa.bool_())))
            count += sum(fresh)
            notes.append(_note(run, entry, earlier, model, sum(fresh)))
            if any(fresh):
                _record(run, entry, {"run": str(earlier.path), "of": label, "answers": sum(fresh)})
    return count, notes


def _follow_ups(earlier: Run, label: str, wanted: set[str]) -> set[str]:
    """The keys of requests that followed from wanted ones, which cannot be planned."""
    folder, columns = earlier.path / "requests", ("key", *requests.CELL)
    begun, follow_ups = set[str](), set[str]()
    for table in requests.planned_tables(folder, columns):
        first = table.filter(requests.first_answers(table))
        pairs = zip(first["key"].to_pylist(), requests.cells(first), strict=True)
        begun.update(cell for key, cell in pairs if key in wanted)
    for table in requests.later_tables(folder, label, columns):
        pairs = zip(table["key"].to_pylist(), requests.cells(table), strict=True)
        follow_ups.update(key for key, cell in pairs if cell in begun)
    return follow_ups


def _note(run: Run, entry: ModelEntry, earlier: Run, model: Mapping[str, Any], taken: int) -> str:
    text = f"{earlier.path}: {taken} answers of {entry.label!r} are reused"
    generation = (run.study.get("recipe") or {}).get("generation") or {}
    if taken and (generation.get("temperature") or 0) > 0:
        text += f", as drawn there at temperature {generation['temperature']}"
    differ = changed(versions_of(earlier.study, model), versions(), ENGINES)
    if taken and differ:
        text += f"; they were asked with other versions ({differ})"
    return text


def _record(run: Run, entry: ModelEntry, taken: Mapping[str, Any]) -> None:
    before = run.study.get("reused") or ()
    run.study = {**run.study, "reused": [*before, {"model": plain(entry.label), **taken}]}
    write_study(run.path, run.study)
