"""The examples of a study as the page's script gets them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from torr_plugin.leaderboard.examples.packing import ExampleFiles
from torr_plugin.leaderboard.files import DataFile
from torr_plugin.leaderboard.source import open_source
from torr_plugin.leaderboard.study import study_of

from .pages import read_example, read_script


class Published:
    """All examples of a run or scores file.

    ``known`` is what the page knows, ``files`` path -> file, ``index`` data set -> columns, chunk by chunk,
    ``examples`` (data set, example) -> its detail.
    """

    def __init__(self, path: Path, budget: int | None = None) -> None:
        study = study_of(open_source(path), set(), alone=True)
        self.known = ExampleFiles(study if budget is None else replace(study, room=budget))
        self.files: dict[str, DataFile] = {file.path: file for file in self.known.files()}
        self.index = {
            dataset: [self._read(path) for path in index.chunks]
            for dataset, index in self.known.datasets.items()
        }
        self.examples = {
            (dataset, example): self._example(file, place)
            for dataset, chunks in self.index.items()
            for chunk in chunks
            for example, file, place in zip(chunk["examples"], chunk["files"], chunk["places"], strict=True)
        }

    def _example(self, file: int, place: int) -> Any:
        return read_example(self._read(f"{self.known.folder}/{file}.js"), place)

    def _read(self, path: str) -> Any:
        said, value = read_script(self.files[path].content)
        assert said == path
        return value

    def place(self, config: str) -> int:
        """The number of a configuration."""
        return [each.name for each in self.known.configs].index(config)

    def model(self, label: str) -> int:
        """The number of a model."""
        return self.known.study.models.index(label)
