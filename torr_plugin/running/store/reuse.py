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
from ...recipes.replicates import replicate_key
from ...recipes.request import keys_under
from ..answer import MOST_CHARACTERS, MOST_ERROR_CHARACTERS, answer_schema, cut_at, longest
from . import requests
from .keyset import KeySet
from .manifest import model_record, plain, same_model, write_study
from .predictions import AnswerStore
from .resumption import versions_of
from .run import Run
from .shard_reading import stream
from .shards import DamagedShardError

if TYPE_CHECKING:
    from ...recipes import ModelEntry

ROWS_A_SHARD = 4096
_MOST_COUNT = 10**12


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
    passwords among the arguments are not recorded and so not compared. Errors, damaged shards (which are
    left) and values that no run stores, such as endless texts, are not taken. Another process may be writing
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
    wanted_later = "stages" in run.study
    for folder in folders:
        earlier = Run.open(folder)
        if earlier.path.resolve() == run.path.resolve():
            notes.append(f"{folder}: is this run itself; it has nothing to reuse")
            continue
        found = [model for model in earlier.study["models"] if same_model(model, model_record(entry, ""))]
        if not found:
            labels = ", ".join(earlier.models())
            others = f"its models: {labels}" if labels else "it has no models"
            notes.append(f"{folder}: has no model asked as {entry.label!r} is; {others}")
        for model in found:
            source = _SourceModel(earlier, str(model["label"]), wanted_later, _Room.of(run, entry, earlier))
            taken = source.copy(wanted, store)
            count += taken
            notes += source.notes
            notes.append(_note(run, entry, earlier, model, taken))
            _record(run, entry, source, taken)
    return ReuseResult(count, tuple(notes))


@dataclass(frozen=True)
class _Room:
    """How long answers may be now, where that was otherwise in an earlier run.

    Attributes:
        earlier: the run.
        before: tokens of an answer then, where its row does not say.
        most: tokens of an answer now; what was cut at fewer is asked again.
        generation: the parameters of the keys now, where the earlier ones differ in ``max_tokens`` alone.
    """

    earlier: Run
    before: int | None
    most: float
    generation: Mapping[str, Any] | None

    @classmethod
    def of(cls, run: Run, entry: ModelEntry, earlier: Run) -> _Room:
        now, then = (dict(each.study.get("generation") or {}) for each in (run, earlier))
        differs = now != then and {**now, "max_tokens": then.get("max_tokens")} == then
        most = longest(entry.generation_under(now))
        return cls(earlier, then.get("max_tokens"), most, now if differs else None)

    def suffices(self, table: pa.Table) -> pa.ChunkedArray:
        """Whether each answer would be the same now: it was not cut, or at no fewer tokens."""
        return pc.fill_null(pc.greater_equal(cut_at(table, self.before), self.most), True)

    def renamed(self) -> dict[str, str]:
        """The earlier run's keys of planned requests -> what they are now; empty where they are the same."""
        if self.generation is None:
            return {}
        key_of, found = keys_under(self.generation), dict[str, str]()
        columns = ("key", "prompt", "messages", "images", "replicate")
        for table in requests.planned_tables(self.earlier.path / "requests", columns):
            for row in table.to_pylist():
                found[row["key"]] = replicate_key(key_of(prompt_of_row(row)), row["replicate"] or 0)
        return found


@dataclass
class _SourceModel:
    """A model of an earlier run."""

    run: Run
    label: str
    with_later: bool
    room: _Room
    notes: list[str] = field(default_factory=list)

    def copy(self, wanted: KeySet, store: AnswerStore) -> int:
        """Add the answers that are wanted and not there yet; gives their number."""
        later = self._later(wanted) if self.with_later else KeySet()
        taken, waiting, count = store.answered.copy(), list[Any](), 0
        for table in self._answers():
            keys = table["key"].to_pylist()
            chosen = _chosen(keys, taken, (wanted, later))
            taken.add(key for key, good in zip(keys, chosen, strict=True) if good)
            waiting.append(table.filter(pa.array(chosen, pa.bool_())))
            if sum(part.num_rows for part in waiting) >= ROWS_A_SHARD:
                count += _append(waiting, store)
                waiting = []
        return count + _append(waiting, store)

    def _answers(self) -> Iterator[pa.Table]:
        """The answers, without errors and without values that no run of ours stores."""
        folder = self.run.folder(self.label)
        renamed = self.room.renamed()
        for table in stream(folder, answer_schema(), self._damaged, bounded=True):
            found = table.filter(pc.and_(_sound(table), self.room.suffices(table)))
            if renamed:
                keys = [renamed.get(key, key) for key in found["key"].to_pylist()]
                found = found.set_column(0, table.schema.field("key"), pa.array(keys, pa.string()))
            yield found

    def _later(self, wanted: KeySet) -> KeySet:
        """The keys of follow-ups of wanted answers, which cannot be planned."""
        folder, columns = self.run.path / "requests", ("key", *requests.CELL)
        begun, other, found = KeySet(), KeySet(), KeySet()
        for stored in requests.planned_tables(folder, columns, damaged=self._damaged):
            table = stored.filter(requests.first_answers(stored))
            good, cells = wanted.contained(table["key"].to_pylist()), requests.cells(table)
            begun.add(cell for cell, planned in zip(cells, good, strict=True) if planned)
            other.add(cell for cell, planned in zip(cells, good, strict=True) if not planned)
        for stored in requests.later_tables(folder, self.label, columns, damaged=self._damaged):
            table = stored.filter(requests.first_answers(stored))
            cells = requests.cells(table)
            pairs = zip(begun.contained(cells), other.contained(cells), strict=True)
            whole = [is_begun and not is_other for is_begun, is_other in pairs]
            found.add(key for key, good in zip(table["key"].to_pylist(), whole, strict=True) if good)
        return found

    def _damaged(self, path: Path, error: DamagedShardError) -> None:
        self.notes.append(f"{path}: damaged ({error}); left as it is, and not reused")


def _sound(table: pa.Table) -> pa.ChunkedArray:
    """Whether each row is an answer such as a run stores: its text bounded, and its counts possible."""

    def possible(good: Any) -> Any:
        return pc.fill_null(good, True)

    found = pc.and_(table["error"].is_null(), table["prediction"].is_valid())
    texts = {"prediction": MOST_CHARACTERS, "reasoning": MOST_CHARACTERS}
    for name, most in {**texts, "finish_reason": MOST_ERROR_CHARACTERS}.items():
        found = pc.and_(found, possible(pc.less_equal(pc.utf8_length(table[name]), most)))
    counts = ("seconds", "prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens")
    for name in (*counts, "reasoning_tokens", "max_tokens"):
        column = table[name]
        bounded = pc.and_(pc.greater_equal(column, 0), pc.less_equal(column, _MOST_COUNT))
        found = pc.and_(found, possible(bounded))
    return found


def _chosen(keys: Sequence[str], taken: KeySet, wanted: Sequence[KeySet]) -> list[bool]:
    """Whether to copy each answer: it is wanted, not stored yet, and the first of its key here."""
    one, other = (keys_wanted.contained(keys) for keys_wanted in wanted)
    first = {key: place for place, key in reversed(list(enumerate(keys)))}
    return [
        (planned or later) and not there and first[key] == place
        for place, (key, planned, later, there) in enumerate(
            zip(keys, one, other, taken.contained(keys), strict=True)
        )
    ]


def _append(tables: Sequence[pa.Table], store: AnswerStore) -> int:
    if not tables:
        return 0
    whole = pa.concat_tables(tables)
    store.append_table(whole)
    return int(whole.num_rows)


def _note(run: Run, entry: ModelEntry, earlier: Run, model: Mapping[str, Any], taken: int) -> str:
    text = f"{earlier.path}: {taken} answers of {entry.label!r} are reused"
    generation = (run.study.get("recipe") or {}).get("generation") or {}
    if taken and (generation.get("temperature") or 0) > 0:
        text += f", as drawn there at temperature {generation['temperature']}"
    differ = changed(versions_of(earlier.study, model), versions(), ENGINES)
    if taken and differ:
        text += f"; they were asked with other versions ({differ})"
    return text


def _record(run: Run, entry: ModelEntry, source: _SourceModel, taken: int) -> None:
    """Note in study.yaml what was taken, added to what earlier attempts took from there."""
    reused: list[Mapping[str, Any]] = list(run.study.get("reused") or ())
    there = {"model": plain(entry.label), "run": str(source.run.path), "of": source.label}
    before = next((each for each in reused if there.items() <= each.items()), None)
    if not taken and before is None:
        return
    now = {
        **there,
        "fingerprint": source.run.study.get("fingerprint"),
        "answers": taken + int((before or {}).get("answers") or 0),
    }
    run.study = {**run.study, "reused": [*(each for each in reused if each is not before), now]}
    write_study(run.path, run.study)
