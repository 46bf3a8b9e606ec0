"""Which requests of a model are answered, failed or handed out, and which remain."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from ...core.caches import BoundedCache
from ...core.errors import RunError
from ..answer import Answer, answer_schema
from ..store.shards import DamagedShardError, list_shards, read_shard

if TYPE_CHECKING:
    from ..store.predictions import AnswerStore


class RequestKeys:
    """The planned keys, which all models of a run share, and those that follow from one model's answers.

    Args:
        planned: shared, not copied.
    """

    def __init__(self, planned: set[str]) -> None:
        self._planned, self._later = planned, set[str]()

    def __len__(self) -> int:
        return len(self._planned) + len(self._later)

    def add(self, keys: Sequence[str]) -> None:
        """Add keys of requests that follow from answers; planned ones are skipped."""
        self._later.update(key for key in keys if key not in self._planned)

    def common(self, other: set[str]) -> int:
        """How many of them another set has."""
        return sum(key in self._planned or key in self._later for key in other)


MOST_BYTES = 20_000_000
"""Of answers that later steps may need, kept in memory; the others are read again."""

_A_KEY = 250  # bytes that an answer takes beside its text


LOST = "the prompt could not be built from the earlier answers; the reason was lost with a damaged shard"


class RemainingWork:
    """Hands out each request once.

    Args:
        store: the model's answers; what it holds may grow.
        again: the keys of an earlier attempt that count as not asked, failed ones or answers that were cut.

    Attributes:
        again: those that are still to be asked again.
    """

    def __init__(self, store: AnswerStore, again: set[str] | None = None) -> None:
        self.store = store
        self.again = set[str]() if again is None else again
        self._given: set[str] = set()  # and not answered yet
        self._texts: BoundedCache[str, str] = BoundedCache(MOST_BYTES, lambda text: len(text) + _A_KEY)

    def claim(self, keys: Sequence[str]) -> list[bool]:
        """For each key, whether to ask it now: it has no answer and was not handed out before."""
        fresh: list[bool] = []
        for key in keys:
            new = key not in self._given and not self.is_settled(key)
            fresh.append(new)
            if new:
                self._given.add(key)
        return fresh

    def answered(self, key: str) -> bool:
        """Whether it has an answer, and is not asked again."""
        return key in self.store.answered and key not in self.again

    def failed(self, key: str) -> bool:
        """Whether it has an error, and is not asked again."""
        return key in self.store.failed and key not in self.again

    def is_settled(self, key: str) -> bool:
        """Whether it needs no answer: it has one, or an error that stays."""
        return key not in self.again and (key in self.store.answered or key in self.store.failed)

    def add_answers(self, answers: Sequence[Answer]) -> None:
        """Record that answers were stored; those that failed are not asked again."""
        keys = [answer.key for answer in answers]
        self._given.difference_update(keys)
        self.again.difference_update(keys)

    def settle(self, key: str) -> None:
        """Never ask this failed key; its reason is stored again where it was lost."""
        self.again.discard(key)
        if key not in self.store.failed:
            self.store.append([Answer(key, None, error=LOST)])

    def remember(self, key: str, text: str) -> None:
        """Keep an answer that a later step may need."""
        if self._texts.find(key) is None:
            self._texts.keep(key, text)

    def forget(self) -> None:
        """Drop the kept answers: no later step needs one any more."""
        self._texts.clear()

    def texts(self, keys: Collection[str]) -> dict[str, str]:
        """Stored answers, by key.

        Raises:
            RunError: one of them is not there, or cannot be read.
        """
        found = {key: text for key in keys if (text := self._texts.find(key)) is not None}
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        if missing:
            found |= self._read(missing)
        return found

    def _read(self, keys: Sequence[str]) -> dict[str, str]:
        wanted, found = pa.array(keys), dict[str, str]()
        for shard in list_shards(self.store.folder):
            if not pc.any(pc.is_in(_columns(shard.path, "key")["key"], wanted)).as_py():
                continue
            table = _columns(shard.path, "key", "prediction")
            mine = table.filter(pc.and_(pc.is_in(table["key"], wanted), table["prediction"].is_valid()))
            pairs = zip(mine["key"].to_pylist(), mine["prediction"].to_pylist(), strict=True)
            found.update((key, text) for key, text in pairs if key not in found)
        if len(found) < len(keys):
            gone = next(key for key in keys if key not in found)
            raise RunError(
                f"{self.store.folder}: the answer to {gone} is gone; the same command asks it again"
            )
        return found


def _columns(shard: Path, *names: str) -> pa.Table:
    try:
        return read_shard(shard, answer_schema(), names)
    except DamagedShardError as error:
        raise RunError(f"{shard}: damaged ({error}); the same command asks its requests again") from error
