"""The command in a process that has its imports already, so that a kill falls on what a run does."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import pkgutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import torr_plugin

LIBRARIES = ("pandas", "pyarrow.parquet", "scipy.stats", "lm_eval.api.model", "yaml", "rich.console")


def import_all() -> None:
    """What a run imports on its way: a fork of this process has it."""
    for module in pkgutil.walk_packages(torr_plugin.__path__, "torr_plugin."):
        with suppress(ImportError):  # of what an extra would install
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)
    for name in LIBRARIES:
        importlib.import_module(name)


def run_command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], paths: Sequence[Path], said: Path
) -> None:
    """What ``torr`` does with these arguments, in this process."""
    from torr_plugin.cli.app import main

    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = map(str, paths)
    sys.argv = ["torr", *arguments]
    # the descriptors themselves: what the command starts writes there, too
    for number in (1, 2):
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    main()


class Forked:
    """As much of :class:`subprocess.Popen` as the tests use."""

    def __init__(
        self, arguments: Sequence[str], folder: Path, environment: Mapping[str, str], paths: Sequence[Path]
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.faults.warm"])
        self._said = folder / "said.txt"
        self._said.write_text("")
        given = (arguments, folder, dict(environment), tuple(paths), self._said)
        self._process = context.Process(target=run_command, args=given)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()

    def communicate(self, timeout: float) -> tuple[str, None]:
        self._process.join(timeout)
        if self._process.is_alive():
            raise subprocess.TimeoutExpired("torr", timeout)
        return self._said.read_text(), None
