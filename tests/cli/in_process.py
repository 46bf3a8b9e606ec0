"""Runs a command of ``torr`` in this process, which saves the seconds of a new one."""

from __future__ import annotations

import subprocess
from pathlib import Path

from typer.testing import CliRunner, Result

from torr_plugin.cli.app import app


def here(*arguments: str | Path) -> Result:
    """The outcome of a command: ``exit_code``, ``stdout`` and ``stderr``."""
    return CliRunner().invoke(app, list(map(str, arguments)))


def one_line(done: subprocess.CompletedProcess[str]) -> str:
    """The one line on stderr; fails when there is a traceback, another exit code or something on stdout."""
    assert (done.returncode, done.stdout) == (2, ""), (done.returncode, done.stdout, done.stderr)
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("torr: ")
    return line
