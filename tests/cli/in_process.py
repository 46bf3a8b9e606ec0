"""Runs a command of ``torr`` in this process, which saves the seconds of a new one."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

from torr_plugin.cli.app import app


def here(*arguments: str | Path) -> Result:
    """The outcome of a command: ``exit_code``, ``stdout`` and ``stderr``."""
    return CliRunner().invoke(app, list(map(str, arguments)))
