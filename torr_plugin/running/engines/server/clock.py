"""Time, as the conversation with a server sees it; tests bring their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """Seconds of a clock that is never set back, and one call later."""

    def now(self) -> float:
        """Seconds since some moment."""

    def call_at(self, when: float, function: Callable[[], object]) -> Timer:
        """Call a function in the running event loop once it is ``when``."""


class Timer(Protocol):
    """A call that can be taken back."""

    def cancel(self) -> object:
        """Do not call."""


class Monotonic:
    """The real clock."""

    def now(self) -> float:
        """See :class:`Clock`."""
        return time.monotonic()

    def call_at(self, when: float, function: Callable[[], object]) -> Timer:
        """See :class:`Clock`."""
        return asyncio.get_running_loop().call_later(max(0.0, when - time.monotonic()), function)
