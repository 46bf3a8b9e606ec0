"""Counts of a run that is being written: answers, errors by kind, follow-ups; each shard is read once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from ...recipes import request_schema
from ..answer import answer_schema, cut, refused, unfinished
from ..store.keyset import KeySet
from ..store.shard_reading import read_shard
from ..store.shards import DamagedShardError, Shard, ShardGoneError, later_series, list_folder

if TYPE_CHECKING:
    import pyarrow as pa


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
COLUMNS = ("key", "prediction", "error", "finish_reason", *_COUNTS)

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


_ENDINGS = {"cut": cut, "unfinished": unfinished, "refused": refused}


def _no_keys() -> dict[str, KeySet]:
    return {name: KeySet() for name in _ENDINGS}


@dataclass
class AnswerTally:
    """Counts the answers in a folder; each look reads only what is new.

    It starts over when shards were merged or set aside meanwhile.
    """

    folder: Path
    failed: FailedRequests = field(default_factory=FailedRequests)
    _seen: tuple[Shard, ...] = ()
    _sums: Counter[str] = field(default_factory=Counter)
    _ended: dict[str, KeySet] = field(default_factory=_no_keys)
    _damaged: dict[Path, str] = field(default_factory=dict)

    def look(self) -> AnswerCounts:
        """The counts now.

        Raises:
            RunError: the folder may not be read.
        """
        for _ in range(_ATTEMPTS):
            if self._read_new():
                break
        return AnswerCounts(
            failed=len(self.failed),
            **{name: len(keys) for name, keys in self._ended.items()},
            last=_last_written(self._seen),
            damaged=tuple(self._damaged.values()),
            **self._sums,
        )

    def _read_new(self) -> bool:
        """Read the shards that are new; False where one was merged since the folder was listed."""
        shards = list_folder(self.folder).files
        if shards[: len(self._seen)] != self._seen:
            self.failed, self._seen, self._sums, self._damaged = FailedRequests(), (), Counter(), {}
            self._ended = _no_keys()
        for at in range(len(self._seen), len(shards)):
            try:
                self._include(read_shard(shards[at].path, answer_schema(), COLUMNS))
            except ShardGoneError:
                return False
            except DamagedShardError as error:
                self._damaged[shards[at].path] = f"{shards[at].path}: damaged ({error}); not counted"
            self._seen = shards[: at + 1]
        return True

    def _include(self, table: pa.Table) -> None:
        good = table.filter(pc.is_null(table["error"]))
        keys = good["key"].to_pylist()
        # what was cut before and asked again is one answer
        known = [keys_before.contained(keys) for keys_before in self._ended.values()]
        self._sums["answered"] += good.num_rows - sum(map(any, zip(*known, strict=True)))
        self._sums["uncounted"] += good["completion_tokens"].null_count
        for name in _COUNTS:
            self._sums[name] += pc.sum(table[name]).as_py() or 0
        for name, which in _ENDINGS.items():
            self._ended[name].discard(keys)
            self._ended[name].add(good["key"].filter(which(good)).to_pylist())
        if len(self.failed):
            self.failed.forget(good["key"].to_pylist())
        if good.num_rows < table.num_rows:
            bad = table.filter(pc.is_valid(table["error"]))
            for key, error in zip(bad["key"].to_pylist(), bad["error"].to_pylist(), strict=True):
                self.failed.add(key, error)


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
