"""A holder elsewhere is watched: it counts, or it is gone."""

from __future__ import annotations

from pathlib import Path

from torr_plugin.running import exclusive
from torr_plugin.running.store.lock import SignsOfLife, this_process

from .test_lock import forge


class Clock:
    """Goes forward as it is told."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


def test_one_that_stands_still_is_gone(tmp_path: Path) -> None:
    forge(tmp_path)
    clock = Clock()
    signs = SignsOfLife(tmp_path, 35, clock)
    for seconds, there in ((0, True), (34, True), (1, False), (10, False)):
        clock.seconds += seconds
        assert (signs.writer() is not None) is there
    forge(tmp_path, count=1)  # only slow, after all
    found = signs.writer()
    assert found is not None
    assert (found.host, found.alive) == ("node-7", None)


def test_one_that_counts_lives(tmp_path: Path) -> None:
    clock = Clock()
    signs = SignsOfLife(tmp_path, 35, clock)
    for count in range(20):
        forge(tmp_path, count=count)
        clock.seconds += 34
        assert signs.writer() is not None


def test_a_new_holder_has_its_own_time(tmp_path: Path) -> None:
    clock = Clock()
    signs = SignsOfLife(tmp_path, 35, clock)
    lock = forge(tmp_path)
    signs.writer()
    clock.seconds += 100
    assert signs.writer() is None
    lock.unlink()
    assert signs.writer() is None
    with exclusive(tmp_path):
        found = signs.writer()
        assert found is not None
        assert (found.pid, found.alive) == (this_process().pid, True)
        clock.seconds += 100
        assert signs.writer() is not None
