"""Asks a server: as many requests at once as it takes, again where it failed, until it is beyond hope."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Protocol, TypeAlias

from ...answer import one_line
from ...contexts import Failure
from ..base import Finished, ModelOutput
from .clock import Clock, Timer
from .concurrency import Concurrency
from .health import Health
from .limits import Limits
from .outcomes import Again, Denied, Outcome, Trouble
from .replies import Read, Reply, outcome
from .turns import Ask, Turns
from .waiting import LONGEST_BACKOFF, backoff

# a try to connect costs nothing, and tells soon that a server is back
_LONGEST_ABSENCE = 5.0

Deliver: TypeAlias = Callable[[Sequence[Finished]], None]


class Posts(Protocol):
    """What :class:`torr_plugin.running.engines.server.exchange.Exchange` does."""

    async def post(self, body: bytes) -> Reply | Again | Denied:
        """Send a request and wait for the reply."""


class Conversation:
    """All of it happens in one event loop; only ``limit`` and ``broken`` may be read from elsewhere.

    Args:
        posts: sends one request.
        read: makes an answer from a reply's JSON.
        health: judges the server.
        concurrency: how many at once.
        limits: of patience.
        deliver: takes what is finished, and nothing where all is over; called in the event loop.
        clock: the time.
    """

    def __init__(
        self,
        posts: Posts,
        read: Read,
        *,
        health: Health,
        concurrency: Concurrency,
        limits: Limits,
        deliver: Deliver,
        clock: Clock,
    ) -> None:
        self._posts, self._read, self._deliver, self._clock = posts, read, deliver, clock
        self._health, self._concurrency, self._limits = health, concurrency, limits
        self._turns, self._flying = Turns(), set[asyncio.Task[None]]()
        self._random, self._pauses = Random(), 0  # noqa: S311 - jitter
        self._timer: Timer | None = None

    @property
    def limit(self) -> int:
        """How many requests may be under way now."""
        return self._concurrency.limit

    @property
    def broken(self) -> str | None:
        """Why nothing more will be answered, once all that was under way is back."""
        return None if self._flying else self._health.broken

    def submit(self, asks: Sequence[Ask]) -> None:
        """Ask these, in the order of their numbers."""
        self._turns.add(asks)
        self._go_on()

    def recall(self) -> list[int]:
        """The numbers of those that wait for their turn; they are forgotten."""
        numbers = self._turns.clear()
        self._go_on()  # refusals that were held back need not wait for what is forgotten
        return numbers

    def abandon(self) -> None:
        """Forget all, and hang up on the server."""
        self._turns.clear()
        for task in self._flying:
            task.cancel()
        if self._timer is not None:
            self._timer.cancel()

    def _go_on(self) -> None:
        """Send what may be sent, and see to it that this is called again."""
        health, now = self._health, self._clock.now()
        while len(self._flying) < self._concurrency.limit and not (health.broken or health.in_doubt):
            ask = self._turns.next(now)
            if ask is None:
                break
            self._send(ask)
        if not self._flying and not health.broken and (health.in_doubt or not len(self._turns)):
            self._deliver(health.drained())
        if self.broken:
            self._deliver(())  # whoever waits for answers need not go on
        self._set_timer(now)

    def _set_timer(self, now: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        when = None if self._health.broken else self._turns.when()
        self._timer = self._clock.call_at(when, self._go_on) if when is not None and when > now else None

    def _send(self, ask: Ask) -> None:
        task = asyncio.get_running_loop().create_task(self._asked(ask))
        self._flying.add(task)
        task.add_done_callback(self._back)

    def _back(self, task: asyncio.Task[None]) -> None:
        self._flying.discard(task)
        if task.cancelled():
            return
        if (error := task.exception()) is not None:  # a fault of ours: end, rather than wait for ever
            self._health.end(f"cannot be asked any more: {one_line(error)}")
        self._go_on()

    async def _asked(self, ask: Ask) -> None:
        sent = self._clock.now()
        try:
            reply = await self._posts.post(ask.body)
            found = outcome(reply, self._read, time.time()) if isinstance(reply, Reply) else reply
            if isinstance(reply, Reply):
                self._health.reached()
        except Exception as error:  # a fault of ours must not lose a request
            found = Failure(f"the reply cannot be read: {one_line(error)}")
        self._settle(ask, found, sent)

    def _settle(self, ask: Ask, found: Outcome, sent: float) -> None:
        if isinstance(found, ModelOutput):
            self._pauses = 0
            self._concurrency.answered(self._clock.now() - sent, len(self._flying))
            self._deliver([(ask.number, found), *self._health.answered()])
        elif isinstance(found, Failure):
            self._health.sound()
            self._deliver([(ask.number, found)])
        elif isinstance(found, Denied):
            self._health.denied(ask.number, found.reason)
        else:
            self._ask_again(ask, found, sent)

    def _ask_again(self, ask: Ask, found: Again, sent: float) -> None:
        now = self._clock.now()
        if (found.wait or 0) > self._limits.longest_wait:
            self._health.end(f"asks to wait {found.wait:.0f} s: {found.reason}")
        elif found.trouble is Trouble.UNREACHABLE:
            self._health.unreachable(now, found.reason)
            self._pause(found, sent, now, _LONGEST_ABSENCE)
            self._turns.add([ask])  # the request is not to blame
        else:
            self._health.failed(now, found.reason)
            self._count(ask, found, sent, now)

    def _count(self, ask: Ask, found: Again, sent: float, now: float) -> None:
        """Ask again while the limits allow: with all others after a pause, or by itself."""
        if found.trouble is Trouble.OVERLOADED:
            ask.refusals += 1
            self._pause(found, sent, now)
        else:
            ask.failures += 1
        if found.trouble is not Trouble.FAULTY:
            self._concurrency.overloaded(sent, now)
        if ask.failures >= self._limits.attempts or ask.refusals >= self._limits.rate_limited:
            self._give_up(ask, found)
        elif found.trouble is Trouble.OVERLOADED:
            self._turns.add([ask])
        else:
            self._turns.put_off(ask, now + (found.wait or backoff(ask.failures, self._random)))

    def _give_up(self, ask: Ask, found: Again) -> None:
        tries = ask.failures + ask.refusals
        self._health.given_up(found.reason)
        times = "once" if tries == 1 else f"{tries} times"
        self._deliver([(ask.number, Failure(f"{found.reason} (asked {times})"))])

    def _pause(self, found: Again, sent: float, now: float, most: float = LONGEST_BACKOFF) -> None:
        """Nobody asks for a while; longer where the last pause, as long as the server said, was too short.

        Several that were sent before the pause began lengthen it once.
        """
        wait = found.wait or 0.0
        if sent >= self._turns.closed_until:
            self._pauses += 1
            tries = self._pauses if found.wait is None else self._pauses - 1
            wait = max(wait, backoff(tries, self._random, most) if tries else 0.0)
        self._turns.close(now + wait)
