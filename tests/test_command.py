"""What commands say."""

from __future__ import annotations

import logging
import os
import signal

import pytest
import typer

from torr_plugin.cli.command import guarded
from torr_plugin.core.errors import ModelError


def test_what_is_logged_drives_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(logging.root, "handlers", [])

    @guarded
    def command() -> int:
        logging.getLogger("torr_plugin.some").warning("%s: is not ours", "a\x1b[31m\nb\u202e")
        return 0

    before = logging.lastResort
    with pytest.raises(typer.Exit):
        command()
    assert capsys.readouterr().err == "a?[31m b?: is not ours\n"
    assert logging.lastResort is before


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
