"""A small study as the real command runs it, what it stored, and processes that are killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from torr_plugin.running.store.shards import list_folder, without_merged

from ..timing import PATIENCE
from .forked import Forked

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECIPE = """\
name: faults
seed: 3
cards: [cards.bundled.cell_lookup, cards.bundled.fact_verification]
configurations:
  - serializers: [torr.html, torr.csv, html]
    perturbations: [none, transpose]
  - serializers: [html]
    perturbations: [none]
    designs: [self_augmented, tree_thinker, self_augmented+table_size+suc, self_augmented_format+tree_thinker]
examples: {count: 5}
replicates: {share: 0.5}
models:
  - {model: slowed, name: one}
  - {model: slowed, name: other, args: {seconds: 0.002}}
analysis: {resamples: 50}
"""
ORDER = ["model", "dataset", "config", "example", "metric", "replicate"]
_MARK = "TORR_FAULTS"
SLOWLY = {"TORR_FAULTS_SECONDS": "0.05"}
"""Of each answer, so that a run lasts long enough for whoever looks at it now and then."""


@dataclass
class Study:
    """The study in a directory of its own; every process of it can be found by a mark in its environment."""

    folder: Path
    recipe: str = RECIPE
    options: tuple[str, ...] = ()
    paths: tuple[Path, ...] = (HERE / "plugin",)
    forked: bool = False
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "faults.yaml").write_text(self.recipe)

    @property
    def run(self) -> Path:
        return self.folder / "run"

    @property
    def arguments(self) -> list[str]:
        return ["run", "faults.yaml", "--out", "run", *self.options]

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "torr_plugin.cli.app", *self.arguments]

    @property
    def environment(self) -> dict[str, str]:
        paths = os.pathsep.join(map(str, (*self.paths, ROOT)))
        return {**os.environ, "PYTHONPATH": paths, _MARK: self.mark, "COLUMNS": "80"}

    def start(self, **variables: str) -> subprocess.Popen[str] | Forked:
        """Begin the command, with these variables in its environment; SLOWLY for one that is met at work."""
        environment = self.environment | variables
        if self.forked:
            return Forked(self.arguments, self.folder, environment, self.paths)
        # a session of its own: a signal to its group reaches what it started, and not the tests
        return subprocess.Popen(
            self.command,
            cwd=self.folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finish(self, within: float = PATIENCE) -> str:
        """Run to the end; gives what was said."""
        process = self.start()
        said, _ = process.communicate(timeout=within)
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
            for shard in list_folder(folder).files:
                keys = pq.read_table(shard.path, columns=["key"])["key"].to_pylist()
                found.update((folder.name, key) for key in keys)
        return found

    def requests(self) -> Counter[tuple[object, ...]]:
        """Cell, stage and key of every stored request, as often as it is stored."""
        columns = ["key", "model", "dataset", "example", "config", "stage", "replicate"]
        found: Counter[tuple[object, ...]] = Counter()
        for shard in list_folder(self.run / "requests").files:
            found.update(map(tuple, pq.read_table(shard.path, columns=columns).to_pandas().to_numpy()))
        return found

    def scores(self) -> pd.DataFrame:
        return pd.read_parquet(self.run / "scores.parquet").sort_values(ORDER, ignore_index=True)

    def processes(self, name: str = "") -> list[int]:
        """The study's processes whose program's name, as they show it, begins with a pattern."""
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
        assert not without_merged(list_folder(folder).files)[1]
    pd.testing.assert_frame_equal(study.scores(), undisturbed.scores())


def wait_for(found, process: subprocess.Popen[str] | Forked, within: float = PATIENCE) -> None:
    """Until something is so, or the process has ended."""
    end = time.monotonic() + within
    while not found() and process.poll() is None:
        assert time.monotonic() < end
        time.sleep(0.005)
