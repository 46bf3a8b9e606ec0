"""Counts of a run that is being written: answers, errors by kind, follow-ups; each shard counts once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ...core.thinking import NO_MARKS, ThinkingMarks
from ...recipes import request_schema
from ..answer import CUT, IN_THOUGHTS, answer_schema, refused, unfinished
from ..store.keyset import KeySet
from ..store.predictions import one_a_key, read_anew
from ..store.shard_reading import read_shard
from ..store.shards import DamagedShardError, Shard, ShardGoneError, later_series, list_folder

MOST_CHARACTERS = 120
MOST_KINDS = 1000
OTHER = "(other errors)"
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"")
_NUMBER = re.compile(r"(?<!\d)(?<!HTTP )\d[\d.,:]*")  # a status of HTTP is the kind itself


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """How often an error came, with one request that has it."""

    kind: str
    count: int
    model: str
    key: str
    error: str


class FailedRequests:
    """The failed requests of a model, by key; one that is answered later is forgotten."""

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}
        self._texts: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._kinds)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def add(self, key: str, error: str) -> None:
        """Add a failed request."""
        kind = kind_of(error)
        if kind not in self._texts and len(self._texts) >= MOST_KINDS:
            kind = OTHER
        self._texts.setdefault(kind, error)
        self._kinds[key] = kind

    def forget(self, keys: Iterable[str]) -> None:
        """Remove requests that were answered after all."""
        for key in keys:
            self._kinds.pop(key, None)

    def kinds(self, model: str) -> list[ErrorKind]:
        """The kinds, the most frequent first, each with one of its requests."""
        counts = Counter(self._kinds.values())
        example = {kind: key for key, kind in reversed(self._kinds.items())}
        return [
            ErrorKind(kind, count, model, example[kind], self._texts[kind])
            for kind, count in counts.most_common()
        ]


def kind_of(error: str) -> str:
    """An error without what differs between requests: numbers and quoted text."""
    plain = _NUMBER.sub("N", _QUOTED.sub("'...'", error[: 4 * MOST_CHARACTERS]))
    return " ".join(plain.split())[:MOST_CHARACTERS]


def most_frequent(by_model: Mapping[str, FailedRequests], most: int = 5) -> list[ErrorKind]:
    """The most frequent kinds over all models; a kind of several models is one, with the first's example."""
    merged: dict[str, ErrorKind] = {}
    for each in (kind for model, failed in by_model.items() for kind in failed.kinds(model)):
        known = merged.get(each.kind)
        merged[each.kind] = replace(known, count=known.count + each.count) if known else each
    return sorted(merged.values(), key=lambda each: -each.count)[:most]


_COUNTS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")

_ATTEMPTS = 5


@dataclass(frozen=True)
class AnswerCounts:
    """Counts of a model's stored answers.

    Attributes:
        answered: requests with a prediction.
        failed: requests with an error alone.
        cut: answers with a text that ended at ``max_tokens``.
        unfinished: answers without a text, as they ran out of tokens or ended in their thoughts.
        refused: answers that are refusals.
        prompt_tokens: of all requests whose engine reports them, as are the next ones; also of answers that
            were asked again.
        completion_tokens: of the answers.
        cached_tokens: of the prompts, what a prefix cache had.
        cache_write_tokens: of the prompts, what was put into one.
        reasoning_tokens: of the answers, their thoughts.
        uncounted: answers whose engine does not report their tokens.
        last: when the newest shard was written, in seconds since 1970; None where there is none.
        damaged: shards that cannot be read, a line each; they are not counted.
    """

    answered: int = 0
    failed: int = 0
    cut: int = 0
    unfinished: int = 0
    refused: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    uncounted: int = 0
    last: float | None = None
    damaged: tuple[str, ...] = ()


@dataclass
class AnswerTally:
    """Counts the answers in a folder; each look reads only what is new.

    It starts over when shards were merged or set aside meanwhile. Keys are read only where some request may
    have two answers, as what failed or was cut is asked again, and texts only where some answer may be
    unfinished, by its finish reason or the model's own ``marks``.
    """

    folder: Path
    marks: ThinkingMarks = NO_MARKS
    failed: FailedRequests = field(default_factory=FailedRequests)
    _seen: tuple[Shard, ...] = ()
    _sums: Counter[str] = field(default_factory=Counter)
    _cut: KeySet = field(default_factory=KeySet)
    _cut_without_text: KeySet = field(default_factory=KeySet)
    _damaged: dict[Path, str] = field(default_factory=dict)

    def look(self) -> AnswerCounts:
        """The counts now.

        Raises:
            RunError: the folder may not be read.
        """
        for _ in range(_ATTEMPTS):
            if self._read_new():
                break
        without_text = len(self._cut_without_text)
        sums = self._sums + Counter(cut=len(self._cut) - without_text, unfinished=without_text)
        return AnswerCounts(
            failed=len(self.failed),
            last=_last_written(self._seen),
            damaged=tuple(self._damaged.values()),
            **sums,
        )

    def _read_new(self) -> bool:
        """Read the shards that are new; False where one was merged since the folder was listed."""
        shards = list_folder(self.folder).files
        if shards[: len(self._seen)] != self._seen:
            self.failed, self._seen, self._sums, self._damaged = FailedRequests(), (), Counter(), {}
            self._cut, self._cut_without_text = KeySet(), KeySet()
        for at in range(len(self._seen), len(shards)):
            try:
                self._include(shards[at].path)
            except ShardGoneError:
                return False
            except DamagedShardError as error:
                self._damaged[shards[at].path] = f"{shards[at].path}: damaged ({error}); not counted"
            self._seen = shards[: at + 1]
        return True

    def _include(self, path: Path) -> None:
        table = read_shard(path, answer_schema(), ("error", "finish_reason", *_COUNTS))
        rows = self._rows(path, table)  # before anything counts, as the shard may be gone
        for name in _COUNTS:
            self._sums[name] += pc.sum(table[name]).as_py() or 0
        good = table["error"].is_null()
        self._sums["uncounted"] += _number(pc.and_(good, table["completion_tokens"].is_null()))
        if rows is None:
            self._sums["answered"] += table.num_rows
            self._sums["refused"] += _number(refused(table))
        else:
            self._count_each(rows)

    def _rows(self, path: Path, table: pa.Table) -> pa.Table | None:
        """A shard's answers, one row a key; None where neither keys nor texts can make a difference."""
        reasons = {*table["finish_reason"].unique().to_pylist()}
        marked, short = self.marks != NO_MARKS, not reasons.isdisjoint((CUT, IN_THOUGHTS))
        twice = len(self._cut) or len(self.failed) or table["error"].null_count < table.num_rows
        if not (marked or short or twice):
            return None
        texts = ["prediction", "reasoning"] if marked else ["prediction"] if short else []
        rows = one_a_key(read_shard(path, answer_schema(), ["key", "error", "finish_reason", *texts]))
        if marked:
            return read_anew(rows, self.marks)
        return rows if short else rows.append_column("prediction", pa.nulls(len(rows), pa.large_string()))

    def _count_each(self, rows: pa.Table) -> None:
        answered = rows["error"].is_null()
        # what was cut and asked again is one answer, also where that failed
        known = pa.array(self._cut.contained(rows["key"].to_pylist()), pa.bool_())
        good, bad = rows.filter(answered), rows.filter(pc.invert(pc.or_(answered, known)))
        again = rows["key"].filter(pc.and_(answered, known)).to_pylist()
        empty, ended = unfinished(good), pc.fill_null(pc.equal(good["finish_reason"], CUT), False)
        for keys, which in ((self._cut, ended), (self._cut_without_text, pc.and_(ended, empty))):
            keys.discard(again)
            keys.add(good["key"].filter(which).to_pylist())
        self._sums["answered"] += len(good) - len(again)
        self._sums["unfinished"] += _number(pc.and_not(empty, ended))
        self._sums["refused"] += _number(refused(good))
        if len(self.failed):
            self.failed.forget(good["key"].to_pylist())
        for key, error in zip(bad["key"].to_pylist(), bad["error"].to_pylist(), strict=True):
            self.failed.add(key, error)


def _number(which: pa.ChunkedArray) -> int:
    return pc.sum(which).as_py() or 0


def written_at(path: Path) -> float | None:
    """When a file was written, in seconds since 1970; None where it is not there."""
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _last_written(shards: tuple[Shard, ...]) -> float | None:
    """When the newest of the last shards was written; those that were merged since do not count."""
    return max((time for shard in shards[-2:] if (time := written_at(shard.path))), default=None)


@dataclass
class FollowUpTally:
    """Counts the different follow-ups of the model with this folder; each look reads only what is new."""

    requests: Path
    model_folder: str
    _keys: KeySet = field(default_factory=KeySet)
    _seen: frozenset[Shard] = frozenset()

    def look(self) -> int:
        """How many there are now.

        Raises:
            RunError: the folder may not be read.
        """
        shards = list_folder(self.requests).of(later_series(self.model_folder))
        for shard in (shard for shard in shards if shard not in self._seen):
            try:
                table = read_shard(shard.path, request_schema(), ("key",))
            except (DamagedShardError, ShardGoneError):  # set aside or merged: what it held comes again
                continue
            self._keys.add(table["key"].to_pylist())
        self._seen = frozenset(shards)
        return len(self._keys)
