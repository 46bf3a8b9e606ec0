"""What an earlier attempt stored of the later steps of strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ..store import requests
from ..store.keyset import KeySet
from .asked_keys import AskedKeys
from .ledger import Ledger
from .refused import refused_key

if TYPE_CHECKING:
    import pyarrow as pa

    from ...prompts.steps import Steps
    from ...recipes import Cell, Configuration

CELL_COLUMNS = ("dataset", "example", "config", "design", "stage")

StagedRow: TypeAlias = "tuple[Cell, int, str]"
"""Cell, stage and key of a stored request."""


@dataclass(frozen=True)
class Earlier:
    """The stored later requests of one model.

    Attributes:
        closed: the cells (their ids) of which nothing more comes: the last step was answered, or one failed.
        unfinished: of the others, by id, the stages that are stored with their keys.
        pending: whether any of the requests has no answer.
    """

    closed: KeySet = field(default_factory=KeySet)
    unfinished: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    pending: bool = False


def read_earlier(
    folder: Path, label: str, steps: Mapping[str, Steps], ledger: Ledger, keys: AskedKeys
) -> Earlier:
    """Look through the later requests of a model, and add their keys to ``keys``.

    Raises:
        RunError: they cannot be read.
    """
    closed, pending = KeySet(), False
    for row in _stored(folder, label, steps):
        cell, stage, key = row
        keys.add([key])
        if key == refused_key(cell, stage):
            ledger.settle(key)
        if _closes(row, steps, ledger):
            closed.add([cell.id])
        pending = pending or not (ledger.answered(key) or ledger.failed(key))
    unfinished: dict[str, dict[int, str]] = {}
    for cell, stage, key in _stored(folder, label, steps):
        if cell.id not in closed:
            unfinished.setdefault(cell.id, {})[stage] = key
    return Earlier(closed, unfinished, pending)


def _closes(row: StagedRow, steps: Mapping[str, Steps], ledger: Ledger) -> bool:
    cell, stage, key = row
    last = stage == len(steps[cell.config.design]) - 1
    return ledger.failed(key) or (last and ledger.answered(key))


def _stored(folder: Path, label: str, steps: Mapping[str, Steps]) -> Iterator[StagedRow]:
    for table in requests.later_tables(folder, label, ("key", *CELL_COLUMNS)):
        yield from staged_rows(table, steps)


def staged_rows(table: pa.Table, steps: Mapping[str, Steps]) -> list[StagedRow]:
    """The rows of designs that take several calls."""
    from ...recipes import Cell

    names = ("dataset", "example", "config", "design", "stage", "key")
    rows = zip(*(table[name].to_pylist() for name in names), strict=True)
    return [
        (Cell(dataset, example, _configuration(config)), stage, key)
        for dataset, example, config, design, stage, key in rows
        if design in steps
    ]


@lru_cache(maxsize=4096)
def _configuration(text: str) -> Configuration:
    from ...recipes import Configuration

    return Configuration.of(text)
