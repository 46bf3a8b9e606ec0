"""The command in a process that has its imports already: most of its time is what a run does."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from ...timing import PATIENCE


def run_command(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], plugin: Path, said: Path
) -> None:
    """What ``torr`` does with these arguments, in this process."""
    from torr_plugin.cli.app import main

    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path.insert(0, str(plugin))
    sys.argv = ["torr", *arguments]
    # the descriptors themselves: what the command starts writes there, too
    for number in (1, 2):
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    main()


class Forked:
    """As much of :class:`.study.Command` as the tests use."""

    def __init__(
        self,
        arguments: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        plugin: Path,
        said: Path,
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.serial.kills.warm"])
        self._said = said
        given = (arguments, folder, dict(environment), plugin, said)
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

    def said(self) -> str:
        return self._said.read_text() if self._said.exists() else ""

    def ended(self, within: float = PATIENCE) -> str:
        self._process.join(within)
        assert not self._process.is_alive(), f"it does not end; it says\n{self.said()}"
        return self.said()
