"""Writes a fine-tuning set to files, row by row."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from .sft import SHARES, Split

_ENDINGS = {"alpaca": "json", "chat": "jsonl"}


class SftFiles:
    """The three files of a set, open for rows; no more than one row is held in memory.

    ``alpaca`` is one JSON list a file, a row a line, as its trainers read it; ``chat`` is JSONL.

    Attributes:
        counts: how many rows each split has so far.
    """

    def __init__(self, folder: Path, layout: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.counts: dict[Split, int] = dict.fromkeys(SHARES, 0)
        self._paths = {split: folder / f"{split}.{_ENDINGS[layout]}" for split in SHARES}
        self._is_list = layout == "alpaca"
        self._stack = ExitStack()

    def __enter__(self) -> SftFiles:
        self._files = {
            split: self._stack.enter_context(path.open("w", encoding="utf-8", newline="\n"))
            for split, path in self._paths.items()
        }
        self._in_each("[\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._stack:
            self._in_each("\n]\n")

    def _in_each(self, mark: str) -> None:
        for file in self._files.values() if self._is_list else ():
            file.write(mark)

    def add(self, split: Split, row: dict[str, Any]) -> None:
        """Write one row to its split's file."""
        text = json.dumps(row, ensure_ascii=False)
        if self._is_list:
            text = (",\n" if self.counts[split] else "") + text
        self._files[split].write(text if self._is_list else text + "\n")
        self.counts[split] += 1


def write_sft(rows: Iterable[tuple[Split, dict[str, Any]]], layout: str, folder: Path) -> dict[Split, int]:
    """Write train, validation and test below ``folder``, which is made if need be; files there are replaced.

    Args:
        rows: of :func:`~torr_plugin.synthesis.hctqa.sft.sft_rows`.
        layout: ``alpaca`` or ``chat``.
        folder: where the files go.

    Returns:
        How many rows each split has.
    """
    with SftFiles(folder, layout) as files:
        for split, row in rows:
            files.add(split, row)
    return files.counts
