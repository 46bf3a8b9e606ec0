"""The first signal asks for a stop, the second ends the run."""

from __future__ import annotations

import os
import signal
import threading

import pytest

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
