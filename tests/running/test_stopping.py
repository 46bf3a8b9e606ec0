"""The first signal asks for a stop, the second ends the run; the command to resume with is said."""

from __future__ import annotations

import os
import shlex
import signal
import sys
import threading

import pytest

from torr_plugin.cli.command import command_line
from torr_plugin.running.request_sources import ListedRequests, PendingRequest, StopRequest
from torr_plugin.running.runner import FINISHING, stoppable


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_the_first_asks_and_the_second_ends(sent: signal.Signals) -> None:
    before, said = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)], []

    def twice() -> None:
        with stoppable(said.append) as stop:
            assert not stop.requested
            os.kill(os.getpid(), sent)
            assert stop.requested
            assert said == [FINISHING]
            os.kill(os.getpid(), sent)

    with pytest.raises(KeyboardInterrupt):
        twice()
    assert said == [FINISHING]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_a_stream_in_the_midst_of_a_line(capfd: pytest.CaptureFixture[str]) -> None:
    def say(text: str) -> None:
        raise RuntimeError("reentrant call inside <_io.BufferedWriter>")

    with stoppable(say) as stop:
        os.kill(os.getpid(), signal.SIGTERM)
    assert stop.requested
    assert FINISHING in capfd.readouterr().err


def test_another_thread_changes_no_handler() -> None:
    found = []

    def work() -> None:
        with stoppable(found.append) as stop:
            found.append((stop.requested, signal.getsignal(signal.SIGTERM)))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(False, before)]


def test_a_source_gives_nothing_more_once_a_stop_is_asked_for() -> None:
    stop = StopRequest()
    source = ListedRequests((PendingRequest(str(n), ()) for n in range(9)), stop)
    assert [asked.key for asked in source.take(3)] == ["0", "1", "2"]
    assert not source.done
    stop.requested = True
    assert source.take(3) == []
    assert source.done


def test_the_command_line_can_be_typed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["run", "my study.yaml", "--model-args", "a=b,c=$HOME", "--out", "it's"]
    monkeypatch.setattr(sys.modules["__main__"], "__spec__", None)
    monkeypatch.setattr(sys, "argv", ["/opt/bin/torr", *arguments])
    assert shlex.split(command_line()) == ["torr", *arguments]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("model=m,api_key=sk-123,seed=1", "model=m,api_key=...,seed=1"),
        ("token=abc", "token=..."),
        ('{"hf_token": "abc", "x": 1}', '{"hf_token":..., "x": 1}'),
        ("eos_token=</s>,max_tokens=4", "eos_token=</s>,max_tokens=4"),
    ],
)
def test_keys_and_passwords_are_not_shown(given: str, shown: str) -> None:
    assert shlex.split(command_line(["--model-args", given]))[-1] == shown
