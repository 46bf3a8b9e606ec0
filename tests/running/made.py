"""Helpers that the tests of running share."""

from __future__ import annotations

from pathlib import Path

from torr_plugin.recipes import ModelEntry
from torr_plugin.running import Run
from torr_plugin.running.store.shards import list_folder


def entry(kind: str, /, name: str | None = None, chat: bool | None = None, **args: object) -> ModelEntry:
    return ModelEntry(model=kind, args=args, name=name, chat=chat)


def answers(run: Path | Run, label: str) -> dict[str, str | None]:
    """The predictions of a model by key; fails where a key has two rows."""
    rows = (run if isinstance(run, Run) else Run.open(run)).predictions(label).to_pylist()
    found = {row["key"]: row["prediction"] for row in rows}
    assert len(found) == len(rows)
    return found


def stored_keys(folder: Path) -> list[str]:
    """The key of every stored row, repeated ones as often as they are stored."""
    import pyarrow.parquet as pq

    return [
        key
        for path in list_folder(folder).shards
        for key in pq.read_table(path, columns=["key"])["key"].to_pylist()
    ]
