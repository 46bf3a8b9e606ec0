"""Counts a model's stored answers, again and again while they grow, reading each shard once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..answer import answer_schema
from ..store.shards import DamagedShardError, ShardGoneError, list_folder, read_shard
from .error_kinds import FailedRequests

if TYPE_CHECKING:
    import pyarrow as pa

    from ..store.shard_names import Shard

COLUMNS = ("key", "error", "finish_reason", "prompt_tokens", "completion_tokens", "cached_tokens")
CUT = "length"
"""The finish reason of an answer that ended at ``max_tokens``."""

_ATTEMPTS = 5


@dataclass(frozen=True)
class Counts:
    """What the stored answers of a model come to.

    Attributes:
        answered: requests with a prediction.
        failed: requests with an error alone.
        cut: answers that ended at ``max_tokens``.
        prompt_tokens: of all requests whose engine told them; likewise the others.
        completion_tokens: of the answers.
        cached_tokens: of the prompts, what a prefix cache had.
        last: when the newest shard was written, in seconds since 1970; None where there is none.
        damaged: shards that cannot be read, a line each; they are not counted.
    """

    answered: int = 0
    failed: int = 0
    cut: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    last: float | None = None
    damaged: tuple[str, ...] = ()


@dataclass
class AnswerTally:
    """Reads the answers of one folder; only what came since it last looked.

    Shards that were merged, or set aside, in the meantime make it begin anew.
    """

    folder: Path
    failed: FailedRequests = field(default_factory=FailedRequests)
    _seen: tuple[Shard, ...] = ()
    _sums: dict[str, int] = field(default_factory=dict)
    _damaged: dict[Path, str] = field(default_factory=dict)

    def look(self) -> Counts:
        """The counts now.

        Raises:
            RunError: the folder may not be read.
        """
        for _ in range(_ATTEMPTS):
            if self._read_new():
                break
        names = ("answered", "cut", "prompt_tokens", "completion_tokens", "cached_tokens")
        return Counts(
            failed=len(self.failed),
            last=_written(self._seen),
            damaged=tuple(self._damaged.values()),
            **{name: self._sums.get(name, 0) for name in names},
        )

    def _read_new(self) -> bool:
        """Read the shards that are new; False where one was merged since the folder was listed."""
        shards = list_folder(self.folder).files
        if shards[: len(self._seen)] != self._seen:
            self.failed, self._seen, self._sums, self._damaged = FailedRequests(), (), {}, {}
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
        import pyarrow.compute as pc

        good = table.filter(pc.is_null(table["error"]))
        self._add("answered", good.num_rows)
        self._add("cut", pc.sum(pc.equal(good["finish_reason"], CUT)).as_py())
        for name in ("prompt_tokens", "completion_tokens", "cached_tokens"):
            self._add(name, pc.sum(table[name]).as_py())
        if len(self.failed):
            self.failed.forget(good["key"].to_pylist())
        if good.num_rows < table.num_rows:
            bad = table.filter(pc.is_valid(table["error"]))
            for key, error in zip(bad["key"].to_pylist(), bad["error"].to_pylist(), strict=True):
                self.failed.add(key, error)

    def _add(self, name: str, value: Any) -> None:
        self._sums[name] = self._sums.get(name, 0) + (value or 0)


def _written(shards: tuple[Shard, ...]) -> float | None:
    """When the newest of the last shards was written."""
    times = []
    for shard in shards[-2:]:
        try:
            times.append(shard.path.stat().st_mtime)
        except OSError:  # merged since
            continue
    return max(times, default=None)
