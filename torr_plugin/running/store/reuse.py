"""Reuse answers of earlier runs: do not ask a model the same request again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from ...core.versions import ENGINES, changed, versions
from ...recipes import prompt_of_row
from ...recipes.request import replicate_key, request_key
from ..answer import MOST_CHARACTERS, answer_schema, cut_at, longest
from . import requests
from .manifest import model_record, plain, same_model, versions_of, write_study
from .run import Run
from .shards import DamagedShardError, stream

if TYPE_CHECKING:
    from ...recipes import ModelEntry


@dataclass(frozen=True, slots=True)
class ReuseResult:
    """How many answers were taken, and notes on them, a line each."""

    count: int
    notes: tuple[str, ...] = ()


def reuse(run: Run, entry: ModelEntry, folders: Sequence[Path | str]) -> ReuseResult:
    """Copy answers of earlier runs into a run, as if the model had given them now.

    A key stands for a prompt and all generation parameters, and an answer is taken only if it has a wanted
    key and comes from the same kind of model with the same arguments and the same chat setting. Where the
    earlier run allowed shorter answers, those that were not cut are taken. Keys and
    passwords among the arguments are not recorded and so not compared. Errors and damaged shards (which are
    left) are not taken. Another process may be writing
    the earlier run. At a temperature above 0 the answers are the draws of the earlier run. Replicates are
    always asked: their answers are neither taken nor given.

    What was taken from where is added to study.yaml, under ``reused``.

    Args:
        run: takes them; its lock is held.
        entry: the model; only what it has no answer to is taken.
        folders: the earlier runs, the first before the others.

    Raises:
        RunError: a folder is not a run, or the answers cannot be written.
    """
    store = run.answers(entry.label)
    notes, count = list(store.notes), 0
    wanted = run.keys(entry.label)
    for folder in folders:
        earlier = Run.open(folder)
        if earlier.path.resolve() == run.path.resolve():
            notes.append(f"{folder}: is this run itself; it has nothing to reuse")
            continue
        same = [model for model in earlier.study["models"] if same_model(model, model_record(entry, ""))]
        if not same:
            labels = ", ".join(earlier.models())
            others = f"its models: {labels}" if labels else "it has no models"
            notes.append(f"{folder}: has no model asked as {entry.label!r} is; {others}")
        for model in same:
            source = _EarlierAnswers(run, entry, earlier, str(model["label"]))
            taken = 0
            for table in source.tables(wanted, store.answered):
                store.append_table(table)
                taken += table.num_rows
            count += taken
            notes += [*source.notes, _note(run, entry, earlier, model, taken)]
            _record(run, entry, source, taken)
    return ReuseResult(count, tuple(notes))


@dataclass
class _EarlierAnswers:
    """The answers of a model of an earlier run, as they can be taken for a model of this one."""

    run: Run
    entry: ModelEntry
    earlier: Run
    label: str
    notes: list[str] = field(default_factory=list)

    def tables(self, wanted: set[str], there: set[str]) -> Iterator[pa.Table]:
        """The wanted answers that are not there, each key once; ``there`` grows with what was taken."""
        renamed = self._renamed()
        wanted = wanted | self._follow_ups(wanted) if "stages" in self.run.study else wanted
        for table in stream(self.earlier.folder(self.label), answer_schema(), on_damage=self._damaged):
            good = table.filter(pc.and_(_sound(table), self._long_enough(table)))
            keys = [renamed.get(key, key) for key in good["key"].to_pylist()]
            first = {key: row for row, key in reversed(list(enumerate(keys)))}
            rows = sorted(row for key, row in first.items() if key in wanted and key not in there)
            good = good.set_column(0, good.schema.field("key"), pa.array(keys, pa.string()))
            yield good.take(pa.array(rows, pa.int64()))

    def _generations(self) -> tuple[dict[str, Any], dict[str, Any]]:
        now, then = (dict(run.study.get("generation") or {}) for run in (self.run, self.earlier))
        return now, then

    def _long_enough(self, table: pa.Table) -> pa.ChunkedArray:
        """Whether each answer would be the same now: it was not cut, or at no fewer tokens."""
        now, then = self._generations()
        most = longest(self.entry.generation_under(now))
        return pc.fill_null(pc.greater_equal(cut_at(table, then.get("max_tokens")), most), True)

    def _renamed(self) -> dict[str, str]:
        """Keys of planned requests then -> now, where generation differs in ``max_tokens`` alone."""
        now, then = self._generations()
        if now == then or {**now, "max_tokens": then.get("max_tokens")} != then:
            return {}
        now_called: dict[str, str] = {}
        columns = ("key", "prompt", "messages", "images", "replicate")
        for table in requests.planned_tables(self.earlier.path / "requests", columns, self._damaged):
            for row in table.to_pylist():
                key = request_key(prompt_of_row(row), now)
                now_called[row["key"]] = replicate_key(key, row["replicate"] or 0)
        return now_called

    def _follow_ups(self, wanted: set[str]) -> set[str]:
        """The keys of requests that followed from wanted ones alone, which cannot be planned."""
        folder, columns = self.earlier.path / "requests", ("key", *requests.CELL)
        begun, other, follow_ups = set[str](), set[str](), set[str]()
        for table in map(_first, requests.planned_tables(folder, columns, self._damaged)):
            for key, cell in zip(table["key"].to_pylist(), requests.cells(table), strict=True):
                (begun if key in wanted else other).add(cell)
        for table in map(_first, requests.later_tables(folder, self.label, columns, self._damaged)):
            pairs = zip(table["key"].to_pylist(), requests.cells(table), strict=True)
            follow_ups.update(key for key, cell in pairs if cell in begun and cell not in other)
        return follow_ups

    def _damaged(self, path: Path, error: DamagedShardError) -> None:
        self.notes.append(f"{path}: damaged ({error}); left as it is, and not reused")


def _first(table: pa.Table) -> pa.Table:
    return table.filter(requests.first_answers(table))


def _sound(table: pa.Table) -> pa.ChunkedArray:
    """Whether each row is an answer, of a text no longer than any run stores."""
    short = pc.less_equal(pc.utf8_length(table["prediction"]), MOST_CHARACTERS)
    return pc.and_(table["error"].is_null(), pc.fill_null(short, False))


def _note(run: Run, entry: ModelEntry, earlier: Run, model: Mapping[str, Any], taken: int) -> str:
    text = f"{earlier.path}: {taken} answers of {entry.label!r} are reused"
    generation = (run.study.get("recipe") or {}).get("generation") or {}
    if taken and (generation.get("temperature") or 0) > 0:
        text += f", as drawn there at temperature {generation['temperature']}"
    differ = changed(versions_of(earlier.study, model), versions(), ENGINES)
    if taken and differ:
        text += f"; they were asked with other versions ({differ})"
    return text


def _record(run: Run, entry: ModelEntry, source: _EarlierAnswers, taken: int) -> None:
    """Note in study.yaml what was taken, added to what earlier attempts took from there."""
    reused: list[Mapping[str, Any]] = list(run.study.get("reused") or ())
    there = {"model": plain(entry.label), "run": str(source.earlier.path), "of": source.label}
    before = next((record for record in reused if there.items() <= record.items()), None)
    if not taken and before is None:
        return
    now = {
        **there,
        "fingerprint": source.earlier.study.get("fingerprint"),
        "answers": taken + int((before or {}).get("answers") or 0),
    }
    others = [record for record in reused if record is not before]
    run.study = {**run.study, "reused": [*others, now]}
    write_study(run.path, run.study)
