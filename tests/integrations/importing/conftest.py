"""Imports what a test wrote below ``in``, by the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from torr_plugin.running import Run

from ...conftest import Torr


class Importing:
    """``torr import`` of the folder ``source`` into the run ``run``, which are a test's own."""

    def __init__(self, torr: Torr, folder: Path) -> None:
        self._torr, self._folder = torr, folder
        self.source, self.run = folder / "in", folder / "run"

    def __call__(self, harness: str, *options: str | Path, code: int = 0) -> dict[str, Any]:
        """What ``--json`` prints."""
        given = ("import", harness, self.source, "--out", self.run, "--json", *options)
        done = self._torr(*given)
        assert done.returncode == code, done.stderr
        return dict(json.loads(done.stdout))

    def refused(self, harness: str, *options: str | Path) -> str:
        """The one line on stderr; nothing is made."""
        before = set(self._folder.iterdir())
        done = self._torr("import", harness, self.source, "--out", self.run, "--json", *options)
        assert (done.returncode, done.stdout) == (2, ""), done.stderr
        assert set(self._folder.iterdir()) == before
        (line,) = [line for line in done.stderr.splitlines() if line.startswith("torr: ")]
        return line

    @property
    def scores(self) -> pd.DataFrame:
        """Those of the run."""
        return pd.read_parquet(self.run / "scores.parquet")

    @property
    def main(self) -> pd.DataFrame:
        """Its main scores."""
        found: pd.DataFrame = self.scores[self.scores.main]
        return found

    @property
    def main_by_example(self) -> dict[str, float | None]:
        """Main scores, None where there is none."""
        found = self.main.set_index("example").score
        return {str(example): None if pd.isna(score) else score for example, score in found.items()}

    def opened(self) -> Run:
        """The run."""
        return Run.open(self.run)


@pytest.fixture
def importing(torr: Torr, tmp_path: Path) -> Importing:
    return Importing(torr, tmp_path)


def change(path: Path, changed: Callable[[Any], object]) -> None:
    """Change the value of a JSON file in place."""
    value = json.loads(path.read_text())
    changed(value)
    path.write_text(json.dumps(value))


def change_stats(folder: Path, example: str, changed: Callable[[list[Any]], list[Any]]) -> None:
    """Change HELM's statistics of an example."""

    def of_example(entries: list[Any]) -> None:
        for entry in entries:
            if entry["instance_id"] == example:
                entry["stats"] = changed(entry["stats"])

    change(folder / "per_instance_stats.json", of_example)
