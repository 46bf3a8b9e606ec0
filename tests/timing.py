"""What tests know of time: how long they wait before something has failed, and what work costs anywhere.

A test that fails because its machine is slow, or busy with other things, says nothing about the project. So a
wait ends with its condition and not with a pause that was once long enough, its end is far off, and costs are
told in units of a piece of plain Python that is timed beside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Done = TypeVar("Done")

PATIENCE = 300.0
"""Seconds after which what has not happened never will: a hundred times what a quiet machine needs."""

_STEPS = 400_000
_SECONDS_OF_STEPS = 0.02
_QUICKEST = 10  # no machine takes so many times 20 million steps a second


def until(condition: Callable[[], object], within: float = PATIENCE, pause: float = 0.005) -> None:
    """Wait until something holds.

    Raises:
        AssertionError: it does not after ``within`` seconds.
    """
    end = time.monotonic() + within
    while not condition():
        assert time.monotonic() < end, f"still waiting after {within:g} s"
        time.sleep(pause)


def quickly(work: Callable[[], Done], within: float = 20.0) -> Done:
    """What some work gives that takes a fraction of ``within``, and would take minutes if unbounded.

    Raises:
        AssertionError: three times it took more than ``within`` of the seconds of CPU of a machine that takes
            20 million plain steps a second.
    """
    for _ in range(3):
        done, spent = _cpu_seconds(work)
        if spent <= within / _QUICKEST:
            return done
        # where other processes share the core's caches, or its clock is low, both are slowed
        _, steps = _cpu_seconds(_steps)
        seconds = spent * _SECONDS_OF_STEPS / steps
        if seconds <= within:
            return done
    raise AssertionError(f"{seconds:.1f} s of work, where {within:g} are far more than it needs")


def _cpu_seconds(work: Callable[[], Done]) -> tuple[Done, float]:
    started = time.thread_time()
    done = work()
    return done, time.thread_time() - started


def _steps() -> int:
    total = 0
    for number in range(_STEPS):
        total += number & 3
    return total
