"""A small study as the real command runs it, what it stored, and the processes that do it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from torr_plugin.running.store.shards import list_shards, series_in

from ...timing import PATIENCE, until
from .forked import Forked

PLUGIN = Path(__file__).with_name("plugin")
ROOT = Path(__file__).parents[3]
RECIPE = """\
name: kills
seed: 3
cards: [cards.bundled.cell_lookup]
configurations:
  - serializers: [torr.html, torr.csv, html]
    perturbations: [none, transpose]
  - serializers: [html]
    perturbations: [none]
    designs: [self_augmented, tree_thinker, self_augmented+table_size+suc, self_augmented_format+tree_thinker]
examples: {count: 5}
replicates: {share: 0.5}
models:
  - {model: held, name: one}
  - {model: held, name: other}
analysis: {resamples: 50}
"""
ORDER = ["model", "dataset", "config", "example", "metric", "replicate"]
_MARK = "TORR_KILLS"


class Command(subprocess.Popen[str]):
    """A command in a session of its own: a signal to its group reaches what it started, and not the tests."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], said: Path
    ) -> None:
        self._said = said
        with said.open("w") as output:
            super().__init__(
                command,
                cwd=folder,
                env=environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )

    def said(self) -> str:
        """What it said so far."""
        return self._said.read_text()

    def ended(self, within: float = PATIENCE) -> str:
        """Wait for its end; gives what it said."""
        self.wait(within)
        return self.said()


@dataclass
class Study:
    """The study in a directory of its own; every process of it can be found by a mark in its environment."""

    folder: Path
    recipe: str = RECIPE
    options: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    forked: bool = True
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    started: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "kills.yaml").write_text(self.recipe)

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def arguments(self) -> list[str]:
        return ["run", "kills.yaml", "--out", "run", *self.options]

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "torr_plugin.cli.app", *self.arguments]

    @property
    def environment(self) -> dict[str, str]:
        paths = os.pathsep.join(map(str, (PLUGIN, ROOT)))
        return {**os.environ, "PYTHONPATH": paths, _MARK: self.mark, "COLUMNS": "80", **self.variables}

    def start(self, **variables: str) -> Command | Forked:
        """Begin the command, with these variables in its environment."""
        environment = self.environment | variables
        self.started += 1
        said = self.folder / f"said-{self.started}.txt"
        if self.forked:
            return Forked(self.arguments, self.folder, environment, PLUGIN, said)
        return Command(self.command, self.folder, environment, said)

    def held(self, at: int = 60) -> Command | Forked:
        """Begin the command; it is held by its model at so many prompts, when some answers are stored."""
        (self.folder / "go").unlink(missing_ok=True)
        process = self.start(TORR_KILLS_HOLD=str(at))
        wait_for(lambda: self.holder() and self.stored(), process)
        assert self.holder(), process.said()
        return process

    def holder(self) -> int:
        """The process of the model that is held; 0: none."""
        held = self.folder / "held"
        return int(held.read_text() or 0) if held.exists() else 0

    def let_go(self) -> None:
        (self.folder / "go").touch()

    def finish(self) -> str:
        """Run to the end; gives what was said."""
        process = self.start()
        said = process.ended()
        assert process.returncode == 0, said
        return said

    def stored(self) -> Counter[tuple[str, str]]:
        """Model and key of every stored answer, as often as it is stored; also while a run merges shards."""
        while True:
            with suppress(FileNotFoundError):  # merged since the folder was listed
                return self._stored()

    def _stored(self) -> Counter[tuple[str, str]]:
        found: Counter[tuple[str, str]] = Counter()
        for folder in (self.run / "predictions").glob("*"):
            for shard in list_shards(folder):
                keys = pq.read_table(shard.path, columns=["key"])["key"].to_pylist()
                found.update((folder.name, key) for key in keys)
        return found

    def requests(self) -> Counter[tuple[object, ...]]:
        """Cell, stage and key of every stored request, as often as it is stored."""
        columns = ["key", "model", "dataset", "example", "config", "stage", "replicate"]
        found: Counter[tuple[object, ...]] = Counter()
        folder = self.run / "requests"
        for shard in [each for series in series_in(folder) for each in list_shards(folder, series)]:
            found.update(map(tuple, pq.read_table(shard.path, columns=columns).to_pandas().to_numpy()))
        return found

    def scores(self) -> pd.DataFrame:
        return pd.read_parquet(self.run / "scores.parquet").sort_values(ORDER, ignore_index=True)

    def processes(self, name: str = "") -> list[int]:
        """What the study started, and what it is itself unless forked, where the program's name, as it shows
        it, begins with a pattern."""
        found = []
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                mine = f"{_MARK}={self.mark}".encode() in (entry / "environ").read_bytes().split(b"\0")
                program = (entry / "cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
            except OSError:
                continue
            if mine and program and re.match(name, program):
                found.append(int(entry.name))
        return found

    def end(self) -> None:
        """Kill what a killed driver left."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


def assert_whole(study: Study, undisturbed: Study) -> None:
    """Nothing lost, nothing doubled, no scrap left, and the same scores as without a disturbance."""
    stored, wanted = study.stored(), undisturbed.stored()
    assert not wanted.keys() - stored.keys(), "lost"
    assert not stored.keys() - wanted.keys(), "asked what nobody wanted"
    assert max(stored.values()) == 1, "doubled"
    assert study.requests() == undisturbed.requests()
    assert not [path for path in study.run.rglob("*") if path.name.endswith(".tmp")]
    assert not list(study.run.glob(".lock*"))
    for folder in [study.run / "requests", *(study.run / "predictions").glob("*")]:
        counting = [each.path for series in series_in(folder) for each in list_shards(folder, series)]
        assert not {*folder.glob("*.parquet")} - {*counting}
    pd.testing.assert_frame_equal(study.scores(), undisturbed.scores())


def wait_for(found: Callable[[], object], process: Command | Forked) -> None:
    """Until something is so, or the process has ended."""
    until(lambda: found() or process.poll() is not None)
