"""The names of shards: ``part-000007.parquet``, and ``part-000000+000063.parquet`` for what was merged."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PLANNED = "part"
_LATER = "later-"
_SHARD = re.compile(r"(part|later-[^+]+)-(\d{6,})(?:\+(\d{6,}))?\.parquet")


@dataclass(frozen=True, slots=True)
class Shard:
    """A file of a series, which stands for the numbers ``first`` to ``last`` of it; ``size`` in bytes."""

    path: Path
    series: str
    first: int
    last: int
    size: int = 0

    @property
    def width(self) -> int:
        """How many numbers it stands for."""
        return self.last - self.first + 1

    def covers(self, other: Shard) -> bool:
        """Whether it was merged from the other one, among others."""
        return (
            self.series == other.series
            and self.first <= other.first
            and other.last <= self.last
            and self.width > other.width
        )


def later_series(folder: str) -> str:
    """The series of what is asked after an answer of the model with this folder."""
    return _LATER + folder


def is_later(shard: Shard) -> bool:
    """Whether it holds requests that follow from answers."""
    return shard.series.startswith(_LATER)


def name_of(series: str, first: int, last: int | None = None) -> str:
    """A shard's file name."""
    return f"{series}-{first:06d}{'' if last in (None, first) else f'+{last:06d}'}.parquet"


def parse(path: Path, size: int = 0) -> Shard | None:
    """The shard that a file is by its name; None where it is none."""
    match = _SHARD.fullmatch(path.name)
    if match is None:
        return None
    first = int(match.group(2))
    last = int(match.group(3) or first)
    return Shard(path, match.group(1), first, last, size) if last >= first else None


def in_order(shards: Iterable[Shard]) -> list[Shard]:
    """The planned series first, then the others by name, each by its numbers."""
    return sorted(shards, key=lambda shard: (is_later(shard), shard.series, shard.first, -shard.last))


def without_merged(shards: Iterable[Shard]) -> tuple[list[Shard], list[Shard]]:
    """The shards that count, in order, and those whose rows a merged one has."""
    counting: list[Shard] = []
    merged: list[Shard] = []
    for shard in in_order(shards):
        covered = bool(counting) and counting[-1].covers(shard)
        (merged if covered else counting).append(shard)
    return counting, merged
