"""Counts of the stored answers of a model: how they ended, what they cost, which errors came how often."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..core.errors import RunError
from ..core.thinking import NO_MARKS, ThinkingMarks
from .answer import CUT, IN_THOUGHTS, answer_schema, cut, refused, unfinished
from .store.predictions import one_a_key, read_anew
from .store.shards import DamagedShardError, Shard, list_shards, read_parts

MOST_CHARACTERS = 120
_QUOTED = re.compile(r"'[^']{0,200}'|\"[^\"]{0,200}\"")
_NUMBER = re.compile(r"(?<!\d)(?<!HTTP )\d[\d.,:]*")  # a status of HTTP is the kind itself
_TOKENS = ("prompt_tokens", "completion_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens")
_ENDINGS = {"cut": cut, "unfinished": unfinished, "refused": refused}
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """How often an error came, with one request that has it."""

    kind: str
    count: int
    model: str
    key: str
    error: str


@lru_cache(maxsize=4096)
def kind_of(error: str) -> str:
    """An error without what differs between requests: numbers and quoted text."""
    plain = _NUMBER.sub("N", _QUOTED.sub("'...'", error[: 4 * MOST_CHARACTERS]))
    return " ".join(plain.split())[:MOST_CHARACTERS]


def most_frequent(errors: Iterable[tuple[str, str, str]], most: int = 5) -> list[ErrorKind]:
    """The most frequent kinds of errors, each with the first request that has it.

    Args:
        errors: model, key and error of each failed request.
        most: how many kinds.
    """
    kinds: dict[str, list[tuple[str, str, str]]] = {}
    for found in errors:
        kinds.setdefault(kind_of(found[2]), []).append(found)
    counted = [ErrorKind(kind, len(rows), *rows[0]) for kind, rows in kinds.items()]
    return sorted(counted, key=lambda each: -each.count)[:most]


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
class AnswerWatch:
    """Counts the answers in a folder, which may grow; each look reads only the shards that are new.

    Attributes:
        folder: the model's.
        marks: of its thoughts.
        errors: key and error of the requests that had failed at the last look.
    """

    folder: Path
    marks: ThinkingMarks = NO_MARKS
    errors: list[tuple[str, str]] = field(default_factory=list)
    _counts: AnswerCounts = field(default_factory=AnswerCounts)
    _read: dict[Shard, pa.Table | str] = field(default_factory=dict)

    def look(self) -> AnswerCounts:
        """The counts now.

        Raises:
            RunError: the folder, or a file in it, may not be read.
        """
        for left in reversed(range(_ATTEMPTS)):
            shards = list_shards(self.folder)
            try:
                read = {shard: self._read.get(shard) or self._rows(shard) for shard in shards}
                last = max((shard.path.stat().st_mtime for shard in shards[-2:]), default=None)
            except (RunError, OSError):  # part of a larger one by now
                if not left:
                    raise
            else:
                break
        if read.keys() != self._read.keys():
            self._read = read
            self._count(last)
        return self._counts

    def _rows(self, shard: Shard) -> pa.Table | str:
        """What is counted of a shard; of a damaged one what is wrong."""
        try:
            return _read_endings(shard.path, self.marks)
        except DamagedShardError as error:
            return f"{shard.path}: damaged ({error.reason}); not counted"

    def _count(self, last: float | None) -> None:
        tables = [part for part in self._read.values() if isinstance(part, pa.Table)]
        rows = pa.concat_tables([_COLUMNS.empty_table(), *tables])
        answers = one_a_key(rows)
        failed, good = answers.filter(answers["error"].is_valid()), answers.filter(answers["error"].is_null())
        uncounted = pc.and_(rows["error"].is_null(), rows["completion_tokens"].is_null())
        self.errors = list(zip(failed["key"].to_pylist(), failed["error"].to_pylist(), strict=True))
        self._counts = AnswerCounts(
            answered=len(good),
            failed=len(failed),
            uncounted=_number(uncounted),
            last=last,
            damaged=tuple(part for part in self._read.values() if isinstance(part, str)),
            **{name: pc.sum(rows[name]).as_py() or 0 for name in _TOKENS},
            **{name: _number(which(good)) for name, which in _ENDINGS.items()},
        )


_COLUMNS = pa.schema(
    [answer_schema().field(name) for name in ("key", "error", "finish_reason", *_TOKENS, "prediction")]
)


def _read_endings(path: Path, marks: ThinkingMarks) -> pa.Table:
    """The rows of a shard, with texts only where one may be unfinished, by its finish reason or the marks."""
    schema, names = answer_schema(), _COLUMNS.names[:-1]
    table = pa.concat_tables(read_parts(path, schema, names))
    short = not {CUT, IN_THOUGHTS}.isdisjoint(table["finish_reason"].unique().to_pylist())
    if not short and marks == NO_MARKS:
        return table.append_column(_COLUMNS.field("prediction"), pa.nulls(len(table), pa.large_string()))
    whole = read_anew(pa.concat_tables(read_parts(path, schema, [*names, "prediction", "reasoning"])), marks)
    # of a text it matters whether it is empty
    texts = pc.utf8_slice_codeunits(pc.utf8_trim_whitespace(whole["prediction"]), 0, 1)
    return whole.select(names).append_column(_COLUMNS.field("prediction"), texts)


def _number(which: pa.ChunkedArray) -> int:
    return pc.sum(which).as_py() or 0
