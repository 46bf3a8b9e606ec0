"""What every command does with errors, interruptions and mistyped lines."""

from __future__ import annotations

import logging
import os
import signal
import sys

import pytest
import typer

import torr_plugin
from torr_plugin.cli import command
from torr_plugin.cli.app import app
from torr_plugin.cli.command import guarded, run_app
from torr_plugin.core.errors import ModelError, RecipeError


def test_what_is_logged_drives_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])

    @guarded
    def command() -> int:
        logging.getLogger("torr_plugin.some").warning("%s: is not ours", "a\x1b[31m\nb\u202e")
        return 0

    monkeypatch.setattr(logging, "lastResort", logging.lastResort)  # as it was, afterwards
    with pytest.raises(typer.Exit):
        command()
    assert capsys.readouterr().err == "a?[31m b?: is not ours\n"


@pytest.mark.parametrize("in_terminal", [True, False])
def test_an_error_is_wrapped_in_a_terminal_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], in_terminal: bool
) -> None:
    path, words = "/scratch/" + "a-long-folder/" * 8, "what was found and what is expected " * 4
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: in_terminal)

    @guarded
    def failing() -> int:
        raise ModelError(f"{path}: {words}")

    with pytest.raises(typer.Exit):
        failing()
    said = capsys.readouterr().err
    assert " ".join(said.split()) == f"torr: {path}: {words.strip()}"
    lines = said.splitlines()
    assert len(lines) == (4 if in_terminal else 1)
    assert not in_terminal or max(len(line) for line in lines if path not in line) <= 80


@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_that_a_library_makes_an_error_of_is_an_interruption(
    stop: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    @guarded
    def command() -> int:
        try:
            os.kill(os.getpid(), stop)
        except KeyboardInterrupt:  # as an interrupted import of numpy does
            raise ModelError("numpy is not installed") from None
        return 0

    with pytest.raises(typer.Exit) as ended:
        command()
    assert ended.value.exit_code == 130
    assert "torr: interrupted; resume with the same command" in capsys.readouterr().err

    @guarded
    def another() -> int:
        raise ModelError("numpy is not installed")

    with pytest.raises(typer.Exit) as ended:
        another()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    signal.signal(signal.SIGINT, before)
    assert ended.value.exit_code == 2


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (KeyboardInterrupt, 130, "torr: interrupted; resume with the same command"),
        (ModelError("numpy is not installed"), 2, "torr: numpy is not installed"),
    ],
)
def test_a_stop_does_not_cut_off_how_a_command_ended(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sent: signal.Signals,
    error: BaseException,
    code: int,
    message: str,
) -> None:
    def signalled(text: str) -> str:
        os.kill(os.getpid(), sent)
        return text

    @guarded
    def failing() -> int:
        raise error

    monkeypatch.setattr(command, "clean", signalled)
    before = signal.signal(sent, signal.default_int_handler)
    try:
        with pytest.raises(typer.Exit) as ended:
            failing()
    finally:
        signal.signal(sent, before)
    assert ended.value.exit_code == code
    assert message in capsys.readouterr().err


def test_a_stop_after_a_command_is_done_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    done = False
    set_handler = signal.signal

    def signalled(number: int, handler: object) -> object:
        if done:
            os.kill(os.getpid(), signal.SIGTERM)
        return set_handler(number, handler)  # type: ignore[arg-type]

    @guarded
    def succeeding() -> int:
        nonlocal done
        done = True
        return 0

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    monkeypatch.setattr(command.signal, "signal", signalled)
    # SIGTERM alone, which is restored first: what comes later is for the handler before
    monkeypatch.setattr(command, "_interrupting_signals", lambda: [signal.SIGTERM])
    try:
        with pytest.raises(typer.Exit) as ended:
            succeeding()
    finally:
        set_handler(signal.SIGTERM, before)
    assert ended.value.exit_code == 0


def outcome_of(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> tuple[object, str, str]:
    monkeypatch.setattr(sys, "argv", ["torr", *arguments])
    with pytest.raises(SystemExit) as ended:
        run_app(app)
    captured = capsys.readouterr()
    return ended.value.code, captured.out, captured.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("plan quickstart --limt 3", "No such option: --limt"),
        ("import foo", "'foo' is not one of 'helm'"),
        ("plan", "Missing argument"),
        ("analyse run", "Missing option '--out'"),
        ("plan quickstart --limit 0", "'--limit'"),
        ("run quickstart --executor slurm", "'slurm'"),
        ("plan quickstart another", "unexpected extra argument"),
        ("plan quickstart --limit \x1b[2J", "'--limit'"),
        ("plna", "No such command 'plna'"),
        ("\x1b[2J", "No such command '\\x1b[2J'"),
        ("data pul", "No such command 'pul'"),
    ],
)
def test_a_mistyped_line_is_answered_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    code, out, err = outcome_of(monkeypatch, capsys, *line.split(" "))
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]
    assert "Try '" in err
    assert "\x1b" not in err


def test_without_arguments_there_is_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = outcome_of(monkeypatch, capsys)
    assert code in (0, 2)  # as the version of typer has it
    assert "Run the embedded study" in out + err


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_has_two_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], option: str
) -> None:
    code, out, _ = outcome_of(monkeypatch, capsys, "plan", option)
    assert code == 0
    assert "without a model" in out


def test_the_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = outcome_of(monkeypatch, capsys, "--version")
    assert (code, out) == (0, f"torr-plugin {torr_plugin.__version__}\n")


def test_debug_lets_errors_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command._Settings, "debug", False)  # as it was, afterwards
    monkeypatch.setattr(sys, "argv", ["torr", "run", "nowhere.yaml", "--debug"])
    with pytest.raises(RecipeError, match=r"nowhere\.yaml"):
        run_app(app)
