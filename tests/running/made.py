"""Helpers that the tests of running share."""

from __future__ import annotations

from pathlib import Path

from torr_plugin.prompts.message import Prompt
from torr_plugin.recipes import ModelEntry, prompt_of_row
from torr_plugin.running import Run
from torr_plugin.running.store.shards import list_shards


def entry(kind: str, /, name: str | None = None, chat: bool | None = None, **args: object) -> ModelEntry:
    return ModelEntry(model=kind, args=args, name=name, chat=chat)


def answers(run: Path | Run, label: str) -> dict[str, str | None]:
    """The predictions of a model by key; fails where a key has two rows."""
    rows = (run if isinstance(run, Run) else Run.open(run)).predictions(label).to_pylist()
    found = {row["key"]: row["prediction"] for row in rows}
    assert len(found) == len(rows)
    return found


def prompts(run: Run, label: str) -> dict[str, Prompt]:
    """Key -> prompt of what a model is asked first, in the study's order."""
    rows = [row for table in run.request_tables() for row in table.to_pylist()]
    return {row["key"]: prompt_of_row(row) for row in rows if row["model"] in (None, label)}


def stored_keys(folder: Path) -> list[str]:
    """The key of every stored row, repeated ones as often as they are stored."""
    import pyarrow.parquet as pq

    return [
        key
        for shard in list_shards(folder)
        for key in pq.read_table(shard.path, columns=["key"])["key"].to_pylist()
    ]
