"""Whether a driver notices that what it hangs on has gone."""

from __future__ import annotations

import socket

import pytest

from torr_plugin.core.errors import RunError
from torr_plugin.running.executors.ray.cluster import ClusterMonitor


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as found:
        yield found


def lifeline(listener: socket.socket) -> ClusterMonitor:
    return ClusterMonitor({"GCS": (*listener.getsockname(), 4.0)})


def test_what_is_there(listener: socket.socket) -> None:
    assert lifeline(listener).holds(0.0)


def test_what_has_gone_is_waited_for_and_then_named(listener: socket.socket) -> None:
    line = lifeline(listener)
    listener.close()
    assert not line.holds(10.0)
    assert not line.holds(13.9)
    with pytest.raises(RunError, match=r"^Ray's GCS process ended; what was answered is kept"):
        line.holds(14.0)


def test_what_comes_back_in_time_is_waited_for_anew(listener: socket.socket) -> None:
    line, address = lifeline(listener), listener.getsockname()
    listener.close()
    assert not line.holds(0.0)
    with socket.create_server(address):
        assert line.holds(3.0)
    assert not line.holds(5.0)
    assert not line.holds(8.9)
