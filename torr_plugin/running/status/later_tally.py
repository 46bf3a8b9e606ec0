"""Counts the stored requests that follow from a model's answers, reading each shard once."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..store.keyset import KeySet
from ..store.shard_names import Shard, later_series
from ..store.shards import DamagedShardError, ShardGoneError, list_folder, read_shard


@dataclass
class LaterTally:
    """Counts the different later requests of the model with a folder's name; only what is new is read."""

    requests: Path
    model_folder: str
    _keys: KeySet = field(default_factory=KeySet)
    _seen: frozenset[Shard] = frozenset()

    def look(self) -> int:
        """How many there are now.

        Raises:
            RunError: the folder may not be read.
        """
        from ...recipes import request_schema

        shards = list_folder(self.requests).of(later_series(self.model_folder))
        for shard in (shard for shard in shards if shard not in self._seen):
            try:
                table = read_shard(shard.path, request_schema(), ("key",))
            except (DamagedShardError, ShardGoneError):  # set aside or merged: what it held comes again
                continue
            self._keys.add(table["key"].to_pylist())
        self._seen = frozenset(shards)
        return len(self._keys)
