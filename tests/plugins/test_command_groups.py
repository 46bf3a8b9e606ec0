"""Groups of commands of plugins: listed, run, and no harm where they are broken."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from torr_plugin.cli.app import app

from .conftest import Install

PLUGIN = """
from torr_plugin.plugins import hookimpl
from torr_plugin.plugins import CommandGroup
@hookimpl
def torr_commands():
    mine = CommandGroup("mine", "mine_commands:app", "Commands of mine.")
    return [mine, CommandGroup("lost", "nowhere:app"), CommandGroup("gone", "mine_gone:app")]
"""

COMMANDS = """
import typer
from torr_plugin.cli.command import emit, guarded
from torr_plugin.core.errors import InputError
app = typer.Typer()

@app.command()
@guarded
def good(word: str) -> int:
    \"\"\"Say a word.\"\"\"
    emit({"word": word})
    return 0

@app.command()
@guarded
def wrong() -> int:
    raise InputError("the word is wrong")

more = typer.Typer()
more.command("one")(wrong)
more.command("two")(wrong)
app.add_typer(more, name="more")
"""


@pytest.fixture
def here(install: Install, tmp_path: Path) -> Install:
    install("mine", PLUGIN)
    (tmp_path / "mine_commands.py").write_text(COMMANDS)
    (tmp_path / "mine_gone.py").write_text("raise SystemExit(0)")
    return install


def torr(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_a_group_is_listed_and_run(here: Install) -> None:
    assert "mine          Commands of mine." in torr("--help").stdout
    assert "Say a word." in torr("mine", "--help").stdout
    done = torr("mine", "good", "hello")
    assert (done.exit_code, done.stdout) == (0, '{"word": "hello"}\n')


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["mine", "wrong"], 2, "torr: the word is wrong"),
        (["mine", "god"], 2, "No such command 'god'"),
        (["mine", "more", "three"], 2, "No such command 'three'"),
        (["mine", "good"], 2, "Missing argument"),
        (
            ["lost", "x"],
            2,
            "command group 'lost' of plugin 'mine' cannot be used: ModuleNotFoundError: No mod",
        ),
        (["gone", "x"], 2, "command group 'gone' of plugin 'mine' cannot be used: SystemExit: 0"),
        (["nope"], 2, "No such command 'nope'"),
    ],
)
def test_what_goes_wrong_is_one_line(here: Install, arguments: list[str], code: int, said: str) -> None:
    done = torr(*arguments)
    assert done.exit_code == code
    assert said in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_a_broken_plugin_does_not_break_help_and_is_named_for_an_unknown_command(here: Install) -> None:
    here("broken", "raise RuntimeError('not today')")
    assert torr("--help").exit_code == 0
    assert "plugin 'broken' 1.2 was left out: RuntimeError: not today" in torr("theirs").stderr


def test_in_a_process_of_its_own_help_imports_no_commands_and_no_stages(
    here: Install, tmp_path: Path
) -> None:
    (tmp_path / "probe.py").write_text(
        "import sys\nfrom typer.testing import CliRunner\nfrom torr_plugin.cli.app import app\n"
        "done = CliRunner().invoke(app, ['--help'])\nassert 'mine' in done.stdout, done.stdout\n"
        "assert not [n for n in sys.modules if n.startswith('torr_plugin.running.')], 'stages'\n"
        "assert 'mine_commands' not in sys.modules\n"
        "app(['mine', 'good', 'hello'])\n"
    )
    done = subprocess.run(
        [sys.executable, "probe.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, '{"word": "hello"}\n'), done.stderr
